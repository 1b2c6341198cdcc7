//! The nodes of a description: named one by one, many at once, or as many as the fabric has.

use super::{Fabric, Host, NodeDescription};
use crate::text::Table;

/// An entry of `[nodes]`.
pub(super) struct Described {
    host: String,
    count: Option<u64>,
}

/// The most nodes of a machine.
pub(super) const NODES_MAX: u64 = 1 << 17;

impl Described {
    pub(super) fn read(t: &mut Table<'_>) -> Described {
        let count = t.count("count", "How many such nodes, called NAME0, NAME1 …; by default one, called NAME");
        Described {
            count: count.range(1, NODES_MAX).optional(),
            host: t.text("host", "Which of `hosts` the node is").required(),
        }
    }
}

/// The nodes, in order.
pub(super) fn named(described: &[(String, Described)]) -> Vec<NodeDescription> {
    let mut nodes = Vec::new();
    for (name, Described { host, count }) in described {
        let node = |name: String| NodeDescription { name, host: host.clone() };
        match count {
            None => nodes.push(node(name.clone())),
            Some(count) => nodes.extend((0..*count).map(|number| node(format!("{name}{number}")))),
        }
    }
    nodes
}

/// The nodes, or where none are described, one for each of a routed fabric's, all of the only host.
pub(super) fn or_all(named: Vec<NodeDescription>, fabric: &Fabric, hosts: &[(String, Host)]) -> Vec<NodeDescription> {
    match (fabric, hosts) {
        (Fabric::Routed(topology, _), [(host, _)]) if named.is_empty() => {
            let node = |number| NodeDescription { name: format!("node{number}"), host: host.clone() };
            (0..topology.nodes()).map(node).collect()
        }
        _ => named,
    }
}
