//! The absence of a protocol: an interface with its buffers alone (Callahan and Goldstein 1995, §3: "An option allows
//! the NIFDY units to be included but disabled").
//!
//! Each class has an outgoing queue and an arrivals queue. Packets enter the fabric in the order in which they were
//! offered, so that the first may block those behind it. There are no acknowledgements, and the order of a pair's
//! packets is the fabric's. A packet keeps its entry of the arrivals queue until it has been read.
//!
//! Parameters: the capacities of the two queues, in packets of each class. Packets that the fabric loses are not
//! recovered.
//!
#![doc = include_str!("../example.md")]

mod spec;

use super::limits::QUEUE_MAX;
use super::{AcceptedPacket, Answer, Effects, Frame, Offer, Protocol, Slot, Statistics};
use crate::engine::{Class, NodeId, Time};
use crate::text::Parameters;
use std::collections::VecDeque;

/// Capacities of the queues.
///
/// The defaults equal the buffer counts of return-to-sender (chosen).
///
#[cfg_attr(not(doctest), doc = include_str!("../example.md"))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Parameters)]
#[param(each(min = 1, max = QUEUE_MAX), meaning = Capacity)]
pub struct PlainParameters {
    /// Number of buffers for packets that wait to enter the fabric.
    #[param(key = "send-buffers", was = "outgoing", default = 8, resource = "outgoing queue")]
    pub outgoing: u16,
    /// Number of buffers for received packets that wait for their reader.
    #[param(key = "receive-buffers", was = "arrivals", default = 8, resource = "arrivals queue")]
    pub arrivals: u16,
}

/// The buffers of a node.
///
#[cfg_attr(not(doctest), doc = include_str!("../example.md"))]
pub struct Plain<P> {
    node: NodeId,
    parameters: PlainParameters,
    queues_by_class: Vec<ClassQueues<P>>,
    accepted: u64,
}

/// The buffers of a class.
struct ClassQueues<P> {
    /// Number of packets that are being composed.
    reserved: u16,
    outgoing: VecDeque<Offer<P>>,
    arrivals: VecDeque<(NodeId, P)>,
    /// Number of packets that are being read.
    packets_being_read: u16,
}

impl<P> Plain<P> {
    /// Returns the empty buffers of `node` for `classes` classes.
    pub fn new(node: NodeId, classes: u8, parameters: PlainParameters) -> Plain<P> {
        let PlainParameters { outgoing, arrivals } = parameters;
        assert!(outgoing > 0 && arrivals > 0, "without a buffer nothing is ever sent or received");
        let queues = |_| ClassQueues {
            reserved: 0,
            outgoing: VecDeque::new(),
            arrivals: VecDeque::new(),
            packets_being_read: 0,
        };
        Plain { node, parameters, queues_by_class: (0..classes).map(queues).collect(), accepted: 0 }
    }

    fn queues(&mut self, class: Class) -> &mut ClassQueues<P> {
        &mut self.queues_by_class[class.index()]
    }
}

impl<P: Clone> Protocol<P> for Plain<P> {
    fn free_send_slots(&self, class: Class) -> u32 {
        let queues = &self.queues_by_class[class.index()];
        u32::from(self.parameters.outgoing - queues.reserved) - queues.outgoing.len() as u32
    }

    fn reserve(&mut self, class: Class) -> Option<Slot> {
        let is_free = self.free_send_slots(class) > 0;
        self.queues(class).reserved += u16::from(is_free);
        is_free.then_some(Slot(0))
    }

    fn offer(&mut self, _slot: Slot, packet: Offer<P>) {
        let queues = self.queues(packet.class);
        queues.reserved -= 1;
        queues.outgoing.push_back(packet);
    }

    fn next(&mut self, class: Class, _now: Time) -> Option<Frame<P>> {
        let from = self.node;
        let Offer { to, flow, bytes, body, .. } = self.queues(class).outgoing.pop_front()?;
        Some(Frame { from, to, flow, class, bytes, needs_slot: true, body: Some(body), ..Frame::default() })
    }

    fn arrive(&mut self, frame: Frame<P>, _now: Time) -> Effects {
        assert_eq!(frame.to, self.node, "a frame goes where it is addressed");
        let arrivals_max = usize::from(self.parameters.arrivals);
        let queues = self.queues(frame.class);
        let used_slots = queues.arrivals.len() + usize::from(queues.packets_being_read);
        assert!(used_slots < arrivals_max, "a packet waits in the fabric until a slot is free");
        queues.arrivals.push_back((frame.from, frame.body.expect("every frame is a packet")));
        Effects::NONE
    }

    fn front(&self, class: Class) -> Option<(NodeId, &P)> {
        self.queues_by_class[class.index()].arrivals.front().map(|(from, body)| (*from, body))
    }

    fn take(&mut self, class: Class, _answer: Answer) -> Option<AcceptedPacket<P>> {
        let queues = self.queues(class);
        let (from, body) = queues.arrivals.pop_front()?;
        queues.packets_being_read += 1;
        self.accepted += 1;
        Some(AcceptedPacket { from, slot: Slot(0), body })
    }

    fn release(&mut self, class: Class, _slot: Slot) -> Effects {
        self.queues(class).packets_being_read -= 1;
        Effects { slot_freed: Some(class), ..Effects::NONE }
    }

    fn unacknowledged(&self, _to: Option<NodeId>) -> u32 {
        0
    }

    fn statistics(&self) -> Statistics {
        Statistics { accepted: self.accepted, ..Statistics::default() }
    }

    fn state_bytes(&self, packet_bytes: usize) -> usize {
        let PlainParameters { outgoing, arrivals } = self.parameters;
        self.queues_by_class.len() * usize::from(outgoing + arrivals) * packet_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Bytes, FlowKey};
    use crate::protocol::Marks;

    const CLASS: Class = Class::REQUESTS;
    const NODES: [NodeId; 2] = [NodeId(0), NodeId(1)];

    fn endpoint_pair(classes: u8) -> [Plain<u32>; 2] {
        let endpoint = |node, outgoing, arrivals| Plain::new(node, classes, PlainParameters { outgoing, arrivals });
        [endpoint(NODES[0], 2, 1), endpoint(NODES[1], 1, 2)]
    }

    fn offer(endpoint: &mut Plain<u32>, body: u32) -> bool {
        let Some(slot) = endpoint.reserve(CLASS) else { return false };
        endpoint.offer(
            slot,
            Offer { to: NODES[1], flow: FlowKey(0), class: CLASS, marks: Marks::SINGLE_PACKET, bytes: Bytes(32), body },
        );
        true
    }

    #[test]
    fn packets_leave_in_the_order_offered() {
        let [mut a, mut b] = endpoint_pair(1);
        assert_eq!(
            [1, 2, 3].map(|body| offer(&mut a, body)),
            [true, true, false],
            "the outgoing queue has two buffers"
        );
        let [first, second] = [(); 2].map(|()| a.next(CLASS, Time::ZERO).expect("the packet was offered"));
        assert!(a.next(CLASS, Time::ZERO).is_none() && a.free_send_slots(CLASS) == 2);
        assert!(first.needs_slot && second.needs_slot);
        assert_eq!(b.arrive(second, Time::ZERO), Effects::NONE);
        assert_eq!(b.front(CLASS), Some((NODES[0], &2)));
        assert_eq!(b.arrive(first, Time::ZERO), Effects::NONE, "the protocol does not restore the order");
        let accepted_packet = b.take(CLASS, Answer::None).expect("the packet arrived");
        assert_eq!((accepted_packet.from, accepted_packet.body), (NODES[0], 2));
        assert_eq!(b.release(CLASS, accepted_packet.slot), Effects { slot_freed: Some(CLASS), ..Effects::NONE });
        assert!(b.next(CLASS, Time::ZERO).is_none(), "no packet is acknowledged");
        assert_eq!((b.statistics().accepted, b.state_bytes(32)), (1, 96));
    }

    #[test]
    fn a_reserved_slot_counts_only_in_its_class() {
        let [mut a, _] = endpoint_pair(2);
        let slots = [a.reserve(CLASS), a.reserve(CLASS)];
        assert!(slots.iter().all(Option::is_some) && a.reserve(CLASS).is_none());
        assert_eq!((a.free_send_slots(CLASS), a.free_send_slots(Class::REPLIES)), (0, 2));
    }

    #[test]
    #[should_panic(expected = "a packet waits in the fabric until a slot is free")]
    fn a_packet_keeps_its_slot_until_it_was_read() {
        let [mut a, mut b] = endpoint_pair(1);
        let mut send = |body| {
            assert!(offer(&mut a, body));
            a.next(CLASS, Time::ZERO).expect("the packet was offered")
        };
        let _ = b.arrive(send(1), Time::ZERO);
        let _ = b.arrive(send(2), Time::ZERO);
        let _being_read = b.take(CLASS, Answer::None);
        let _ = b.arrive(send(3), Time::ZERO);
    }
}
