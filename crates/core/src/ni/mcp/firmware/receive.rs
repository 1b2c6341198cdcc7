//! The receive path of the firmware, from the link to a buffer of the host: RECV's and RDMA's commands.
//!
//! RECV posts its engine ahead of the packet, whose length is known only when its tail arrives. If the host copies, a
//! packet goes unchanged into the next posted buffer. With zero copy its headers go to a header slot of the kernel and
//! its data to the program's buffer: the first fragment of a datagram to arrive takes a posted buffer, and the other
//! fragments go to the same buffer.

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

/// The number of bytes of a packet from which the firmware can read all of its headers.
const HEADERS_MAX: usize = HEADER_PLACE as usize;

/// The state of the receiving direction.
#[derive(Default)]
pub(super) struct ReceiveSide {
    /// Number of receive-buffer descriptors read so far.
    looked: u64,
    /// Posted buffers that no packet has taken.
    posted: VecDeque<u32>,
    /// Number of announced packets, the source of their identifiers.
    came: u32,
    /// Number of events written for the host.
    told: u64,
    /// Whether the next packet has been announced to RECV.
    announced: bool,
    /// Packets in receive buffers, oldest first.
    packets: VecDeque<Receiving>,
    /// Whether the receive engine has been started.
    receives: bool,
    /// The writes that the host engine still has to do for the current command.
    writing: Option<VecDeque<Writing>>,
    /// Incomplete datagrams and messages of several packets, with their buffers.
    gathering: Vec<Gathered>,
}

/// One write of the host engine.
struct Writing {
    sram_address: u64,
    piece: Piece,
    /// Whether the piece is the event that notifies the host of a complete message.
    tells: bool,
}

/// A datagram or message of several packets that is being received.
struct Gathered {
    whose: Whose,
    buffer: u32,
    /// Units of it that are in host memory.
    there: u32,
    /// Whether one of its packets was dropped.
    lost: bool,
}

/// The datagram or message that a packet is part of.
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
    /// The prefix of a packet that is part of a library's message.
    prefix: Option<Prefix>,
}

impl ReceiveSide {
    /// Reads newly posted buffers and the state of the receive engine; returns whether there was any work.
    pub(super) fn look(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let sram = &context.chip.sram;
        let mut worked = false;
        while context.takes(context.layout.post(self.looked) + post::STATE) {
            let buffer = sram.load_word(context.layout.post(self.looked) + post::BUFFER);
            // The message that used this buffer has been read by the program, or has been discarded.
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

    /// Returns the number of units of the arriving packet that must land before its receive buffer can be determined,
    /// or `None` if the buffer is known or enough has landed.
    pub(super) fn awaits_headers(&self, now: Time) -> Option<u32> {
        let last = self.packets.back().filter(|last| last.place.is_none() && last.packet.is_none())?;
        (last.landing.landed(now).len() < HEADERS_MAX).then_some(HEADERS_MAX as u32)
    }

    /// Assigns receive buffers, in order, to the packets whose headers have landed: RDMA may begin with a packet once
    /// it has a buffer. Returns whether any was assigned.
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

    /// Posts a transfer on the receive engine.
    pub(super) async fn post(&mut self, context: &Context, buffer: u8) {
        context.chip.work(context.parameters.firmware.start).await;
        let landing = Rc::new(Landing::new(context.parameters.mtu));
        let sram_address = context.layout.receive_buffer(buffer);
        context.chip.receive.begin(ReceiveJob { sram_address, landing: landing.clone(), closes: Some(stage::NETWORK) });
        self.packets.push_back(Receiving { buffer, landing, packet: None, lost: false, place: None, prefix: None });
        self.receives = true;
    }

    /// Starts the host engine's writes of a part of the first packet; returns `false` if there is nothing to write.
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
        // The bytes that are not written to the host precede those that are.
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

    /// Returns where a packet with the first bytes `head` goes, and its message prefix; `None` while no buffer is
    /// posted for it.
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

    /// Returns the buffer of a datagram or message: the one that its earlier packets took, or else the next posted one.
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

    /// Writes the event of a message that the last packet completes, and returns the host write that puts it where the
    /// message's library polls.
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
        // The host may read the event before the firmware has noticed the end of the write.
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

    /// Handles the end of a host write; returns whether it was the last one of RDMA's command.
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

    /// Returns the progress counter of the newest packet.
    pub(super) fn landing(&self) -> Option<&Rc<Landing>> {
        self.packets.back().map(|packet| &packet.landing)
    }

    /// Notifies the host of the first packet, which is in host memory.
    pub(super) async fn tell(&mut self, context: &Context, units: u32) {
        let first = self.packets.pop_front().expect("what was delivered was in a buffer");
        let packet = first.packet.expect("a packet has ended");
        context.work_for(&packet.journey, context.parameters.firmware.notify).await;
        if let Some(prefix) = first.prefix {
            return self.has_part(prefix, units, first.lost);
        }
        let place = first.place.expect("what was delivered had a place");
        if let Users::Library(_) = context.parameters.users {
            // The packet was dropped before its prefix arrived.
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

    /// Counts a packet of a message that is in host memory, or was dropped.
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

    /// Posts again the buffers of incomplete messages from `node` with a dropped packet: since its next message begins,
    /// no more of their packets will arrive.
    fn forget_lost(&mut self, node: u32) {
        let is_over = |of: &Gathered| of.lost && matches!(of.whose, Whose::Message((from, _)) if from == node);
        while let Some(over) = self.gathering.iter().position(is_over) {
            self.posted.push_back(self.gathering.swap_remove(over).buffer);
        }
    }
}

/// Writes an event for the host: the words after the state first, the state last.
fn write_event(sram: &Sram, at: u64, words: [u32; 3]) {
    (1..).zip(words).for_each(|(index, word)| sram.store_word(at + 4 * index, word));
    sram.store_word(at + event::STATE, state::FILLED);
}
