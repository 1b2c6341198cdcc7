//! The numbers of the handlers of shared memory.

use crate::messaging::active::PROTOCOL_HANDLERS;

/// The handler of a protocol message that is complete in one packet.
pub(super) const COHERENCE: u8 = PROTOCOL_HANDLERS;
/// The handler of a part of a protocol message, whose second word is the part's offset in the block.
pub(super) const BLOCK_PART: u8 = PROTOCOL_HANDLERS + 1;
/// The handler of messages about locks.
pub(super) const LOCK: u8 = PROTOCOL_HANDLERS + 2;
/// The handler of check-ins, whose word is the number of the block that is returned.
pub(super) const CHECK_IN: u8 = PROTOCOL_HANDLERS + 3;

/// Smallest number of words of a packet in which software can send a part of a block: the message, the part's offset
/// and a word.
pub const PART_WORDS_MIN: usize = 3;
