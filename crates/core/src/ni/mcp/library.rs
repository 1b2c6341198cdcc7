//! User-level messaging, as in the libraries of GM and Berkeley-VIA: a program's message goes from its memory to
//! another program's memory without a kernel in between (Jin et al. 2005, §5.2).
//!
//! A descriptor lists the message's pages; the firmware splits the message into packets and reassembles it. A program
//! learns of received messages by polling events that the interface writes to host memory. It learns of sent messages
//! by reading across the bus when it has no free slot or buffer. The model leaves out memory registration and
//! protection.

use super::buffers::{RxDestination, pages};
use super::card::CardDriver;
use super::headers::{ENVELOPE_BYTES, decode_envelope, encode_envelope};
use super::kernel::{DatagramPart, ReceivedDatagram};
use super::layout::{MESSAGE_HEADER, Piece, SENT_COUNT_ADDRESS, event, state};
use super::parameters::LibraryCosts;
use super::queue::Descriptor;
use super::stage;
use crate::engine::{Mailbox, NodeId, Time};
use crate::host::{AnyProcessor, Processor};
use crate::ni::driver::SendRequest;
use crate::ni::word_copy::{PayloadSink, PayloadSource, bytes_of, words_of};
use crate::protocol::udp_ip::Sum;
use std::cell::Cell;
use std::rc::Rc;

/// A node's library.
pub struct Library {
    pub(super) card: Rc<CardDriver>,
    pub(super) costs: LibraryCosts,
    /// Messages that have arrived and that no program has taken yet.
    pub(super) inbox: Mailbox<ReceivedDatagram>,
    /// Number of events read.
    pub(super) events_read: Cell<u64>,
    /// Number of consecutive unsuccessful attempts to reserve a slot, up to [`ATTEMPTS_MAX`].
    pub(super) failed_attempts: Cell<u32>,
}

/// The number of unsuccessful attempts after which the wait no longer grows (chosen: an interval of 500 ns has then
/// grown to 16 us).
const ATTEMPTS_MAX: u32 = 5;

/// Returns the indices of two endpoints on their nodes as one word.
fn endpoints_word(indices: [u32; 2]) -> u32 {
    indices[0] << 16 | indices[1]
}

impl Library {
    /// Sends a message; returns `false` if no slot or no buffer is free.
    pub(super) async fn send(&self, cpu: &AnyProcessor, packet: &SendRequest<'_>) -> bool {
        let card = &self.card;
        let lease = cpu.acquire("send").await;
        let Some(buffer) = self.reserve(cpu).await else { return false };
        let _works = cpu.sim().works();
        let start = cpu.now();
        cpu.work(card.costs.send + self.costs.send);
        let buffer_address = card.send_buffers[buffer];
        let mut head = [0; MESSAGE_HEADER];
        head[..ENVELOPE_BYTES].copy_from_slice(&encode_envelope(packet.envelope));
        cpu.store_run(buffer_address, &head).await;
        let mut gather_list = vec![Piece { address: buffer_address, bytes: MESSAGE_HEADER as u64 }];
        match packet.source {
            PayloadSource::Memory(address, bytes) => {
                gather_list.extend(pages(address, bytes as u64, card.parameters.page.get()));
            }
            PayloadSource::Words(words) => {
                let bytes = bytes_of(words);
                cpu.store_run(buffer_address + MESSAGE_HEADER as u64, &bytes).await;
                gather_list[0].bytes += bytes.len() as u64;
            }
        }
        cpu.fence().await;
        cpu.sync().await;
        packet.journey.add_service(start, cpu.now());
        packet.journey.close(stage::HOST_SEND, cpu.now());
        let descriptor = Descriptor {
            to: card.addresses.node(packet.to),
            length: gather_list.iter().map(|piece| piece.bytes).sum(),
            endpoints: endpoints_word([packet.from, packet.to].map(|endpoint| card.addresses.index_on_node(endpoint))),
            pieces: gather_list,
            fills_checksum: false,
            freed_buffer: Some(buffer),
            journey: packet.journey.clone(),
        };
        card.enqueue(cpu, descriptor).await;
        cpu.sync().await;
        lease.record_span("send", packet.journey.id(), packet.source.bytes());
        true
    }

    /// Reserves a slot and returns a buffer. If none is known to be free, reads the number of sent messages across the
    /// bus.
    async fn reserve(&self, cpu: &AnyProcessor) -> Option<usize> {
        let card = &self.card;
        let take_free_buffer = || {
            let is_free = !card.free_send_buffers.borrow().is_empty() && card.send_queue.reserve(1);
            is_free.then(|| card.free_send_buffers.borrow_mut().pop().expect("a buffer is free"))
        };
        if let Some(buffer) = take_free_buffer() {
            return Some(buffer);
        }
        let [sent_messages] = card.read_words::<1>(cpu, SENT_COUNT_ADDRESS).await;
        card.complete_sends(cpu, sent_messages, self.costs.completion).await;
        let buffer = take_free_buffer();
        self.failed_attempts.set(if buffer.is_some() {
            0
        } else {
            self.failed_attempts.get().min(ATTEMPTS_MAX - 1) + 1
        });
        buffer
    }

    /// Waits before the next attempt to reserve a slot: twice as long each time, since an attempt takes the bus from
    /// DMA.
    pub(super) async fn wait_for_capacity(&self, cpu: &AnyProcessor) {
        let delay = Time::from_ps(self.costs.interval.ps() << self.failed_attempts.get());
        cpu.sim().delay(delay).await;
    }

    /// Polls once for a message.
    pub(super) async fn poll(&self, cpu: &AnyProcessor) {
        let lease = cpu.acquire("poll").await;
        let card = &self.card;
        cpu.work(card.costs.poll);
        let Some([buffer, length, endpoints]) = self.read_event(cpu).await else { return cpu.sync().await };
        let journey = card.take_journey(false);
        let start = cpu.now();
        cpu.work(card.costs.receive + self.costs.receive);
        let (buffer, node) = RxDestination::from_event_word(buffer);
        let buffer_address = card.buffers.program_address(buffer);
        let mut head = [0; ENVELOPE_BYTES];
        cpu.load_run(buffer_address, &mut head).await;
        cpu.sync().await;
        let [from, to] = [endpoints >> 16, endpoints & 0xffff];
        let from = card.addresses.endpoint(NodeId(node), from);
        let to = card.addresses.endpoint(card.host.node, to);
        let data_bytes = length as usize - MESSAGE_HEADER;
        let (address, range) = (buffer_address + MESSAGE_HEADER as u64, ENVELOPE_BYTES..ENVELOPE_BYTES + data_bytes);
        let part = DatagramPart { buffer, address, range, sum: Sum::ZERO, journey: journey.clone() };
        journey.add_service(start, cpu.now());
        lease.record_span("receive", journey.id(), data_bytes);
        let envelope = decode_envelope(&head).expect("a message begins with an envelope");
        let bytes = ENVELOPE_BYTES + data_bytes;
        self.inbox.send(ReceivedDatagram { from, to, envelope, parts: vec![part], bytes, journey });
    }

    /// Reads the event of the next message, if the interface has written it.
    async fn read_event(&self, cpu: &AnyProcessor) -> Option<[u32; 3]> {
        let at = self.card.buffers.event_address(self.events_read.get());
        let mut bytes = [0; event::BYTES as usize];
        cpu.load_run(at, &mut bytes[..4]).await;
        if words_of(&bytes).next() != Some(state::FILLED) {
            return None;
        }
        cpu.load_run(at + 4, &mut bytes[4..]).await;
        cpu.store_run(at, &state::FREE.to_le_bytes()).await;
        self.events_read.set(self.events_read.get() + 1);
        let mut words = words_of(&bytes[4..]);
        Some(std::array::from_fn(|_| words.next().expect("three words follow the state")))
    }

    /// Copies a message's words from its buffer to the sink.
    pub(super) async fn read(&self, cpu: &AnyProcessor, datagram: &ReceivedDatagram, sink: PayloadSink<'_>) {
        let (PayloadSink::Words(words), Some(part)) = (sink, datagram.parts.first()) else { return };
        let mut bytes = vec![0; part.range.len()];
        cpu.load_run(part.address, &mut bytes).await;
        words.extend(words_of(&bytes));
    }
}
