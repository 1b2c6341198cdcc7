//! The firmware's calls to the protocol.
//!
//! The firmware uses only the fabric's first class, for packets and for the protocol's control frames. Without a
//! protocol, this module is a plain queue of packets to send, and costs no cycles.
//!
//! A protocol that recovers from losses is notified of a packet when all of it has arrived. Any other protocol is
//! notified when the control message has arrived, so that the payload can be moved to the host while it arrives.
//!
//! A packet for which no receive slot is free is refused. The refusal is a control frame as long as an acknowledgement,
//! which names the sender's buffer. The packet itself is not returned, since the sender still holds it and sends it
//! again from that buffer.

use super::receive::ReceivedPacket;
use super::send::OutgoingMessage;
use crate::engine::{Bytes, Class, FlowKey, NodeId, Time};
use crate::fabric::{Label, Packet};
use crate::ni::port::frame_of;
use crate::protocol::{
    AcceptedPacket, Answer, Effects, Frame, Marks, Offer, PacketHandle, Protocol, ProtocolBinding, Slot, Statistics,
    plain,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The class that the firmware uses.
const CLASS: Class = Class::REQUESTS;

/// The protocol instance of a node.
pub struct Admission {
    node: NodeId,
    /// The protocol. The body of a packet to be sent is an [`OutgoingMessage`], which the protocol keeps as long as it
    /// may send the packet again; the body of a received packet is a [`ReceivedPacket`].
    protocol: RefCell<Box<dyn Protocol<PacketHandle>>>,
    has_protocol: bool,
    retransmits: bool,
    /// Number of free receive slots; `None` if their number is unlimited.
    free_slots: Cell<Option<u32>>,
    acknowledgement: Bytes,
}

impl Admission {
    /// Creates the instance of `node`.
    pub fn new(node: NodeId, protocol: &ProtocolBinding) -> Admission {
        let has_protocol = protocol.spec().buffer_requirements().is_some();
        // The packet buffers limit the number of packets, so the queue needs no limit of its own.
        let queue = plain::PlainParameters { outgoing: u16::MAX, arrivals: u16::MAX };
        let own_protocol = protocol.without_reorder_buffers(1);
        let guarantees = own_protocol.guarantees();
        Admission {
            node,
            protocol: RefCell::new(if has_protocol {
                own_protocol.start(node)
            } else {
                Box::new(plain::Plain::new(node, 1, queue))
            }),
            has_protocol,
            retransmits: has_protocol && guarantees.survives_loss,
            free_slots: Cell::new(guarantees.slots.filter(|_| has_protocol)),
            acknowledgement: protocol.spec().control_frame_length(),
        }
    }

    /// Returns whether there is a protocol.
    pub(super) fn has_protocol(&self) -> bool {
        self.has_protocol
    }

    /// Returns whether the protocol retransmits lost packets.
    pub(super) fn retransmits(&self) -> bool {
        self.retransmits
    }

    /// Returns whether a packet can be reserved for sending.
    pub(super) fn can_reserve(&self) -> bool {
        self.protocol.borrow().free_send_slots(CLASS) > 0
    }

    /// Reserves a slot, which must be free.
    pub(super) fn reserve(&self) -> Slot {
        self.protocol.borrow_mut().reserve(CLASS).expect("a slot is free")
    }

    /// Offers a packet to the protocol for sending.
    pub(super) fn offer(&self, slot: Slot, packet: &Rc<OutgoingMessage>, (to, marks, bytes): (NodeId, Marks, Bytes)) {
        let body = PacketHandle::new(packet.clone());
        self.protocol.borrow_mut().offer(slot, Offer { to, flow: FlowKey(0), class: CLASS, marks, bytes, body });
    }

    /// Returns the next frame that may be sent now.
    pub(super) fn next(&self, now: Time) -> Option<Frame<PacketHandle>> {
        self.protocol.borrow_mut().next(CLASS, now)
    }

    /// Returns the label of a frame; a control frame is as long as an acknowledgement.
    pub(super) fn label(&self, frame: &Frame<PacketHandle>) -> Label {
        let is_packet = frame.body.as_ref().is_some_and(|body| body.peek::<OutgoingMessage>().is_some());
        let length = if is_packet { frame.bytes } else { self.acknowledgement };
        let needs_slot = self.has_protocol && frame.needs_slot;
        Label {
            source: self.node,
            destination: frame.to,
            class: CLASS,
            length,
            needs_slot,
            flow: frame.flow,
            head: frame.head,
        }
    }

    /// Reports that a frame has left.
    pub(super) fn frame_sent(&self) {
        let effects = self.protocol.borrow_mut().on_departure(CLASS);
        self.apply_effects(effects);
    }

    /// Takes a receive slot for a packet that needs one; returns `false` if none is free.
    pub(super) fn take_slot(&self, packet: &Packet) -> bool {
        match self.free_slots.get().filter(|_| packet.label().needs_slot) {
            None => true,
            Some(0) => false,
            Some(free) => {
                self.free_slots.set(Some(free - 1));
                true
            }
        }
    }

    /// Frees the receive slot of a packet that was not reported to the protocol.
    pub(super) fn return_slot(&self, packet: &Packet) {
        if packet.label().needs_slot {
            self.add_slot();
        }
    }

    fn add_slot(&self) {
        self.free_slots.set(self.free_slots.get().map(|free| free + 1));
    }

    /// Reports a received packet or control frame to the protocol; returns whether it is to be discarded.
    pub(super) fn arrive(&self, packet: &Packet, body: Option<&Rc<ReceivedPacket>>, now: Time) -> bool {
        let frame = frame_of(packet, body.map(|received_packet| PacketHandle::new(received_packet.clone())));
        let effects = self.protocol.borrow_mut().arrive(frame, now);
        self.apply_effects(effects);
        effects.is_discarded
    }

    /// Returns whether a packet waits to be taken.
    pub(super) fn has_waiting_packet(&self) -> bool {
        self.protocol.borrow().front(CLASS).is_some()
    }

    /// Takes the first packet; returns it with its slot.
    pub(super) fn take(&self) -> Option<(Rc<ReceivedPacket>, Slot)> {
        // The firmware does not know whether a handler will send an answer.
        let AcceptedPacket { slot, body, .. } = self.protocol.borrow_mut().take(CLASS, Answer::None)?;
        Some((body.get()?, slot))
    }

    /// Reports that a packet is in host memory, and releases its slot.
    pub(super) fn release(&self, slot: Slot) {
        let effects = self.protocol.borrow_mut().release(CLASS, slot);
        self.apply_effects(effects);
    }

    fn apply_effects(&self, effects: Effects) {
        if effects.slot_freed.is_some() {
            self.add_slot();
        }
    }

    /// Returns the time at which the next timer expires.
    pub(super) fn next_timer(&self) -> Time {
        self.protocol.borrow().next_timer().unwrap_or(Time::MAX)
    }

    /// Handles the timers that have expired by `now`.
    pub(super) fn on_time(&self, now: Time) {
        self.protocol.borrow_mut().on_time(now);
    }

    /// Returns the protocol's counters, and the bytes of its state for packets of length `packet`; `None` without a
    /// protocol.
    pub fn accounts(&self, packet: Bytes) -> Option<(Statistics, usize)> {
        let protocol = self.protocol.borrow();
        self.has_protocol.then(|| (protocol.statistics(), protocol.state_bytes(packet.len())))
    }
}
