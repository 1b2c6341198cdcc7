//! The receiving half holds an incoming buffer from the moment when a packet is accepted until its reader releases it.
//!
//! ```text
//!           arrive            take            release
//!  (free) ──────────► Waiting ─────► Reading ─────────► (free)
//!     no free buffer: the packet is returned
//! ```
//!
//! Buffers are read in the order in which their packets were accepted, which may differ from the order in which a
//! sender sent them.

use super::slots::Slots;
use super::{Buffers, DataPacket, IncomingBuffer, Reply, Verdict};
use crate::engine::NodeId;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The receiving half of a node's flow control (Mukherjee and Hill 1998, §5.1.2).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct IncomingHalf<P> {
    node: NodeId,
    slots: Slots<BufferState<P>>,
    /// The buffers to be read, in the order of acceptance.
    waiting_buffers: VecDeque<IncomingBuffer>,
    reading_buffers: u32,
    statistics: IncomingStatistics,
}

/// State of a buffer in use.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
enum BufferState<P> {
    /// A packet waits to be read.
    Waiting { from: NodeId, payload: P },
    /// A reader has taken the packet, and still uses the buffer.
    Reading,
}

/// A packet being read. Its buffer is free only after [`IncomingHalf::release`].
#[must_use = "a buffer that is not released stays taken for ever"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PacketBeingRead<P> {
    /// The buffer, to be released.
    pub buffer: IncomingBuffer,
    /// The sender.
    pub from: NodeId,
    /// The sender's packet.
    pub payload: P,
}

/// States of the incoming buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IncomingCensus {
    /// Number of free buffers; `None` if there is no limit.
    pub free: Option<u32>,
    /// Number of buffers whose packet waits to be read.
    pub waiting: u32,
    /// Number of buffers whose packet is being read.
    pub reading: u32,
}

/// Packet counts, and the largest number of buffers ever in use.
///
/// The counts do not influence behaviour, so they are left out of the hash: halves that behave alike have equal
/// hashes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IncomingStatistics {
    /// Packets that found a buffer.
    pub accepted: u64,
    /// Packets that found no buffer and were returned.
    pub returned: u64,
    /// Packets read and released.
    pub released: u64,
    /// Largest number of incoming buffers in use at once.
    pub buffers_max: u32,
}

impl<P> IncomingHalf<P> {
    /// Returns the receiving half of `node`, with all buffers free.
    pub fn new(node: NodeId, buffers: Buffers) -> IncomingHalf<P> {
        IncomingHalf {
            node,
            slots: Slots::new(buffers),
            waiting_buffers: VecDeque::new(),
            reading_buffers: 0,
            statistics: IncomingStatistics::default(),
        }
    }

    /// Returns whether the next packet would be accepted.
    pub fn has_capacity(&self) -> bool {
        self.slots.has_capacity()
    }

    /// Handles a packet from the first network, which is always consumed. Returns the reply to inject into the second
    /// network, which is an acknowledgment or the returned packet itself.
    pub fn arrive(&mut self, packet: DataPacket<P>) -> Reply<P> {
        let DataPacket { from, to, buffer, payload } = packet;
        assert_eq!(to, self.node, "a packet goes where it is addressed");
        let verdict = match self.has_capacity() {
            true => self.accept(from, payload),
            false => self.return_packet(payload),
        };
        self.check();
        Reply { from: self.node, to: from, buffer, verdict }
    }

    fn accept(&mut self, from: NodeId, payload: P) -> Verdict<P> {
        let slot = self.slots.insert(BufferState::Waiting { from, payload });
        self.waiting_buffers.push_back(IncomingBuffer(slot));
        self.statistics.accepted += 1;
        self.statistics.buffers_max = self.statistics.buffers_max.max(self.slots.used_slots());
        Verdict::Accepted
    }

    fn return_packet(&mut self, payload: P) -> Verdict<P> {
        self.statistics.returned += 1;
        Verdict::Returned(payload)
    }

    /// Returns whether a packet waits to be read.
    pub fn has_waiting(&self) -> bool {
        !self.waiting_buffers.is_empty()
    }

    /// Returns the sender and the packet that [`IncomingHalf::take`] would return.
    pub fn front(&self) -> Option<(NodeId, &P)> {
        match self.slots.get(self.waiting_buffers.front()?.0)? {
            BufferState::Waiting { from, payload } => Some((*from, payload)),
            BufferState::Reading => None,
        }
    }

    /// Begins to read the packet accepted first, if any. Its buffer stays in use.
    pub fn take(&mut self) -> Option<PacketBeingRead<P>> {
        let buffer = self.waiting_buffers.pop_front()?;
        let state = self.slots.get_mut(buffer.0).expect("a waiting packet has a buffer");
        let BufferState::Waiting { from, payload } = std::mem::replace(state, BufferState::Reading) else {
            panic!("{}: takes incoming buffer {}, which is being read", self.node, buffer.0)
        };
        self.reading_buffers += 1;
        self.check();
        Some(PacketBeingRead { buffer, from, payload })
    }

    /// Ends reading, and frees the buffer.
    pub fn release(&mut self, buffer: IncomingBuffer) {
        let Some(BufferState::Reading) = self.slots.get_mut(buffer.0) else {
            panic!("{}: releases incoming buffer {}, which is not being read", self.node, buffer.0)
        };
        self.slots.remove(buffer.0);
        self.reading_buffers -= 1;
        self.statistics.released += 1;
        self.check();
    }

    /// Takes a packet and releases its buffer at once. Returns the sender and the payload.
    pub fn drain(&mut self) -> Option<(NodeId, P)> {
        let PacketBeingRead { buffer, from, payload } = self.take()?;
        self.release(buffer);
        Some((from, payload))
    }

    /// Returns the number of buffers in each state.
    pub fn census(&self) -> IncomingCensus {
        IncomingCensus {
            free: self.slots.free(),
            waiting: self.waiting_buffers.len() as u32,
            reading: self.reading_buffers,
        }
    }

    /// Returns the counts since the start.
    pub const fn statistics(&self) -> IncomingStatistics {
        self.statistics
    }

    /// Asserts that every buffer is in one state, and every accepted packet is held until it is released.
    fn check(&self) {
        let (census, counts) = (self.census(), self.statistics);
        assert_eq!(census.used(), self.slots.used_slots(), "{}: incoming buffers are conserved", self.node);
        let held_buffers = counts.accepted - counts.released;
        assert_eq!(held_buffers, u64::from(census.used()), "{}: accepted packets are held until released", self.node);
    }
}

impl IncomingCensus {
    /// Returns the number of buffers in use.
    pub const fn used(self) -> u32 {
        self.waiting + self.reading
    }
}

impl Hash for IncomingStatistics {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
