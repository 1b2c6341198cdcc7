//! The sending half holds an outgoing buffer from its reservation until its packet is accepted.
//!
//! ```text
//!           reserve            transmit               reply: accepted
//!  (free) ──────────► Reserved ─────────► InFlight ─────────────────► (free)
//!                                          ▲    │ reply: returned
//!                                    retry │    ▼
//!                                          Bounced
//! ```
//!
//! A retry is due when its delay has passed. Due retries are sent in the order of their times, and those due at the
//! same instant in the order in which they bounced.

use super::slots::Slots;
use super::{Buffers, DataPacket, OutgoingBuffer, Reply, Retry, Verdict};
use crate::engine::{NodeId, Time};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The sending half of a node's flow control (Mukherjee and Hill 1998, §5.1.2).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct OutgoingHalf<P> {
    node: NodeId,
    retry: Retry,
    slots: Slots<BufferState<P>>,
    /// Bounced packets, in the order of the times at which their retries are due.
    retries: VecDeque<(Time, OutgoingBuffer)>,
    reserved: u32,
    in_flight: u32,
    /// State of the random-number generator for the jitter of retries. With jitter, it advances at each bounce.
    random_state: u64,
    statistics: OutgoingStatistics,
}

/// Advances the state of a generator and returns a uniform random number: SplitMix64 (Steele, Lea and Flood 2014).
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// State of a buffer in use. `delay` is the retry delay after the next bounce.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
enum BufferState<P> {
    /// The message is being composed.
    Reserved,
    /// The packet, or the reply to it, is in the networks.
    InFlight { to: NodeId, delay: Time },
    /// The packet was returned, and waits for its retry.
    Bounced { to: NodeId, delay: Time, payload: P },
}

/// Effect of a reply.
#[must_use = "tasks that wait for a buffer or for a retry must be notified"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplyOutcome {
    /// The packet was accepted, and this buffer, which held it, is free.
    Freed(OutgoingBuffer),
    /// The packet is back in its buffer, and may be sent again by [`OutgoingHalf::retry`] from `retry_at` on.
    Bounced {
        /// The buffer, which stays in use.
        buffer: OutgoingBuffer,
        /// Time at which the retry is due.
        retry_at: Time,
    },
}

/// Event for which an outgoing buffer in use waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferWait {
    /// The buffer waits for the local program or device, which composes a message.
    Reserved,
    /// The buffer waits for the reply of this node.
    InFlight(NodeId),
    /// The buffer waits for the retry of a packet that this node returned.
    Bounced(NodeId),
}

/// States of the outgoing buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutgoingCensus {
    /// Number of free buffers; `None` if there is no limit.
    pub free: Option<u32>,
    /// Number of buffers reserved for messages that are being composed.
    pub reserved: u32,
    /// Number of buffers whose packet, or the reply to it, is in the networks.
    pub in_flight: u32,
    /// Number of buffers with a returned packet.
    pub bounced: u32,
}

/// Packet counts, and the largest number of buffers ever in use.
///
/// The counts do not influence behaviour, so they are left out of the hash: halves that behave alike have equal
/// hashes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct OutgoingStatistics {
    /// Packets injected for the first time.
    pub sent: u64,
    /// Packets accepted by their receivers.
    pub acknowledged: u64,
    /// Packets that were returned to their sender; each return counts.
    pub bounced: u64,
    /// Packets injected again.
    pub retried: u64,
    /// Largest number of outgoing buffers in use at once.
    pub buffers_max: u32,
}

impl<P> OutgoingHalf<P> {
    /// Returns the sending half of `node`, with all buffers free.
    pub fn new(node: NodeId, buffers: Buffers, retry: Retry) -> OutgoingHalf<P> {
        OutgoingHalf {
            node,
            retry,
            slots: Slots::new(buffers),
            retries: VecDeque::new(),
            reserved: 0,
            in_flight: 0,
            random_state: 0,
            statistics: OutgoingStatistics::default(),
        }
    }

    /// Returns the half with this seed for the jitter of its retries.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> OutgoingHalf<P> {
        OutgoingHalf { random_state: seed, ..self }
    }

    /// Returns whether a buffer is free.
    pub fn has_capacity(&self) -> bool {
        self.slots.has_capacity()
    }

    /// Reserves a buffer for a message to be composed, if one is free.
    pub fn reserve(&mut self) -> Option<OutgoingBuffer> {
        if !self.has_capacity() {
            return None;
        }
        let buffer = OutgoingBuffer(self.slots.insert(BufferState::Reserved));
        self.reserved += 1;
        self.statistics.buffers_max = self.statistics.buffers_max.max(self.slots.used_slots());
        self.check();
        Some(buffer)
    }

    /// Sends the message composed in `buffer`, and returns the packet to inject into the first network.
    pub fn transmit(&mut self, buffer: OutgoingBuffer, to: NodeId, payload: P) -> DataPacket<P> {
        let state = self.slots.get_mut(buffer.0);
        let Some(state @ BufferState::Reserved) = state else {
            panic!("{}: transmits from outgoing buffer {}, which is not reserved", self.node, buffer.0)
        };
        *state = BufferState::InFlight { to, delay: self.retry.first() };
        self.reserved -= 1;
        self.in_flight += 1;
        self.statistics.sent += 1;
        self.check();
        DataPacket { from: self.node, to, buffer, payload }
    }

    /// Reserves a buffer and transmits at once.
    ///
    /// # Errors
    ///
    /// Returns the payload if no buffer is free.
    pub fn send(&mut self, to: NodeId, payload: P) -> Result<DataPacket<P>, P> {
        match self.reserve() {
            Some(buffer) => Ok(self.transmit(buffer, to, payload)),
            None => Err(payload),
        }
    }

    /// Handles a reply from the second network, which is always consumed.
    pub fn reply(&mut self, reply: Reply<P>, now: Time) -> ReplyOutcome {
        assert_eq!(reply.to, self.node, "a reply goes to the sender of its packet");
        let buffer = reply.buffer;
        let (to, delay) = match self.slots.get_mut(buffer.0) {
            Some(BufferState::InFlight { to, delay }) if *to == reply.from => (*to, *delay),
            _ => panic!("{}: {} replies to outgoing buffer {}, which awaits none", self.node, reply.from, buffer.0),
        };
        self.in_flight -= 1;
        let outcome = match reply.verdict {
            Verdict::Accepted => self.free_accepted(buffer),
            Verdict::Returned(payload) => self.schedule_retry(buffer, to, delay, payload, now),
        };
        self.check();
        outcome
    }

    fn free_accepted(&mut self, buffer: OutgoingBuffer) -> ReplyOutcome {
        self.slots.remove(buffer.0);
        self.statistics.acknowledged += 1;
        ReplyOutcome::Freed(buffer)
    }

    fn schedule_retry(
        &mut self,
        buffer: OutgoingBuffer,
        to: NodeId,
        delay: Time,
        payload: P,
        now: Time,
    ) -> ReplyOutcome {
        let retry_at = now.saturating_add(self.jittered(delay));
        let state = self.slots.get_mut(buffer.0).expect("the sender still owns the buffer");
        *state = BufferState::Bounced { to, delay: self.retry.next_delay(delay), payload };
        let index = self.retries.partition_point(|&(due, _)| due <= retry_at);
        self.retries.insert(index, (retry_at, buffer));
        self.statistics.bounced += 1;
        ReplyOutcome::Bounced { buffer, retry_at }
    }

    /// Returns `delay` with the jitter of the rule for retries.
    fn jittered(&mut self, delay: Time) -> Time {
        match self.retry.jitter_percent() {
            0 => delay,
            _ => self.retry.jittered(delay, next_random(&mut self.random_state)),
        }
    }

    /// Returns the time at which the next retry is due, if any.
    pub fn next_retry(&self) -> Option<Time> {
        self.retries.front().map(|&(due, _)| due)
    }

    /// Returns the first packet whose retry is due at `now`, to inject into the first network. The caller calls again
    /// for the next packet, since each occupies the wire for some time.
    pub fn retry(&mut self, now: Time) -> Option<DataPacket<P>> {
        let (_, buffer) = self.retries.pop_front_if(|(due, _)| *due <= now)?;
        let state = self.slots.get_mut(buffer.0).expect("a bounced packet has a buffer");
        let BufferState::Bounced { to, delay, payload } = std::mem::replace(state, BufferState::Reserved) else {
            panic!("{}: retries outgoing buffer {}, which holds no returned packet", self.node, buffer.0)
        };
        *state = BufferState::InFlight { to, delay };
        self.in_flight += 1;
        self.statistics.retried += 1;
        self.check();
        Some(DataPacket { from: self.node, to, buffer, payload })
    }

    /// Returns the number of buffers in each state.
    pub fn census(&self) -> OutgoingCensus {
        OutgoingCensus {
            free: self.slots.free(),
            reserved: self.reserved,
            in_flight: self.in_flight,
            bounced: self.retries.len() as u32,
        }
    }

    /// Iterates over the buffers in use and the events for which they wait, which are the causes of a blocked send.
    pub fn buffer_waits(&self) -> impl Iterator<Item = (OutgoingBuffer, BufferWait)> {
        self.slots.iter().map(|(slot, state)| {
            let wait = match *state {
                BufferState::Reserved => BufferWait::Reserved,
                BufferState::InFlight { to, .. } => BufferWait::InFlight(to),
                BufferState::Bounced { to, .. } => BufferWait::Bounced(to),
            };
            (OutgoingBuffer(slot), wait)
        })
    }

    /// Returns the counts since the start.
    pub const fn statistics(&self) -> OutgoingStatistics {
        self.statistics
    }

    /// Asserts that every buffer is in one state, and that every transmission has been replied to or awaits its reply.
    fn check(&self) {
        let (census, counts) = (self.census(), self.statistics);
        assert_eq!(census.used(), self.slots.used_slots(), "{}: outgoing buffers are conserved", self.node);
        let unacknowledged = counts.sent + counts.retried - counts.acknowledged - counts.bounced;
        assert_eq!(unacknowledged, u64::from(self.in_flight), "{}: each transmission has one reply", self.node);
        let awaiting_retry = counts.bounced - counts.retried;
        assert_eq!(
            awaiting_retry,
            u64::from(census.bounced),
            "{}: each bounced packet is kept for its retry",
            self.node
        );
    }
}

impl OutgoingCensus {
    /// Returns the number of buffers in use.
    pub const fn used(self) -> u32 {
        self.reserved + self.in_flight + self.bounced
    }
}

impl Hash for OutgoingStatistics {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
