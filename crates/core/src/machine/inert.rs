//! The reason why a number of a machine has no effect on a run, as the number's part states it.

use super::{Machine, NodeDescription};

impl Machine {
    /// Returns the reason why the number at `path`, such as `hosts.a.io-bus.pci.clock`, has no effect on a run, if its
    /// part knows one.
    pub fn inert_reason(&self, path: &str) -> Option<&'static str> {
        for (name, host) in &self.hosts {
            let Some(key) = host.relative_key(path) else { continue };
            let nodes = || self.nodes.iter().filter(|node| node.host == *name);
            if nodes().next().is_none() {
                return Some("no node is this host");
            }
            let reason_on_node = |node: &NodeDescription| {
                let interface = node.ni.as_ref().or(self.node_parts.as_ref().map(|node_parts| &node_parts.ni))?;
                host.inert_reason_with(key, &interface.needs())
            };
            let reason_on_all_nodes =
                || nodes().map(reason_on_node).reduce(|reason, next_reason| reason.and(next_reason)).flatten();
            return host.inert_reason(key).or_else(reason_on_all_nodes);
        }
        if let Some(node_parts) = &self.node_parts {
            if let Some(key) = node_parts.ni.relative_key(path) {
                return node_parts
                    .ni
                    .inert_reason(key)
                    .or_else(|| node_parts.ni.inert_reason_with(key, &**node_parts.protocol.spec()));
            }
            if let Some(key) = node_parts.protocol.relative_key(path) {
                return node_parts.protocol.inert_reason(key);
            }
        }
        self.fabric.inert_reason(self.fabric.relative_key(path)?)
    }
}
