//! The nodes of a description: named one by one, many at once, or as many as the fabric has.

use super::{FabricParameters, NodeDescription};
use crate::host::HostParameters;
use crate::text::Table;

/// An entry of `[nodes]`.
pub(super) struct Described {
    host: String,
    count: Option<u64>,
    endpoints: Option<u64>,
}

/// The most endpoints of a node (chosen).
const ENDS_MAX: u64 = 1024;

/// The most nodes of a machine.
pub(super) const NODES_MAX: u64 = 1 << 17;

impl Described {
    pub(super) fn read(t: &mut Table<'_>) -> Described {
        let count = t.count("count", "How many such nodes, called NAME0, NAME1 …; by default one, called NAME");
        let count = count.range(1, NODES_MAX).optional();
        let programs = "How many programs have an endpoint there, called NAME:0, NAME:1 …; by default one, called NAME";
        Described {
            count,
            endpoints: t.count("endpoints", programs).range(1, ENDS_MAX).optional(),
            host: t.text("host", "Which of `hosts` the node is").required(),
        }
    }
}

/// The nodes, in order.
pub(super) fn named(described: &[(String, Described)]) -> Vec<NodeDescription> {
    let mut nodes = Vec::new();
    for (name, Described { host, count, endpoints }) in described {
        let key = format!("nodes.{name}");
        let node = |name: String| {
            let (key, host) = (key.clone(), host.clone());
            NodeDescription { name, key, host, endpoints: endpoints.unwrap_or(1) as u32 }
        };
        match count {
            None => nodes.push(node(name.clone())),
            Some(count) => nodes.extend((0..*count).map(|number| node(format!("{name}{number}")))),
        }
    }
    nodes
}

/// The names of the nodes, or where none are described and there is one kind of host, of two.
pub(super) fn or_two(names: &[String], hosts: &[(String, HostParameters)]) -> Vec<String> {
    match (names, hosts) {
        ([], [_]) => (0..2).map(|number| format!("node{number}")).collect(),
        _ => names.to_vec(),
    }
}

/// The nodes, or where none are described, one for each of a routed fabric's, or two, all of the only
/// kind of host.
pub(super) fn or_all(
    named: Vec<NodeDescription>,
    fabric: &FabricParameters,
    hosts: &[(String, HostParameters)],
) -> Vec<NodeDescription> {
    let [(host, _)] = hosts else { return named };
    if !named.is_empty() {
        return named;
    }
    let nodes = if let FabricParameters::Routed(topology, _) = fabric { topology.nodes() } else { 2 };
    let node = |number| NodeDescription {
        name: format!("node{number}"),
        key: "nodes".to_owned(),
        host: host.clone(),
        endpoints: 1,
    };
    (0..nodes).map(node).collect()
}
