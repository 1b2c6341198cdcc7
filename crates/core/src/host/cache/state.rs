//! The MOESI states of a cached block.

/// The state of a copy of a block in a cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum State {
    /// No copy.
    #[default]
    Invalid = 0,
    /// Readable; other caches may have copies.
    Shared = 1,
    /// The only copy, equal to the home's.
    Exclusive = 2,
    /// Readable and newer than the home's; other caches may have copies.
    Owned = 3,
    /// The only copy, newer than the home's.
    Modified = 4,
}

impl State {
    /// All states, by number.
    pub const ALL: [State; 5] = [State::Invalid, State::Shared, State::Exclusive, State::Owned, State::Modified];

    /// Returns whether a load hits.
    pub const fn readable(self) -> bool {
        !matches!(self, State::Invalid)
    }

    /// Returns whether a store hits.
    pub const fn writable(self) -> bool {
        matches!(self, State::Exclusive | State::Modified)
    }

    /// Returns whether this copy is the owner's: it is newer than the home's and must be written back when it is
    /// replaced.
    pub const fn owns(self) -> bool {
        matches!(self, State::Owned | State::Modified)
    }
}
