//! The sending direction: send ring → hostTx → packet buffer → netTx, in the protocol's order.
//!
//! A message keeps its buffer until the protocol lets it go, and its ring entry until those of all
//! before it are free, which the driver counts on.

use super::super::layout::{CONTROL, node_of, payload_length, source_in, state, word};
use super::super::stage;
use super::{Context, whole_words};
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Head, Journey, NodeId, Time};
use crate::fabric::Packet;
use crate::host::Direction;
use crate::ni::lanai::{HostJob, Landing, TransmitJob};
use crate::protocol::{Frame, Marks, Slot};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the sending direction.
pub(super) struct SendSide {
    next_entry: u64,
    free_buffers: Vec<u64>,
    /// Messages that have ring entries, in the order of these.
    outgoing: VecDeque<Rc<Outgoing>>,
    /// What netTx is at.
    wire: Option<Crossing>,
}

/// A message from the send ring.
pub(super) struct Outgoing {
    entry: u64,
    buffer: u64,
    destination: NodeId,
    marks: Marks,
    journey: Journey,
    landing: Rc<Landing>,
    /// Its slot with the protocol, until it is offered.
    slot: Cell<Option<Slot>>,
    /// The end of its hostTx was noticed.
    logged: Cell<bool>,
    /// Its buffer is free again.
    freed: Cell<bool>,
}

/// A packet, or a frame of the protocol's own, on its way to the link.
struct Crossing {
    packet: Rc<Packet>,
    /// The message; none of a frame of the protocol's own.
    message: Option<Rc<Outgoing>>,
    /// Where its first part lies, and how long it is.
    first: (u64, Bytes),
    landing: Rc<Landing>,
    taken: Bytes,
    control: Progress,
    /// The payload transfer that netTx works on.
    in_flight: Option<Bytes>,
    /// The watchdog dropped the packet: what is left of it is not sent.
    lost: bool,
}

/// How far the control message has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    InFlight,
    Sent,
}

impl SendSide {
    pub(super) fn new(context: &Context) -> SendSide {
        let [buffers, _] = context.layout.buffers();
        SendSide { next_entry: 0, free_buffers: (0..buffers).rev().collect(), outgoing: VecDeque::new(), wire: None }
    }

    /// Takes note of a netTx transfer that ended, and of the end of a message.
    pub(super) async fn notice(&mut self, context: &Context) -> bool {
        self.log_fetched(context).await;
        let crossed = self.notice_crossing(context).await;
        crossed | self.free(context).await
    }

    async fn notice_crossing(&mut self, context: &Context) -> bool {
        let Some(wire) = self.wire.as_mut().filter(|_| context.chip.transmit.is_idle()) else { return false };
        let noticed = wire.notice();
        if noticed {
            context.log().await;
        }
        if noticed && context.chip.transmit.was_dropped() {
            wire.lost = true;
            context.lose(wire.message.as_deref());
        }
        let ended = match wire.lost {
            // Its buffer is free once the source has stopped filling it.
            true => wire.landing.finished(),
            false => wire.control == Progress::Sent && wire.taken == wire.landing.total(),
        };
        if ended {
            self.wire = None;
            context.admission.left();
        }
        noticed || ended
    }

    /// Logs the hostTx transfers that have ended since the last pass.
    async fn log_fetched(&mut self, context: &Context) {
        for message in self.outgoing.iter().filter(|message| !message.logged.get() && message.landing.finished()) {
            message.logged.set(true);
            context.log().await;
        }
    }

    /// Frees the buffers of messages that will not be sent again, and the ring entries of those before
    /// which none is in use.
    async fn free(&mut self, context: &Context) -> bool {
        let mut freed = false;
        for message in self.outgoing.iter().filter(|message| message.is_over()) {
            freed = true;
            message.freed.set(true);
            context.work_for(&message.journey, context.parameters.firmware.send_end).await;
            self.free_buffers.push(message.buffer);
        }
        while let Some(message) = self.outgoing.pop_front_if(|message| message.freed.get()) {
            context.chip.sram.store_word(message.entry + word::STATE, state::FREE);
        }
        freed
    }

    /// Starts the next netTx transfer: a packet's control message, then what the policy lets go of its
    /// payload.
    pub(super) async fn transmit(&mut self, context: &Context) -> bool {
        if !context.chip.transmit.is_idle() {
            return false;
        }
        if self.wire.is_none() {
            self.offer(context).await;
            self.wire = self.next(context).await;
        }
        let Some(wire) = self.wire.as_mut().filter(|wire| !wire.lost && !wire.is_in_flight()) else { return false };
        let policy = &context.parameters.policy;
        if wire.control == Progress::Waiting {
            context.work_for(&wire.packet.journey, context.parameters.firmware.transfer).await;
            wire.control = Progress::InFlight;
            context.chip.transmit.begin(wire.control_job());
            return true;
        }
        let (landed, total) = (wire.landed(context.chip.sim.now()), wire.landing.total());
        if policy.transfer(landed, wire.taken, total).is_none() {
            return false;
        }
        context.work_for(&wire.packet.journey, context.parameters.firmware.transfer).await;
        // What landed while the firmware prepared the transfer goes with it.
        let landed = wire.landed(context.chip.sim.now());
        let bytes = policy.transfer(landed, wire.taken, total).expect("no less lies there than before");
        wire.in_flight = Some(bytes);
        context.chip.transmit.begin(wire.payload_job(context, bytes));
        true
    }

    /// Offers messages to the protocol in the order of the ring: a store-and-forward packet when it is
    /// whole, one that cuts through at once, so that it holds its path early.
    async fn offer(&mut self, context: &Context) {
        let whole = context.parameters.policy.minpulse().is_none();
        for message in &self.outgoing {
            if message.slot.get().is_some() && whole && !message.landing.finished() {
                break;
            }
            let Some(slot) = message.slot.take() else { continue };
            context.speak(&message.journey).await;
            let bytes = CONTROL + message.landing.total();
            context.admission.offer(slot, message, (message.destination, message.marks, bytes));
        }
    }

    /// What the protocol has leave next.
    async fn next(&mut self, context: &Context) -> Option<Crossing> {
        let now = context.chip.sim.now();
        let frame = context.admission.next(now)?;
        let label = context.admission.label(&frame);
        let Frame { to, head, extension, marks, again, body, .. } = frame;
        let Some(message) = body.and_then(|body| body.get::<Outgoing>()) else {
            let packet = Packet::new(label, Journey::NONE);
            packet.set_header(marks, extension);
            context.speak(&packet.journey).await;
            context.chip.sram.store(context.layout.scratch(), &head_bytes(head));
            return Some(Crossing::of(packet, None, (context.layout.scratch(), label.length), Rc::default()));
        };
        let journey = match again {
            true => message.journey.fork(),
            false => message.journey.clone(),
        };
        match again {
            true => journey.close("retry", now),
            false => context.pending.add(to),
        }
        if context.admission.runs() && !again && message.landing.finished() {
            journey.close_if_lasted(stage::ADMISSION, now);
        }
        let (first, landing) = ((message.entry, CONTROL), message.landing.clone());
        let packet = Packet::new(label, journey);
        packet.set_header(marks, extension);
        Some(Crossing::of(packet, Some(message), first, landing))
    }

    /// Whether a message waits in the send ring, and a buffer and the engine are free for it.
    pub(super) fn can_fetch(&self, context: &Context) -> bool {
        let entry = context.layout.send_entry(self.next_entry);
        let free = context.chip.host_dma.is_idle() && !self.free_buffers.is_empty() && context.admission.has_room();
        free && state::is_to_send(context.chip.sram.load_word(entry + word::STATE))
    }

    /// Takes the next message of the send ring and starts its hostTx for the whole payload.
    pub(super) async fn fetch(&mut self, context: &Context) -> bool {
        if !self.can_fetch(context) {
            return false;
        }
        let entry = context.layout.send_entry(self.next_entry);
        let marks = state::marks_of(context.chip.sram.load_word(entry + word::STATE));
        // The entry is taken: the next look at this one is a round of the ring later.
        context.chip.sram.store_word(entry + word::STATE, state::TAKEN);
        self.next_entry += 1;
        let journey = context.instruments.sending.borrow_mut().pop_front().expect("an entry stands for a message");
        context.work_for(&journey, context.parameters.firmware.send_begin).await;
        self.begin(context, entry, marks, journey);
        true
    }

    fn begin(&mut self, context: &Context, entry: u64, marks: Marks, journey: Journey) {
        let sram = &context.chip.sram;
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        let address = sram.load_word(entry + word::ADDRESS);
        let whom = sram.load_word(entry + word::TAG_NODE);
        let destination = node_of(whom);
        sram.store_word(entry + word::TAG_NODE, source_in(whom, context.host.node));
        let buffer = self.free_buffers.pop().expect("a buffer was free");
        let landing = Rc::new(Landing::new(length));
        journey.close(stage::SEND_QUEUE, context.chip.sim.now());
        if !length.is_empty() {
            context.chip.host_dma.begin(HostJob {
                direction: Direction::Read,
                host_address: u64::from(address),
                sram_address: context.layout.send_buffer(buffer),
                bytes: length,
                landing: Some(landing.clone()),
                journey: journey.clone(),
                closes: Some(stage::HOST_TX),
            });
        }
        let slot = Cell::new(Some(context.admission.reserve()));
        let (logged, freed) = (Cell::new(length.is_empty()), Cell::new(false));
        let outgoing = Outgoing { entry, buffer, destination, marks, journey, landing, slot, logged, freed };
        self.outgoing.push_back(Rc::new(outgoing));
    }

    /// Has the firmware woken when enough of the packet on the wire has landed.
    pub(super) fn watch(&self, context: &Context) -> Time {
        let waiting = |wire: &&Crossing| wire.control == Progress::Sent && wire.in_flight.is_none();
        let Some(wire) = self.wire.as_ref().filter(waiting) else { return Time::MAX };
        let count = context.parameters.policy.starts_at(wire.taken, wire.landing.total());
        wire.landing.watch(count).unwrap_or(Time::MAX)
    }

    /// What this direction lacks, if it has work that cannot go on.
    pub(super) fn lacks(&self, context: &Context) -> Option<WaitReasonId> {
        let waits = match self.wire.is_none() && context.admission.runs() {
            true => context.waits.answer,
            false => context.waits.transmit,
        };
        (!self.outgoing.is_empty()).then_some(waits)
    }
}

impl Outgoing {
    /// Whether nobody will send it again: the protocol, which holds it until then, has let it go.
    fn is_over(self: &Rc<Self>) -> bool {
        !self.freed.get() && self.slot.get().is_none() && Rc::strong_count(self) == 1
    }

    /// Its way.
    pub(super) fn journey(&self) -> &Journey {
        &self.journey
    }

    /// Whom it is for.
    pub(super) fn destination(&self) -> NodeId {
        self.destination
    }
}

impl Crossing {
    fn of(packet: Rc<Packet>, message: Option<Rc<Outgoing>>, first: (u64, Bytes), landing: Rc<Landing>) -> Crossing {
        let (taken, control, in_flight, lost) = (Bytes::ZERO, Progress::Waiting, None, false);
        Crossing { packet, message, first, landing, taken, control, in_flight, lost }
    }

    /// Whether netTx works on it, or has ended its work and it is yet to be noticed, and counted.
    fn is_in_flight(&self) -> bool {
        self.control == Progress::InFlight || self.in_flight.is_some()
    }

    /// Counts the transfer that netTx has ended; false if there was none.
    fn notice(&mut self) -> bool {
        match (self.control, self.in_flight.take()) {
            (Progress::InFlight, _) => self.control = Progress::Sent,
            (_, Some(bytes)) => self.taken += bytes,
            _ => return false,
        }
        assert!(self.taken <= self.landing.total(), "no byte is sent twice");
        true
    }

    /// Whole words that have landed, or all.
    fn landed(&self, now: Time) -> Bytes {
        whole_words(self.landing.landed(now), self.landing.total())
    }

    fn control_job(&self) -> TransmitJob {
        let last = self.landing.total().is_empty();
        let (sram_address, bytes) = self.first;
        self.job(sram_address, bytes, last)
    }

    fn payload_job(&self, context: &Context, bytes: Bytes) -> TransmitJob {
        let buffer = self.message.as_ref().expect("what has a payload is a message").buffer;
        let last = self.taken + bytes == self.landing.total();
        self.job(context.layout.send_buffer(buffer) + self.taken.get(), bytes, last)
    }

    fn job(&self, sram_address: u64, bytes: Bytes, last: bool) -> TransmitJob {
        TransmitJob { packet: self.packet.clone(), sram_address, bytes, last, closes: last.then_some(stage::NET_TX) }
    }
}

/// Returns the first bytes of a frame of the protocol's own, which are its head.
fn head_bytes(head: Head) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.chunks_exact_mut(8).zip(head.0).for_each(|(part, word)| part.copy_from_slice(&word.to_le_bytes()));
    bytes
}
