//! The receive path of the firmware, from the link to a buffer of the host: the commands of the threads RECV and RDMA.
//!
//! RECV posts its engine ahead of the packet, whose length is known only when its tail arrives. If the host copies, a
//! packet goes unchanged into the next posted buffer. With zero copy, a packet's headers go to a header slot of the
//! kernel, and its data to the program's buffer. The first fragment of a datagram that arrives takes a posted buffer,
//! and the other fragments go to the same buffer.

use super::super::buffers::{HEADER_SLOT_BYTES, RxDestination};
use super::super::headers::{Headers, Prefix};
use super::super::layout::{Piece, buffer_descriptor, event, state};
use super::super::parameters::{PREFIX_BYTES, Software};
use super::super::threads::Mcp;
use super::super::{checksums, stage};
use super::{Context, cause};
use crate::engine::{Bytes, Time};
use crate::fabric::Packet;
use crate::host::{Direction, InterruptVector};
use crate::ni::lanai::{HostJob, ReceiveJob, Sram, TransferProgress};
use crate::protocol::udp_ip::{DatagramKey, Sum};
use std::collections::VecDeque;
use std::rc::Rc;

/// The number of bytes of a packet from which the firmware can read all of its headers.
const HEADERS_MAX: usize = HEADER_SLOT_BYTES as usize;

/// The state of the receiving direction.
#[derive(Default)]
pub(super) struct ReceiveSide {
    /// Number of receive-buffer descriptors read so far.
    descriptors_read: u64,
    /// Posted buffers that no packet has taken.
    posted_buffers: VecDeque<u32>,
    /// Number of announced packets, the source of their identifiers.
    next_id: u32,
    /// Number of events written for the host.
    events_written: u64,
    /// Whether the next packet has been announced to RECV.
    is_announced: bool,
    /// Packets in receive buffers, oldest first.
    packets: VecDeque<BufferedPacket>,
    /// Whether the receive engine has been started.
    is_receiving: bool,
    /// The writes that the host engine has still to make for the present command.
    pending_writes: Option<VecDeque<HostWrite>>,
    /// Incomplete datagrams and messages of several packets, with their buffers.
    reassemblies: Vec<Reassembly>,
}

/// One write of the host engine.
struct HostWrite {
    sram_address: u64,
    piece: Piece,
    /// Whether the write is the event that notifies the host of a complete message.
    is_event: bool,
}

/// A datagram or message of several packets that is being received.
struct Reassembly {
    key: ReassemblyKey,
    buffer: u32,
    /// Number of units (bytes) of the datagram or message that are in host memory.
    received_units: u32,
    /// Whether a packet of the datagram or message was dropped.
    is_lost: bool,
}

/// The datagram or message that a packet is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReassemblyKey {
    Datagram(DatagramKey),
    Message((u32, u32)),
}

/// A packet in a receive buffer.
struct BufferedPacket {
    buffer: u8,
    progress: Rc<TransferProgress>,
    packet: Option<Rc<Packet>>,
    is_lost: bool,
    destination: Option<RxDestination>,
    /// The prefix of a packet that is part of a library's message.
    prefix: Option<Prefix>,
}

impl ReceiveSide {
    /// Reads newly posted buffers and the state of the receive engine; returns whether there was any work.
    pub(super) fn poll(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let sram = &context.chip.sram;
        let mut has_worked = false;
        while context
            .take_filled_slot(context.layout.descriptor_address(self.descriptors_read) + buffer_descriptor::STATE)
        {
            let buffer =
                sram.load_word(context.layout.descriptor_address(self.descriptors_read) + buffer_descriptor::BUFFER);
            // The program has read the message that used this buffer, or the message was discarded.
            self.reassemblies.retain(|entry| entry.buffer != buffer);
            self.posted_buffers.push_back(buffer);
            self.descriptors_read += 1;
            has_worked = true;
        }
        if !self.is_announced {
            mcp.announce(self.next_id);
            self.next_id = self.next_id.wrapping_add(1);
            self.is_announced = true;
            has_worked = true;
        }
        has_worked |= self.poll_engine(context, mcp);
        has_worked | self.assign_destinations(context, mcp)
    }

    /// Returns the number of units of the arriving packet that must land before its receive buffer can be determined,
    /// or `None` if the buffer is known or enough has landed.
    pub(super) fn headers_missing(&self, now: Time) -> Option<u32> {
        let newest = self.packets.back().filter(|packet| packet.destination.is_none() && packet.packet.is_none())?;
        (newest.progress.landed(now).len() < HEADERS_MAX).then_some(HEADERS_MAX as u32)
    }

    /// Assigns receive buffers, in order, to the packets whose headers have landed: RDMA may begin with a packet once
    /// it has a buffer. Returns whether any was assigned.
    fn assign_destinations(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let mut has_assigned = false;
        while let Some(index) = self.packets.iter().position(|packet| packet.destination.is_none()) {
            let packet = &self.packets[index];
            let landed_units = packet.progress.landed(context.chip.sim.now()).len();
            if landed_units < HEADERS_MAX && packet.packet.is_none() {
                break;
            }
            let mut head = [0; HEADERS_MAX];
            let head = &mut head[..landed_units.min(HEADERS_MAX)];
            context.chip.sram.load(context.layout.receive_buffer_address(packet.buffer), head);
            let Some((destination, prefix)) = self.choose_destination(context, head) else { break };
            (self.packets[index].destination, self.packets[index].prefix) = (Some(destination), prefix);
            mcp.add_host_buffers(1);
            has_assigned = true;
        }
        has_assigned
    }

    fn poll_engine(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let Some(newest) = self.packets.back_mut().filter(|_| self.is_receiving) else { return false };
        if !context.chip.receive.is_idle() {
            mcp.report_received(newest.progress.landed(context.chip.sim.now()).get() as u32, false);
            return false;
        }
        newest.is_lost = context.chip.receive.take_dropped().is_some();
        newest.packet = context.chip.receive.packet();
        mcp.report_received(newest.progress.landed(context.chip.sim.now()).get() as u32, true);
        mcp.report_receive_done();
        (self.is_receiving, self.is_announced) = (false, false);
        true
    }

    /// Posts a transfer on the receive engine.
    pub(super) async fn post(&mut self, context: &Context, buffer: u8) {
        context.chip.work(context.parameters.firmware.start).await;
        let progress = Rc::new(TransferProgress::new(context.parameters.mtu));
        let sram_address = context.layout.receive_buffer_address(buffer);
        context.chip.receive.begin(ReceiveJob {
            sram_address,
            progress: progress.clone(),
            closed_stage: Some(stage::NETWORK),
        });
        self.packets.push_back(BufferedPacket {
            buffer,
            progress,
            packet: None,
            is_lost: false,
            destination: None,
            prefix: None,
        });
        self.is_receiving = true;
    }

    /// Starts the host engine's writes of a part of the first packet. Returns `false` if there is nothing to write.
    pub(super) async fn deliver(&mut self, context: &Context, buffer: u8, (from, units): (u32, u32)) -> bool {
        context.chip.work(context.parameters.firmware.start).await;
        if from == 0 {
            context.chip.work(context.parameters.firmware.header).await;
        }
        let first = self.packets.front().expect("a delivered packet is in a buffer");
        debug_assert_eq!(first.buffer, buffer, "packets are delivered in order");
        let destination = first.destination.as_ref().expect("a delivered packet has a destination");
        let (from, end) = (u64::from(from), u64::from(from + units));
        let scatter_list = context.buffers.pieces(destination, from..end);
        // Bytes that are not written to the host come first in the buffer.
        let buffer_address = context.layout.receive_buffer_address(buffer);
        let mut at = buffer_address + end - scatter_list.iter().map(|piece| piece.bytes).sum::<u64>();
        let mut writes = VecDeque::new();
        for piece in scatter_list {
            writes.push_back(HostWrite { sram_address: at, piece, is_event: false });
            at += piece.bytes;
        }
        writes.extend(self.write_message_event(context, units));
        self.pending_writes = Some(writes);
        self.start_next_write(context) || {
            self.pending_writes = None;
            false
        }
    }

    /// Returns the destination of a packet that begins with the bytes `head`, and its message prefix; `None` if no
    /// buffer is posted for the packet.
    fn choose_destination(&mut self, context: &Context, head: &[u8]) -> Option<(RxDestination, Option<Prefix>)> {
        if let (Software::Library(_), Some(prefix)) = (context.parameters.software, Prefix::parse(head)) {
            let buffer = self.take_buffer_for(ReassemblyKey::Message(prefix.key), true)?;
            return Some((RxDestination::for_message(buffer, prefix.key.0, u64::from(prefix.offset)), Some(prefix)));
        }
        let headers = Headers::parse(head).filter(|_| context.parameters.offloads.zero_copy);
        let Some(headers) = headers else {
            return Some((RxDestination::unsplit(self.posted_buffers.pop_front()?), None));
        };
        let buffer = self.take_buffer_for(ReassemblyKey::Datagram(headers.key), headers.is_fragment())?;
        Some((context.buffers.for_fragment(buffer, &headers), None))
    }

    /// Returns the buffer of a datagram or message: the one that its earlier packets took, or otherwise the next posted
    /// one.
    fn take_buffer_for(&mut self, key: ReassemblyKey, is_part: bool) -> Option<u32> {
        if let Some(reassembly) = self.reassemblies.iter().find(|entry| entry.key == key) {
            return Some(reassembly.buffer);
        }
        if let ReassemblyKey::Message((node, _)) = key {
            self.repost_lost(node);
        }
        let buffer = self.posted_buffers.pop_front()?;
        if is_part {
            self.reassemblies.push(Reassembly { key, buffer, received_units: 0, is_lost: false });
        }
        Some(buffer)
    }

    /// Writes the event of a message if the first buffered packet, whose last `units` are being delivered, completes
    /// it. Returns the host write that copies the event to the ring that the library polls.
    fn write_message_event(&mut self, context: &Context, units: u32) -> Option<HostWrite> {
        let first = self.packets.front().filter(|first| !first.is_lost)?;
        let (prefix, destination) = (first.prefix?, first.destination?);
        let key = ReassemblyKey::Message(prefix.key);
        let message = self.reassemblies.iter().find(|entry| entry.key == key).filter(|entry| !entry.is_lost)?;
        if message.received_units + units.saturating_sub(PREFIX_BYTES as u32) != prefix.message_bytes {
            return None;
        }
        let at = context.layout.event_address(self.events_written);
        write_event(&context.chip.sram, at, [destination.event_word(), prefix.message_bytes, prefix.endpoints]);
        // The host may read the event before the firmware notices the end of the write.
        let journey = first.packet.as_ref().map(|packet| packet.journey.clone());
        context.instruments.received_journeys.borrow_mut().push_back(journey.unwrap_or_default());
        self.events_written += 1;
        let piece = Piece { address: context.buffers.event_address(self.events_written - 1), bytes: event::BYTES };
        Some(HostWrite { sram_address: at, piece, is_event: true })
    }

    fn start_next_write(&mut self, context: &Context) -> bool {
        let next = self.pending_writes.as_mut().and_then(VecDeque::pop_front);
        let Some(HostWrite { sram_address, piece, is_event }) = next else { return false };
        let first = self.packets.front().expect("a delivered packet is in a buffer");
        let journey =
            first.packet.clone().or_else(|| context.chip.receive.packet()).map(|packet| packet.journey.clone());
        context.chip.host_dma.begin(HostJob {
            direction: Direction::Write,
            host_address: piece.address,
            sram_address,
            bytes: Bytes(piece.bytes),
            progress: None,
            journey: journey.unwrap_or_default(),
            closed_stage: is_event.then_some(stage::HOST_RCV),
        });
        true
    }

    /// Handles the end of a host write; returns whether it was the last one of the present command of the thread RDMA.
    pub(super) async fn write_done(&mut self, context: &Context) -> bool {
        if self.pending_writes.as_ref().is_some_and(|writes| !writes.is_empty()) {
            context.chip.work(context.parameters.firmware.piece).await;
            self.start_next_write(context);
            return false;
        }
        self.pending_writes = None;
        true
    }

    /// Returns whether the host engine writes for the receiving direction.
    pub(super) fn is_writing(&self) -> bool {
        self.pending_writes.is_some()
    }

    /// Returns the progress counter of the newest packet.
    pub(super) fn progress(&self) -> Option<&Rc<TransferProgress>> {
        self.packets.back().map(|packet| &packet.progress)
    }

    /// Notifies the host of the first packet, which is in host memory now.
    pub(super) async fn notify_host(&mut self, context: &Context, units: u32) {
        let first = self.packets.pop_front().expect("a delivered packet is in a buffer");
        let packet = first.packet.expect("the packet's tail has arrived");
        context.work_for(&packet.journey, context.parameters.firmware.notify).await;
        if let Some(prefix) = first.prefix {
            return self.count_packet(prefix, units, first.is_lost);
        }
        let destination = first.destination.expect("a delivered packet has a destination");
        if let Software::Library(_) = context.parameters.software {
            // The packet was dropped before its prefix arrived.
            return self.posted_buffers.push_back(destination.buffer());
        }
        let sram = &context.chip.sram;
        let sum = match context.parameters.offloads.checksum_offload {
            true => checksums::payload_checksum(
                sram,
                context.layout.receive_buffer_address(first.buffer),
                Bytes(u64::from(units)),
            ),
            false => Sum::ZERO,
        };
        let length = units | if first.is_lost { event::DROPPED_FLAG } else { 0 };
        write_event(
            sram,
            context.layout.event_address(self.events_written),
            [destination.event_word(), length, u32::from(sum.word())],
        );
        packet.journey.close(stage::HOST_RCV, context.chip.sim.now());
        self.events_written += 1;
        context.instruments.received_journeys.borrow_mut().push_back(packet.journey.clone());
        context.host.interrupts().raise(InterruptVector::FIRST, cause::RECEIVED);
    }

    /// Counts a packet of a message, once the packet is in host memory or was dropped.
    fn count_packet(&mut self, prefix: Prefix, units: u32, is_lost: bool) {
        let key = ReassemblyKey::Message(prefix.key);
        let Some(index) = self.reassemblies.iter().position(|entry| entry.key == key) else { return };
        let message = &mut self.reassemblies[index];
        message.received_units += units.saturating_sub(PREFIX_BYTES as u32);
        message.is_lost |= is_lost;
        if message.received_units == prefix.message_bytes && !message.is_lost {
            self.reassemblies.swap_remove(index);
        }
    }

    /// Reposts the buffers of messages from `node` that have lost a packet. No more packets of such a message will
    /// arrive, since the node's next message has begun.
    fn repost_lost(&mut self, node: u32) {
        let is_abandoned = |entry: &Reassembly| {
            entry.is_lost && matches!(entry.key, ReassemblyKey::Message((from, _)) if from == node)
        };
        while let Some(abandoned) = self.reassemblies.iter().position(is_abandoned) {
            self.posted_buffers.push_back(self.reassemblies.swap_remove(abandoned).buffer);
        }
    }
}

/// Writes an event for the host. The state word is written last.
fn write_event(sram: &Sram, at: u64, words: [u32; 3]) {
    (1..).zip(words).for_each(|(index, word)| sram.store_word(at + 4 * index, word));
    sram.store_word(at + event::STATE, state::FILLED);
}
