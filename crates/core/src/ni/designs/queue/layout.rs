//! The layout of queues in cacheable memory, which the designs share. Their devices are in [`device`](super::device),
//! their drivers in [`driver`](super::driver).
//!
//! The layout has these properties (Mukherjee and Hill 1998, §4, after Mukherjee et al. 1996):
//!
//! * A queue is a ring of slots. Each slot consists of whole blocks and is as large as the largest message.
//! * *Message valid bits with sense reverse*: a header contains the *sense* of the lap (the pass through the ring) in
//!   which it was written. The reader sees from the sense that a message is new, so messages need not be cleared. The
//!   sense has seven bits, not one, because a design that drops dead messages without a write-back leaves headers of
//!   older laps in memory. With one bit, a header of the last lap but one would look new.
//! * *Lazy pointers*: the writer keeps a copy of the reader's head, and reads the head again only when the queue seems
//!   full. The head of a receive queue is a word in cacheable memory, in a block of its own. The head of a send queue
//!   is a device register ([`HEAD_OFFSET`]).
//! * The processor notifies the interface of a message to send by one uncached store of the tail. The processor detects
//!   a received message by polling the block of its header in its cache.
//!
//! Not modelled: queues shared by several processes, and interrupts.

use crate::host::memory_bus::node::INTERFACE_BASE;
use crate::host::{Address, BLOCK_BYTES};

/// Offset of the send queue's tail register (write-only). Bits 0 to 27 hold the number of packets composed so far, the
/// bits from 28 on the protocol's marks ([`Marks`](crate::protocol::Marks)) of the packets composed since the last
/// write.
pub const TAIL_OFFSET: u64 = 0;
/// Offset of the send queue's head register (read-only): the number of packets fetched so far.
pub const HEAD_OFFSET: u64 = 8;
/// Bytes of a register.
pub const REGISTER_BYTES: usize = 4;
/// Bytes of the address range that holds the device's registers.
pub const REGISTER_SPACE_BYTES: u64 = 64;
/// Address of a send queue whose home is the interface. In a direct-mapped cache of 1 MB it does not conflict with the
/// receive queue, or with the first allocations in main memory.
pub const SEND_QUEUE: Address = INTERFACE_BASE + (1 << 19);
/// Address of a receive queue whose home is the interface.
pub const RECEIVE_QUEUE: Address = INTERFACE_BASE + (1 << 24) + (3 << 18);

/// Largest sense. The sense of a lap is 1 + lap mod 127, never 0, so that zeroed memory holds no valid message.
const SENSE_MAX: u64 = 127;

/// The layout of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLayout {
    base: Address,
    slots: u64,
    slot_blocks: u64,
}

impl QueueLayout {
    /// Returns the layout of a queue of `blocks` blocks at `base` for messages of up to `message_blocks`.
    pub fn new(base: Address, blocks: u64, message_blocks: u64) -> QueueLayout {
        let slot_blocks = message_blocks.next_power_of_two();
        QueueLayout { base, slots: blocks / slot_blocks, slot_blocks }
    }

    /// Returns the number of messages that the queue holds.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Returns the slot of message number `position`.
    pub fn slot(&self, position: u64) -> usize {
        (position % self.slots) as usize
    }

    /// Returns the address of a block of message number `position`.
    pub fn block(&self, position: u64, block: usize) -> Address {
        let index = (position % self.slots) * self.slot_blocks + block as u64;
        self.base + index * BLOCK_BYTES as u64
    }

    /// Returns the index in the queue of the block at `address`, or `None` if it is not in the queue.
    pub fn index(&self, address: Address) -> Option<usize> {
        let index = address.checked_sub(self.base)? / BLOCK_BYTES as u64;
        (index < self.slots * self.slot_blocks).then_some(index as usize)
    }

    /// Returns whether block `index` is the first of a slot.
    pub fn is_first(&self, index: usize) -> bool {
        (index as u64).is_multiple_of(self.slot_blocks)
    }

    /// Returns the number of blocks of the queue.
    pub fn blocks(&self) -> usize {
        (self.slots * self.slot_blocks) as usize
    }

    /// Returns the sense of message number `position`.
    pub fn sense(&self, position: u64) -> u8 {
        (1 + position / self.slots % SENSE_MAX) as u8
    }
}

/// Returns the order in which a message's blocks are written. The block with the header is last, since its sense makes
/// the message valid.
pub fn header_last(blocks: usize) -> impl Iterator<Item = usize> {
    (1..blocks).chain([0])
}
