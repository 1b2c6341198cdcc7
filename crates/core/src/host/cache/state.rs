//! The MOESI states of a cached block.

/// State of a cached copy, which says what the cache may do with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum State {
    /// No copy.
    #[default]
    Invalid = 0,
    /// May read; others may too.
    Shared = 1,
    /// The only copy, equal to the home's.
    Exclusive = 2,
    /// May read, and answers for the block; others may read.
    Owned = 3,
    /// The only copy, newer than the home's.
    Modified = 4,
}

impl State {
    /// All states, by number.
    pub const ALL: [State; 5] = [State::Invalid, State::Shared, State::Exclusive, State::Owned, State::Modified];

    /// Whether a load hits.
    pub const fn readable(self) -> bool {
        !matches!(self, State::Invalid)
    }

    /// Whether a store hits.
    pub const fn writable(self) -> bool {
        matches!(self, State::Exclusive | State::Modified)
    }

    /// Whether this copy must not be lost: the home's is older.
    pub const fn answers(self) -> bool {
        matches!(self, State::Owned | State::Modified)
    }
}
