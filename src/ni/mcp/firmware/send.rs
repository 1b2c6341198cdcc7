//! From a send slot to the link: SDMA's and SEND's deeds.

use super::super::headers::MESSAGE;
use super::super::layout::{Piece, SENT, send, state};
use super::super::parameters::Users;
use super::super::threads::Mcp;
use super::super::{stage, sums};
use super::{Context, HostWork, cause};
use crate::engine::{Bytes, Class, Head, Journey, NodeId, Passed};
use crate::fabric::{Label, Packet};
use crate::host::Direction;
use crate::ni::lanai::{HostJob, Landing, Sram, TransmitJob};
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
    /// The way of the message that is read, of which packets may follow.
    message: Journey,
    /// Packets in send buffers, oldest first.
    packets: VecDeque<Sending>,
    /// Whether the send engine has been started.
    sends: bool,
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
        loop {
            let slot = context.layout.slot(self.looked);
            if sram.load_word(slot + send::STATE) != state::FILLED {
                break;
            }
            sram.store_word(slot + send::STATE, state::FREE);
            mcp.post(sram.load_word(slot + send::LENGTH), self.looked as u32);
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
            context.pending.remove(first.packet.label().destination);
        }
    }

    /// Has the host engine read a packet of a message, piece by piece.
    pub(super) async fn fetch(&mut self, context: &Context, id: u32, buffer: u8, (from, units): (u32, u32)) {
        let (sram, slot) = (&context.chip.sram, context.layout.slot(u64::from(id)));
        let prefix = context.parameters.prefix();
        let journey = match from {
            0 => context.instruments.sending.borrow_mut().pop_front().unwrap_or(Journey::NONE),
            _ => self.message.of_another_packet(),
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
        let label = Label { source, destination, class, length, takes_place: false, head: Head::default() };
        if from == 0 {
            context.pending.add(destination);
            self.message = journey.clone();
        }
        let at = context.layout.send_buffer(buffer);
        if prefix > 0 {
            let total = sram.load_word(slot + send::LENGTH);
            write_prefix(sram, at, [source.0, id, from, total, sram.load_word(slot + send::ENDS)]);
        }
        let packet = Packet::new(label, journey);
        let (landing, sums) = (Rc::new(Landing::new(Bytes(u64::from(units)))), told & send::SUMS != 0);
        self.packets.push_back(Sending { buffer, packet, landing, sums, lost: false });
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

    /// What the host engine does for this direction.
    pub(super) fn host_work(&self) -> HostWork {
        if self.reading.is_some() { HostWork::Reads } else { HostWork::Nothing }
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
        if matches!(context.parameters.users, Users::Kernel(_)) && !gone.lost {
            let (node, at) = (context.host.node, context.chip.sim.now());
            context.chip.sim.recorder().packet(|| Passed { node, at, bytes: gone.packet.bytes().to_vec() });
        }
    }

    /// A message has gone: the host is told.
    pub(super) async fn complete(&mut self, context: &Context) {
        context.chip.work(context.parameters.firmware.tell).await;
        self.gone = self.gone.wrapping_add(1);
        context.chip.sram.store_word(SENT, self.gone);
        if matches!(context.parameters.users, Users::Kernel(_)) {
            context.host.interrupt().raise(cause::SENT);
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

/// What the firmware puts before a packet: what it is, and these words.
fn write_prefix(sram: &Sram, at: u64, words: [u32; 5]) {
    sram.store_word(at, MESSAGE);
    (1..).zip(words).for_each(|(index, word)| sram.store_word(at + 4 * index, word));
}
