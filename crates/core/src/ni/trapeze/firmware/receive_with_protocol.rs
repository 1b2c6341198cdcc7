//! The receive direction with a protocol: from netRcv to a packet buffer, through the protocol, and to a ring entry.
//!
//! There is one more buffer than the protocol and the host can fill, so netRcv always has a buffer for the next frame,
//! and control frames never wait behind packets for a buffer. A packet that waits for a receive slot has its control
//! message in a buffer and its payload on the link.

use super::super::layout::{CONTROL_BYTES, payload_length, state, word};
use super::super::stage;
use super::Context;
use super::receive::{IncomingMessage, NetRcvState, ReceiveSide, ReceivedPacket, ReservedEntry};
use crate::engine::Journey;
use crate::ni::lanai::{ReceiveJob, TransferProgress};
use std::rc::Rc;

impl ReceiveSide {
    /// Posts netRcv for the next frame; returns `false` if no buffer is free.
    pub(super) async fn post_frame(&mut self, context: &Context) -> bool {
        let Some(buffer) = self.free_buffers.pop() else { return false };
        context.chip.work(context.parameters.firmware.receive_post).await;
        let sram_address = context.layout.received_control(buffer);
        let progress = Rc::new(TransferProgress::new(CONTROL_BYTES));
        context.chip.receive.begin(ReceiveJob { sram_address, progress, closed_stage: None });
        self.net_rcv = NetRcvState::Frame(buffer);
        true
    }

    /// Handles a control message, or a shorter control frame of the protocol, that has landed.
    pub(super) async fn frame_arrived(&mut self, context: &Context, buffer: u64) -> bool {
        if context.chip.receive.take_dropped().is_some() {
            self.free_buffers.push(buffer);
            return true;
        }
        let packet = context.chip.receive.packet().expect("a frame came with its packet");
        if packet.label().length < CONTROL_BYTES {
            self.free_buffers.push(buffer);
            context.charge_protocol(&Journey::NONE).await;
            context.admission.arrive(&packet, None, context.chip.sim.now());
            return true;
        }
        let control = context.layout.received_control(buffer);
        let length = payload_length(context.chip.sram.load_word(control + word::LENGTH));
        if length.is_empty() {
            packet.journey.close(stage::NETWORK, context.chip.receive.end_time());
        }
        context.charge_log_entry().await;
        context.charge_protocol(&packet.journey).await;
        self.take_slot(context, ReceivedPacket::new(packet, buffer, length)).await
    }

    /// Takes a receive slot for a packet that needs one, and posts netRcv for its payload; returns `false` if no slot
    /// is free.
    pub(super) async fn take_slot(&mut self, context: &Context, received_packet: Rc<ReceivedPacket>) -> bool {
        if !context.admission.take_slot(&received_packet.packet) {
            self.net_rcv = NetRcvState::WaitingForSlot(received_packet);
            return false;
        }
        if !context.admission.retransmits() {
            self.arrive(context, &received_packet);
        }
        match received_packet.progress.is_complete() {
            true => self.packet_ended(context, &received_packet).await,
            false => self.receive_payload(context, &received_packet),
        }
        true
    }

    /// Reports a packet to the protocol.
    fn arrive(&mut self, context: &Context, received_packet: &Rc<ReceivedPacket>) {
        let now = context.chip.sim.now();
        received_packet.is_discarded.set(context.admission.arrive(&received_packet.packet, Some(received_packet), now));
    }

    /// Handles the end of a packet: all of it has arrived, or it was dropped.
    pub(super) async fn packet_ended(&mut self, context: &Context, received_packet: &Rc<ReceivedPacket>) {
        if context.admission.retransmits() {
            if received_packet.is_lost.get() {
                context.admission.return_slot(&received_packet.packet);
                self.free_buffers.push(received_packet.buffer);
                return;
            }
            self.arrive(context, received_packet);
        }
        if received_packet.is_discarded.get() {
            self.free_buffers.push(received_packet.buffer);
        }
    }

    /// Assigns a ring entry to the next packet that the protocol delivers. While the packet with the last entry is
    /// still arriving, no other packet gets an entry, because the last entry is used again if its packet is dropped.
    pub(super) async fn admit(&mut self, context: &Context) -> bool {
        let are_buffers_full = self.incoming_messages.len() as u64 >= context.parameters.policy.buffers();
        let is_incomplete = self.incoming_messages.iter().any(|message| message.is_lost() || !message.has_landed());
        let (index, sram) = (self.next_entry, &context.chip.sram);
        let entry = context.layout.receive_entry(index);
        let can_admit = context.admission.has_protocol()
            && !are_buffers_full
            && !is_incomplete
            && context.admission.has_waiting_packet();
        if !can_admit || sram.load_word(entry + word::STATE) != state::POSTED {
            return false;
        }
        let (received_packet, protocol_slot) = context.admission.take().expect("a packet waits");
        if received_packet.is_lost.get() {
            context.admission.release(protocol_slot);
            self.free_buffers.push(received_packet.buffer);
            return true;
        }
        self.next_entry += 1;
        let host_buffer = u64::from(sram.load_word(entry + word::ADDRESS));
        let journey = &received_packet.packet.journey;
        context.charge_protocol(journey).await;
        context.work_for(journey, context.parameters.firmware.copy).await;
        let mut control = [0; CONTROL_BYTES.len()];
        sram.load(context.layout.received_control(received_packet.buffer), &mut control);
        sram.store(entry, &control);
        // The control message contains the sender's state word; the entry is not released to the host yet.
        sram.store_word(entry + word::STATE, state::FREE);
        context.work_for(journey, context.parameters.firmware.receive_begin).await;
        let address = self.payload_address(context, entry, host_buffer);
        let reserved = ReservedEntry { index, attached_buffer: host_buffer, buffer: received_packet.buffer };
        self.incoming_messages.push_back(IncomingMessage::new(reserved, received_packet, address, Some(protocol_slot)));
        true
    }
}
