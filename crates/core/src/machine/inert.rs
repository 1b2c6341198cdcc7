//! //! The reason why a number of a machine has no effect on a run, as the number's part states it.

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
            let with_interface = |node: &NodeDescription| {
                let interface = node.ni.as_ref().or(self.ends.as_ref().map(|ends| &ends.ni))?;
                host.inert_reason_with(key, &interface.needs())
            };
            let with_all = || nodes().map(with_interface).reduce(|all, one| all.and(one)).flatten();
            return host.inert_reason(key).or_else(with_all);
        }
        if let Some(ends) = &self.ends {
            if let Some(key) = ends.ni.relative_key(path) {
                return ends.ni.inert_reason(key).or_else(|| ends.ni.inert_reason_with(key, &**ends.protocol.spec()));
            }
            if let Some(key) = ends.protocol.relative_key(path) {
                return ends.protocol.inert_reason(key);
            }
        }
        self.fabric.inert_reason(self.fabric.relative_key(path)?)
    }
}
