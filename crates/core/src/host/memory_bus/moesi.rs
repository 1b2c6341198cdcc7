//! The MOESI protocol as two pure functions. One returns the effect of a snooped transaction on a copy, and the other
//! the state in which a fetched block arrives.
//!
//! Every transaction on the bus is atomic, so that there are no transient states. The owner (modified or owned)
//! supplies the block, or the home if there is no owner. After a coherent read, the owner's copy is *owned*, whether
//! the reader keeps a copy or not, because the bus does not distinguish these cases (as on MBus). The module leaves out
//! supply by a clean copy, and reflecting a dirty block to memory on a read.

use super::agent::TransactionKind;
pub use crate::host::cache::MoesiState;

/// The effect of a snooped transaction on a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnoopEffect {
    /// New state of the copy.
    pub next_state: MoesiState,
    /// Whether the holder of this copy supplies the data, instead of the home.
    pub supplies: bool,
    /// Whether a copy remains, so that the reader's copy is not the only one.
    pub is_shared: bool,
}

impl SnoopEffect {
    /// The effect if there is no copy.
    pub const NO_COPY: SnoopEffect = SnoopEffect { next_state: MoesiState::Invalid, supplies: false, is_shared: false };
}

/// Returns the effect of another agent's transaction of `kind` on a copy in `state`.
pub const fn snoop(state: MoesiState, kind: TransactionKind) -> SnoopEffect {
    let supplies = state.owns();
    match (kind, state) {
        (_, MoesiState::Invalid) => SnoopEffect::NO_COPY,
        (TransactionKind::Read, MoesiState::Modified | MoesiState::Owned) => {
            SnoopEffect { next_state: MoesiState::Owned, supplies, is_shared: true }
        }
        (TransactionKind::Read, MoesiState::Exclusive | MoesiState::Shared) => {
            SnoopEffect { next_state: MoesiState::Shared, supplies, is_shared: true }
        }
        (TransactionKind::ReadExclusive, _) => {
            SnoopEffect { next_state: MoesiState::Invalid, supplies, is_shared: false }
        }
        // The new bytes replace the whole block, or the agent that invalidates already has the current bytes.
        (TransactionKind::Invalidate | TransactionKind::WriteBlock, _) => SnoopEffect::NO_COPY,
        (TransactionKind::ReadBlock, _) => SnoopEffect { next_state: state, supplies, is_shared: true },
        (TransactionKind::WriteBack | TransactionKind::ReadWord | TransactionKind::WriteWord, _) => {
            SnoopEffect { next_state: state, supplies: false, is_shared: true }
        }
    }
}

/// Returns the state in which a block that was fetched by `kind` arrives.
pub const fn fill_state(kind: TransactionKind, is_shared: bool) -> MoesiState {
    match (kind, is_shared) {
        (TransactionKind::ReadExclusive | TransactionKind::Invalidate, _) => MoesiState::Modified,
        (_, true) => MoesiState::Shared,
        (_, false) => MoesiState::Exclusive,
    }
}
