//! The send direction: from the send ring to hostTx, to a packet buffer, and to netTx, in the protocol's order.
//!
//! A message keeps its buffer until the protocol releases it, and its ring entry until all earlier entries are free,
//! because the driver relies on that order.

use super::super::layout::{CONTROL_BYTES, node_of, payload_length, state, with_node, word};
use super::super::stage;
use super::{Context, whole_words};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Head, Journey, NodeId, Time};
use crate::fabric::Packet;
use crate::host::Direction;
use crate::ni::lanai::{HostJob, TransferProgress, TransmitJob};
use crate::protocol::{Frame, Marks, Slot};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the sending direction.
pub(super) struct SendSide {
    next_entry: u64,
    free_buffers: Vec<u64>,
    /// Messages with ring entries, in the order of the entries.
    outgoing_messages: VecDeque<Rc<OutgoingMessage>>,
    /// The packet or frame that netTx sends.
    transmission: Option<Transmission>,
}

/// A message from the send ring.
pub(super) struct OutgoingMessage {
    entry: u64,
    buffer: u64,
    destination: NodeId,
    marks: Marks,
    journey: Journey,
    progress: Rc<TransferProgress>,
    /// The slot of the packet in the protocol, until the packet is offered.
    slot: Cell<Option<Slot>>,
    /// Whether the end of the message's hostTx transfer has been logged.
    is_logged: Cell<bool>,
    /// Whether the message's buffer has been freed.
    is_freed: Cell<bool>,
}

/// A packet or control frame that is being sent.
struct Transmission {
    packet: Rc<Packet>,
    /// The message; `None` for a control frame.
    message: Option<Rc<OutgoingMessage>>,
    /// SRAM address and length of the first part of the packet.
    first_part: (u64, Bytes),
    progress: Rc<TransferProgress>,
    sent_bytes: Bytes,
    control: ControlState,
    /// Bytes of the payload transfer that netTx performs at present.
    bytes_in_flight: Option<Bytes>,
    /// Whether the watchdog dropped the packet; the rest of it is then not sent.
    is_lost: bool,
}

/// The progress of the control message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ControlState {
    Waiting,
    InFlight,
    Sent,
}

impl SendSide {
    pub(super) fn new(context: &Context) -> SendSide {
        let [buffers, _] = context.layout.buffers();
        SendSide {
            next_entry: 0,
            free_buffers: (0..buffers).rev().collect(),
            outgoing_messages: VecDeque::new(),
            transmission: None,
        }
    }

    /// Handles the ends of hostTx and netTx transfers and of messages. Returns whether a netTx transfer or a message
    /// has ended.
    pub(super) async fn handle_completions(&mut self, context: &Context) -> bool {
        self.log_fetched(context).await;
        let has_transmitted = self.handle_transmit(context).await;
        has_transmitted | self.free_finished(context).await
    }

    async fn handle_transmit(&mut self, context: &Context) -> bool {
        let Some(transmission) = self.transmission.as_mut().filter(|_| context.chip.transmit.is_idle()) else {
            return false;
        };
        let has_completed = transmission.count_completed();
        if has_completed {
            context.charge_log_entry().await;
        }
        if has_completed && context.chip.transmit.was_dropped() {
            transmission.is_lost = true;
            context.record_loss(transmission.message.as_deref());
        }
        let has_ended = match transmission.is_lost {
            // The buffer is free once hostTx has stopped filling it.
            true => transmission.progress.is_complete(),
            false => {
                transmission.control == ControlState::Sent && transmission.sent_bytes == transmission.progress.total()
            }
        };
        if has_ended {
            self.transmission = None;
            context.admission.frame_sent();
        }
        has_completed || has_ended
    }

    /// Logs the hostTx transfers that have ended since the last pass.
    async fn log_fetched(&mut self, context: &Context) {
        // There are few messages, and an iterator of a queue costs more than the look-up of one message.
        let mut index = 0;
        while let Some(message) = self.outgoing_messages.get(index) {
            if !message.is_logged.get() && message.progress.is_complete() {
                message.is_logged.set(true);
                context.charge_log_entry().await;
            }
            index += 1;
        }
    }

    /// Frees the buffers of messages that will not be sent again. Frees ring entries in order, up to the first one
    /// that is still in use. Returns whether a buffer was freed.
    async fn free_finished(&mut self, context: &Context) -> bool {
        let (mut has_freed, mut index) = (false, 0);
        while let Some(message) = self.outgoing_messages.get(index) {
            if message.is_finished() {
                has_freed = true;
                message.is_freed.set(true);
                context.work_for(&message.journey, context.parameters.firmware.send_end).await;
                self.free_buffers.push(message.buffer);
            }
            index += 1;
        }
        while let Some(message) = self.outgoing_messages.pop_front_if(|message| message.is_freed.get()) {
            context.chip.sram.store_word(message.entry + word::STATE, state::FREE);
        }
        has_freed
    }

    /// Starts the next netTx transfer: the control message of a packet, or the part of its payload that the policy
    /// permits.
    pub(super) async fn transmit(&mut self, context: &Context) -> bool {
        if !context.chip.transmit.is_idle() {
            return false;
        }
        if self.transmission.is_none() {
            self.offer_messages(context).await;
            self.transmission = self.next_transmission(context).await;
        }
        let Some(transmission) =
            self.transmission.as_mut().filter(|transmission| !transmission.is_lost && !transmission.is_in_flight())
        else {
            return false;
        };
        let policy = &context.parameters.policy;
        if transmission.control == ControlState::Waiting {
            context.work_for(&transmission.packet.journey, context.parameters.firmware.transfer).await;
            transmission.control = ControlState::InFlight;
            context.chip.transmit.begin(transmission.control_job());
            return true;
        }
        let (landed_bytes, total) = (transmission.landed(context.chip.sim.now()), transmission.progress.total());
        if policy.transfer_length(landed_bytes, transmission.sent_bytes, total).is_none() {
            return false;
        }
        context.work_for(&transmission.packet.journey, context.parameters.firmware.transfer).await;
        // The transfer includes the bytes that landed while the firmware prepared it.
        let landed_bytes = transmission.landed(context.chip.sim.now());
        let bytes =
            policy.transfer_length(landed_bytes, transmission.sent_bytes, total).expect("landed bytes do not decrease");
        transmission.bytes_in_flight = Some(bytes);
        context.chip.transmit.begin(transmission.payload_job(context, bytes));
        true
    }

    /// Offers messages to the protocol in the order of the ring. A store-and-forward packet is offered when all of it
    /// has landed; a cut-through packet is offered at once, so that it allocates its path early.
    async fn offer_messages(&mut self, context: &Context) {
        let needs_whole_payload = context.parameters.policy.minpulse().is_none();
        for message in &self.outgoing_messages {
            if message.slot.get().is_some() && needs_whole_payload && !message.progress.is_complete() {
                break;
            }
            let Some(slot) = message.slot.take() else { continue };
            context.charge_protocol(&message.journey).await;
            let bytes = CONTROL_BYTES + message.progress.total();
            context.admission.offer(slot, message, (message.destination, message.marks, bytes));
        }
    }

    /// Returns the next packet or frame that the protocol sends.
    async fn next_transmission(&mut self, context: &Context) -> Option<Transmission> {
        let now = context.chip.sim.now();
        let frame = context.admission.next(now)?;
        let label = context.admission.label(&frame);
        let Frame { to, head, extension, marks, is_retransmission, body, .. } = frame;
        let Some(message) = body.and_then(|body| body.get::<OutgoingMessage>()) else {
            let packet = Packet::new(label, Journey::NONE);
            packet.set_header(marks, extension);
            context.charge_protocol(&packet.journey).await;
            context.chip.sram.store(context.layout.control_frame_buffer(), &head_bytes(head));
            return Some(Transmission::new(
                packet,
                None,
                (context.layout.control_frame_buffer(), label.length),
                Rc::default(),
            ));
        };
        let journey = match is_retransmission {
            true => message.journey.fork(),
            false => message.journey.clone(),
        };
        match is_retransmission {
            true => journey.close("retry", now),
            false => context.in_flight.add(to),
        }
        if context.admission.has_protocol() && !is_retransmission && message.progress.is_complete() {
            journey.close_if_lasted(stage::ADMISSION, now);
        }
        let (first_part, progress) = ((message.entry, CONTROL_BYTES), message.progress.clone());
        let packet = Packet::new(label, journey);
        packet.set_header(marks, extension);
        Some(Transmission::new(packet, Some(message), first_part, progress))
    }

    /// Returns whether a message waits in the send ring, and a buffer and the engine are free for it.
    pub(super) fn can_fetch(&self, context: &Context) -> bool {
        let entry = context.layout.send_entry(self.next_entry);
        let can_start =
            context.chip.host_dma.is_idle() && !self.free_buffers.is_empty() && context.admission.can_reserve();
        can_start && state::is_to_send(context.chip.sram.load_word(entry + word::STATE))
    }

    /// Takes the next message of the send ring and starts its hostTx for the whole payload.
    pub(super) async fn fetch(&mut self, context: &Context) -> bool {
        if !self.can_fetch(context) {
            return false;
        }
        let entry = context.layout.send_entry(self.next_entry);
        let marks = state::marks_of(context.chip.sram.load_word(entry + word::STATE));
        // The entry is marked as taken, so that it is not taken again one round of the ring later.
        context.chip.sram.store_word(entry + word::STATE, state::TAKEN);
        self.next_entry += 1;
        let journey = context.instruments.sending_journeys.borrow_mut().pop_front().expect("an entry holds a message");
        context.work_for(&journey, context.parameters.firmware.send_begin).await;
        self.begin_fetch(context, entry, marks, journey);
        true
    }

    fn begin_fetch(&mut self, context: &Context, entry: u64, marks: Marks, journey: Journey) {
        let sram = &context.chip.sram;
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        let address = sram.load_word(entry + word::ADDRESS);
        let tag_word = sram.load_word(entry + word::TAG_NODE);
        let destination = node_of(tag_word);
        sram.store_word(entry + word::TAG_NODE, with_node(tag_word, context.host.node));
        let buffer = self.free_buffers.pop().expect("a buffer was free");
        let progress = Rc::new(TransferProgress::new(length));
        journey.close(stage::SEND_QUEUE, context.chip.sim.now());
        if !length.is_empty() {
            context.chip.host_dma.begin(HostJob {
                direction: Direction::Read,
                host_address: u64::from(address),
                sram_address: context.layout.send_buffer(buffer),
                bytes: length,
                progress: Some(progress.clone()),
                journey: journey.clone(),
                closed_stage: Some(stage::HOST_TX),
            });
        }
        let slot = Cell::new(Some(context.admission.reserve()));
        let (is_logged, is_freed) = (Cell::new(length.is_empty()), Cell::new(false));
        let outgoing =
            OutgoingMessage { entry, buffer, destination, marks, journey, progress, slot, is_logged, is_freed };
        self.outgoing_messages.push_back(Rc::new(outgoing));
    }

    /// Watches for the count of landed bytes at which the next netTx transfer can start. Returns the time at which that
    /// count is reached, or `Time::MAX` if the time is not known yet.
    pub(super) fn watch(&self, context: &Context) -> Time {
        let waits_for_bytes = |transmission: &&Transmission| {
            transmission.control == ControlState::Sent && transmission.bytes_in_flight.is_none()
        };
        let Some(transmission) = self.transmission.as_ref().filter(waits_for_bytes) else { return Time::MAX };
        let count = context.parameters.policy.start_threshold(transmission.sent_bytes, transmission.progress.total());
        transmission.progress.watch(count).unwrap_or(Time::MAX)
    }

    /// Returns the resource that this direction waits for, if it has work that is blocked.
    pub(super) fn blocking_reason(&self, context: &Context) -> Option<WaitReasonId> {
        let wait_reason = match self.transmission.is_none() && context.admission.has_protocol() {
            true => context.wait_reasons.acknowledgement,
            false => context.wait_reasons.transmit,
        };
        (!self.outgoing_messages.is_empty()).then_some(wait_reason)
    }
}

impl OutgoingMessage {
    /// Returns whether the message will not be sent again, because the protocol has released it.
    fn is_finished(self: &Rc<Self>) -> bool {
        !self.is_freed.get() && self.slot.get().is_none() && Rc::strong_count(self) == 1
    }

    /// Returns the message's journey.
    pub(super) fn journey(&self) -> &Journey {
        &self.journey
    }

    /// Returns the destination.
    pub(super) fn destination(&self) -> NodeId {
        self.destination
    }
}

impl Transmission {
    fn new(
        packet: Rc<Packet>,
        message: Option<Rc<OutgoingMessage>>,
        first_part: (u64, Bytes),
        progress: Rc<TransferProgress>,
    ) -> Transmission {
        let (sent_bytes, control, bytes_in_flight, is_lost) = (Bytes::ZERO, ControlState::Waiting, None, false);
        Transmission { packet, message, first_part, progress, sent_bytes, control, bytes_in_flight, is_lost }
    }

    /// Returns whether netTx performs a transfer of this packet, or has ended one that is not counted yet.
    fn is_in_flight(&self) -> bool {
        self.control == ControlState::InFlight || self.bytes_in_flight.is_some()
    }

    /// Counts the transfer that netTx has ended; returns `false` if there was none.
    fn count_completed(&mut self) -> bool {
        match (self.control, self.bytes_in_flight.take()) {
            (ControlState::InFlight, _) => self.control = ControlState::Sent,
            (_, Some(bytes)) => self.sent_bytes += bytes,
            _ => return false,
        }
        assert!(self.sent_bytes <= self.progress.total(), "no byte is sent twice");
        true
    }

    /// Returns the number of landed bytes that a transfer may take: whole words, or all bytes at the end of the
    /// payload.
    fn landed(&self, now: Time) -> Bytes {
        whole_words(self.progress.landed(now), self.progress.total())
    }

    fn control_job(&self) -> TransmitJob {
        let is_last = self.progress.total().is_empty();
        let (sram_address, bytes) = self.first_part;
        self.transmit_job(sram_address, bytes, is_last)
    }

    fn payload_job(&self, context: &Context, bytes: Bytes) -> TransmitJob {
        let buffer = self.message.as_ref().expect("a payload belongs to a message").buffer;
        let is_last = self.sent_bytes + bytes == self.progress.total();
        self.transmit_job(context.layout.send_buffer(buffer) + self.sent_bytes.get(), bytes, is_last)
    }

    fn transmit_job(&self, sram_address: u64, bytes: Bytes, is_last: bool) -> TransmitJob {
        TransmitJob {
            packet: self.packet.clone(),
            sram_address,
            bytes,
            ends_packet: is_last,
            closed_stage: is_last.then_some(stage::NET_TX),
        }
    }
}

/// Returns the first bytes of a control frame, which hold its protocol header.
fn head_bytes(head: Head) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.chunks_exact_mut(8).zip(head.0).for_each(|(part, word)| part.copy_from_slice(&word.to_le_bytes()));
    bytes
}
