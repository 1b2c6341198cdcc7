//! What the designs share: queues in cacheable memory. The devices at their ends are in
//! [`device`](super::device), the drivers in [`driver`](super::driver).
//!
//! Models (§4, after Mukherjee et al. 1996):
//!
//! * A queue is a ring of slots, each as large as the largest message, blocks apart.
//! * *Message valid bits with sense reverse*: a header says in which lap of the ring it was
//!   written, so the reader sees from the message itself that it is new, and nobody clears it.
//!   The lap is seven bits, not one: a design that drops dead messages without writing them back
//!   leaves older laps in memory, and with one bit the last but one would look new.
//! * *Lazy pointers*: each side goes by the other's pointer as it last saw it, and looks again only
//!   when the queue seems full. The reader's head is a word in cacheable memory of its own block.
//! * One uncached store of the tail tells the interface of a message to send; that a message has
//!   come, the processor learns by polling its header's block in its cache.
//!
//! Leaves out: several processes; interrupts.
//! Parameters: blocks of a queue, the loop's cycles per word and per poll.

use crate::host::memory_bus::node::INTERFACE_BASE;
use crate::host::{Address, BLOCK_BYTES};

/// The tail of the send queue (write): how many packets were composed so far, and from bit 28 the
/// marks of those composed since it was last written.
pub const TAIL: u64 = 0;
/// The head of the send queue (read): how many packets were fetched so far.
pub const HEAD: u64 = 8;
/// Bytes of a register.
pub const REGISTER_BYTES: usize = 4;
/// Bytes of the device's registers.
pub const REGISTERS: u64 = 64;
/// Where a send queue begins that is at home in the interface: in another part of a direct-mapped
/// cache of 1 MB than the receive queue, and than what is allocated first in main memory.
pub const SEND_QUEUE: Address = INTERFACE_BASE + (1 << 19);
/// Where a receive queue begins that is at home in the interface.
pub const RECEIVE_QUEUE: Address = INTERFACE_BASE + (1 << 24) + (3 << 18);

/// Senses count the laps from 1 to this, so that zeroed memory holds no message.
const SENSES: u64 = 127;

/// The layout of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLayout {
    base: Address,
    slots: u64,
    slot_blocks: u64,
}

impl QueueLayout {
    /// A queue of `blocks` blocks at `base` for messages of up to `message_blocks`.
    pub fn new(base: Address, blocks: u64, message_blocks: u64) -> QueueLayout {
        let slot_blocks = message_blocks.next_power_of_two();
        QueueLayout { base, slots: blocks / slot_blocks, slot_blocks }
    }

    /// How many messages it holds.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// The slot of message number `position`.
    pub fn slot(&self, position: u64) -> usize {
        (position % self.slots) as usize
    }

    /// The address of a block of message number `position`.
    pub fn block(&self, position: u64, block: usize) -> Address {
        let index = (position % self.slots) * self.slot_blocks + block as u64;
        self.base + index * BLOCK_BYTES as u64
    }

    /// The number of the block at `address`, from the queue's start.
    pub fn index(&self, address: Address) -> Option<usize> {
        let index = address.checked_sub(self.base)? / BLOCK_BYTES as u64;
        (index < self.slots * self.slot_blocks).then_some(index as usize)
    }

    /// Whether block number `index` is the first of a slot.
    pub fn is_first(&self, index: usize) -> bool {
        (index as u64).is_multiple_of(self.slot_blocks)
    }

    /// The blocks of the queue.
    pub fn blocks(&self) -> usize {
        (self.slots * self.slot_blocks) as usize
    }

    /// The sense of message number `position`.
    pub fn sense(&self, position: u64) -> u8 {
        (1 + position / self.slots % SENSES) as u8
    }
}

/// The order in which a message's blocks are written: the header's last, since it says that the
/// message is there.
pub fn header_last(blocks: usize) -> impl Iterator<Item = usize> {
    (1..blocks).chain([0])
}
