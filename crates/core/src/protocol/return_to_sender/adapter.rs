//! Return-to-sender as a [`Protocol`]: packets travel in class 0, and replies in class 1.
//!
//! Frames of a class are sent in the order in which they became ready. On a fabric with two classes, a packet is
//! answered before the next is accepted from the fabric: there is one receive slot, which is freed when the reply has
//! left. On a fabric with one class, replies and packets share it. The interface then accepts every frame that arrives
//! and queues the replies that it cannot send yet; their number is bounded by the number of the senders' buffers. If
//! the interface accepted a frame only when a reply has left, packets that wait for a reply to leave would deadlock
//! with the replies behind them.
//!
//! The frame's head holds the sender's buffer, the kind of frame, and in a reply the feedback word.

use super::{
    Buffers, DataPacket, FlowControlParameters, IncomingBuffer, IncomingHalf, OutgoingBuffer, OutgoingHalf, Reply,
    ReplyOutcome, Verdict,
};
use crate::engine::{Bytes, Class, Head, NodeId, Time};
use crate::protocol::{AcceptedPacket, Answer, Effects, Frame, Offer, Protocol, Slot, Statistics};
use crate::text::Parameters;
use std::collections::VecDeque;

/// The parameters of the protocol, and the length of its acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct ReturnToSenderParameters {
    /// Buffers, and the retry delay of a returned packet.
    #[param(with(read = super::parameters::read_flow, write = super::parameters::write_flow))]
    pub flow: FlowControlParameters,
    /// Length of an acknowledgement.
    #[param(min = "1 B", max = "32 B", default = "8 B", meaning = Work, resource = "acknowledgement")]
    pub acknowledgement: Bytes,
}

/// The protocol's endpoint at a node.
pub struct ReturnToSenderAdapter<P> {
    node: NodeId,
    classes: u8,
    parameters: ReturnToSenderParameters,
    outgoing: OutgoingHalf<(P, Bytes)>,
    incoming: IncomingHalf<(P, Bytes)>,
    /// Contents of each outgoing buffer until the packet is accepted. A packet that is returned without its payload is
    /// retransmitted from here.
    unaccepted: Vec<Option<(P, Bytes)>>,
    /// Packets that may enter the fabric.
    packets: VecDeque<Frame<P>>,
    replies: VecDeque<Frame<P>>,
    /// Feedback word that is sent in replies, and the words received, by node.
    feedback: u64,
    feedback_by_node: Vec<u64>,
}

/// Kinds of frame, encoded from bit 32 of the head's first word on.
const PACKET_KIND: u64 = 0;
const ACCEPTED_KIND: u64 = 1;
const RETURNED_KIND: u64 = 2;
const KIND_SHIFT: u32 = 32;

impl<P: Clone> ReturnToSenderAdapter<P> {
    /// Returns the endpoint at `node`, on a fabric of `classes` classes. The jitter of retries depends on `seed`.
    pub fn new(node: NodeId, classes: u8, parameters: ReturnToSenderParameters, seed: u64) -> ReturnToSenderAdapter<P> {
        let FlowControlParameters { outgoing, incoming, retry } = parameters.flow;
        ReturnToSenderAdapter {
            node,
            classes,
            parameters,
            outgoing: OutgoingHalf::new(node, outgoing, retry).with_seed(seed),
            incoming: IncomingHalf::new(node, incoming),
            unaccepted: Vec::new(),
            packets: VecDeque::new(),
            replies: VecDeque::new(),
            feedback: 0,
            feedback_by_node: Vec::new(),
        }
    }

    fn replies_class(&self) -> Class {
        Class(u8::from(self.classes > 1))
    }

    fn frame(&self, to: NodeId, class: Class, head: Head, bytes: Bytes, body: Option<P>) -> Frame<P> {
        let needs_slot = class == Class::REQUESTS && self.classes > 1;
        Frame { from: self.node, to, class, head, bytes, needs_slot, body, ..Frame::default() }
    }

    /// Queues the frame of a packet.
    fn send(&mut self, packet: DataPacket<(P, Bytes)>, is_retransmission: bool) {
        let DataPacket { to, buffer, payload: (body, bytes), .. } = packet;
        let head = Head([u64::from(buffer.number()) | PACKET_KIND << KIND_SHIFT, 0]);
        let frame = self.frame(to, Class::REQUESTS, head, bytes, Some(body));
        self.packets.push_back(Frame { is_retransmission, ..frame });
    }

    /// Queues the frame of a reply, and returns whether the reply returns its packet.
    fn reply(&mut self, reply: Reply<(P, Bytes)>) -> bool {
        let Reply { to, buffer, verdict, .. } = reply;
        let (kind, bytes, body) = match verdict {
            Verdict::Accepted => (ACCEPTED_KIND, self.parameters.acknowledgement, None),
            Verdict::Returned((body, bytes)) => (RETURNED_KIND, bytes, Some(body)),
        };
        let head = Head([u64::from(buffer.number()) | kind << KIND_SHIFT, self.feedback]);
        let frame = self.frame(to, self.replies_class(), head, bytes, body);
        self.replies.push_back(Frame { needs_slot: false, ..frame });
        kind == RETURNED_KIND
    }
}

impl<P: Clone> Protocol<P> for ReturnToSenderAdapter<P> {
    fn free_send_slots(&self, _class: Class) -> u32 {
        self.outgoing.census().free.unwrap_or(u32::MAX)
    }

    fn reserve(&mut self, _class: Class) -> Option<Slot> {
        self.outgoing.reserve().map(|buffer| Slot(buffer.number()))
    }

    fn offer(&mut self, slot: Slot, packet: Offer<P>) {
        let Offer { to, bytes, body, .. } = packet;
        let index = slot.0 as usize;
        if index >= self.unaccepted.len() {
            self.unaccepted.resize(index + 1, None);
        }
        self.unaccepted[index] = Some((body.clone(), bytes));
        let packet = self.outgoing.transmit(OutgoingBuffer(slot.0), to, (body, bytes));
        self.send(packet, false);
    }

    #[inline]
    fn may_send(&self, class: Class) -> bool {
        class == self.replies_class() && !self.replies.is_empty()
            || class == Class::REQUESTS && !self.packets.is_empty()
    }

    fn next(&mut self, class: Class, _now: Time) -> Option<Frame<P>> {
        match class == self.replies_class() && !self.replies.is_empty() {
            true => self.replies.pop_front(),
            false if class == Class::REQUESTS => self.packets.pop_front(),
            false => None,
        }
    }

    fn on_departure(&mut self, class: Class) -> Effects {
        let is_reply_class = self.classes > 1 && class == self.replies_class();
        Effects { slot_freed: is_reply_class.then_some(Class::REQUESTS), ..Effects::NONE }
    }

    fn arrive(&mut self, frame: Frame<P>, now: Time) -> Effects {
        let Frame { from, to, head: Head([word, feedback]), bytes, body, .. } = frame;
        let buffer = OutgoingBuffer(word as u32);
        let verdict = match word >> KIND_SHIFT {
            PACKET_KIND => {
                let payload = (body.expect("a packet has a body"), bytes);
                let reply = self.incoming.arrive(DataPacket { from, to, buffer, payload });
                return Effects { is_discarded: self.reply(reply), no_slot_freed: true, ..Effects::NONE };
            }
            ACCEPTED_KIND => {
                self.unaccepted[buffer.number() as usize] = None;
                Verdict::Accepted
            }
            _ => Verdict::Returned(match body {
                Some(body) => (body, bytes),
                None => self.unaccepted[buffer.number() as usize].clone().expect("a returned packet was sent"),
            }),
        };
        // A missing feedback word counts as 0.
        if feedback != 0 || !self.feedback_by_node.is_empty() {
            self.feedback_by_node.resize(self.feedback_by_node.len().max(from.index() + 1), 0);
            self.feedback_by_node[from.index()] = feedback;
        }
        let outcome = self.outgoing.reply(Reply { from, to, buffer, verdict }, now);
        let is_returned = matches!(outcome, ReplyOutcome::Bounced { .. });
        Effects { returned: is_returned, no_slot_freed: is_returned, ..Effects::NONE }
    }

    fn front(&self, class: Class) -> Option<(NodeId, &P)> {
        let front = if class == Class::REQUESTS { self.incoming.front() } else { None };
        front.map(|(from, (body, _))| (from, body))
    }

    fn take(&mut self, class: Class, _answer: Answer) -> Option<AcceptedPacket<P>> {
        let incoming = if class == Class::REQUESTS { self.incoming.take() } else { None }?;
        Some(AcceptedPacket { from: incoming.from, slot: Slot(incoming.buffer.number()), body: incoming.payload.0 })
    }

    fn release(&mut self, _class: Class, slot: Slot) -> Effects {
        self.incoming.release(IncomingBuffer(slot.0));
        Effects::NONE
    }

    fn next_timer(&self) -> Option<Time> {
        self.outgoing.next_retry()
    }

    fn on_time(&mut self, now: Time) {
        while let Some(packet) = self.outgoing.retry(now) {
            self.send(packet, true);
        }
    }

    fn unacknowledged(&self, _to: Option<NodeId>) -> u32 {
        let census = self.outgoing.census();
        census.in_flight + census.bounced
    }

    fn set_feedback(&mut self, feedback: u64) {
        self.feedback = feedback;
    }

    fn feedback_from(&self, node: NodeId) -> u64 {
        self.feedback_by_node.get(node.index()).copied().unwrap_or(0)
    }

    fn statistics(&self) -> Statistics {
        let (sent, received) = (self.outgoing.statistics(), self.incoming.statistics());
        Statistics {
            accepted: received.released,
            acknowledgements: received.accepted,
            retransmitted: sent.retried,
            returned: received.returned,
            ..Statistics::default()
        }
    }

    fn state_bytes(&self, packet_bytes: usize) -> usize {
        let buffer_count = |buffers: Buffers| buffers.count().map_or(0, |count| count as usize);
        (buffer_count(self.parameters.flow.outgoing) + buffer_count(self.parameters.flow.incoming)) * packet_bytes
    }
}
