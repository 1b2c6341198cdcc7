//! The nodes of a description, which are named one by one, declared as a group with a count, or implied by the fabric.

use super::{FabricPart, HostPart, InterfacePart, NodeDescription, Registry};
use crate::text::Table;

/// An entry of `[nodes]`.
pub(super) struct NodeEntry {
    host: String,
    ni: Option<InterfacePart>,
    count: Option<u64>,
    endpoints: Option<u64>,
}

/// Largest number of endpoints of a node (chosen).
const ENDPOINTS_MAX: u64 = 1024;

/// Largest number of nodes of a machine.
pub(super) const NODES_MAX: u64 = 1 << 17;

impl NodeEntry {
    pub(super) fn read(t: &mut Table<'_>, registry: &Registry) -> NodeEntry {
        let count =
            t.count("count", "Number of nodes of this kind, called NAME0, NAME1 …; by default one, called NAME");
        let count = count.range(1, NODES_MAX).optional();
        let endpoints_doc =
            "Number of endpoints, one for each program, called NAME:0, NAME:1 …; by default one, called NAME";
        NodeEntry {
            count,
            endpoints: t.count("endpoints", endpoints_doc).range(1, ENDPOINTS_MAX).optional(),
            host: t.text("host", "Host of the node: the name of one of `hosts`").required(),
            ni: read_own_interface(t, registry),
        }
    }
}

/// Reads the interface of a node, if the node describes one that differs from the common interface.
fn read_own_interface(t: &mut Table<'_>, registry: &Registry) -> Option<InterfacePart> {
    // The tables that describe an interface are the same as those of the common interface.
    if t.describing() {
        t.describe_like("ni", "Interface of this node, if it differs from that of the other nodes", "ni");
        t.describe_parts("Shipped parts that describe this node, such as its interface");
        return None;
    }
    registry.interfaces().read_optional(t, "The interface of the node")
}

/// Expands the entries of `[nodes]` to nodes with names, in order.
pub(super) fn expand_entries(entries: &[(String, NodeEntry)]) -> Vec<NodeDescription> {
    let mut nodes = Vec::new();
    for (name, NodeEntry { host, ni, count, endpoints }) in entries {
        let key = format!("nodes.{name}");
        let interface = ni.as_ref().map(|ni| ni.clone().nested_in(format!("{key}.{}", ni.family_table())));
        let new_node = |name: String| {
            let (key, host, ni) = (key.clone(), host.clone(), interface.clone());
            NodeDescription { name, key, host, ni, endpoints: endpoints.unwrap_or(1) as u32 }
        };
        match count {
            None => nodes.push(new_node(name.clone())),
            Some(count) => nodes.extend((0..*count).map(|index| new_node(format!("{name}{index}")))),
        }
    }
    nodes
}

/// Returns the described nodes. If no nodes are described and the description has one host, returns nodes with this
/// host: one for each node of the fabric, or two if the fabric does not state a number. They have the names that the
/// fabric gives them, or are called `node0`, `node1` and so on.
pub(super) fn described_or_implied(
    nodes: Vec<NodeDescription>,
    fabric: &FabricPart,
    hosts: &[(String, HostPart)],
) -> Vec<NodeDescription> {
    let [(host, _)] = hosts else { return nodes };
    if !nodes.is_empty() {
        return nodes;
    }
    let new_node = |name| NodeDescription { name, key: "nodes".to_owned(), host: host.clone(), ni: None, endpoints: 1 };
    let numbered_names = || (0..fabric.nodes().unwrap_or(2)).map(|index| format!("node{index}")).collect();
    fabric.node_names().unwrap_or_else(numbered_names).into_iter().map(new_node).collect()
}
