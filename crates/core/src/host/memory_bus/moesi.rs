//! The MOESI protocol as two pure functions: what a snooped transaction does to a copy, and the
//! state in which a fetched block arrives.
//!
//! Models: a bus on which every transaction is atomic, so that there are no transient states; the
//! owner (modified or owned) supplies, otherwise the home does. A coherent read leaves the owner
//! *owned*, whether the reader keeps a copy or not, because the bus does not tell (as on MBus).
//! Leaves out: supply by a clean copy, and reflecting a dirty block to memory on a read.

use super::agent::TransactionKind;
pub use crate::host::cache::State;

/// What a snooped transaction does to a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Snooped {
    /// The state of the copy from now on.
    pub next: State,
    /// This copy's holder supplies the data, not the home.
    pub supplies: bool,
    /// A copy stays here, so the reader's is not the only one.
    pub shared: bool,
}

impl Snooped {
    /// Nothing is here.
    pub const NOTHING: Snooped = Snooped { next: State::Invalid, supplies: false, shared: false };
}

/// What another agent's transaction of `kind` does to a copy in `state`.
pub const fn snoop(state: State, kind: TransactionKind) -> Snooped {
    let supplies = state.answers();
    match (kind, state) {
        (_, State::Invalid) => Snooped::NOTHING,
        (TransactionKind::Read, State::Modified | State::Owned) => {
            Snooped { next: State::Owned, supplies, shared: true }
        }
        (TransactionKind::Read, State::Exclusive | State::Shared) => {
            Snooped { next: State::Shared, supplies, shared: true }
        }
        (TransactionKind::ReadExclusive, _) => Snooped { next: State::Invalid, supplies, shared: false },
        // The new bytes replace the whole block, or the one that invalidates has them already.
        (TransactionKind::Invalidate | TransactionKind::WriteBlock, _) => Snooped::NOTHING,
        (TransactionKind::ReadBlock, _) => Snooped { next: state, supplies, shared: true },
        (TransactionKind::WriteBack | TransactionKind::ReadWord | TransactionKind::WriteWord, _) => {
            Snooped { next: state, supplies: false, shared: true }
        }
    }
}

/// The state in which a block fetched by `kind` arrives.
pub const fn filled(kind: TransactionKind, shared: bool) -> State {
    match (kind, shared) {
        (TransactionKind::ReadExclusive | TransactionKind::Invalidate, _) => State::Modified,
        (_, true) => State::Shared,
        (_, false) => State::Exclusive,
    }
}
