//! The two endpoints of a program that runs between a pair of nodes.

use super::{FlowEndpoint, PAYLOAD_PATTERNS, PlannedFlow};
use crate::engine::{Bytes, EndpointId};
use crate::messaging::World;
use crate::text::Parameters;

/// Two endpoints by name; by default those of the first and the second node of the description.
#[derive(Clone, PartialEq, Debug, Default, Parameters)]
#[param(meaning = Load)]
pub struct EndpointPair {
    /// Name of the node or endpoint that begins; by default the first node.
    pub from: Option<String>,
    /// Name of the other node or endpoint; by default the second node.
    pub to: Option<String>,
}

impl EndpointPair {
    pub(super) fn endpoint_ids(&self, world: &World) -> (EndpointId, EndpointId) {
        let id = |name: &Option<String>, default| name.as_ref().map_or(default, |name| world.id(name));
        (id(&self.from, world.nodes[0].endpoint().id()), id(&self.to, world.nodes[1].endpoint().id()))
    }

    /// Returns the names of the sender and the receiver, with the key that states the pair. Names that are not stated
    /// are replaced by the defaults; without a default, the result is empty.
    pub(super) fn endpoint_pairs<'a>(
        &'a self,
        [default_from, default_to]: [Option<&'a str>; 2],
    ) -> Vec<(String, (&'a str, &'a str))> {
        let names = self.from.as_deref().or(default_from).zip(self.to.as_deref().or(default_to));
        names.map(|names| ("to".to_owned(), names)).into_iter().collect()
    }

    /// Returns the names that are stated, each with its key.
    pub(super) fn endpoint_names(&self) -> Vec<(String, &str)> {
        let stated_names = [("from", &self.from), ("to", &self.to)];
        stated_names.into_iter().filter_map(|(key, name)| Some((key.to_owned(), name.as_deref()?))).collect()
    }

    /// Returns the flow from the first endpoint to the second: one message at a time, from pattern buffers.
    pub(super) fn flow(&self, payload: Bytes) -> PlannedFlow<'_> {
        let from = FlowEndpoint::named_or(self.from.as_deref(), 0);
        let to = FlowEndpoint::named_or(self.to.as_deref(), 1);
        PlannedFlow { from, to, in_flight: 1, payload, send_buffers: (PAYLOAD_PATTERNS, payload) }
    }

    /// Returns the flow from the second endpoint back to the first.
    pub(super) fn reply_flow(&self, payload: Bytes) -> PlannedFlow<'_> {
        let flow = self.flow(payload);
        PlannedFlow { from: flow.to, to: flow.from, ..flow }
    }
}
