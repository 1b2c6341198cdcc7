//! The whole: both halves of a node's link, and what they count.

use super::peer::Peer;
use super::receiving::Receiving;
use super::sending::Sending;
use super::{LinkParameters, ReadingPlace, WindowFrame, WindowHeader, WindowStatistics};
use crate::engine::NodeId;
use crate::engine::Time;

/// The link of one node to all others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WindowLink<P> {
    node: NodeId,
    parameters: LinkParameters,
    pub(super) sending: Sending<P>,
    pub(super) receiving: Receiving<P>,
    statistics: WindowStatistics,
}

/// What became of a frame that arrived. It is consumed, whatever it is.
#[must_use = "whoever waits for a packet or for a buffer must be told"]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arrived {
    /// It was its turn: so many packets may be read more, it and those that were kept behind it.
    Readable(u32),
    /// It is kept until its turn comes and a place is free.
    Kept,
    /// It had come before.
    Duplicate,
    /// No buffer was free for it: dropped. Its sender sends it again.
    Refused,
    /// An acknowledgement that freed so many send buffers; none if it told nothing new.
    Freed(u32),
}

impl<P: Clone> WindowLink<P> {
    /// The link of `node`, all buffers free.
    ///
    /// # Panics
    ///
    /// If the parameters do not pass [`LinkParameters::check`].
    pub fn new(node: NodeId, parameters: &LinkParameters) -> WindowLink<P> {
        assert_eq!(parameters.check(), [], "the parameters are right");
        WindowLink::unchecked(node, parameters)
    }

    /// With any parameters, to see what goes wrong.
    pub(super) fn unchecked(node: NodeId, parameters: &LinkParameters) -> WindowLink<P> {
        WindowLink {
            node,
            parameters: *parameters,
            sending: Sending::new(parameters),
            receiving: Receiving::new(parameters),
            statistics: WindowStatistics::default(),
        }
    }

    /// Free send buffers.
    pub fn room(&self) -> u32 {
        self.sending.room()
    }

    /// Reserves a send buffer for a packet that will be offered; false if none is free.
    pub fn reserve(&mut self) -> bool {
        self.sending.reserve()
    }

    /// A packet goes into a buffer that was reserved, and leaves when its turn comes.
    pub fn offer(&mut self, to: impl Into<Peer>, payload: P) {
        self.sending.offer(to.into(), payload);
    }

    /// True if a frame may leave now.
    pub fn has_next(&self) -> bool {
        self.receiving.acknowledgements.has_next() || self.sending.has_next()
    }

    /// The frame that leaves now: an acknowledgement, else a copy that is due, else a new packet,
    /// the oldest whose window is open. Call it again for the next: each takes its time on the wire.
    pub fn next(&mut self, now: Time) -> Option<WindowFrame<P>> {
        self.next_acknowledgement().or_else(|| self.next_copy(now)).or_else(|| self.next_new(now))
    }

    fn next_acknowledgement(&mut self) -> Option<WindowFrame<P>> {
        let to = self.receiving.acknowledgements.next()?;
        self.statistics.acknowledgements += 1;
        let header = WindowHeader::Acknowledgement { next: self.receiving.expects(to) };
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

    fn frame(&self, to: Peer, header: WindowHeader, body: Option<P>, again: bool) -> WindowFrame<P> {
        WindowFrame { from: self.node, to: to.node, flow: to.flow, header, body, again }
    }

    /// A frame came off the network at `now`. It is always consumed.
    pub fn arrive(&mut self, frame: WindowFrame<P>, now: Time) -> Arrived {
        assert_eq!(frame.to, self.node, "a frame goes where it is addressed");
        let from = Peer { node: frame.from, flow: frame.flow };
        let arrived = match (frame.header, frame.body) {
            (WindowHeader::Data { sequence }, Some(body)) => self.receiving.arrive(from, sequence, body, now),
            (WindowHeader::Acknowledgement { next }, None) => Arrived::Freed(self.sending.acknowledge(from, next, now)),
            _ => panic!("{}: a data packet has a body, and an acknowledgement has none", self.node),
        };
        match arrived {
            Arrived::Readable(packets) => self.statistics.accepted += u64::from(packets),
            Arrived::Duplicate => self.statistics.duplicates += 1,
            Arrived::Refused => self.statistics.refused += 1,
            Arrived::Kept | Arrived::Freed(_) => {}
        }
        arrived
    }

    /// The sender and payload of what [`WindowLink::take`] would give.
    pub fn front(&self) -> Option<(NodeId, &P)> {
        self.receiving.arrivals.front()
    }

    /// Begins to read the packet accepted first, if any. Its place stays taken.
    pub fn take(&mut self) -> Option<(NodeId, P, ReadingPlace)> {
        self.receiving.arrivals.take()
    }

    /// Ends reading: the place is free, or goes to a packet that was kept. True if so: there is one
    /// more to be read then, and an acknowledgement to be sent.
    pub fn release(&mut self, place: ReadingPlace) -> bool {
        let filled = self.receiving.release(place);
        self.statistics.accepted += u64::from(filled);
        filled > 0
    }

    /// When a timer goes off next.
    pub fn next_timer(&self) -> Option<Time> {
        [self.sending.next_timer(), self.receiving.acknowledgements.next_timer()].into_iter().flatten().min()
    }

    /// Timers due by `now` go off: copies and acknowledgements may leave.
    pub fn on_time(&mut self, now: Time) {
        self.sending.on_time(now);
        self.receiving.acknowledgements.on_time(now);
    }

    /// Packets offered to one node, or to all, and not acknowledged, whether they left or not.
    pub fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.sending.unacknowledged(to)
    }

    /// True if nothing is reserved, waits, is unacknowledged, is to be read or to be acknowledged.
    pub fn is_idle(&self) -> bool {
        let is_sent = self.sending.reserved() == 0 && self.unacknowledged(None) == 0;
        let is_read = self.receiving.arrivals.used() == 0 && self.receiving.kept() == 0;
        is_sent && is_read && self.receiving.acknowledgements.is_idle()
    }

    /// Counts since the start.
    pub const fn statistics(&self) -> WindowStatistics {
        self.statistics
    }

    /// Bytes of state for packets of `packet_bytes` and the peers talked to so far: see
    /// [`LinkParameters::state_bytes`].
    pub fn state_bytes(&self, packet_bytes: usize) -> usize {
        self.parameters.state_bytes(packet_bytes, self.sending.destinations().len(), self.receiving.sources())
    }

    /// Everything that must hold, looked up anew. For tests: it takes time.
    pub fn check(&self) {
        self.sending.check();
        self.receiving.check();
    }
}
