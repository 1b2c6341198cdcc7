//! The receiving direction: netRcv → receive ring and packet buffer → hostRcv → the host told.
//!
//! A control message lands in the next entry of the receive ring; its tag, looked up in the
//! incoming payload table, says where the payload goes; else it goes to the buffer that the host
//! attached to the entry (Yocum et al. 1997, §2.1).

use super::super::layout::{CONTROL, payload_length, state, tag_of, word};
use super::super::{Notification, stage};
use super::Context;
use crate::engine::sim::PointId;
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{Address, Direction};
use crate::ni::lanai::{HostJob, Landing, ReceiveJob};
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the receiving direction.
pub(super) struct ReceiveSide {
    next_entry: u64,
    free_buffers: Vec<u64>,
    wire: Wire,
    incoming: VecDeque<Incoming>,
}

/// What netRcv is at.
enum Wire {
    /// No transfer is posted.
    Idle,
    /// A control message is awaited, with a packet buffer reserved for its payload.
    Control(Slot),
    /// The payload of the youngest incoming message is landing.
    Landing,
}

/// Where a message goes on the interface.
#[derive(Clone, Copy)]
struct Slot {
    /// Its receive ring entry.
    index: u64,
    /// The host buffer attached to that entry.
    attached: Address,
    /// Its packet buffer.
    buffer: u64,
}

/// A message between link and host.
struct Incoming {
    slot: Slot,
    packet: Rc<Packet>,
    /// Where its payload goes.
    address: Address,
    landing: Rc<Landing>,
    taken: Bytes,
    /// The transfer that the host engine works on.
    in_flight: Option<Bytes>,
    /// The packet was dropped on its way.
    lost: bool,
}

impl ReceiveSide {
    /// Every entry has its buffer attached before the run begins.
    pub(super) fn new(context: &Context, attached: &[Address]) -> ReceiveSide {
        for (index, &buffer) in attached.iter().enumerate() {
            let entry = context.layout.receive_entry(index as u64);
            context.chip.sram.store_word(entry + word::ADDRESS, buffer as u32);
            context.chip.sram.store_word(entry + word::STATE, state::POSTED);
        }
        let buffers = context.parameters.policy.buffers();
        ReceiveSide {
            next_entry: 0,
            free_buffers: (0..buffers).rev().collect(),
            wire: Wire::Idle,
            incoming: VecDeque::new(),
        }
    }

    /// Takes note of a hostRcv transfer that ended, and of the end of a message.
    pub(super) async fn notice(&mut self, context: &Context) -> bool {
        let idle = context.chip.host_dma.is_idle();
        let Some(head) = self.incoming.front_mut() else { return false };
        let noticed = match head.in_flight.filter(|_| idle) {
            Some(bytes) => {
                head.taken += bytes;
                assert!(head.taken <= head.landing.total(), "no byte is delivered twice");
                head.in_flight = None;
                true
            }
            None => false,
        };
        if noticed {
            context.log().await;
        }
        let ended = head.in_flight.is_none() && (head.lost || head.taken == head.landing.total());
        if ended {
            self.finish(context).await;
        }
        noticed || ended
    }

    /// Hands the first message to the host, or forgets it if it was lost, and frees its buffer.
    async fn finish(&mut self, context: &Context) {
        let head = self.incoming.pop_front().expect("a message ended");
        if !context.parameters.keep_buffers {
            self.free_buffers.push(head.slot.buffer);
        }
        if head.lost {
            // Its entry, the last that was taken, serves the next message.
            self.repost(context, head.slot);
            return;
        }
        let journey = &head.packet.journey;
        context.work_for(journey, context.parameters.firmware.receive_end).await;
        let entry = context.layout.receive_entry(head.slot.index);
        let sram = &context.chip.sram;
        sram.store_word(entry + word::ADDRESS, head.address as u32);
        let place = (head.slot.index % context.parameters.ring_entries) as usize;
        context.instruments.received.borrow_mut()[place] = journey.clone();
        sram.store_word(entry + word::STATE, state::RECEIVED);
        if context.parameters.notification == Notification::Interrupt {
            context.host.interrupt().raise();
        }
    }

    /// Has the next message use an entry whose message was lost.
    fn repost(&mut self, context: &Context, slot: Slot) {
        let entry = context.layout.receive_entry(slot.index);
        self.next_entry = slot.index;
        context.chip.sram.store_word(entry + word::ADDRESS, slot.attached as u32);
        context.chip.sram.store_word(entry + word::STATE, state::POSTED);
    }

    /// Keeps netRcv posted: for a control message, then for its payload.
    pub(super) async fn take(&mut self, context: &Context) -> bool {
        if !context.chip.receive.is_idle() {
            return false;
        }
        match self.wire {
            Wire::Idle => self.post_control(context).await,
            Wire::Control(slot) => self.control_came(context, slot).await,
            Wire::Landing => self.payload_came(context).await,
        }
    }

    /// Posts netRcv for a control message, if a packet buffer and an entry with a host buffer are
    /// free; else the link holds the message back.
    async fn post_control(&mut self, context: &Context) -> bool {
        let (index, sram) = (self.next_entry, &context.chip.sram);
        let entry = context.layout.receive_entry(index);
        // After a loss the entry at stake is used again, so the next is not taken before.
        let losing = self.incoming.iter().any(|message| message.lost);
        if losing || self.free_buffers.is_empty() || sram.load_word(entry + word::STATE) != state::POSTED {
            return false;
        }
        context.chip.work(context.parameters.firmware.receive_post).await;
        self.next_entry += 1;
        let attached = u64::from(sram.load_word(entry + word::ADDRESS));
        let buffer = self.free_buffers.pop().expect("a buffer was free");
        let landing = Rc::new(Landing::new(CONTROL));
        context.chip.receive.begin(ReceiveJob { sram_address: entry, landing, closes: None });
        self.wire = Wire::Control(Slot { index, attached, buffer });
        true
    }

    /// A control message has landed: its tag says where its payload goes.
    async fn control_came(&mut self, context: &Context, slot: Slot) -> bool {
        if context.chip.receive.take_dropped().is_some() {
            self.free_buffers.push(slot.buffer);
            self.repost(context, slot);
            self.wire = Wire::Idle;
            return true;
        }
        let (entry, sram) = (context.layout.receive_entry(slot.index), &context.chip.sram);
        // The sender's state word came with the message: it is not yet the host's.
        sram.store_word(entry + word::STATE, state::FREE);
        let packet = context.chip.receive.packet().expect("a control message came with its packet");
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        if length.is_empty() {
            packet.journey.close(stage::NETWORK, context.chip.receive.ended());
        }
        context.log().await;
        context.work_for(&packet.journey, context.parameters.firmware.receive_begin).await;
        let address = self.address(context, entry, slot.attached);
        let incoming = Incoming::new(slot, packet, address, length);
        self.wire = match length.is_empty() {
            true => Wire::Idle,
            false => {
                let sram_address = context.layout.receive_buffer(slot.buffer);
                let (landing, closes) = (incoming.landing.clone(), Some(stage::NETWORK));
                context.chip.receive.begin(ReceiveJob { sram_address, landing, closes });
                Wire::Landing
            }
        };
        self.incoming.push_back(incoming);
        true
    }

    /// Early demultiplexing: the address of a mapped tag, else the buffer attached to the entry.
    fn address(&self, context: &Context, entry: u64, attached: Address) -> Address {
        let tag = tag_of(context.chip.sram.load_word(entry + word::TAG_NODE));
        let mapped = match u64::from(tag) < context.parameters.tags {
            true => context.chip.sram.load_word(context.layout.tag(tag)),
            false => 0,
        };
        u64::from(mapped).checked_sub(1).unwrap_or(attached)
    }

    async fn payload_came(&mut self, context: &Context) -> bool {
        self.wire = Wire::Idle;
        let lost = context.chip.receive.take_dropped().is_some();
        self.incoming.back_mut().expect("a payload landed for a message").lost = lost;
        context.log().await;
        true
    }

    /// Whether a hostRcv transfer has ended and is yet to be counted.
    pub(super) fn has_ended_unnoticed(&self, context: &Context) -> bool {
        self.incoming.front().is_some_and(|head| head.in_flight.is_some()) && context.chip.host_dma.is_idle()
    }

    /// Starts the next hostRcv transfer of the first message, if the policy lets it.
    pub(super) async fn deliver(&mut self, context: &Context) -> bool {
        // A transfer that ended within this pass has yet to be noticed, and counted.
        let idle = |head: &&mut Incoming| !head.lost && head.in_flight.is_none() && context.chip.host_dma.is_idle();
        let Some(head) = self.incoming.front_mut().filter(idle) else { return false };
        let (policy, total) = (&context.parameters.policy, head.landing.total());
        if policy.transfer(head.landed(context.chip.sim.now()), head.taken, total).is_none() {
            return false;
        }
        context.work_for(&head.packet.journey, context.parameters.firmware.transfer).await;
        // What landed while the firmware prepared the transfer goes with it.
        let landed = head.landed(context.chip.sim.now());
        let bytes = policy.transfer(landed, head.taken, total).expect("no less lies there than before");
        head.in_flight = Some(bytes);
        context.chip.host_dma.begin(head.job(context, bytes));
        true
    }

    /// Has the firmware woken when enough of the first message has landed.
    pub(super) fn watch(&self, context: &Context) -> Time {
        let Some(head) = self.incoming.front().filter(|head| head.in_flight.is_none()) else { return Time::MAX };
        let count = context.parameters.policy.starts_at(head.taken, head.landing.total());
        head.landing.watch(count).unwrap_or(Time::MAX)
    }

    /// What this direction lacks, if it has work that cannot go on.
    pub(super) fn lacks(&self, context: &Context) -> Option<PointId> {
        let idle = matches!(self.wire, Wire::Idle);
        match self.free_buffers.is_empty() {
            true => idle.then_some(context.waits.receive_buffer),
            false => idle.then_some(context.waits.receive_entry),
        }
    }
}

impl Incoming {
    fn new(slot: Slot, packet: Rc<Packet>, address: Address, length: Bytes) -> Incoming {
        let landing = Rc::new(Landing::new(length));
        Incoming { slot, packet, address, landing, taken: Bytes::ZERO, in_flight: None, lost: false }
    }

    fn landed(&self, now: Time) -> Bytes {
        super::whole_words(self.landing.landed(now), self.landing.total())
    }

    fn job(&self, context: &Context, bytes: Bytes) -> HostJob {
        let last = self.taken + bytes == self.landing.total();
        HostJob {
            direction: Direction::Write,
            host_address: self.address + self.taken.get(),
            sram_address: context.layout.receive_buffer(self.slot.buffer) + self.taken.get(),
            bytes,
            landing: None,
            journey: self.packet.journey.clone(),
            closes: last.then_some(stage::HOST_RCV),
        }
    }
}
