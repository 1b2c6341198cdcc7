//! The nodes of a description: named one by one, many at once, or implied by the fabric.

use super::{FabricPart, HostPart, InterfacePart, NodeDescription, Registry};
use crate::text::Table;

/// An entry of `[nodes]`.
pub(super) struct Described {
    host: String,
    ni: Option<InterfacePart>,
    count: Option<u64>,
    endpoints: Option<u64>,
}

/// Largest number of endpoints of a node (chosen).
const ENDS_MAX: u64 = 1024;

/// Largest number of nodes of a machine.
pub(super) const NODES_MAX: u64 = 1 << 17;

impl Described {
    pub(super) fn read(t: &mut Table<'_>, registry: &Registry) -> Described {
        let count =
            t.count("count", "Number of nodes of this kind, called NAME0, NAME1 …; by default one, called NAME");
        let count = count.range(1, NODES_MAX).optional();
        let programs =
            "Number of endpoints, one for each program, called NAME:0, NAME:1 …; by default one, called NAME";
        Described {
            count,
            endpoints: t.count("endpoints", programs).range(1, ENDS_MAX).optional(),
            host: t.text("host", "Host of the node: the name of one of `hosts`").required(),
            ni: own_interface(t, registry),
        }
    }
}

/// Reads the interface of a node that differs from that of the others.
fn own_interface(t: &mut Table<'_>, registry: &Registry) -> Option<InterfacePart> {
    // The tables that describe an interface are the same as those of the common interface.
    if t.describing() {
        t.describe_like("ni", "Interface of this node, if it differs from that of the other nodes", "ni");
        t.describe_parts("Shipped parts that describe this node, such as its interface");
        return None;
    }
    registry.interfaces().read_optional(t, "The interface of the node")
}

/// Returns the nodes with their names, in order.
pub(super) fn named(described: &[(String, Described)]) -> Vec<NodeDescription> {
    let mut nodes = Vec::new();
    for (name, Described { host, ni, count, endpoints }) in described {
        let key = format!("nodes.{name}");
        let own = ni.as_ref().map(|ni| ni.clone().below(format!("{key}.{}", ni.family_table())));
        let node = |name: String| {
            let (key, host, ni) = (key.clone(), host.clone(), own.clone());
            NodeDescription { name, key, host, ni, endpoints: endpoints.unwrap_or(1) as u32 }
        };
        match count {
            None => nodes.push(node(name.clone())),
            Some(count) => nodes.extend((0..*count).map(|number| node(format!("{name}{number}")))),
        }
    }
    nodes
}

/// Returns the described nodes. If none are described, returns as many as the fabric has, with the fabric's names or
/// numbered, or two; all have the only kind of host.
pub(super) fn or_all(
    named: Vec<NodeDescription>,
    fabric: &FabricPart,
    hosts: &[(String, HostPart)],
) -> Vec<NodeDescription> {
    let [(host, _)] = hosts else { return named };
    if !named.is_empty() {
        return named;
    }
    let node = |name| NodeDescription { name, key: "nodes".to_owned(), host: host.clone(), ni: None, endpoints: 1 };
    let numbered = || (0..fabric.nodes().unwrap_or(2)).map(|number| format!("node{number}")).collect();
    fabric.node_names().unwrap_or_else(numbered).into_iter().map(node).collect()
}
