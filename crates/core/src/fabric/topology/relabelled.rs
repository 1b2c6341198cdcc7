//! A routing rule that is asked for other nodes: those at the places of a shape, or at the routers of I/O columns.
//!
//! The nodes of a query are replaced, and every other property is that of the rule.

use super::{Asking, Routing, Ways};
use std::fmt::Debug;

/// A rule over another rule, whose nodes it names differently.
pub(super) trait RelabelledRouting: Debug + Send + Sync {
    /// Returns the rule that is asked.
    fn rule(&self) -> &dyn Routing;

    /// Returns the node of the rule in place of `node`.
    fn place(&self, node: u32) -> u32;

    /// Returns the node whose place is the rule's node `place`, where that is one to one.
    fn node(&self, _place: u32) -> Option<u32> {
        None
    }

    /// Returns the ways of a header that leaves the shape at its router by a port that the rule does not know.
    fn exit(&self, _asking: &Asking, _virtual_channels: u8) -> Option<Ways> {
        None
    }
}

impl<R: RelabelledRouting> Routing for R {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        self.exit(asking, virtual_channels).unwrap_or_else(|| {
            let [source, destination] = [asking.source, asking.destination].map(|node| self.place(node));
            self.rule().ways(&Asking { source, destination, ..*asking }, virtual_channels)
        })
    }

    fn virtual_channels_min(&self) -> u8 {
        self.rule().virtual_channels_min()
    }

    fn packet_flits_max(&self, virtual_channels: u8) -> u16 {
        self.rule().packet_flits_max(virtual_channels)
    }

    fn is_by_destination(&self) -> bool {
        self.rule().is_by_destination()
    }

    fn draws_port(&self) -> bool {
        self.rule().draws_port()
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        self.rule().distance(self.place(from), self.place(to))
    }

    fn farthest(&self) -> Option<(u32, u32)> {
        let (from, to) = self.rule().farthest()?;
        Some((self.node(from)?, self.node(to)?))
    }

    fn looks_back(&self) -> bool {
        self.rule().looks_back()
    }
}
