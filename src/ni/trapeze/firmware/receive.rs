//! The receiving direction: netRcv → receive ring and packet buffer → hostRcv → the host told.
//!
//! A control message lands in the next entry of the receive ring; its tag, looked up in the
//! incoming payload table, says where the payload goes; else it goes to the buffer that the host
//! attached to the entry (Yocum et al. 1997, §2.1).

use super::super::layout::{CONTROL, payload_length, state, word};
use super::super::{Notification, stage};
use super::Context;
use crate::engine::sim::PointId;
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::io_bus::{Address, Direction};
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
    /// A control message is awaited in the entry of this index.
    Control { index: u64, attached: Address, landing: Rc<Landing> },
    /// The control message has come; its payload waits for a packet buffer.
    Payload { index: u64, attached: Address, address: Address, length: Bytes },
    /// The payload of the youngest incoming message is landing.
    Landing,
}

/// A message between link and host.
struct Incoming {
    index: u64,
    /// The host buffer attached to its ring entry.
    attached: Address,
    buffer: Option<u64>,
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
            self.free_buffers.extend(head.buffer);
        }
        if head.lost {
            // Its entry, the last that was taken, serves the next message.
            self.repost(context, head.index, head.attached);
            return;
        }
        let message = &head.packet.message;
        context.work_for(message, context.parameters.firmware.receive_end).await;
        let entry = context.layout.receive_entry(head.index);
        let sram = &context.chip.sram;
        sram.store_word(entry + word::ADDRESS, head.address as u32);
        let slot = (head.index % context.parameters.ring_entries) as usize;
        context.instruments.received.borrow_mut()[slot] = Some(message.clone());
        sram.store_word(entry + word::STATE, state::RECEIVED);
        if context.parameters.notification == Notification::Interrupt {
            context.host.interrupt.raise();
        }
    }

    /// Has the next message use an entry whose message was lost.
    fn repost(&mut self, context: &Context, index: u64, attached: Address) {
        let entry = context.layout.receive_entry(index);
        self.next_entry = index;
        context.chip.sram.store_word(entry + word::ADDRESS, attached as u32);
        context.chip.sram.store_word(entry + word::STATE, state::POSTED);
    }

    /// Keeps netRcv posted: for a control message, then for its payload.
    pub(super) async fn take(&mut self, context: &Context) -> bool {
        if !context.chip.receive.is_idle() {
            return false;
        }
        match std::mem::replace(&mut self.wire, Wire::Idle) {
            Wire::Idle => self.post_control(context).await,
            Wire::Control { index, attached, landing } => self.control_came(context, index, attached, &landing).await,
            waiting @ Wire::Payload { .. } => self.post_payload(context, waiting),
            Wire::Landing => self.payload_came(context),
        }
    }

    /// Posts netRcv for a control message, if an entry with a buffer is free.
    async fn post_control(&mut self, context: &Context) -> bool {
        let (index, sram) = (self.next_entry, &context.chip.sram);
        let entry = context.layout.receive_entry(index);
        // After a loss the entry at stake is used again, so the next is not taken before.
        let losing = self.incoming.iter().any(|message| message.lost);
        if losing || sram.load_word(entry + word::STATE) != state::POSTED {
            return false;
        }
        context.chip.work(context.logged(context.parameters.firmware.receive_post)).await;
        self.next_entry += 1;
        let attached = u64::from(sram.load_word(entry + word::ADDRESS));
        let landing = Rc::new(Landing::new(CONTROL));
        context.chip.receive.begin(ReceiveJob { sram_address: entry, landing: landing.clone() });
        self.wire = Wire::Control { index, attached, landing };
        true
    }

    /// A control message has landed: its tag says where its payload goes.
    async fn control_came(&mut self, context: &Context, index: u64, attached: Address, landing: &Landing) -> bool {
        let (entry, sram) = (context.layout.receive_entry(index), &context.chip.sram);
        if context.chip.receive.take_dropped().is_some() || !landing.finished() {
            self.repost(context, index, attached);
            return true;
        }
        // The sender's state word came with the message: it is not yet the host's.
        sram.store_word(entry + word::STATE, state::FREE);
        let packet = context.chip.receive.packet().expect("a control message came with its packet");
        let length = payload_length(sram.load_word(entry + word::LENGTH));
        let arrived = context.chip.receive.ended();
        context.work_for(&packet.message, context.logged(context.parameters.firmware.receive_begin)).await;
        let address = self.address(context, entry, attached);
        match length.is_empty() {
            true => {
                packet.message.close(stage::NETWORK, arrived);
                self.incoming.push_back(Incoming::new((index, attached), None, packet, address, Bytes::ZERO));
            }
            false => self.wire = Wire::Payload { index, attached, address, length },
        }
        true
    }

    /// Early demultiplexing: the address of a mapped tag, else the buffer attached to the entry.
    fn address(&self, context: &Context, entry: u64, attached: Address) -> Address {
        let tag = (context.chip.sram.load_word(entry + word::TAG_NODE) >> 16) as u16;
        let mapped = match tag {
            0 => 0,
            tag => context.chip.sram.load_word(context.layout.tag(tag)),
        };
        u64::from(mapped).checked_sub(1).unwrap_or(attached)
    }

    /// Posts netRcv for the payload, if a packet buffer is free; else the link holds it back.
    fn post_payload(&mut self, context: &Context, waiting: Wire) -> bool {
        let Some(&buffer) = self.free_buffers.last() else {
            self.wire = waiting;
            return false;
        };
        let Wire::Payload { index, attached, address, length } = waiting else { return false };
        self.free_buffers.pop();
        let packet = context.chip.receive.packet().expect("a payload follows its control message");
        let buffer_address = context.layout.receive_buffer(buffer);
        let incoming = Incoming::new((index, attached), Some(buffer), packet, address, length);
        context.chip.receive.begin(ReceiveJob { sram_address: buffer_address, landing: incoming.landing.clone() });
        self.incoming.push_back(incoming);
        self.wire = Wire::Landing;
        true
    }

    fn payload_came(&mut self, context: &Context) -> bool {
        let lost = context.chip.receive.take_dropped().is_some();
        let youngest = self.incoming.back_mut().expect("a payload landed for a message");
        match lost {
            true => youngest.lost = true,
            false => youngest.packet.message.close(stage::NETWORK, context.chip.receive.ended()),
        }
        true
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
        context.work_for(&head.packet.message, context.transfer_cycles()).await;
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
        match self.wire {
            Wire::Payload { .. } => Some(context.waits.receive_buffer),
            Wire::Idle => Some(context.waits.receive_entry),
            Wire::Control { .. } | Wire::Landing => None,
        }
    }
}

impl Incoming {
    fn new(
        (index, attached): (u64, Address),
        buffer: Option<u64>,
        packet: Rc<Packet>,
        address: Address,
        length: Bytes,
    ) -> Incoming {
        let landing = Rc::new(Landing::new(length));
        Incoming { index, attached, buffer, packet, address, landing, taken: Bytes::ZERO, in_flight: None, lost: false }
    }

    fn landed(&self, now: Time) -> Bytes {
        super::whole_words(self.landing.landed(now), self.landing.total())
    }

    fn job(&self, context: &Context, bytes: Bytes) -> HostJob {
        let last = self.taken + bytes == self.landing.total();
        let buffer = self.buffer.expect("a payload has a packet buffer");
        HostJob {
            direction: Direction::Write,
            host_address: self.address + self.taken.get(),
            sram_address: context.layout.receive_buffer(buffer) + self.taken.get(),
            bytes,
            landing: None,
            message: self.packet.message.clone(),
            closes: last.then_some(stage::HOST_RCV),
        }
    }
}
