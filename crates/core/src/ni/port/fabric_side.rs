//! The fabric side of a port: frames are sent when the fabric's input is free, and received packets are passed to the
//! protocol.

use super::deferred::DeferredWork;
use super::{HeldPacket, OutgoingPacket, Port};
use crate::engine::{Class, Journey, SpanLabel, Time};
use crate::fabric::{FabricEvent, Label, Packet};
use crate::protocol::{Answer, Effects, Frame, PacketHandle};
use std::rc::Rc;

impl Port {
    /// Gives the fabric the next frame of a class, if there is one and the fabric's input is free.
    pub(super) fn send_next_frame(&self, class: Class) {
        let state = &self.class_states[class.index()];
        if state.packet_being_sent.borrow().is_some() {
            return;
        }
        let Some(frame) = self.next_frame(class) else { return };
        let span_name = self.send_label(&frame);
        let packet = self.packet_with_frame(frame);
        *state.packet_being_sent.borrow_mut() =
            Some(OutgoingPacket { packet: packet.clone(), span_name, send_start: self.sim.now() });
        self.wire.send(packet);
        self.wake_timer_task();
        if self.has_send_pool {
            // A packet may have left the pool of send buffers.
            self.freed.notify();
        }
        self.changed.notify();
    }

    /// Returns the protocol's next frame of a class, if there is one.
    #[inline]
    fn next_frame(&self, class: Class) -> Option<Frame<PacketHandle>> {
        let (mut protocol, now) = (self.protocol.borrow_mut(), self.sim.now());
        if !protocol.may_send(class) {
            debug_assert!(protocol.next(class, now).is_none(), "`may_send` is true if there is a frame to send");
            return None;
        }
        protocol.next(class, now)
    }

    /// Returns the label of the span in which a frame is sent.
    fn send_label(&self, frame: &Frame<PacketHandle>) -> &'static str {
        match &frame.body {
            None => "send control",
            Some(_) if frame.is_retransmission => "send again",
            Some(packet) if packet.peek::<Packet>().is_some_and(|packet| packet.label().source != self.node) => {
                "send back"
            }
            Some(_) => "send",
        }
    }

    /// Records a span that ends now.
    #[inline]
    fn record_span_since(&self, activity: &'static str, packet: &Packet, start: Time) {
        if !self.sim.recorder().keeps_spans_of(self.track) {
            return;
        }
        let span_label = SpanLabel { activity, message: packet.journey.id(), bytes: packet.label().length };
        self.sim.recorder().record_span(self.track, span_label, start, self.sim.now());
    }

    pub(super) fn send_ready_frames(&self) {
        (0..self.class_states.len()).for_each(|class| self.send_next_frame(Class(class as u8)));
    }

    /// Returns the packet that carries a frame. If the protocol retransmits, the packet is a copy, so that each
    /// transmission has its own journey.
    fn packet_with_frame(&self, frame: Frame<PacketHandle>) -> Rc<Packet> {
        let Frame { from, to, flow, class, head, extension, marks, bytes, needs_slot, is_retransmission, body } = frame;
        let label = Label { source: from, destination: to, class, length: bytes, needs_slot, flow, head };
        let Some(packet) = body else {
            let packet = Packet::new(label, Journey::NONE);
            packet.set_header(marks, extension);
            return packet;
        };
        let packet = packet.expect::<Packet>();
        let now = self.sim.now();
        if packet.label().source == self.node && !is_retransmission {
            self.in_flight.add(to);
            match self.stages.records_zero_pool_time {
                true => packet.journey.close(self.stages.pool, now),
                false => packet.journey.close_if_lasted(self.stages.pool, now),
            }
        }
        let packet = if self.retransmits { packet.copy() } else { packet };
        if is_retransmission {
            packet.journey.close("retry", now);
        }
        packet.relabel(label);
        packet.set_header(marks, extension);
        packet
    }

    pub(super) fn handle_event(&self, event: FabricEvent) {
        match event {
            FabricEvent::TxReady(class) => {
                let outgoing = self.class_states[class.index()].packet_being_sent.borrow_mut().take();
                if let Some(OutgoingPacket { packet, span_name, send_start }) = outgoing {
                    packet.set_entered();
                    self.record_span_since(span_name, &packet, send_start);
                }
                if !self.has_send_pool {
                    self.freed.notify();
                }
                let effects = self.protocol.borrow_mut().on_departure(class);
                self.apply_effects(effects);
                self.send_next_frame(class);
            }
            FabricEvent::HeaderArrived(packet) if self.accepts_on_header => self.receive(packet),
            FabricEvent::HeaderArrived(_) => {}
            FabricEvent::TailArrived(packet) if !self.accepts_on_header => self.receive(packet),
            FabricEvent::TailArrived(packet) => {
                if !packet.bytes().is_empty() {
                    self.changed.notify();
                }
            }
            FabricEvent::PacketArrived(packet) => {
                let is_complete = self.accepts_on_header && !packet.bytes().is_empty();
                self.receive(packet);
                if is_complete {
                    self.changed.notify();
                }
            }
            FabricEvent::Dropped(packet) => {
                if !self.retransmits {
                    self.tally.record_loss(&packet.journey);
                }
            }
        }
    }

    /// Handles an arrived packet: a packet with data at once, and an acknowledgement after its processing cycles.
    fn receive(&self, packet: Rc<Packet>) {
        match self.processing_cycles > 0 && packet.bytes().is_empty() {
            true => {
                let processed_at = self.clock.edge_since(self.sim.now(), self.processing_cycles);
                self.deferred.send((processed_at, DeferredWork::DeliverAcknowledgement(packet)));
            }
            false => self.deliver_to_protocol(&packet),
        }
    }

    pub(super) fn deliver_to_protocol(&self, packet: &Rc<Packet>) {
        let body = (!packet.bytes().is_empty()).then(|| PacketHandle::new(packet.clone()));
        let frame = frame_of(packet, body);
        let now = self.sim.now();
        let is_trimmed = frame.marks.trimmed;
        let is_control = frame.body.is_none() && !is_trimmed;
        let effects = match is_trimmed {
            true => self.protocol.borrow_mut().arrive_trimmed(frame, now),
            false => self.protocol.borrow_mut().arrive(frame, now),
        };
        self.record_span_since(receive_label(is_control, effects.returned), packet, now);
        match effects.returned {
            true => {
                packet.journey.close("returned", now);
                self.sim.packet_returned();
            }
            false => {
                packet.journey.add_service(Time::ZERO, now);
                packet.journey.close(self.stages.fabric, now);
            }
        }
        if is_trimmed && !self.retransmits {
            self.tally.record_loss(&packet.journey);
        }
        self.apply_effects(effects);
        if effects.returned || effects.timer {
            self.wake_timer_task();
        }
        // Returned and discarded packets wake no reader: when buffers are scarce, they are most of the arriving
        // packets.
        if !(is_control || effects.returned || effects.is_discarded) {
            self.arrived.notify();
        }
        if !effects.no_slot_freed {
            self.freed.notify();
        }
        self.changed.notify();
        self.send_ready_frames();
    }

    /// Completes the taking of a packet: the protocol releases the packet and its slot to the reader.
    pub(super) fn complete_take(&self, class: Class, answer: Answer, key: usize) {
        self.class_states[class.index()].is_take_pending.set(false);
        let accepted = self.protocol.borrow_mut().take(class, answer).expect("the front packet has not been taken");
        let held_packet = self.held_packets.borrow()[key].expect("a packet is held until its slot is known");
        match held_packet.is_released_by_reader {
            true => self.free_slot(class, key, accepted.slot),
            false => {
                self.held_packets.borrow_mut()[key] = Some(HeldPacket { slot: Some(accepted.slot), ..held_packet })
            }
        }
        self.send_ready_frames();
        self.arrived.notify();
        self.changed.notify();
    }

    pub(super) fn apply_effects(&self, effects: Effects) {
        if let Some(class) = effects.slot_freed {
            self.wire.add_slot(class);
        }
        if effects.ready {
            self.arrived.notify();
            self.changed.notify();
        }
    }
}

/// Returns the frame that a packet carries. `body` is the packet as the protocol will deliver it, and `None` for
/// a control frame.
pub(crate) fn frame_of(packet: &Packet, body: Option<PacketHandle>) -> Frame<PacketHandle> {
    let Label { source: from, destination: to, class, length: bytes, needs_slot, flow, head } = packet.label();
    let (extension, marks) = (packet.header_extension(), packet.marks());
    Frame { from, to, flow, class, head, extension, marks, bytes, needs_slot, is_retransmission: false, body }
}

/// Returns the label of the span of a received frame.
fn receive_label(is_control: bool, is_returned: bool) -> &'static str {
    match (is_control, is_returned) {
        (true, _) => "receive control",
        (false, true) => "come back",
        (false, false) => "receive",
    }
}
