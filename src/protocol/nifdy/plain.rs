//! The baseline: the buffers of a unit without its protocol (§3: "An option allows the NIFDY units
//! to be included but disabled").
//!
//! An outgoing FIFO and an arrivals FIFO. Packets leave in the order offered, whatever waits behind
//! the first; nothing is acknowledged, and the order of a pair is the network's.

use super::statistics::Statistics;
use super::{Answer, Delivered, Frame, Header, Outgoing, Scalar};
use crate::engine::Time;
use std::collections::VecDeque;

/// The buffers of one node. Its methods have the names and meanings of [`super::Unit`]'s.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Plain<T> {
    own: u32,
    outgoing_max: usize,
    arrivals_max: usize,
    outgoing: VecDeque<Outgoing<T>>,
    arrivals: VecDeque<(u32, T)>,
    statistics: Statistics,
}

impl<T> Plain<T> {
    /// The buffers of node `own`: so many outgoing, and so many for arrivals.
    pub fn new(own: u32, outgoing: u16, arrivals: u16) -> Plain<T> {
        assert!(outgoing > 0 && arrivals > 0, "without a buffer nothing is ever sent or received");
        let (outgoing_max, arrivals_max) = (usize::from(outgoing), usize::from(arrivals));
        Plain {
            own,
            outgoing_max,
            arrivals_max,
            outgoing: VecDeque::with_capacity(outgoing_max),
            arrivals: VecDeque::with_capacity(arrivals_max),
            statistics: Statistics::default(),
        }
    }

    /// True if an outgoing buffer is empty.
    pub fn has_room(&self) -> bool {
        self.outgoing.len() < self.outgoing_max
    }

    /// A packet from the processor, or given back where no buffer is empty.
    pub fn offer(&mut self, packet: Outgoing<T>) -> Result<(), Outgoing<T>> {
        if !self.has_room() {
            return Err(packet);
        }
        self.outgoing.push_back(packet);
        Ok(())
    }

    /// True if [`Plain::next`] would give a frame.
    pub fn has_next(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// None: nothing is acknowledged.
    pub const fn next_acknowledgement(&mut self) -> Option<Frame<T>> {
        None
    }

    /// The next packet.
    pub fn next_packet(&mut self, now: Time) -> Option<Frame<T>> {
        self.next(now)
    }

    /// The next frame for the network.
    pub fn next(&mut self, _now: Time) -> Option<Frame<T>> {
        let Outgoing { destination, body, .. } = self.outgoing.pop_front()?;
        self.statistics.unacknowledged += 1;
        let header = Header::Scalar(Scalar { acknowledged: false, bulk_request: false, duplicate_bit: false });
        Some(Frame { source: self.own, destination, header, carried: None, body: Some(body) })
    }

    /// A frame came from the network. It keeps its place until it is accepted.
    #[must_use = "as with a unit that has the protocol"]
    pub fn arrive(&mut self, frame: Frame<T>) -> bool {
        assert_eq!(frame.destination, self.own, "a frame goes where it is addressed");
        assert!(self.arrivals.len() < self.arrivals_max, "a packet waits in the network until a place is free");
        self.arrivals.push_back((frame.source, frame.body.expect("a packet has a body")));
        false
    }

    /// The source and body of what [`Plain::accept`] would give.
    pub fn front(&self) -> Option<(u32, &T)> {
        self.arrivals.front().map(|(source, body)| (*source, body))
    }

    /// The processor accepts the packet that arrived first.
    pub fn accept(&mut self, _answer: Answer) -> Option<Delivered<T>> {
        let (source, body) = self.arrivals.pop_front()?;
        self.statistics.accepted += 1;
        Some(Delivered { source, body, frees_place: true })
    }

    /// Never: nothing is sent twice.
    pub const fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Does nothing.
    pub const fn on_time(&mut self, _now: Time) {}

    /// Bytes of its buffers for packets of `packet_bytes`.
    pub const fn state_bytes(&self, packet_bytes: usize) -> usize {
        (self.outgoing_max + self.arrivals_max) * packet_bytes
    }

    /// Packets that wait to be sent.
    pub fn waiting(&self) -> usize {
        self.outgoing.len()
    }

    /// Packets that the processor may accept.
    pub fn arrived(&self) -> usize {
        self.arrivals.len()
    }

    /// True if nothing waits.
    pub fn is_idle(&self) -> bool {
        self.outgoing.is_empty() && self.arrivals.is_empty()
    }

    /// Counts since the start.
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }
}
