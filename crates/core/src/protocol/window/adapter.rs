//! The sliding window as a [`Protocol`]: one link for each class.
//!
//! An acknowledgement travels in the class of the packets that it acknowledges. This choice cannot cause a deadlock,
//! because every arriving frame is stored or dropped, and no frame waits in the fabric for a slot. The first word of
//! the frame's head holds the frame's header, and in an acknowledgement the second word holds the feedback word.
//!
//! The interface's time to generate an acknowledgement is not modelled. The bytes of a sequence number are not counted,
//! because it fits in the interface's header. Packets that bypass the protocol are numbered as all others.

use super::{ArrivalOutcome, LinkParameters, Peer, ReadingSlot, WindowHeader, WindowLink};
use crate::engine::{Bytes, Class, Head, NodeId, Time};
use crate::protocol::{AcceptedPacket, Answer, Effects, Frame, Offer, Protocol, Slot, Statistics};
use crate::text::Parameters;
use std::collections::BTreeMap;

/// The parameters of the protocol, and the length of its acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct WindowParameters {
    /// Parameters of each link.
    #[param(flatten)]
    pub link: LinkParameters,
    /// Length of an acknowledgement.
    #[param(min = "1 B", max = "32 B", default = "8 B", meaning = Work, resource = "acknowledgement")]
    pub acknowledgement: Bytes,
}

/// Largest number of packets that a pair of nodes may exchange in a class in a run, on a fabric that reorders. The
/// value is chosen: no run sends more, and the largest sequence space distinguishes them with any practical window.
pub(super) const PACKETS_MAX: u64 = 1 << 31;

/// The protocol's endpoint at a node.
pub struct WindowAdapter<P> {
    parameters: WindowParameters,
    /// Link of each class.
    links: Vec<WindowLink<(P, Bytes)>>,
    packets_taken: u64,
    /// Feedback word that is sent in acknowledgements, and the words received.
    feedback: u64,
    feedback_by_node: BTreeMap<NodeId, u64>,
}

impl<P: Clone> WindowAdapter<P> {
    /// Returns the endpoint at `node`, on a fabric of `classes` classes.
    pub fn new(node: NodeId, classes: u8, parameters: WindowParameters) -> WindowAdapter<P> {
        let links = (0..classes).map(|_| WindowLink::new(node, &parameters.link)).collect();
        WindowAdapter { parameters, links, packets_taken: 0, feedback: 0, feedback_by_node: BTreeMap::new() }
    }

    fn link(&mut self, class: Class) -> &mut WindowLink<(P, Bytes)> {
        &mut self.links[class.index()]
    }
}

impl<P: Clone> Protocol<P> for WindowAdapter<P> {
    fn free_send_slots(&self, class: Class) -> u32 {
        self.links[class.index()].free_send_slots()
    }

    fn reserve(&mut self, class: Class) -> Option<Slot> {
        self.link(class).reserve().then_some(Slot(0))
    }

    fn offer(&mut self, _slot: Slot, packet: Offer<P>) {
        let Offer { to: node, flow, class, bytes, body, .. } = packet;
        self.link(class).offer(Peer { node, flow }, (body, bytes));
    }

    fn next(&mut self, class: Class, now: Time) -> Option<Frame<P>> {
        let super::WindowFrame { from, to, flow, header, body, is_retransmission } = self.link(class).next(now)?;
        let (body, bytes) = match body {
            Some((body, bytes)) => (Some(body), bytes),
            None => (None, self.parameters.acknowledgement),
        };
        let feedback = if body.is_none() { self.feedback } else { 0 };
        let head = encode(header, feedback);
        Some(Frame { from, to, flow, class, head, bytes, is_retransmission, body, ..Frame::default() })
    }

    fn arrive(&mut self, frame: Frame<P>, now: Time) -> Effects {
        let Frame { from, to, flow, class, head, bytes, body, .. } = frame;
        let (header, feedback) = decode(head);
        if body.is_none() {
            self.feedback_by_node.insert(from, feedback);
        }
        let body = body.map(|body| (body, bytes));
        let link = self.link(class);
        let timer_before = link.next_timer().unwrap_or(Time::MAX);
        let outcome = link.arrive(super::WindowFrame { from, to, flow, header, body, is_retransmission: false }, now);
        // If the acknowledgement waits for more packets, a timer is set although no frame leaves.
        let has_earlier_timer = link.next_timer().is_some_and(|next| next < timer_before);
        Effects {
            is_discarded: matches!(outcome, ArrivalOutcome::Duplicate | ArrivalOutcome::Refused),
            timer: has_earlier_timer,
            ..Effects::NONE
        }
    }

    fn front(&self, class: Class) -> Option<(NodeId, &P)> {
        self.links[class.index()].front().map(|(from, (body, _))| (from, body))
    }

    fn take(&mut self, class: Class, _answer: Answer) -> Option<AcceptedPacket<P>> {
        let (from, (body, _), slot) = self.link(class).take()?;
        self.packets_taken += 1;
        Some(AcceptedPacket { from, slot: Slot(slot.number()), body })
    }

    fn release(&mut self, class: Class, slot: Slot) -> Effects {
        Effects { ready: self.link(class).release(ReadingSlot::from_number(slot.0)), ..Effects::NONE }
    }

    fn next_timer(&self) -> Option<Time> {
        self.links.iter().filter_map(WindowLink::next_timer).min()
    }

    fn on_time(&mut self, now: Time) {
        self.links.iter_mut().for_each(|link| link.on_time(now));
    }

    fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.links.iter().map(|link| link.unacknowledged(to)).sum()
    }

    fn set_feedback(&mut self, feedback: u64) {
        self.feedback = feedback;
    }

    fn feedback_from(&self, node: NodeId) -> u64 {
        self.feedback_by_node.get(&node).copied().unwrap_or(0)
    }

    fn statistics(&self) -> Statistics {
        let mut sum = Statistics { accepted: self.packets_taken, ..Statistics::default() };
        for link in self.links.iter().map(WindowLink::statistics) {
            sum.acknowledgements += link.acknowledgements;
            sum.retransmitted += link.retransmitted;
            sum.duplicates += link.duplicates;
        }
        sum
    }

    fn state_bytes(&self, packet_bytes: usize) -> usize {
        self.links.iter().map(|link| link.state_bytes(packet_bytes)).sum()
    }
}

/// Encodes a header and a feedback word: the first word holds the kind in bit 0 and the number above it, the second the
/// feedback word.
pub fn encode(header: WindowHeader, feedback: u64) -> Head {
    let [kind, number] = header.encode();
    Head([kind | number << 1, feedback])
}

/// Decodes the head written by [`encode`].
pub fn decode(head: Head) -> (WindowHeader, u64) {
    let [first, feedback] = head.0;
    (WindowHeader::decode([first & 1, first >> 1]), feedback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FlowKey;
    use crate::protocol::Marks;
    use proptest::prelude::*;

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    fn header() -> impl Strategy<Value = WindowHeader> {
        prop_oneof![
            any::<u32>().prop_map(|sequence| WindowHeader::Data { sequence }),
            any::<u32>().prop_map(|next| WindowHeader::Acknowledgement { next }),
        ]
    }

    proptest! {
        #[test]
        fn decoding_inverts_encoding(header in header(), feedback in any::<u64>()) {
            prop_assert_eq!(decode(encode(header, feedback)), (header, feedback));
        }
    }

    /// Returns two endpoints with one receive slot each, and reorder buffers.
    fn adapter_pair() -> [WindowAdapter<char>; 2] {
        let link = LinkParameters { arrivals: 1, ..LinkParameters::default() };
        let parameters = WindowParameters { link, acknowledgement: Bytes(8) };
        [A, B].map(|node| WindowAdapter::new(node, 2, parameters))
    }

    fn send(adapter: &mut WindowAdapter<char>, class: Class, body: char) {
        send_by(adapter, FlowKey(0), class, body);
    }

    fn send_by(adapter: &mut WindowAdapter<char>, flow: FlowKey, class: Class, body: char) {
        let slot = adapter.reserve(class).expect("a buffer is free");
        adapter.offer(slot, Offer { to: B, flow, class, marks: Marks::SINGLE_PACKET, bytes: Bytes(32), body });
    }

    #[test]
    fn two_flows_to_a_node_have_separate_windows() {
        let link = LinkParameters { window: 1, reorder: 1, arrivals: 4, ..LinkParameters::default() };
        let parameters = WindowParameters { link, acknowledgement: Bytes(8) };
        let ([mut a, mut b], class) = ([A, B].map(|node| WindowAdapter::new(node, 1, parameters)), Class::REQUESTS);
        let [first, second] = [FlowKey(1), FlowKey(u32::MAX)];
        for (flow, body) in [(first, 'a'), (first, 'b'), (second, 'x'), (second, 'y')] {
            send_by(&mut a, flow, class, body);
        }
        let sent_frames: Vec<_> = std::iter::from_fn(|| a.next(class, Time::ZERO)).collect();
        let flow_and_body = |frame: &Frame<char>| (frame.flow, frame.body);
        assert_eq!(
            sent_frames.iter().map(flow_and_body).collect::<Vec<_>>(),
            [(first, Some('a')), (second, Some('x'))]
        );
        assert_eq!((a.unacknowledged(Some(B)), a.unacknowledged(Some(A))), (4, 0));
        // The first packet of one flow is lost, which delays only that flow.
        let frame_of_second_flow = sent_frames.into_iter().nth(1).expect("two frames were sent");
        assert!(!b.arrive(frame_of_second_flow, Time::ZERO).is_discarded);
        let acknowledgement = b.next(class, Time::ZERO).expect("each packet is acknowledged");
        assert_eq!((acknowledgement.flow, acknowledgement.body), (second, None));
        assert_eq!(a.arrive(acknowledgement, Time::ZERO), Effects::NONE);
        let next = a.next(class, Time::ZERO).expect("the window of one flow is open");
        assert_eq!(flow_and_body(&next), (second, Some('y')));
        assert!(a.next(class, Time::ZERO).is_none());
        let timer = a.next_timer().expect("a packet is not acknowledged");
        a.on_time(timer);
        let copies: Vec<_> = std::iter::from_fn(|| a.next(class, timer)).collect();
        assert_eq!(copies.iter().map(flow_and_body).collect::<Vec<_>>(), [(first, Some('a')), (second, Some('y'))]);
        for frame in copies {
            assert!(!b.arrive(frame, timer).is_discarded, "each flow has its own sequence numbers");
        }
        let read_bodies: Vec<_> =
            std::iter::from_fn(|| b.take(class, Answer::None).map(|accepted_packet| accepted_packet.body)).collect();
        assert_eq!(read_bodies, ['x', 'a', 'y']);
    }

    #[test]
    fn a_copy_is_marked_and_discarded() {
        let [mut a, mut b] = adapter_pair();
        send(&mut a, Class::REPLIES, 'x');
        assert!(a.next(Class::REQUESTS, Time::ZERO).is_none(), "each class has its own packets");
        let first = a.next(Class::REPLIES, Time::ZERO).expect("the window is open");
        assert_eq!((first.is_retransmission, first.needs_slot, first.bytes), (false, false, Bytes(32)));
        assert!(!b.arrive(first, Time::ZERO).is_discarded);
        let timer = a.next_timer().expect("a packet is not acknowledged");
        a.on_time(timer);
        let copy = a.next(Class::REPLIES, timer).expect("a copy is due");
        assert!(copy.is_retransmission && b.arrive(copy, timer).is_discarded);
        assert_eq!((a.statistics().retransmitted, b.statistics().duplicates), (1, 1));
    }

    #[test]
    fn a_free_slot_makes_a_stored_packet_ready() {
        let ([mut a, mut b], class) = (adapter_pair(), Class::REQUESTS);
        ['x', 'y'].into_iter().for_each(|body| send(&mut a, class, body));
        while let Some(frame) = a.next(class, Time::ZERO) {
            assert!(!b.arrive(frame, Time::ZERO).is_discarded, "a packet without a slot is stored");
        }
        let accepted_packet = b.take(class, Answer::None).expect("the first packet has a slot");
        assert!(b.front(class).is_none(), "the slot is in use until it is released");
        assert!(b.release(class, accepted_packet.slot).ready);
        let accepted_packet = b.take(class, Answer::None).expect("the second packet has the slot now");
        assert_eq!((accepted_packet.from, accepted_packet.body), (A, 'y'));
        assert!(!b.release(class, accepted_packet.slot).ready);
    }

    #[test]
    fn an_acknowledgement_that_waits_sets_a_timer() {
        let delay = Time::from_us(3);
        let link = LinkParameters { acknowledge_every: 2, acknowledge_delay: delay, ..LinkParameters::default() };
        let parameters = WindowParameters { link, acknowledgement: Bytes(8) };
        let ([mut a, mut b], class) = ([A, B].map(|node| WindowAdapter::new(node, 1, parameters)), Class::REQUESTS);
        send(&mut a, class, 'x');
        let packet = a.next(class, Time::ZERO).expect("the window is open");
        assert!(b.arrive(packet, Time::ZERO).timer);
        assert_eq!(b.next_timer(), Some(delay));
        assert!(b.next(class, Time::ZERO).is_none());
        b.on_time(delay);
        assert!(b.next(class, delay).is_some());
    }

    #[test]
    fn only_acknowledgements_carry_feedback() {
        let ([mut a, mut b], class) = (adapter_pair(), Class::REQUESTS);
        a.set_feedback(7);
        b.set_feedback(9);
        send(&mut a, class, 'x');
        let packet = a.next(class, Time::ZERO).expect("the window is open");
        assert_eq!(b.arrive(packet, Time::ZERO), Effects::NONE);
        let acknowledgement = b.next(class, Time::ZERO).expect("each packet is acknowledged");
        assert_eq!((acknowledgement.bytes, acknowledgement.body), (Bytes(8), None));
        assert_eq!(a.arrive(acknowledgement, Time::ZERO), Effects::NONE);
        assert_eq!((a.feedback_from(B), b.feedback_from(A), a.unacknowledged(None)), (9, 0, 0));
    }
}
