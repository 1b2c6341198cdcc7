//! The MOESI states of a cached block.

/// The state of a copy of a block in a cache.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum MoesiState {
    /// There is no copy.
    #[default]
    Invalid = 0,
    /// The copy is readable, and other caches may have copies.
    Shared = 1,
    /// This is the only copy, and it equals the home's.
    Exclusive = 2,
    /// The copy is readable and newer than the home's; other caches may have copies.
    Owned = 3,
    /// This is the only copy, and it is newer than the home's.
    Modified = 4,
}

impl MoesiState {
    /// All states, by number.
    pub const ALL: [MoesiState; 5] =
        [MoesiState::Invalid, MoesiState::Shared, MoesiState::Exclusive, MoesiState::Owned, MoesiState::Modified];

    /// Returns whether a load hits.
    pub const fn readable(self) -> bool {
        !matches!(self, MoesiState::Invalid)
    }

    /// Returns whether a store hits.
    pub const fn writable(self) -> bool {
        matches!(self, MoesiState::Exclusive | MoesiState::Modified)
    }

    /// Returns whether the holder of this copy owns the block: the copy is newer than the home's, and must be written
    /// back when it is replaced.
    pub const fn owns(self) -> bool {
        matches!(self, MoesiState::Owned | MoesiState::Modified)
    }
}
