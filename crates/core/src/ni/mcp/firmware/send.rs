//! From a send slot to the link: SDMA's and SEND's deeds.

use super::super::headers::Prefix;
use super::super::layout::{Piece, SENT, send};
use super::super::threads::Mcp;
use super::super::{stage, sums};
use super::{Context, cause};
use crate::engine::{Bytes, CapturedPacket, Class, Journey, NodeId};
use crate::fabric::{Label, Packet};
use crate::host::{Direction, InterruptVector};
use crate::ni::lanai::{HostJob, Landing, TransmitJob};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the sending direction.
#[derive(Default)]
pub(super) struct SendSide {
    /// Slots that were taken note of, and messages that have gone.
    looked: u64,
    gone: u32,
    /// What the host engine reads.
    reading: Option<Reading>,
    /// The message that is read, of which packets may follow.
    message: Rc<Message>,
    /// Packets in send buffers, oldest first.
    packets: VecDeque<Sending>,
    /// Whether the send engine has been started.
    sends: bool,
}

/// What packets of a message have in common.
#[derive(Default)]
struct Message {
    journey: Journey,
    /// A packet of it was dropped.
    lost: Cell<bool>,
}

/// A packet that the host engine reads.
struct Reading {
    pieces: VecDeque<Piece>,
    /// Where the next piece goes.
    into: u64,
}

/// A packet in a send buffer.
struct Sending {
    buffer: u8,
    packet: Rc<Packet>,
    message: Rc<Message>,
    landing: Rc<Landing>,
    /// Whether the interface fills its checksum in.
    sums: bool,
    /// It was dropped: what is left of it is not sent.
    lost: bool,
}

impl SendSide {
    /// Takes note of what the host has put into slots, and of what the engines have done.
    pub(super) fn look(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let sram = &context.chip.sram;
        let mut worked = false;
        while context.takes(context.layout.slot(self.looked) + send::STATE) {
            let length = sram.load_word(context.layout.slot(self.looked) + send::LENGTH);
            mcp.post(length, self.looked as u32);
            self.looked += 1;
            worked = true;
        }
        if let Some(landing) = self.landing().filter(|_| self.reading.is_some()) {
            let landed = landing.landed(context.chip.sim.now()).get() as u32;
            // A packet is not whole before its checksum is in it.
            let sums = self.packets.back().is_some_and(|packet| packet.sums);
            mcp.fetched(if sums { landed.min(landing.total().get() as u32 - 1) } else { landed });
        }
        if self.sends && context.chip.transmit.is_idle() {
            self.sends = false;
            self.notice_loss(context);
            mcp.send_done();
            worked = true;
        }
        worked
    }

    fn notice_loss(&mut self, context: &Context) {
        let Some(first) = self.packets.front_mut() else { return };
        if context.chip.transmit.was_dropped() && !first.lost {
            first.lost = true;
            context.tally.lose(&first.packet.journey);
            if !first.message.lost.replace(true) {
                context.pending.remove(first.packet.label().destination);
            }
        }
    }

    /// Has the host engine read a packet of a message, piece by piece.
    pub(super) async fn fetch(&mut self, context: &Context, id: u32, buffer: u8, (from, units): (u32, u32)) {
        let (sram, slot) = (&context.chip.sram, context.layout.slot(u64::from(id)));
        let prefix = context.parameters.prefix();
        let journey = match from {
            0 => context.instruments.sending.borrow_mut().pop_front().unwrap_or(Journey::NONE),
            _ => self.message.journey.of_another_packet(),
        };
        context.work_for(&journey, context.parameters.firmware.start).await;
        journey.close(stage::SEND_QUEUE, context.chip.sim.now());
        let told = sram.load_word(slot + send::PIECES);
        let piece = |index: u64| Piece {
            address: u64::from(sram.load_word(slot + send::LIST + 8 * index)),
            bytes: u64::from(sram.load_word(slot + send::LIST + 8 * index + 4)),
        };
        let list = (0..u64::from(told & !send::SUMS)).map(piece);
        let pieces = part_of(list, u64::from(from), u64::from(units));
        let destination = NodeId(sram.load_word(slot + send::NODE));
        let length = Bytes(prefix + u64::from(units));
        let (source, class) = (context.host.node, Class::REQUESTS);
        let label = Label { source, destination, class, length, needs_slot: false, ..Label::default() };
        if from == 0 {
            context.pending.add(destination);
            self.message = Rc::new(Message { journey: journey.clone(), lost: Cell::new(false) });
        }
        let at = context.layout.send_buffer(buffer);
        if prefix > 0 {
            let [total, ends] = [send::LENGTH, send::ENDS].map(|word| sram.load_word(slot + word));
            sram.store(at, &Prefix { key: (source.0, id), from, total, ends }.bytes());
        }
        let packet = Packet::new(label, journey);
        let (landing, sums) = (Rc::new(Landing::new(Bytes(u64::from(units)))), told & send::SUMS != 0);
        let message = self.message.clone();
        self.packets.push_back(Sending { buffer, packet, message, landing, sums, lost: false });
        self.reading = Some(Reading { pieces, into: at + prefix });
        self.read_on(context);
    }

    /// Starts the next piece's transfer; false if there is none.
    fn read_on(&mut self, context: &Context) -> bool {
        let Some(reading) = self.reading.as_mut() else { return false };
        let Some(piece) = reading.pieces.pop_front() else { return false };
        let into = self.packets.back().expect("what is read is in a buffer");
        context.chip.host_dma.begin(HostJob {
            direction: Direction::Read,
            host_address: piece.address,
            sram_address: reading.into,
            bytes: Bytes(piece.bytes),
            landing: Some(into.landing.clone()),
            journey: into.packet.journey.clone(),
            closes: reading.pieces.is_empty().then_some(stage::HOST_TX),
        });
        reading.into += piece.bytes;
        true
    }

    /// A piece has been read; true if that was the last of its packet.
    pub(super) async fn fetched(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        if self.reading.as_ref().is_some_and(|reading| !reading.pieces.is_empty()) {
            context.chip.work(context.parameters.firmware.piece).await;
            self.read_on(context);
            return false;
        }
        self.reading = None;
        let packet = self.packets.back().expect("what is read is in a buffer");
        if packet.sums {
            sums::fill_in(&context.chip.sram, context.layout.send_buffer(packet.buffer), packet.landing.total());
        }
        mcp.fetched(packet.landing.total().get() as u32);
        true
    }

    /// Whether the host engine reads for this direction.
    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// The progress of what is read.
    pub(super) fn landing(&self) -> Option<&Rc<Landing>> {
        self.packets.back().map(|packet| &packet.landing)
    }

    /// Has the send engine take a part of a packet; false if the packet was dropped.
    pub(super) async fn transmit(&mut self, context: &Context, buffer: u8, part: (u32, u32), last: bool) -> bool {
        let first = self.packets.front().expect("what is sent is in a buffer");
        debug_assert_eq!(first.buffer, buffer, "packets leave in order");
        context.work_for(&first.packet.journey, context.parameters.firmware.start).await;
        if first.lost {
            return false;
        }
        // What the firmware puts before a packet goes with its beginning.
        let prefix = context.parameters.prefix();
        let (behind, with) = if part.0 == 0 { (0, prefix) } else { (prefix, 0) };
        context.chip.transmit.begin(TransmitJob {
            packet: first.packet.clone(),
            sram_address: context.layout.send_buffer(buffer) + behind + u64::from(part.0),
            bytes: Bytes(with + u64::from(part.1)),
            last,
            closes: last.then_some(stage::NET_TX),
        });
        self.sends = true;
        true
    }

    /// The first packet has gone.
    pub(super) fn has_gone(&mut self, context: &Context) {
        let gone = self.packets.pop_front().expect("what has gone was in a buffer");
        if context.parameters.sends_ip() && !gone.lost {
            let (node, at) = (context.host.node, context.chip.sim.now());
            context.chip.sim.recorder().packet(|| CapturedPacket { node, at, bytes: gone.packet.bytes().to_vec() });
        }
    }

    /// A message has gone: the host is told.
    pub(super) async fn complete(&mut self, context: &Context) {
        context.chip.work(context.parameters.firmware.notify).await;
        self.gone = self.gone.wrapping_add(1);
        context.chip.sram.store_word(SENT, self.gone);
        if context.parameters.sends_ip() {
            context.host.interrupts().raise(InterruptVector::FIRST, cause::SENT);
        }
    }
}

/// The pieces of a part of what a list names.
fn part_of(list: impl Iterator<Item = Piece>, from: u64, bytes: u64) -> VecDeque<Piece> {
    let mut at = 0;
    let cut = list.filter_map(|piece| {
        let (start, end) = (at, at + piece.bytes);
        at = end;
        let (first, last) = (start.max(from), end.min(from + bytes));
        (first < last).then(|| Piece { address: piece.address + (first - start), bytes: last - first })
    });
    cut.collect()
}
