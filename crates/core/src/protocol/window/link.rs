//! The link of a node: composes the sending and the receiving half, and counts frames.

use super::peer::Peer;
use super::receiving::WindowReceiver;
use super::sending::WindowSender;
use super::{LinkParameters, ReadingSlot, WindowFrame, WindowHeader, WindowStatistics};
use crate::engine::NodeId;
use crate::engine::Time;

/// The link of one node to all others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowLink<P> {
    node: NodeId,
    parameters: LinkParameters,
    pub(super) sending: WindowSender<P>,
    pub(super) receiving: WindowReceiver<P>,
    statistics: WindowStatistics,
}

/// Outcome of a frame that arrived. Every frame is consumed.
#[must_use = "tasks that wait for a packet or for a buffer must be notified"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrivalOutcome {
    /// The packet was next in sequence. The number counts the packets that became readable: this packet, and the stored
    /// packets that follow it.
    Readable(u32),
    /// The packet is stored until it is next in sequence and a slot is free.
    Kept,
    /// The packet had already been received.
    Duplicate,
    /// The packet was dropped because no buffer was free. Its sender will retransmit it.
    Refused,
    /// The acknowledgement freed this number of send buffers; 0 if it is old.
    Freed(u32),
}

impl<P: Clone> WindowLink<P> {
    /// Returns the link of `node`, with all buffers free.
    ///
    /// # Panics
    ///
    /// Panics if the parameters do not pass [`LinkParameters::check`].
    pub fn new(node: NodeId, parameters: &LinkParameters) -> WindowLink<P> {
        assert_eq!(parameters.check(), [], "the parameters are valid");
        WindowLink::unchecked(node, parameters)
    }

    /// Returns a link with any parameters, for tests that demonstrate the failures of invalid ones.
    pub(super) fn unchecked(node: NodeId, parameters: &LinkParameters) -> WindowLink<P> {
        WindowLink {
            node,
            parameters: *parameters,
            sending: WindowSender::new(parameters),
            receiving: WindowReceiver::new(parameters),
            statistics: WindowStatistics::default(),
        }
    }

    /// Returns the number of free send buffers.
    pub fn free_send_slots(&self) -> u32 {
        self.sending.free_send_slots()
    }

    /// Reserves a send buffer for a packet that will be offered. Returns `false` if no buffer is free.
    pub fn reserve(&mut self) -> bool {
        self.sending.reserve()
    }

    /// Stores a packet in a reserved buffer, to be sent in its turn.
    pub fn offer(&mut self, to: impl Into<Peer>, payload: P) {
        self.sending.offer(to.into(), payload);
    }

    /// Returns whether a frame may leave now.
    pub fn has_next(&self) -> bool {
        self.receiving.acknowledgements.has_next() || self.sending.has_next()
    }

    /// Returns the frame that leaves now: an acknowledgement, otherwise a copy that is due, otherwise the oldest new
    /// packet whose window is open. The caller calls again for the next frame, since each occupies the wire for some
    /// time.
    pub fn next(&mut self, now: Time) -> Option<WindowFrame<P>> {
        self.next_acknowledgement().or_else(|| self.next_copy(now)).or_else(|| self.next_new(now))
    }

    fn next_acknowledgement(&mut self) -> Option<WindowFrame<P>> {
        let to = self.receiving.acknowledgements.next_due()?;
        self.statistics.acknowledgements += 1;
        let header = WindowHeader::Acknowledgement { next: self.receiving.next_expected(to) };
        Some(self.frame(to, header, None, false))
    }

    fn next_copy(&mut self, now: Time) -> Option<WindowFrame<P>> {
        let (to, sequence, body) = self.sending.send_copy(now)?;
        self.statistics.retransmitted += 1;
        Some(self.frame(to, WindowHeader::Data { sequence }, Some(body), true))
    }

    fn next_new(&mut self, now: Time) -> Option<WindowFrame<P>> {
        let (to, sequence, body) = self.sending.send_new(now)?;
        self.statistics.sent += 1;
        Some(self.frame(to, WindowHeader::Data { sequence }, Some(body), false))
    }

    fn frame(&self, to: Peer, header: WindowHeader, body: Option<P>, is_retransmission: bool) -> WindowFrame<P> {
        WindowFrame { from: self.node, to: to.node, flow: to.flow, header, body, is_retransmission }
    }

    /// Handles a frame that arrives at `now`. The frame is always consumed.
    pub fn arrive(&mut self, frame: WindowFrame<P>, now: Time) -> ArrivalOutcome {
        assert_eq!(frame.to, self.node, "a frame goes where it is addressed");
        let from = Peer { node: frame.from, flow: frame.flow };
        let outcome = match (frame.header, frame.body) {
            (WindowHeader::Data { sequence }, Some(body)) => self.receiving.arrive(from, sequence, body, now),
            (WindowHeader::Acknowledgement { next }, None) => {
                ArrivalOutcome::Freed(self.sending.acknowledge(from, next, now))
            }
            _ => panic!("{}: a data packet has a body, and an acknowledgement has none", self.node),
        };
        match outcome {
            ArrivalOutcome::Readable(packets) => self.statistics.accepted += u64::from(packets),
            ArrivalOutcome::Duplicate => self.statistics.duplicates += 1,
            ArrivalOutcome::Refused => self.statistics.refused += 1,
            ArrivalOutcome::Kept | ArrivalOutcome::Freed(_) => {}
        }
        outcome
    }

    /// Returns the sender and the payload of the packet that [`WindowLink::take`] would return.
    pub fn front(&self) -> Option<(NodeId, &P)> {
        self.receiving.arrivals.front()
    }

    /// Begins to read the packet accepted first, if any. Its slot stays in use.
    pub fn take(&mut self) -> Option<(NodeId, P, ReadingSlot)> {
        self.receiving.arrivals.take()
    }

    /// Ends reading, and frees the slot or gives it to a stored packet. Returns `true` if the slot went to a stored
    /// packet; then another packet is readable, and an acknowledgement is to be sent.
    pub fn release(&mut self, slot: ReadingSlot) -> bool {
        let filled_slots = self.receiving.release(slot);
        self.statistics.accepted += u64::from(filled_slots);
        filled_slots > 0
    }

    /// Returns the time at which the next timer expires.
    pub fn next_timer(&self) -> Option<Time> {
        [self.sending.next_timer(), self.receiving.acknowledgements.next_timer()].into_iter().flatten().min()
    }

    /// Handles the timers that expire by `now`, after which copies and acknowledgements may leave.
    pub fn on_time(&mut self, now: Time) {
        self.sending.on_time(now);
        self.receiving.acknowledgements.on_time(now);
    }

    /// Returns the number of unacknowledged packets offered to one node, or to all nodes if `to` is `None`. Packets
    /// that were not sent yet count too.
    pub fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.sending.unacknowledged(to)
    }

    /// Returns whether no buffer or slot is in use and no acknowledgement is pending.
    pub fn is_idle(&self) -> bool {
        let is_sent = self.sending.reserved_buffers() == 0 && self.unacknowledged(None) == 0;
        let is_read = self.receiving.arrivals.used_slots() == 0 && self.receiving.reorder_buffers_used() == 0;
        is_sent && is_read && self.receiving.acknowledgements.is_idle()
    }

    /// Returns the counts since the start.
    pub const fn statistics(&self) -> WindowStatistics {
        self.statistics
    }

    /// Returns the bytes of state for packets of `packet_bytes` and the present number of peers: see
    /// [`LinkParameters::state_bytes`].
    pub fn state_bytes(&self, packet_bytes: usize) -> usize {
        self.parameters.state_bytes(packet_bytes, self.sending.destinations().len(), self.receiving.sources())
    }

    /// Asserts the invariants. The check takes time, so only tests call it.
    pub fn check(&self) {
        self.sending.check();
        self.receiving.check();
    }
}
