//! The receiving direction: netRcv → receive ring and packet buffer → hostRcv → the host told.
//!
//! A control message lands in the next entry of the receive ring; its tag, looked up in the
//! incoming payload table, says where the payload goes; else it goes to the buffer that the host
//! attached to the entry (Yocum et al. 1997, §2.1). Under a protocol it lands in the packet buffer, and
//! has its entry when the protocol has handed it up: `admitted.rs`.

use super::super::layout::{ACTIVE, CONTROL, payload_length, places_of, state, tag_of, word};
use super::super::parameters::Notification;
use super::super::stage;
use super::Context;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{Address, Direction, InterruptVector};
use crate::ni::lanai::{HostJob, Landing, ReceiveJob};
use crate::protocol;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The one cause of Trapeze's interrupts.
const RECEIVED: u32 = 1;

/// The state of the receiving direction.
pub(super) struct ReceiveSide {
    pub(super) next_entry: u64,
    pub(super) free_buffers: Vec<u64>,
    pub(super) wire: Wire,
    /// Messages on their way to the host, in the order of their ring entries.
    pub(super) incoming: VecDeque<Incoming>,
}

/// What netRcv is at.
pub(super) enum Wire {
    /// No transfer is posted.
    Idle,
    /// A control message is awaited, with a ring entry and a packet buffer reserved for its payload.
    Control(Slot),
    /// The same under a protocol, with a packet buffer alone.
    Frame(u64),
    /// A packet waits for a place, its payload on the link.
    Placing(Rc<Arrived>),
    /// The payload of a message is landing.
    Landing(Rc<Arrived>),
}

/// Where a message goes on the interface.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    /// Its receive ring entry.
    pub(super) index: u64,
    /// The host buffer attached to that entry.
    pub(super) attached: Address,
    /// Its packet buffer.
    pub(super) buffer: u64,
}

/// A packet that has come, or is coming.
pub(super) struct Arrived {
    pub(super) packet: Rc<Packet>,
    /// Its packet buffer.
    pub(super) buffer: u64,
    pub(super) landing: Rc<Landing>,
    /// The packet was dropped on its way.
    pub(super) lost: Cell<bool>,
    /// It is a copy, or goes back: nobody reads it.
    pub(super) discarded: Cell<bool>,
}

/// A message between link and host.
pub(super) struct Incoming {
    slot: Slot,
    arrived: Rc<Arrived>,
    /// Where its payload goes.
    address: Address,
    taken: Bytes,
    /// The transfer that the host engine works on.
    in_flight: Option<Bytes>,
    /// Its place with the protocol.
    place: Option<protocol::Slot>,
}

impl ReceiveSide {
    /// Every entry has its buffer attached before the run begins.
    pub(super) fn new(context: &Context, attached: &[Address]) -> ReceiveSide {
        for (index, &buffer) in attached.iter().enumerate() {
            let entry = context.layout.receive_entry(index as u64);
            context.chip.sram.store_word(entry + word::ADDRESS, buffer as u32);
            context.chip.sram.store_word(entry + word::STATE, state::POSTED);
        }
        let [_, buffers] = context.layout.buffers();
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
                assert!(head.taken <= head.total(), "no byte is delivered twice");
                head.in_flight = None;
                true
            }
            None => false,
        };
        if noticed {
            context.log().await;
        }
        let ended = head.in_flight.is_none() && (head.is_lost() || head.taken == head.total());
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
        if let Some(place) = head.place {
            context.admission.release(place);
        }
        if head.is_lost() {
            // Its entry, the last that was taken, serves the next message.
            self.repost(context, head.slot);
            return;
        }
        let journey = &head.arrived.packet.journey;
        context.work_for(journey, context.parameters.firmware.receive_end).await;
        let entry = context.layout.receive_entry(head.slot.index);
        let sram = &context.chip.sram;
        sram.store_word(entry + word::ADDRESS, head.address as u32);
        let place = (head.slot.index % context.parameters.ring_entries) as usize;
        context.instruments.received.borrow_mut()[place] = journey.clone();
        sram.store_word(entry + word::STATE, state::RECEIVED);
        if context.parameters.notification == Notification::Interrupt {
            context.host.interrupts().raise(InterruptVector::FIRST, RECEIVED);
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
        match std::mem::replace(&mut self.wire, Wire::Idle) {
            Wire::Idle if context.admission.runs() => self.post_frame(context).await,
            Wire::Idle => self.post_control(context).await,
            Wire::Control(slot) => self.control_came(context, slot).await,
            Wire::Frame(buffer) => self.frame_came(context, buffer).await,
            Wire::Placing(arrived) => self.find_place(context, arrived).await,
            Wire::Landing(arrived) => self.payload_came(context, arrived).await,
        }
    }

    /// Posts netRcv for a control message, if a packet buffer and an entry with a host buffer are
    /// free; else the link holds the message back.
    async fn post_control(&mut self, context: &Context) -> bool {
        let (index, sram) = (self.next_entry, &context.chip.sram);
        let entry = context.layout.receive_entry(index);
        // After a loss the entry at stake is used again, so the next is not taken before.
        let losing = self.incoming.iter().any(Incoming::is_lost);
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
        let arrived = Arrived::new(packet, slot.buffer, length);
        if !length.is_empty() {
            self.receive_payload(context, &arrived);
        }
        self.incoming.push_back(Incoming::new(slot, arrived, address, None));
        true
    }

    /// Posts netRcv for a payload.
    pub(super) fn receive_payload(&mut self, context: &Context, arrived: &Rc<Arrived>) {
        let closes = (!arrived.discarded.get()).then_some(stage::NETWORK);
        let sram_address = context.layout.receive_buffer(arrived.buffer);
        context.chip.receive.begin(ReceiveJob { sram_address, landing: arrived.landing.clone(), closes });
        self.wire = Wire::Landing(arrived.clone());
    }

    /// Early demultiplexing: the address of a mapped tag, else the buffer attached to the entry.
    pub(super) fn address(&self, context: &Context, entry: u64, attached: Address) -> Address {
        let whom = context.chip.sram.load_word(entry + word::TAG_NODE);
        let (tag, [_, place]) = (tag_of(whom), places_of(whom));
        let mapped = match tag & ACTIVE == 0 && u64::from(tag) < context.parameters.tags {
            true => context.chip.sram.load_word(context.layout.tag(place, tag)),
            false => 0,
        };
        u64::from(mapped).checked_sub(1).unwrap_or(attached)
    }

    async fn payload_came(&mut self, context: &Context, arrived: Rc<Arrived>) -> bool {
        arrived.lost.set(context.chip.receive.take_dropped().is_some());
        context.log().await;
        if context.admission.runs() {
            self.is_whole(context, &arrived).await;
        }
        true
    }

    /// Whether a hostRcv transfer has ended and is yet to be counted.
    pub(super) fn has_ended_unnoticed(&self, context: &Context) -> bool {
        self.incoming.front().is_some_and(|head| head.in_flight.is_some()) && context.chip.host_dma.is_idle()
    }

    /// Starts the next hostRcv transfer of the first message, if the policy lets it.
    pub(super) async fn deliver(&mut self, context: &Context) -> bool {
        // A transfer that ended within this pass has yet to be noticed, and counted.
        let idle =
            |head: &&mut Incoming| !head.is_lost() && head.in_flight.is_none() && context.chip.host_dma.is_idle();
        let Some(head) = self.incoming.front_mut().filter(idle) else { return false };
        let (policy, total) = (&context.parameters.policy, head.total());
        if policy.transfer(head.landed(context.chip.sim.now()), head.taken, total).is_none() {
            return false;
        }
        context.work_for(&head.arrived.packet.journey, context.parameters.firmware.transfer).await;
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
        let count = context.parameters.policy.starts_at(head.taken, head.total());
        head.arrived.landing.watch(count).unwrap_or(Time::MAX)
    }

    /// What this direction lacks, if it has work that cannot go on.
    pub(super) fn lacks(&self, context: &Context) -> Option<WaitReasonId> {
        let idle = matches!(self.wire, Wire::Idle);
        match self.free_buffers.is_empty() {
            true => idle.then_some(context.waits.receive_buffer),
            false => idle.then_some(context.waits.receive_entry),
        }
    }
}

impl Arrived {
    pub(super) fn new(packet: Rc<Packet>, buffer: u64, length: Bytes) -> Rc<Arrived> {
        let (lost, discarded, landing) = (Cell::new(false), Cell::new(false), Rc::new(Landing::new(length)));
        Rc::new(Arrived { packet, buffer, landing, lost, discarded })
    }
}

impl Incoming {
    pub(super) fn new(slot: Slot, arrived: Rc<Arrived>, address: Address, place: Option<protocol::Slot>) -> Incoming {
        Incoming { slot, arrived, address, taken: Bytes::ZERO, in_flight: None, place }
    }

    /// Whether the packet was dropped on its way.
    pub(super) fn is_lost(&self) -> bool {
        self.arrived.lost.get()
    }

    /// Whether all of it has landed.
    pub(super) fn has_landed(&self) -> bool {
        self.arrived.landing.finished()
    }

    /// Bytes of its payload.
    fn total(&self) -> Bytes {
        self.arrived.landing.total()
    }

    fn landed(&self, now: Time) -> Bytes {
        super::whole_words(self.arrived.landing.landed(now), self.total())
    }

    fn job(&self, context: &Context, bytes: Bytes) -> HostJob {
        let last = self.taken + bytes == self.total();
        HostJob {
            direction: Direction::Write,
            host_address: self.address + self.taken.get(),
            sram_address: context.layout.receive_buffer(self.slot.buffer) + self.taken.get(),
            bytes,
            landing: None,
            journey: self.arrived.packet.journey.clone(),
            closes: last.then_some(stage::HOST_RCV),
        }
    }
}
