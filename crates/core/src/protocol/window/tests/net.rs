//! A few links, and frames that travel between them when a test calls for it.

use super::super::*;
use crate::engine::NodeId;
use crate::engine::Time;

pub const A: NodeId = NodeId(0);
pub const B: NodeId = NodeId(1);
pub const C: NodeId = NodeId(2);

pub struct Net<P> {
    pub links: Vec<WindowLink<P>>,
    pub now: Time,
}

/// Returns parameters with windows of 2, 4 slots and 16 sequence numbers on a fabric that keeps order, and time-outs of
/// 100 ns to 350 ns.
pub fn parameters() -> LinkParameters {
    LinkParameters {
        buffers: 8,
        window: 2,
        reorder: 2,
        arrivals: 4,
        timeout: Time::from_ns(100),
        timeout_max: Time::from_ns(350),
        acknowledge_delay: Time::ZERO,
        sequence_bits: 4,
        order: FabricOrder::Kept,
        ..LinkParameters::default()
    }
}

/// Returns the frame as received: with the header decoded from its words, and without the mark of a copy.
pub fn encode_and_decode<P>(frame: WindowFrame<P>) -> WindowFrame<P> {
    WindowFrame { header: WindowHeader::decode(frame.header.encode()), is_retransmission: false, ..frame }
}

impl<P: Clone + std::fmt::Debug> Net<P> {
    pub fn new(nodes: u32, parameters: &LinkParameters) -> Net<P> {
        let links = (0..nodes).map(|node| WindowLink::new(NodeId(node), parameters)).collect();
        Net { links, now: Time::ZERO }
    }

    pub fn link(&mut self, node: NodeId) -> &mut WindowLink<P> {
        &mut self.links[node.0 as usize]
    }

    #[track_caller]
    pub fn offer(&mut self, from: NodeId, to: NodeId, payload: P) {
        assert!(self.link(from).reserve(), "a buffer is free");
        self.link(from).offer(to, payload);
    }

    /// Sends all frames that may leave now, and returns them.
    pub fn depart(&mut self, node: NodeId) -> Vec<WindowFrame<P>> {
        let now = self.now;
        let link = self.link(node);
        let frames = std::iter::from_fn(|| link.next(now)).collect();
        assert!(!link.has_next());
        link.check();
        frames
    }

    pub fn arrive(&mut self, frame: &WindowFrame<P>) -> ArrivalOutcome {
        let now = self.now;
        let link = self.link(frame.to);
        let outcome = link.arrive(encode_and_decode(frame.clone()), now);
        link.check();
        outcome
    }

    /// Delivers all frames that may leave `node`, and returns their outcomes.
    pub fn deliver_frames_of(&mut self, node: NodeId) -> Vec<ArrivalOutcome> {
        self.depart(node).iter().map(|frame| self.arrive(frame)).collect()
    }

    /// Advances time to `now`, and handles the timers that expire.
    pub fn wait_until(&mut self, now: Time) {
        self.now = now;
        self.links.iter_mut().for_each(|link| link.on_time(now));
    }

    /// Reads one packet.
    pub fn read(&mut self, node: NodeId) -> Option<(NodeId, P)> {
        let (from, payload, slot) = self.link(node).take()?;
        self.link(node).release(slot);
        Some((from, payload))
    }

    /// Reads all packets that have arrived.
    pub fn read_all(&mut self, node: NodeId) -> Vec<P> {
        std::iter::from_fn(|| self.read(node)).map(|(_, payload)| payload).collect()
    }
}

/// Returns the numbers of the frames: 0, 1… for data frames, and −1, −2… for acknowledgements (the number negated, less
/// one).
pub fn numbers<P>(frames: &[WindowFrame<P>]) -> Vec<i64> {
    let number = |frame: &WindowFrame<P>| match frame.header {
        WindowHeader::Data { sequence } => i64::from(sequence),
        WindowHeader::Acknowledgement { next } => -1 - i64::from(next),
    };
    frames.iter().map(number).collect()
}

pub fn ns(ns: u64) -> Time {
    Time::from_ns(ns)
}

/// Offers packets 0 to `packets` from A to B. Returns the links, and the frames that may leave.
pub fn frames_sent(packets: u32, parameters: &LinkParameters) -> (Net<u32>, Vec<WindowFrame<u32>>) {
    let mut net = Net::new(3, parameters);
    (0..packets).for_each(|packet| net.offer(A, B, packet));
    let frames = net.depart(A);
    (net, frames)
}
