//! A routing rule over an underlying rule that numbers the nodes differently. It is used for nodes in the order of a
//! description, and for the edge ports of I/O columns.
//!
//! The nodes in a query are replaced; all other properties are those of the underlying rule.

use super::{RouteOptions, RouteQuery, Routing};
use std::fmt::Debug;

/// A routing rule that replaces the nodes of a query and passes the query to an underlying rule.
pub(super) trait RelabelledRouting: Debug + Send + Sync {
    /// Returns the underlying rule.
    fn rule(&self) -> &dyn Routing;

    /// Returns the node of the underlying rule that replaces `node`.
    fn position(&self, node: u32) -> u32;

    /// Returns the node that is replaced by `position`, if the replacement is one to one.
    fn node(&self, _position: u32) -> Option<u32> {
        None
    }

    /// Returns the options of a header that leaves the shape at this router by a port that the underlying rule does not
    /// have; `None` for any other header.
    fn exit_options(&self, _query: &RouteQuery, _virtual_channels: u8) -> Option<RouteOptions> {
        None
    }
}

impl<R: RelabelledRouting> Routing for R {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        self.exit_options(query, virtual_channels).unwrap_or_else(|| {
            let [source, destination] = [query.source, query.destination].map(|node| self.position(node));
            self.rule().route(&RouteQuery { source, destination, ..*query }, virtual_channels)
        })
    }

    fn virtual_channels_min(&self) -> u8 {
        self.rule().virtual_channels_min()
    }

    fn packet_flits_max(&self, virtual_channels: u8) -> u16 {
        self.rule().packet_flits_max(virtual_channels)
    }

    fn depends_on_destination_only(&self) -> bool {
        self.rule().depends_on_destination_only()
    }

    fn is_oblivious_random(&self) -> bool {
        self.rule().is_oblivious_random()
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        self.rule().distance(self.position(from), self.position(to))
    }

    fn farthest(&self) -> Option<(u32, u32)> {
        let (from, to) = self.rule().farthest()?;
        Some((self.node(from)?, self.node(to)?))
    }

    fn depends_on_input(&self) -> bool {
        self.rule().depends_on_input()
    }
}
