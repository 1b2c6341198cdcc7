//! The receive direction: from netRcv to the receive ring and a packet buffer, to hostRcv, and to the notification of
//! the host.
//!
//! A control message lands in the next entry of the receive ring. Its tag, looked up in the incoming payload table,
//! determines the address of the payload; without a mapping the payload goes to the buffer that the host attached to
//! the entry (Yocum et al. 1997, §2.1). With a protocol, the control message lands in the packet buffer, and is copied
//! to an entry when the protocol has delivered the packet (`receive_with_protocol.rs`).

use super::super::layout::{ACTIVE_MESSAGE_FLAG, CONTROL_BYTES, endpoints_of, payload_length, state, tag_of, word};
use super::super::parameters::Notification;
use super::super::stage;
use super::Context;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{Address, Direction, InterruptVector};
use crate::ni::lanai::{HostJob, ReceiveJob, TransferProgress};
use crate::protocol;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The only cause of Trapeze's interrupts.
const RECEIVED: u32 = 1;

/// The state of the receiving direction.
pub(super) struct ReceiveSide {
    pub(super) next_entry: u64,
    pub(super) free_buffers: Vec<u64>,
    pub(super) net_rcv: NetRcvState,
    /// Messages on their way to the host, in the order of their ring entries.
    pub(super) incoming_messages: VecDeque<IncomingMessage>,
}

/// The state of netRcv.
pub(super) enum NetRcvState {
    /// No transfer is posted.
    Idle,
    /// netRcv waits for a control message; a ring entry and a packet buffer for the payload are reserved.
    Control(ReservedEntry),
    /// With a protocol: netRcv waits for a frame; only a packet buffer is reserved.
    Frame(u64),
    /// A packet waits for a receive slot, with its payload on the link.
    WaitingForSlot(Rc<ReceivedPacket>),
    /// The payload of a message is arriving.
    PayloadArriving(Rc<ReceivedPacket>),
}

/// The ring entry and the buffers that are reserved for a message.
#[derive(Clone, Copy)]
pub(super) struct ReservedEntry {
    /// Number of the receive ring entry.
    pub(super) index: u64,
    /// The host buffer attached to that entry.
    pub(super) attached_buffer: Address,
    /// Index of the packet buffer.
    pub(super) buffer: u64,
}

/// A packet that has arrived or is arriving.
pub(super) struct ReceivedPacket {
    pub(super) packet: Rc<Packet>,
    /// Index of the packet buffer.
    pub(super) buffer: u64,
    pub(super) progress: Rc<TransferProgress>,
    /// Whether the network dropped the packet.
    pub(super) is_lost: Cell<bool>,
    /// Whether the protocol discards the packet, as a duplicate or because no slot is free.
    pub(super) is_discarded: Cell<bool>,
}

/// A message on its way from the link to the host.
pub(super) struct IncomingMessage {
    reserved: ReservedEntry,
    received_packet: Rc<ReceivedPacket>,
    /// Host address of the payload.
    address: Address,
    delivered_bytes: Bytes,
    /// Bytes of the transfer that the host engine performs at present.
    bytes_in_flight: Option<Bytes>,
    /// The slot of the packet in the protocol.
    protocol_slot: Option<protocol::Slot>,
}

impl ReceiveSide {
    /// Creates the receive direction and attaches a host buffer to every ring entry.
    pub(super) fn new(context: &Context, attached_buffers: &[Address]) -> ReceiveSide {
        for (index, &buffer) in attached_buffers.iter().enumerate() {
            let entry = context.layout.receive_entry(index as u64);
            context.chip.sram.store_word(entry + word::ADDRESS, buffer as u32);
            context.chip.sram.store_word(entry + word::STATE, state::POSTED);
        }
        let [_, buffers] = context.layout.buffers();
        ReceiveSide {
            next_entry: 0,
            free_buffers: (0..buffers).rev().collect(),
            net_rcv: NetRcvState::Idle,
            incoming_messages: VecDeque::new(),
        }
    }

    /// Handles the end of a hostRcv transfer and of a message. Returns whether either has ended.
    pub(super) async fn handle_completions(&mut self, context: &Context) -> bool {
        let is_idle = context.chip.host_dma.is_idle();
        let Some(head) = self.incoming_messages.front_mut() else { return false };
        let has_completed = match head.bytes_in_flight.filter(|_| is_idle) {
            Some(bytes) => {
                head.delivered_bytes += bytes;
                assert!(head.delivered_bytes <= head.total(), "no byte is delivered twice");
                head.bytes_in_flight = None;
                true
            }
            None => false,
        };
        if has_completed {
            context.charge_log_entry().await;
        }
        let has_ended = head.bytes_in_flight.is_none() && (head.is_lost() || head.delivered_bytes == head.total());
        if has_ended {
            self.finish_first(context).await;
        }
        has_completed || has_ended
    }

    /// Delivers the first message to the host, or removes it if it was lost, and frees its buffer.
    async fn finish_first(&mut self, context: &Context) {
        let head = self.incoming_messages.pop_front().expect("a message ended");
        if !context.parameters.keep_buffers {
            self.free_buffers.push(head.reserved.buffer);
        }
        if let Some(slot) = head.protocol_slot {
            context.admission.release(slot);
        }
        if head.is_lost() {
            // The lost message has the last entry that was taken, so the next message can use that entry.
            self.repost(context, head.reserved);
            return;
        }
        let journey = &head.received_packet.packet.journey;
        context.work_for(journey, context.parameters.firmware.receive_end).await;
        let entry = context.layout.receive_entry(head.reserved.index);
        let sram = &context.chip.sram;
        sram.store_word(entry + word::ADDRESS, head.address as u32);
        let entry_index = (head.reserved.index % context.parameters.ring_entries) as usize;
        context.instruments.received_journeys.borrow_mut()[entry_index] = journey.clone();
        sram.store_word(entry + word::STATE, state::RECEIVED);
        if context.parameters.notification == Notification::Interrupt {
            context.host.interrupts().raise(InterruptVector::FIRST, RECEIVED);
        }
    }

    /// Reposts the entry of a lost message, for the next message.
    fn repost(&mut self, context: &Context, reserved: ReservedEntry) {
        let entry = context.layout.receive_entry(reserved.index);
        self.next_entry = reserved.index;
        context.chip.sram.store_word(entry + word::ADDRESS, reserved.attached_buffer as u32);
        context.chip.sram.store_word(entry + word::STATE, state::POSTED);
    }

    /// Keeps netRcv posted: first for a control message, then for its payload.
    pub(super) async fn keep_net_rcv_posted(&mut self, context: &Context) -> bool {
        if !context.chip.receive.is_idle() {
            return false;
        }
        match std::mem::replace(&mut self.net_rcv, NetRcvState::Idle) {
            NetRcvState::Idle if context.admission.has_protocol() => self.post_frame(context).await,
            NetRcvState::Idle => self.post_control(context).await,
            NetRcvState::Control(reserved) => self.control_arrived(context, reserved).await,
            NetRcvState::Frame(buffer) => self.frame_arrived(context, buffer).await,
            NetRcvState::WaitingForSlot(received_packet) => self.take_slot(context, received_packet).await,
            NetRcvState::PayloadArriving(received_packet) => self.payload_arrived(context, received_packet).await,
        }
    }

    /// Posts netRcv for a control message if a packet buffer and an entry with a host buffer are free. Otherwise the
    /// link holds the message back.
    async fn post_control(&mut self, context: &Context) -> bool {
        let (index, sram) = (self.next_entry, &context.chip.sram);
        let entry = context.layout.receive_entry(index);
        // The entry of a lost message is used again, so the next entry must not be taken before that.
        let has_lost_message = self.incoming_messages.iter().any(IncomingMessage::is_lost);
        if has_lost_message || self.free_buffers.is_empty() || sram.load_word(entry + word::STATE) != state::POSTED {
            return false;
        }
        context.chip.work(context.parameters.firmware.receive_post).await;
        self.next_entry += 1;
        let attached_buffer = u64::from(sram.load_word(entry + word::ADDRESS));
        let buffer = self.free_buffers.pop().expect("a buffer was free");
        let progress = Rc::new(TransferProgress::new(CONTROL_BYTES));
        context.chip.receive.begin(ReceiveJob { sram_address: entry, progress, closed_stage: None });
        self.net_rcv = NetRcvState::Control(ReservedEntry { index, attached_buffer, buffer });
        true
    }

    /// Handles a control message that has landed: finds the address of its payload and posts netRcv for the payload.
    async fn control_arrived(&mut self, context: &Context, reserved: ReservedEntry) -> bool {
        if context.chip.receive.take_dropped().is_some() {
            self.free_buffers.push(reserved.buffer);
            self.repost(context, reserved);
            return true;
        }
        let (entry, sram) = (context.layout.receive_entry(reserved.index), &context.chip.sram);
        // The control message contains the sender's state word; the entry is not released to the host yet.
        sram.store_word(entry + word::STATE, state::FREE);
        let packet = context.chip.receive.packet().expect("a control message came with its packet");
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        if length.is_empty() {
            packet.journey.close(stage::NETWORK, context.chip.receive.end_time());
        }
        context.charge_log_entry().await;
        context.work_for(&packet.journey, context.parameters.firmware.receive_begin).await;
        let address = self.payload_address(context, entry, reserved.attached_buffer);
        let received_packet = ReceivedPacket::new(packet, reserved.buffer, length);
        if !length.is_empty() {
            self.receive_payload(context, &received_packet);
        }
        self.incoming_messages.push_back(IncomingMessage::new(reserved, received_packet, address, None));
        true
    }

    /// Posts netRcv for a payload.
    pub(super) fn receive_payload(&mut self, context: &Context, received_packet: &Rc<ReceivedPacket>) {
        let closed_stage = (!received_packet.is_discarded.get()).then_some(stage::NETWORK);
        let sram_address = context.layout.receive_buffer(received_packet.buffer);
        context.chip.receive.begin(ReceiveJob {
            sram_address,
            progress: received_packet.progress.clone(),
            closed_stage,
        });
        self.net_rcv = NetRcvState::PayloadArriving(received_packet.clone());
    }

    /// Returns the payload's address by early demultiplexing: the address of a mapped tag, or else the buffer attached
    /// to the entry.
    pub(super) fn payload_address(&self, context: &Context, entry: u64, attached_buffer: Address) -> Address {
        let tag_word = context.chip.sram.load_word(entry + word::TAG_NODE);
        let (tag, [_, endpoint]) = (tag_of(tag_word), endpoints_of(tag_word));
        let mapped_address = match tag & ACTIVE_MESSAGE_FLAG == 0 && u64::from(tag) < context.parameters.tags {
            true => context.chip.sram.load_word(context.layout.tag_entry(endpoint, tag)),
            false => 0,
        };
        u64::from(mapped_address).checked_sub(1).unwrap_or(attached_buffer)
    }

    async fn payload_arrived(&mut self, context: &Context, received_packet: Rc<ReceivedPacket>) -> bool {
        received_packet.is_lost.set(context.chip.receive.take_dropped().is_some());
        context.charge_log_entry().await;
        if context.admission.has_protocol() {
            self.packet_ended(context, &received_packet).await;
        }
        true
    }

    /// Returns whether a hostRcv transfer has ended and has not been counted.
    pub(super) fn completion_pending(&self, context: &Context) -> bool {
        self.incoming_messages.front().is_some_and(|head| head.bytes_in_flight.is_some())
            && context.chip.host_dma.is_idle()
    }

    /// Starts the next hostRcv transfer of the first message, if the policy permits it.
    pub(super) async fn deliver(&mut self, context: &Context) -> bool {
        // A transfer that ended within this pass has not been counted yet.
        let is_idle = |head: &&mut IncomingMessage| {
            !head.is_lost() && head.bytes_in_flight.is_none() && context.chip.host_dma.is_idle()
        };
        let Some(head) = self.incoming_messages.front_mut().filter(is_idle) else { return false };
        let (policy, total) = (&context.parameters.policy, head.total());
        if policy.transfer_length(head.landed(context.chip.sim.now()), head.delivered_bytes, total).is_none() {
            return false;
        }
        context.work_for(&head.received_packet.packet.journey, context.parameters.firmware.transfer).await;
        // The transfer includes the bytes that landed while the firmware prepared it.
        let landed_bytes = head.landed(context.chip.sim.now());
        let bytes =
            policy.transfer_length(landed_bytes, head.delivered_bytes, total).expect("landed bytes do not decrease");
        head.bytes_in_flight = Some(bytes);
        context.chip.host_dma.begin(head.host_job(context, bytes));
        true
    }

    /// Watches for the count of landed bytes at which the next transfer of the first message can start. Returns the
    /// time at which that count is reached, or `Time::MAX` if the time is not known yet.
    pub(super) fn watch(&self, context: &Context) -> Time {
        let Some(head) = self.incoming_messages.front().filter(|head| head.bytes_in_flight.is_none()) else {
            return Time::MAX;
        };
        let count = context.parameters.policy.start_threshold(head.delivered_bytes, head.total());
        head.received_packet.progress.watch(count).unwrap_or(Time::MAX)
    }

    /// Returns the resource that this direction waits for, if it has work that is blocked.
    pub(super) fn blocking_reason(&self, context: &Context) -> Option<WaitReasonId> {
        let is_idle = matches!(self.net_rcv, NetRcvState::Idle);
        match self.free_buffers.is_empty() {
            true => is_idle.then_some(context.wait_reasons.receive_buffer),
            false => is_idle.then_some(context.wait_reasons.receive_entry),
        }
    }
}

impl ReceivedPacket {
    pub(super) fn new(packet: Rc<Packet>, buffer: u64, length: Bytes) -> Rc<ReceivedPacket> {
        let (is_lost, is_discarded, progress) =
            (Cell::new(false), Cell::new(false), Rc::new(TransferProgress::new(length)));
        Rc::new(ReceivedPacket { packet, buffer, progress, is_lost, is_discarded })
    }
}

impl IncomingMessage {
    pub(super) fn new(
        reserved: ReservedEntry,
        received_packet: Rc<ReceivedPacket>,
        address: Address,
        protocol_slot: Option<protocol::Slot>,
    ) -> IncomingMessage {
        IncomingMessage {
            reserved,
            received_packet,
            address,
            delivered_bytes: Bytes::ZERO,
            bytes_in_flight: None,
            protocol_slot,
        }
    }

    /// Returns whether the network dropped the packet.
    pub(super) fn is_lost(&self) -> bool {
        self.received_packet.is_lost.get()
    }

    /// Returns whether all of the payload has landed.
    pub(super) fn has_landed(&self) -> bool {
        self.received_packet.progress.is_complete()
    }

    /// Returns the length of the payload.
    fn total(&self) -> Bytes {
        self.received_packet.progress.total()
    }

    fn landed(&self, now: Time) -> Bytes {
        super::whole_words(self.received_packet.progress.landed(now), self.total())
    }

    fn host_job(&self, context: &Context, bytes: Bytes) -> HostJob {
        let is_last = self.delivered_bytes + bytes == self.total();
        HostJob {
            direction: Direction::Write,
            host_address: self.address + self.delivered_bytes.get(),
            sram_address: context.layout.receive_buffer(self.reserved.buffer) + self.delivered_bytes.get(),
            bytes,
            progress: None,
            journey: self.received_packet.packet.journey.clone(),
            closed_stage: is_last.then_some(stage::HOST_RCV),
        }
    }
}
