//! The send path of the firmware, from a send slot to the link: the commands of the threads SDMA and SEND.

use super::super::headers::Prefix;
use super::super::layout::{Piece, SENT_COUNT_ADDRESS, send_slot};
use super::super::threads::Mcp;
use super::super::{checksums, stage};
use super::{Context, cause};
use crate::engine::{Bytes, CapturedPacket, Class, Journey, NodeId};
use crate::fabric::{Label, Packet};
use crate::host::{Direction, InterruptVector};
use crate::ni::lanai::{HostJob, TransferProgress, TransmitJob};
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The state of the sending direction.
#[derive(Default)]
pub(super) struct SendSide {
    /// Number of send slots read so far.
    slots_read: u64,
    /// Number of messages sent.
    messages_sent: u32,
    /// The packet that the host engine reads at present.
    current_read: Option<HostRead>,
    /// The message that is being read; more of its packets may follow.
    current_message: Rc<Message>,
    /// Packets in send buffers, oldest first.
    packets: VecDeque<BufferedPacket>,
    /// Whether the send engine has been started.
    is_sending: bool,
}

/// The state that the packets of a message share.
#[derive(Default)]
struct Message {
    journey: Journey,
    /// Whether a packet of the message was dropped.
    is_lost: Cell<bool>,
}

/// A packet that the host engine reads.
struct HostRead {
    pieces: VecDeque<Piece>,
    /// SRAM address of the next piece.
    next_address: u64,
}

/// A packet in a send buffer.
struct BufferedPacket {
    buffer: u8,
    packet: Rc<Packet>,
    message: Rc<Message>,
    progress: Rc<TransferProgress>,
    /// Whether the interface fills in the checksum.
    fills_checksum: bool,
    /// Whether the packet was dropped; the rest of it is then not sent.
    is_lost: bool,
}

impl SendSide {
    /// Reads newly filled send slots and the state of the engines; returns whether there was any work.
    pub(super) fn poll(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        let sram = &context.chip.sram;
        let mut has_worked = false;
        while context.take_filled_slot(context.layout.slot_address(self.slots_read) + send_slot::STATE) {
            let length = sram.load_word(context.layout.slot_address(self.slots_read) + send_slot::LENGTH);
            mcp.post(length, self.slots_read as u32);
            self.slots_read += 1;
            has_worked = true;
        }
        if let Some(progress) = self.progress().filter(|_| self.current_read.is_some()) {
            let landed_units = progress.landed(context.chip.sim.now()).get() as u32;
            // A packet is complete only when its checksum has been filled in.
            let fills_checksum = self.packets.back().is_some_and(|packet| packet.fills_checksum);
            mcp.report_fetched(if fills_checksum {
                landed_units.min(progress.total().get() as u32 - 1)
            } else {
                landed_units
            });
        }
        if self.is_sending && context.chip.transmit.is_idle() {
            self.is_sending = false;
            self.record_loss(context);
            mcp.report_send_done();
            has_worked = true;
        }
        has_worked
    }

    fn record_loss(&mut self, context: &Context) {
        let Some(first) = self.packets.front_mut() else { return };
        if context.chip.transmit.was_dropped() && !first.is_lost {
            first.is_lost = true;
            context.tally.record_loss(&first.packet.journey);
            if !first.message.is_lost.replace(true) {
                context.in_flight.remove(first.packet.label().destination);
            }
        }
    }

    /// Starts the host engine's read of a packet of a message, piece by piece.
    pub(super) async fn fetch(&mut self, context: &Context, id: u32, buffer: u8, (from, units): (u32, u32)) {
        let (sram, slot) = (&context.chip.sram, context.layout.slot_address(u64::from(id)));
        let prefix = context.parameters.prefix_bytes();
        let journey = match from {
            0 => context.instruments.sending_journeys.borrow_mut().pop_front().unwrap_or(Journey::NONE),
            _ => self.current_message.journey.for_another_packet(),
        };
        context.work_for(&journey, context.parameters.firmware.start).await;
        journey.close(stage::SEND_QUEUE, context.chip.sim.now());
        let pieces_word = sram.load_word(slot + send_slot::PIECES);
        let piece = |index: u64| Piece {
            address: u64::from(sram.load_word(slot + send_slot::FIRST_PIECE + 8 * index)),
            bytes: u64::from(sram.load_word(slot + send_slot::FIRST_PIECE + 8 * index + 4)),
        };
        let pieces = (0..u64::from(pieces_word & !send_slot::FILLS_CHECKSUM_FLAG)).map(piece);
        let pieces = slice_pieces(pieces, u64::from(from), u64::from(units));
        let destination = NodeId(sram.load_word(slot + send_slot::NODE));
        let length = Bytes(prefix + u64::from(units));
        let (source, class) = (context.host.node, Class::REQUESTS);
        let label = Label { source, destination, class, length, needs_slot: false, ..Label::default() };
        if from == 0 {
            context.in_flight.add(destination);
            self.current_message = Rc::new(Message { journey: journey.clone(), is_lost: Cell::new(false) });
        }
        let at = context.layout.send_buffer_address(buffer);
        if prefix > 0 {
            let [message_bytes, endpoints] =
                [send_slot::LENGTH, send_slot::ENDPOINTS].map(|word| sram.load_word(slot + word));
            sram.store(at, &Prefix { key: (source.0, id), offset: from, message_bytes, endpoints }.bytes());
        }
        let packet = Packet::new(label, journey);
        let (progress, fills_checksum) = (
            Rc::new(TransferProgress::new(Bytes(u64::from(units)))),
            pieces_word & send_slot::FILLS_CHECKSUM_FLAG != 0,
        );
        let message = self.current_message.clone();
        self.packets.push_back(BufferedPacket { buffer, packet, message, progress, fills_checksum, is_lost: false });
        self.current_read = Some(HostRead { pieces, next_address: at + prefix });
        self.start_next_read(context);
    }

    /// Starts the transfer of the next piece; returns `false` if no piece is left.
    fn start_next_read(&mut self, context: &Context) -> bool {
        let Some(current_read) = self.current_read.as_mut() else { return false };
        let Some(piece) = current_read.pieces.pop_front() else { return false };
        let packet = self.packets.back().expect("a packet that is read is in a buffer");
        context.chip.host_dma.begin(HostJob {
            direction: Direction::Read,
            host_address: piece.address,
            sram_address: current_read.next_address,
            bytes: Bytes(piece.bytes),
            progress: Some(packet.progress.clone()),
            journey: packet.packet.journey.clone(),
            closed_stage: current_read.pieces.is_empty().then_some(stage::HOST_TX),
        });
        current_read.next_address += piece.bytes;
        true
    }

    /// Handles the end of a piece's transfer; returns whether it was the last piece of its packet.
    pub(super) async fn read_done(&mut self, context: &Context, mcp: &mut Mcp) -> bool {
        if self.current_read.as_ref().is_some_and(|current_read| !current_read.pieces.is_empty()) {
            context.chip.work(context.parameters.firmware.piece).await;
            self.start_next_read(context);
            return false;
        }
        self.current_read = None;
        let packet = self.packets.back().expect("a packet that is read is in a buffer");
        if packet.fills_checksum {
            checksums::fill_in(
                &context.chip.sram,
                context.layout.send_buffer_address(packet.buffer),
                packet.progress.total(),
            );
        }
        mcp.report_fetched(packet.progress.total().get() as u32);
        true
    }

    /// Returns whether the host engine reads for the sending direction.
    pub(super) fn is_reading(&self) -> bool {
        self.current_read.is_some()
    }

    /// Returns the progress counter of the newest packet.
    pub(super) fn progress(&self) -> Option<&Rc<TransferProgress>> {
        self.packets.back().map(|packet| &packet.progress)
    }

    /// Starts the send engine on a part of a packet; returns `false` if the packet was dropped.
    pub(super) async fn transmit(
        &mut self,
        context: &Context,
        buffer: u8,
        (from, units): (u32, u32),
        last: bool,
    ) -> bool {
        let first = self.packets.front().expect("a packet that is sent is in a buffer");
        debug_assert_eq!(first.buffer, buffer, "packets leave in order");
        context.work_for(&first.packet.journey, context.parameters.firmware.start).await;
        if first.is_lost {
            return false;
        }
        // The firmware's prefix is sent with the first part of the packet.
        let prefix = context.parameters.prefix_bytes();
        let (address_offset, prefix_bytes) = if from == 0 { (0, prefix) } else { (prefix, 0) };
        context.chip.transmit.begin(TransmitJob {
            packet: first.packet.clone(),
            sram_address: context.layout.send_buffer_address(buffer) + address_offset + u64::from(from),
            bytes: Bytes(prefix_bytes + u64::from(units)),
            ends_packet: last,
            closed_stage: last.then_some(stage::NET_TX),
        });
        self.is_sending = true;
        true
    }

    /// Removes the first packet, which has left the interface.
    pub(super) fn packet_sent(&mut self, context: &Context) {
        let buffered = self.packets.pop_front().expect("a sent packet was in a buffer");
        if context.parameters.sends_ip() && !buffered.is_lost {
            let (node, at) = (context.host.node, context.chip.sim.now());
            context.chip.sim.recorder().capture_packet(|| CapturedPacket {
                node,
                time: at,
                bytes: buffered.packet.bytes().to_vec(),
            });
        }
    }

    /// Notifies the host that a message has been sent.
    pub(super) async fn complete(&mut self, context: &Context) {
        context.chip.work(context.parameters.firmware.notify).await;
        self.messages_sent = self.messages_sent.wrapping_add(1);
        context.chip.sram.store_word(SENT_COUNT_ADDRESS, self.messages_sent);
        if context.parameters.sends_ip() {
            context.host.interrupts().raise(InterruptVector::FIRST, cause::SENT);
        }
    }
}

/// Returns the pieces that cover `bytes` bytes of `list` from offset `from` on.
fn slice_pieces(list: impl Iterator<Item = Piece>, from: u64, bytes: u64) -> VecDeque<Piece> {
    let mut offset = 0;
    let pieces = list.filter_map(|piece| {
        let (start, end) = (offset, offset + piece.bytes);
        offset = end;
        let (first, last) = (start.max(from), end.min(from + bytes));
        (first < last).then(|| Piece { address: piece.address + (first - start), bytes: last - first })
    });
    pieces.collect()
}
