//! Sibling tables of a family's members: `[fabric.router]` describes the routers of whichever shape is selected.
//!
//! If the first step of a part's key is a sibling table, the key is in the sibling table and not in the part's own
//! table.

use crate::text::Table;
use std::sync::Arc;

/// A sibling table of a family's members, which describes more of some of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiblingTable {
    /// Key of the table, next to the members' keys.
    pub key: &'static str,
    /// Error for a description that has the table although the selected member has none, as a predicate of the member,
    /// such as `has no routers to configure`.
    pub refusal: &'static str,
}

/// The sibling tables that several members share.
pub struct SiblingTables<S: ?Sized> {
    /// The tables.
    pub tables: &'static [SiblingTable],
    /// Hint that follows each refusal, as an alternative to removing the table.
    pub help: &'static str,
    /// Reads the tables and returns the member with their values. A member of another kind is returned unchanged.
    pub read: fn(&mut Table<'_>, &Arc<S>) -> Arc<S>,
}
