//! The firmware's end of the protocol: what it is told, and asked.
//!
//! The firmware uses the fabric's first class alone, for packets and for what the protocol says by
//! itself. Where there is no protocol, the queue of what is to be sent is all there is of it, and
//! nothing here costs cycles.
//!
//! A protocol that makes up for losses is told of a packet when all of it is there, another when its
//! control message is: then the payload flows on to the host while it comes.
//!
//! What finds no room is told back, not sent back: a frame of an acknowledgement's length names the
//! buffer, and the packet is sent again from where it still lies.

use super::receive::Arrived;
use super::send::Outgoing;
use crate::engine::{Bytes, Class, FlowKey, NodeId, Time};
use crate::fabric::{Label, Packet};
use crate::ni::port::frame_of;
use crate::protocol::{
    Answer, Effects, Frame, Marks, Offer, PacketHandle, Protocol, ProtocolBinding, Slot, Statistics, Taken, plain,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The class that the firmware uses.
const CLASS: Class = Class::REQUESTS;

/// The protocol's end at a node.
pub struct Admission {
    own: NodeId,
    /// Knows a packet to be sent as [`Outgoing`], and holds that until it will not be sent again; one that has arrived
    /// as [`Arrived`].
    protocol: RefCell<Box<dyn Protocol<PacketHandle>>>,
    runs: bool,
    resends: bool,
    /// Packets that take places for which there is room; none where there is no limit.
    places: Cell<Option<u32>>,
    acknowledgement: Bytes,
}

impl Admission {
    /// The end at node `own`.
    pub fn new(own: NodeId, protocol: &ProtocolBinding) -> Admission {
        let runs = protocol.spec().buffer_requirements().is_some();
        // The queue is as long as there are packet buffers.
        let queue = plain::PlainParameters { outgoing: u16::MAX, arrivals: u16::MAX };
        let here = protocol.without_reorder_buffers(1);
        let guarantees = here.guarantees();
        Admission {
            own,
            protocol: RefCell::new(if runs { here.start(own) } else { Box::new(plain::Plain::new(own, 1, queue)) }),
            runs,
            resends: runs && guarantees.survives_loss,
            places: Cell::new(guarantees.slots.filter(|_| runs)),
            acknowledgement: protocol.spec().control_frame(),
        }
    }

    /// Whether there is a protocol.
    pub(super) fn runs(&self) -> bool {
        self.runs
    }

    /// Whether what the fabric loses is sent again.
    pub(super) fn resends(&self) -> bool {
        self.resends
    }

    /// Whether it may take a packet.
    pub(super) fn has_room(&self) -> bool {
        self.protocol.borrow().room(CLASS) > 0
    }

    /// Takes a slot for which there was room.
    pub(super) fn reserve(&self) -> Slot {
        self.protocol.borrow_mut().reserve(CLASS).expect("there was room")
    }

    /// A packet may go when its turn comes.
    pub(super) fn offer(&self, slot: Slot, packet: &Rc<Outgoing>, (to, marks, bytes): (NodeId, Marks, Bytes)) {
        let body = PacketHandle::new(packet.clone());
        self.protocol.borrow_mut().offer(slot, Offer { to, flow: FlowKey(0), class: CLASS, marks, bytes, body });
    }

    /// What may leave now.
    pub(super) fn next(&self, now: Time) -> Option<Frame<PacketHandle>> {
        self.protocol.borrow_mut().next(CLASS, now)
    }

    /// What a frame is carried by: one of the protocol's own is as long as an acknowledgement.
    pub(super) fn label(&self, frame: &Frame<PacketHandle>) -> Label {
        let is_packet = frame.body.as_ref().is_some_and(|body| body.peek::<Outgoing>().is_some());
        let length = if is_packet { frame.bytes } else { self.acknowledgement };
        let needs_slot = self.runs && frame.needs_slot;
        Label {
            source: self.own,
            destination: frame.to,
            class: CLASS,
            length,
            needs_slot,
            flow: frame.flow,
            head: frame.head,
        }
    }

    /// A frame has left.
    pub(super) fn left(&self) {
        let effects = self.protocol.borrow_mut().left(CLASS);
        self.has_effects(effects);
    }

    /// Takes the place of a packet that takes one; false if none is free.
    pub(super) fn take_place(&self, packet: &Packet) -> bool {
        match self.places.get().filter(|_| packet.label().needs_slot) {
            None => true,
            Some(0) => false,
            Some(free) => {
                self.places.set(Some(free - 1));
                true
            }
        }
    }

    /// Gives the place of a packet back of which the protocol was not told.
    pub(super) fn return_place(&self, packet: &Packet) {
        if packet.label().needs_slot {
            self.add_place();
        }
    }

    fn add_place(&self) {
        self.places.set(self.places.get().map(|free| free + 1));
    }

    /// A packet came, or a frame of the protocol's own; true if it is for nobody.
    pub(super) fn arrive(&self, packet: &Packet, body: Option<&Rc<Arrived>>, now: Time) -> bool {
        let frame = frame_of(packet, body.map(|arrived| PacketHandle::new(arrived.clone())));
        let effects = self.protocol.borrow_mut().arrive(frame, now);
        self.has_effects(effects);
        effects.discards
    }

    /// Whether a packet waits to be taken.
    pub(super) fn has_front(&self) -> bool {
        self.protocol.borrow().front(CLASS).is_some()
    }

    /// Takes the packet in front; its slot.
    pub(super) fn take(&self) -> Option<(Rc<Arrived>, Slot)> {
        // Nobody here knows what a handler will do.
        let Taken { slot, body, .. } = self.protocol.borrow_mut().take(CLASS, Answer::None)?;
        Some((body.get()?, slot))
    }

    /// A packet is with the host.
    pub(super) fn release(&self, slot: Slot) {
        let effects = self.protocol.borrow_mut().release(CLASS, slot);
        self.has_effects(effects);
    }

    fn has_effects(&self, effects: Effects) {
        if effects.place.is_some() {
            self.add_place();
        }
    }

    /// When a timer goes off next.
    pub(super) fn next_timer(&self) -> Time {
        self.protocol.borrow().next_timer().unwrap_or(Time::MAX)
    }

    /// Timers due by `now` go off.
    pub(super) fn on_time(&self, now: Time) {
        self.protocol.borrow_mut().on_time(now);
    }

    /// What the protocol counted, and the bytes of its state for packets of `packet`; nothing without
    /// one.
    pub fn accounts(&self, packet: Bytes) -> Option<(Statistics, usize)> {
        let protocol = self.protocol.borrow();
        self.runs.then(|| (protocol.statistics(), protocol.state_bytes(packet.len())))
    }
}
