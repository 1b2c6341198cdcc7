//! From the link to a buffer of the host: RECV's and RDMA's deeds.
//!
//! RECV posts its engine ahead of the packet, whose length shows when its end comes. Where the host
//! copies, a packet goes as it is into the next buffer that was posted. Where it does not, its headers go
//! to a place of the kernel's and its data to where the program wants it: a buffer is taken with the first
//! fragment of a datagram that comes, and its other fragments find it.

use super::super::buffers::{HEADER_PLACE, Place};
use super::super::headers::{Headers, Prefix};
use super::super::layout::{Piece, event, post, state};
use super::super::parameters::{PREFIX, Users};
use super::super::threads::Mcp;
use super::super::{stage, sums};
use super::{Context, cause};
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{Direction, InterruptVector};
use crate::ni::lanai::{HostJob, Landing, ReceiveJob, Sram};
use crate::protocol::udp_ip::{DatagramKey, Sum};
use std::collections::VecDeque;
use std::rc::Rc;

/// The most bytes of a packet's headers.
const HEADERS_MAX: usize = HEADER_PLACE as usize;

/// The state of the receiving direction.
#[derive(Default)]
pub(super) struct ReceiveSide {
    /// Descriptors of buffers that were taken note of.
    looked: u64,
    /// Buffers posted and not taken.
    posted: VecDeque<u32>,
    /// Packets that came, for their names.
    came: u32,
    /// What the host was told.
    told: u64,
    /// Whether a packet's head was announced to RECV.
    announced: bool,
    /// Packets in receive buffers, oldest first.
    packets: VecDeque<Receiving>,
    /// Whether the receive engine has been started.
    receives: bool,
    /// What the host engine writes.
    writing: Option<VecDeque<Writing>>,
    /// What is in several packets of which some are yet to come, and the buffers they go to.
    gathering: Vec<Gathered>,
}

/// What the host engine writes at once.
struct Writing {
    sram_address: u64,
    piece: Piece,
    /// Whether it tells the host of a message, all of which is there with it.
    tells: bool,
}

/// What is in several packets.
struct Gathered {
    whose: Whose,
    buffer: u32,
    /// How much of it is with the host.
    there: u32,
    /// A packet of it was dropped.
    lost: bool,
}

/// What a packet is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Datagram(DatagramKey),
    Message((u32, u32)),
}

/// A packet in a receive buffer.
struct Receiving {
    buffer: u8,
    landing: Rc<Landing>,
    packet: Option<Rc<Packet>>,
    lost: bool,
    place: Option<Place>,
    /// What it says of its message, if it is of one.
    prefix: Option<Prefix>,
}

impl ReceiveSide {
    /// Takes note of buffers that the host has posted, and of what the receive engine has done.
    pub(super) fn look(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let sram = &context.chip.sram;
        let mut worked = false;
        while context.takes(context.layout.post(self.looked) + post::STATE) {
            let buffer = sram.load_word(context.layout.post(self.looked) + post::BUFFER);
            // What it was taken for is with the program, or was given up.
            self.gathering.retain(|of| of.buffer != buffer);
            self.posted.push_back(buffer);
            self.looked += 1;
            worked = true;
        }
        if !self.announced {
            mcp.comes(self.came);
            self.came = self.came.wrapping_add(1);
            self.announced = true;
            worked = true;
        }
        worked |= self.look_at_engine(context, mcp);
        worked | self.find_places(context, mcp)
    }

    /// How much of the packet that comes must have landed for its place to be found, if it has none and not so
    /// much has.
    pub(super) fn awaits_headers(&self, now: Time) -> Option<u32> {
        let last = self.packets.back().filter(|last| last.place.is_none() && last.packet.is_none())?;
        (last.landing.landed(now).len() < HEADERS_MAX).then_some(HEADERS_MAX as u32)
    }

    /// Finds the places of packets of which enough is there to know whose they are, in order: RDMA may begin
    /// with one that has its place.
    fn find_places(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let mut found = false;
        while let Some(at) = self.packets.iter().position(|packet| packet.place.is_none()) {
            let packet = &self.packets[at];
            let landed = packet.landing.landed(context.chip.sim.now()).len();
            if landed < HEADERS_MAX && packet.packet.is_none() {
                break;
            }
            let mut head = [0; HEADERS_MAX];
            let head = &mut head[..landed.min(HEADERS_MAX)];
            context.chip.sram.load(context.layout.receive_buffer(packet.buffer), head);
            let Some((place, prefix)) = self.find_place(context, head) else { break };
            (self.packets[at].place, self.packets[at].prefix) = (Some(place), prefix);
            mcp.posted_receive(1);
            found = true;
        }
        found
    }

    fn look_at_engine(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let Some(last) = self.packets.back_mut().filter(|_| self.receives) else { return false };
        if !context.chip.receive.is_idle() {
            mcp.received(last.landing.landed(context.chip.sim.now()).get() as u32, false);
            return false;
        }
        last.lost = context.chip.receive.take_dropped().is_some();
        last.packet = context.chip.receive.packet();
        mcp.received(last.landing.landed(context.chip.sim.now()).get() as u32, true);
        mcp.receive_done();
        (self.receives, self.announced) = (false, false);
        true
    }

    /// Posts the receive engine.
    pub(super) async fn post(&mut self, context: &Context, buffer: u8) {
        context.chip.work(context.parameters.firmware.start).await;
        let landing = Rc::new(Landing::new(context.parameters.mtu));
        let sram_address = context.layout.receive_buffer(buffer);
        context.chip.receive.begin(ReceiveJob { sram_address, landing: landing.clone(), closes: Some(stage::NETWORK) });
        self.packets.push_back(Receiving { buffer, landing, packet: None, lost: false, place: None, prefix: None });
        self.receives = true;
    }

    /// Has the host engine write a part of the first packet; false if there is nothing to write.
    pub(super) async fn deliver(&mut self, context: &Context, buffer: u8, (from, units): (u32, u32)) -> bool {
        context.chip.work(context.parameters.firmware.start).await;
        if from == 0 {
            context.chip.work(context.parameters.firmware.header).await;
        }
        let first = self.packets.front().expect("what is delivered is in a buffer");
        debug_assert_eq!(first.buffer, buffer, "packets are delivered in order");
        let place = first.place.as_ref().expect("it has a place");
        let (from, end) = (u64::from(from), u64::from(from + units));
        let list = context.places.pieces(place, from..end);
        // What nobody reads stands before the rest.
        let sram = context.layout.receive_buffer(buffer);
        let mut at = sram + end - list.iter().map(|piece| piece.bytes).sum::<u64>();
        let mut pieces = VecDeque::new();
        for piece in list {
            pieces.push_back(Writing { sram_address: at, piece, tells: false });
            at += piece.bytes;
        }
        pieces.extend(self.tell_of_message(context, units));
        self.writing = Some(pieces);
        self.write_on(context) || {
            self.writing = None;
            false
        }
    }

    /// Where a packet that begins so goes, and what it says of its message; nothing while no buffer is posted
    /// for it.
    fn find_place(&mut self, context: &Context, head: &[u8]) -> Option<(Place, Option<Prefix>)> {
        if let (Users::Library(_), Some(prefix)) = (context.parameters.users, Prefix::of(head)) {
            let buffer = self.buffer_of(Whose::Message(prefix.key), true)?;
            return Some((Place::of_message(buffer, prefix.key.0, u64::from(prefix.from)), Some(prefix)));
        }
        let headers = Headers::of(head).filter(|_| context.parameters.remedies.zero_copy);
        let Some(headers) = headers else { return Some((Place::whole(self.posted.pop_front()?), None)) };
        let buffer = self.buffer_of(Whose::Datagram(headers.key), headers.is_fragment())?;
        Some((context.places.of_fragment(buffer, &headers), None))
    }

    /// The buffer of what a packet is part of: that of the packets before, or the next that was posted.
    fn buffer_of(&mut self, whose: Whose, several: bool) -> Option<u32> {
        if let Some(found) = self.gathering.iter().find(|of| of.whose == whose) {
            return Some(found.buffer);
        }
        if let Whose::Message((node, _)) = whose {
            self.forget_lost(node);
        }
        let buffer = self.posted.pop_front()?;
        if several {
            self.gathering.push(Gathered { whose, buffer, there: 0, lost: false });
        }
        Some(buffer)
    }

    /// With a message's last packet goes what tells the host of it, to where its library looks.
    fn tell_of_message(&mut self, context: &Context, units: u32) -> Option<Writing> {
        let first = self.packets.front().filter(|first| !first.lost)?;
        let (prefix, place) = (first.prefix?, first.place?);
        let whose = Whose::Message(prefix.key);
        let message = self.gathering.iter().find(|of| of.whose == whose).filter(|of| !of.lost)?;
        if message.there + units.saturating_sub(PREFIX as u32) != prefix.total {
            return None;
        }
        let at = context.layout.event(self.told);
        write_event(&context.chip.sram, at, [place.told(), prefix.total, prefix.ends]);
        // The host may see it before the firmware knows that it is there.
        let journey = first.packet.as_ref().map(|packet| packet.journey.clone());
        context.instruments.received.borrow_mut().push_back(journey.unwrap_or_default());
        self.told += 1;
        let piece = Piece { address: context.places.told(self.told - 1), bytes: event::BYTES };
        Some(Writing { sram_address: at, piece, tells: true })
    }

    fn write_on(&mut self, context: &Context) -> bool {
        let next = self.writing.as_mut().and_then(VecDeque::pop_front);
        let Some(Writing { sram_address, piece, tells }) = next else { return false };
        let first = self.packets.front().expect("what is delivered is in a buffer");
        let journey = first.packet.clone().or_else(|| context.chip.receive.packet()).map(|p| p.journey.clone());
        context.chip.host_dma.begin(HostJob {
            direction: Direction::Write,
            host_address: piece.address,
            sram_address,
            bytes: Bytes(piece.bytes),
            landing: None,
            journey: journey.unwrap_or_default(),
            closes: tells.then_some(stage::HOST_RCV),
        });
        true
    }

    /// A piece has been written; true if that was the last of what RDMA asked for.
    pub(super) async fn delivered(&mut self, context: &Context) -> bool {
        if self.writing.as_ref().is_some_and(|pieces| !pieces.is_empty()) {
            context.chip.work(context.parameters.firmware.piece).await;
            self.write_on(context);
            return false;
        }
        self.writing = None;
        true
    }

    /// Whether the host engine writes for this direction.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// The progress of what comes.
    pub(super) fn landing(&self) -> Option<&Rc<Landing>> {
        self.packets.back().map(|packet| &packet.landing)
    }

    /// The first packet is with the host, which is told.
    pub(super) async fn tell(&mut self, context: &Context, units: u32) {
        let first = self.packets.pop_front().expect("what was delivered was in a buffer");
        let packet = first.packet.expect("a packet has ended");
        context.work_for(&packet.journey, context.parameters.firmware.notify).await;
        if let Some(prefix) = first.prefix {
            return self.has_part(prefix, units, first.lost);
        }
        let place = first.place.expect("what was delivered had a place");
        if let Users::Library(_) = context.parameters.users {
            // It was dropped before it said whose it is.
            return self.posted.push_back(place.buffer());
        }
        let sram = &context.chip.sram;
        let sum = match context.parameters.remedies.checksum_offload {
            true => sums::of_payload(sram, context.layout.receive_buffer(first.buffer), Bytes(u64::from(units))),
            false => Sum::ZERO,
        };
        let length = units | if first.lost { event::LOST } else { 0 };
        write_event(sram, context.layout.event(self.told), [place.told(), length, u32::from(sum.word())]);
        packet.journey.close(stage::HOST_RCV, context.chip.sim.now());
        self.told += 1;
        context.instruments.received.borrow_mut().push_back(packet.journey.clone());
        context.host.interrupts().raise(InterruptVector::FIRST, cause::RECEIVED);
    }

    /// So much more of a message is with the host, or was dropped.
    fn has_part(&mut self, prefix: Prefix, units: u32, lost: bool) {
        let whose = Whose::Message(prefix.key);
        let Some(found) = self.gathering.iter().position(|of| of.whose == whose) else { return };
        let message = &mut self.gathering[found];
        message.there += units.saturating_sub(PREFIX as u32);
        message.lost |= lost;
        if message.there == prefix.total && !message.lost {
            self.gathering.swap_remove(found);
        }
    }

    /// A node's next message begins: of one of its before, of which some was dropped, no more will come.
    fn forget_lost(&mut self, node: u32) {
        let is_over = |of: &Gathered| of.lost && matches!(of.whose, Whose::Message((from, _)) if from == node);
        while let Some(over) = self.gathering.iter().position(is_over) {
            self.posted.push_back(self.gathering.swap_remove(over).buffer);
        }
    }
}

/// What the host is told, its words after the state first, the state last.
fn write_event(sram: &Sram, at: u64, words: [u32; 3]) {
    (1..).zip(words).for_each(|(index, word)| sram.store_word(at + 4 * index, word));
    sram.store_word(at + event::STATE, state::FILLED);
}
