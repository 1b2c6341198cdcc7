//! The sending direction: send ring → hostTx → packet buffer → netTx.

use super::super::layout::{CONTROL, node_of, payload_length, state, tag_node, tag_of, word};
use super::super::stage;
use super::Context;
use crate::engine::sim::PointId;
use crate::engine::{Bytes, Class, Head, Journey, Time};
use crate::fabric::{Label, Packet};
use crate::host::Direction;
use crate::ni::lanai::{HostJob, Landing, TransmitJob};
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the sending direction.
pub(super) struct SendSide {
    next_entry: u64,
    free_buffers: Vec<u64>,
    outgoing: VecDeque<Outgoing>,
}

/// A message between send ring and link.
struct Outgoing {
    entry: u64,
    buffer: u64,
    packet: Rc<Packet>,
    landing: Rc<Landing>,
    taken: Bytes,
    control: Progress,
    /// The payload transfer that netTx works on.
    in_flight: Option<Bytes>,
    /// The watchdog dropped the packet: what is left of it is not sent.
    lost: bool,
    /// The end of its hostTx was noticed.
    logged: bool,
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
        let buffers = context.parameters.policy.buffers();
        SendSide { next_entry: 0, free_buffers: (0..buffers).rev().collect(), outgoing: VecDeque::new() }
    }

    /// Takes note of a netTx transfer that ended, and of the end of a message.
    pub(super) async fn notice(&mut self, context: &Context) -> bool {
        self.log_fetched(context).await;
        let Some(head) = self.outgoing.front_mut().filter(|_| context.chip.transmit.is_idle()) else { return false };
        let noticed = head.notice();
        if noticed {
            context.log().await;
        }
        if noticed && context.chip.transmit.was_dropped() {
            head.lost = true;
            context.instruments.tally.lose(&head.packet.journey);
        }
        let ended = match head.lost {
            // Its buffer is free once the source has stopped filling it.
            true => head.landing.finished(),
            false => head.control == Progress::Sent && head.taken == head.landing.total(),
        };
        if ended {
            self.finish(context).await;
        }
        noticed || ended
    }

    /// Logs the hostTx transfers that have ended since the last pass.
    async fn log_fetched(&mut self, context: &Context) {
        let ended = |message: &&mut Outgoing| !message.logged && message.landing.finished();
        for message in self.outgoing.iter_mut().filter(ended) {
            message.logged = true;
            context.log().await;
        }
    }

    /// Frees buffer and ring entry of the first message.
    async fn finish(&mut self, context: &Context) {
        let head = self.outgoing.pop_front().expect("a message ended");
        context.work_for(&head.packet.journey, context.parameters.firmware.send_end).await;
        context.chip.sram.store_word(head.entry + word::STATE, state::FREE);
        self.free_buffers.push(head.buffer);
    }

    /// Starts the next netTx transfer of the first message: its control message, then what the
    /// policy lets go of its payload.
    pub(super) async fn transmit(&mut self, context: &Context) -> bool {
        let idle = |head: &&mut Outgoing| !head.lost && !head.is_in_flight() && context.chip.transmit.is_idle();
        let Some(head) = self.outgoing.front_mut().filter(idle) else { return false };
        let policy = &context.parameters.policy;
        let (landed, total) = (head.landed(context.chip.sim.now()), head.landing.total());
        if head.control == Progress::Waiting {
            // A store-and-forward packet sets out whole; one that cuts through holds its path early.
            if policy.minpulse().is_none() && !head.landing.finished() {
                return false;
            }
            context.work_for(&head.packet.journey, context.parameters.firmware.transfer).await;
            head.control = Progress::InFlight;
            context.chip.transmit.begin(head.control_job());
            return true;
        }
        if policy.transfer(landed, head.taken, total).is_none() {
            return false;
        }
        context.work_for(&head.packet.journey, context.parameters.firmware.transfer).await;
        // What landed while the firmware prepared the transfer goes with it.
        let landed = head.landed(context.chip.sim.now());
        let bytes = policy.transfer(landed, head.taken, total).expect("no less lies there than before");
        head.in_flight = Some(bytes);
        context.chip.transmit.begin(head.payload_job(context, bytes));
        true
    }

    /// Whether a message waits in the send ring, and a buffer and the engine are free for it.
    pub(super) fn can_fetch(&self, context: &Context) -> bool {
        let entry = context.layout.send_entry(self.next_entry);
        let free = context.chip.host_dma.is_idle() && !self.free_buffers.is_empty();
        free && context.chip.sram.load_word(entry + word::STATE) == state::TO_SEND
    }

    /// Takes the next message of the send ring and starts its hostTx for the whole payload.
    pub(super) async fn fetch(&mut self, context: &Context) -> bool {
        if !self.can_fetch(context) {
            return false;
        }
        let entry = context.layout.send_entry(self.next_entry);
        // The entry is taken: the next look at this one is a round of the ring later.
        context.chip.sram.store_word(entry + word::STATE, state::FREE + TAKEN);
        self.next_entry += 1;
        let journey = context.instruments.sending.borrow_mut().pop_front().expect("an entry stands for a message");
        context.work_for(&journey, context.parameters.firmware.send_begin).await;
        self.begin(context, entry, journey);
        true
    }

    fn begin(&mut self, context: &Context, entry: u64, journey: Journey) {
        let sram = &context.chip.sram;
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        let address = sram.load_word(entry + word::ADDRESS);
        let (tag, destination) = {
            let word = sram.load_word(entry + word::TAG_NODE);
            (tag_of(word), node_of(word))
        };
        let source = context.host.node;
        sram.store_word(entry + word::TAG_NODE, tag_node(tag, source));
        let buffer = self.free_buffers.pop().expect("a buffer was free");
        let (class, head, takes_place) = (Class::REQUESTS, Head::default(), false);
        let label = Label { source, destination, class, length: CONTROL + length, takes_place, head };
        let packet = Packet::new(label, journey.clone());
        let landing = Rc::new(Landing::new(length));
        journey.close(stage::SEND_QUEUE, context.chip.sim.now());
        if !length.is_empty() {
            context.chip.host_dma.begin(HostJob {
                direction: Direction::Read,
                host_address: u64::from(address),
                sram_address: context.layout.send_buffer(buffer),
                bytes: length,
                landing: Some(landing.clone()),
                journey,
                closes: Some(stage::HOST_TX),
            });
        }
        let (taken, control, in_flight, lost) = (Bytes::ZERO, Progress::Waiting, None, false);
        let logged = length.is_empty();
        self.outgoing.push_back(Outgoing { entry, buffer, packet, landing, taken, control, in_flight, lost, logged });
    }

    /// Has the firmware woken when enough of the first message has landed.
    pub(super) fn watch(&self, context: &Context) -> Time {
        let waiting = |head: &&Outgoing| head.control == Progress::Sent && head.in_flight.is_none();
        let Some(head) = self.outgoing.front().filter(waiting) else { return Time::MAX };
        let count = context.parameters.policy.starts_at(head.taken, head.landing.total());
        head.landing.watch(count).unwrap_or(Time::MAX)
    }

    /// What this direction lacks, if it has work that cannot go on.
    pub(super) fn lacks(&self, context: &Context) -> Option<PointId> {
        (!self.outgoing.is_empty()).then_some(context.waits.transmit)
    }
}

/// Added to the state of a send ring entry that the firmware works on.
const TAKEN: u32 = 4;

impl Outgoing {
    /// Whether netTx works on it, or has ended its work and it is yet to be noticed, and counted.
    fn is_in_flight(&self) -> bool {
        self.control == Progress::InFlight || self.in_flight.is_some()
    }

    /// Counts the transfer that netTx has ended; false if it worked on none of this message.
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
        super::whole_words(self.landing.landed(now), self.landing.total())
    }

    fn control_job(&self) -> TransmitJob {
        let last = self.landing.total().is_empty();
        TransmitJob {
            packet: self.packet.clone(),
            sram_address: self.entry,
            bytes: CONTROL,
            last,
            closes: last.then_some(stage::NET_TX),
        }
    }

    fn payload_job(&self, context: &Context, bytes: Bytes) -> TransmitJob {
        let last = self.taken + bytes == self.landing.total();
        TransmitJob {
            packet: self.packet.clone(),
            sram_address: context.layout.send_buffer(self.buffer) + self.taken.get(),
            bytes,
            last,
            closes: last.then_some(stage::NET_TX),
        }
    }
}
