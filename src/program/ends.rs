//! The two endpoints of a program that runs between a pair.

use crate::engine::EndId;
use crate::messaging::World;
use crate::text::Table;

/// Two endpoints, by name; by default those of the first and the second node of the description.
#[derive(Clone, Debug, Default)]
pub struct EndpointPair {
    /// The one that begins.
    pub from: Option<String>,
    /// The other.
    pub to: Option<String>,
}

impl EndpointPair {
    pub(super) fn read(t: &mut Table<'_>) -> EndpointPair {
        EndpointPair {
            from: t.text("from", "The node that begins, or its endpoint; by default the first").optional(),
            to: t.text("to", "The other node, or its endpoint; by default the second").optional(),
        }
    }

    pub(super) fn of(&self, world: &World) -> (EndId, EndId) {
        let id = |name: &Option<String>, default| name.as_ref().map_or(default, |name| world.id(name));
        (id(&self.from, world.nodes[0].endpoint().id()), id(&self.to, world.nodes[1].endpoint().id()))
    }

    /// The two, by their names or `defaults`, under `key`.
    pub(super) fn pair<'a>(
        &'a self,
        [from, to]: [Option<&'a str>; 2],
        key: &'static str,
    ) -> Vec<(&'static str, (&'a str, &'a str))> {
        let both = self.from.as_deref().or(from).zip(self.to.as_deref().or(to));
        both.map(|both| (key, both)).into_iter().collect()
    }

    /// The names given, each with its key.
    pub(super) fn names(&self, from: &'static str, to: &'static str) -> Vec<(&'static str, &str)> {
        let given = [(from, &self.from), (to, &self.to)];
        given.into_iter().filter_map(|(key, name)| Some((key, name.as_deref()?))).collect()
    }
}
