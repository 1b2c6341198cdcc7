//! The two nodes of a program that runs between a pair.

use crate::engine::NodeId;
use crate::messaging::World;
use crate::text::Table;

/// Two nodes, by name; by default the first and the second of the description.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// The node that begins.
    pub from: Option<String>,
    /// The other.
    pub to: Option<String>,
}

impl Ends {
    pub(super) fn read(t: &mut Table<'_>) -> Ends {
        Ends {
            from: t.text("from", "The node that begins; by default the first").optional(),
            to: t.text("to", "The other node; by default the second").optional(),
        }
    }

    pub(super) fn of(&self, world: &World) -> (NodeId, NodeId) {
        let id = |name: &Option<String>, default| name.as_ref().map_or(default, |name| world.id(name));
        (id(&self.from, NodeId(0)), id(&self.to, NodeId(1)))
    }

    /// The node, if both ends are the same one of `names`, under `key`.
    pub(super) fn to_itself<'a>(&'a self, names: &[&'a str], key: &'static str) -> Vec<(&'static str, &'a str)> {
        let end = |name: &'a Option<String>, default: usize| name.as_deref().or(names.get(default).copied());
        let (from, to) = (end(&self.from, 0), end(&self.to, 1));
        from.filter(|_| from == to).map(|name| (key, name)).into_iter().collect()
    }

    /// The names given, each with its key.
    pub(super) fn names(&self, from: &'static str, to: &'static str) -> Vec<(&'static str, &str)> {
        let given = [(from, &self.from), (to, &self.to)];
        given.into_iter().filter_map(|(key, name)| Some((key, name.as_deref()?))).collect()
    }
}
