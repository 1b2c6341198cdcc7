//! The messages that an endpoint has received, and the messages of which some packets are missing.
//!
//! Each packet is moved into its message's buffer in virtual memory, unless the interface has already put it in place.
//! A message is complete when all of its fragments have arrived, in any order. Buffers are used again when their
//! messages are released. A message that becomes complete while its program sends is kept until the program asks for it
//! (Mukherjee and Hill 1998, §3.2).
//!
//! The memory for buffers is not limited.

use super::fragment::PartialMessage;
use super::message::{Incoming, Storage};
use super::node_context::NodeContext;
use super::polled_packet::{PacketHeader, PolledPacket};
use crate::engine::{Bytes, EndpointId};
use crate::host::{Address, Processor};
use crate::ni::word_copy::words_of;
use crate::ni::{Driver, Envelope, PayloadSink, RxCompletion};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

/// The messages of an endpoint.
pub(super) struct MessageQueue {
    /// The largest message, in bytes.
    pub message_max: usize,
    next_sequence: Cell<u32>,
    free_buffers: RefCell<Vec<Address>>,
    /// Incomplete messages, by source and sequence number.
    partial_messages: RefCell<BTreeMap<(EndpointId, u16), PartialMessage<Address>>>,
    /// Complete messages that the program has not received yet.
    complete_messages: RefCell<VecDeque<Incoming>>,
}

impl MessageQueue {
    /// Creates an empty queue for messages of at most `message_max`.
    pub fn new(message_max: Bytes) -> MessageQueue {
        MessageQueue {
            message_max: message_max.len().max(1),
            next_sequence: Cell::new(0),
            free_buffers: RefCell::default(),
            partial_messages: RefCell::default(),
            complete_messages: RefCell::default(),
        }
    }

    /// Returns the sequence number of the next message to be sent, below `sequences`.
    pub fn next_sequence(&self, sequences: u32) -> u32 {
        let sequence = self.next_sequence.get();
        self.next_sequence.set((sequence + 1) % sequences);
        sequence
    }

    /// Appends a complete message.
    pub fn push(&self, message: Incoming) {
        self.complete_messages.borrow_mut().push_back(message);
    }

    /// Removes and returns the oldest complete message.
    pub fn pop(&self) -> Option<Incoming> {
        self.complete_messages.borrow_mut().pop_front()
    }

    /// Returns whether no complete message is queued.
    pub fn is_empty(&self) -> bool {
        self.complete_messages.borrow().is_empty()
    }

    /// Takes the packet just found, which may be `is_for_other_core`: for a program on another core. Returns the message
    /// that is complete with this packet, if any.
    pub async fn take(
        &self,
        context: &NodeContext,
        packet: &mut PolledPacket<'_>,
        is_for_other_core: bool,
    ) -> Option<Incoming> {
        match packet {
            PolledPacket::Interface { .. } if context.driver.is_zero_copy() => {
                Some(take_in_place(context, packet, is_for_other_core).await)
            }
            packet => self.take_fragment(context, packet, is_for_other_core).await,
        }
    }

    /// Moves a packet into its message's buffer. Returns the message that is complete with this packet, if any.
    async fn take_fragment(
        &self,
        context: &NodeContext,
        packet: &mut PolledPacket<'_>,
        is_for_other_core: bool,
    ) -> Option<Incoming> {
        let PacketHeader { source, envelope, bytes, journey } = packet.header();
        let Envelope { is_part, handler, sequence, fragment, last } = envelope;
        assert!(is_part, "{NOT_A_PAYLOAD_MESSAGE}");
        let (key, is_whole) = ((source, sequence), fragment == 0 && last);
        let steered_address = packet.steered_address(handler.into());
        let payload_buffer = || steered_address.unwrap_or_else(|| self.buffer(context));
        let buffer = match is_whole {
            true => payload_buffer(),
            false => {
                self.partial_messages
                    .borrow_mut()
                    .entry(key)
                    .or_insert_with(|| PartialMessage::new(payload_buffer()))
                    .buffer
            }
        };
        let driver = &context.driver;
        let fragment_buffer = buffer + driver.fragment_offset(fragment);
        let completion = take_payload(context, packet, fragment_buffer, is_for_other_core).await;
        context.cpu.sim().progress();
        let bytes = match is_whole {
            true => context.host.peek(driver.payload_address(fragment_buffer), bytes),
            false => self.complete_with(context, key, (fragment, bytes, last))?,
        };
        Some(Incoming {
            source,
            tag: handler.into(),
            address: driver.payload_address(buffer),
            payload: Bytes(bytes.len() as u64),
            words: match completion.inline_bytes.is_empty() {
                true => words_of(&bytes[..bytes.len().min(WORDS_BYTES_MAX)]).collect(),
                false => words_of(&completion.inline_bytes).collect(),
            },
            bytes: Some(bytes),
            journey,
            storage: if steered_address.is_some() { Storage::MappedAddress } else { Storage::Buffer(buffer) },
        })
    }

    /// Records that a fragment has arrived. Returns the message's bytes if no fragment is missing.
    fn complete_with(
        &self,
        context: &NodeContext,
        key: (EndpointId, u16),
        (fragment, bytes, last): (u32, usize, bool),
    ) -> Option<Vec<u8>> {
        let mut partial_messages = self.partial_messages.borrow_mut();
        let message = partial_messages.get_mut(&key).expect("a message with an arrived fragment is partial");
        if !message.add(fragment as usize, bytes, last) {
            return None;
        }
        let message = partial_messages.remove(&key).expect("a complete message was partial before");
        Some(assemble(context, &message))
    }

    /// Returns a free buffer, or allocates one.
    fn buffer(&self, context: &NodeContext) -> Address {
        let free_buffer = self.free_buffers.borrow_mut().pop();
        let driver = &context.driver;
        let fragments = self.message_max.div_ceil(driver.limits().payload);
        free_buffer.unwrap_or_else(|| context.host.allocate(driver.buffer_size(fragments as u32)))
    }

    /// Makes a buffer free again.
    pub fn free_buffer(&self, buffer: Address) {
        self.free_buffers.borrow_mut().push(buffer);
    }
}

/// Moves the payload of a packet to `address`, unless it stays where the interface put it. With `is_for_other_core`, the
/// stores to it become visible before the packet counts as arrived, so that a program on another core finds all of the
/// payload, and no store to the buffer is left when that program frees it.
async fn take_payload(
    context: &NodeContext,
    packet: &mut PolledPacket<'_>,
    address: Address,
    is_for_other_core: bool,
) -> RxCompletion {
    let completion = packet.take(context, 0, PayloadSink::Memory(address)).await;
    if is_for_other_core {
        context.make_stores_visible().await;
    }
    completion
}

/// Takes a message whose payload stays where the interface put it.
async fn take_in_place(context: &NodeContext, packet: &mut PolledPacket<'_>, is_for_other_core: bool) -> Incoming {
    let PacketHeader { source, envelope, bytes, journey } = packet.header();
    assert!(envelope.is_part, "{NOT_A_PAYLOAD_MESSAGE}");
    let tag = envelope.handler.into();
    let RxCompletion { address, inline_bytes, entry } = take_payload(context, packet, 0, is_for_other_core).await;
    let storage = Storage::DriverEntry(entry.expect("a message that the interface placed has an entry"));
    let payload = Bytes(bytes as u64);
    let words = match inline_bytes.is_empty() {
        true => words_of(&context.host.peek(address, bytes.min(WORDS_BYTES_MAX))).collect(),
        false => words_of(&inline_bytes).collect(),
    };
    Incoming { source, tag, address, payload, words, bytes: None, journey, storage }
}

/// Returns the bytes of a message, which are in memory or about to be written there.
fn assemble(context: &NodeContext, message: &PartialMessage<Address>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (&fragment, &fragment_bytes) in &message.fragment_bytes {
        let payload = context.driver.payload_address(message.buffer + context.driver.fragment_offset(fragment as u32));
        bytes.extend(context.host.peek(payload, fragment_bytes));
    }
    bytes
}

/// The panic message for an active message that is sent to a program of messages with payloads.
const NOT_A_PAYLOAD_MESSAGE: &str = "an active message was sent to a program of messages with payloads";

/// Largest number of bytes of a payload that are read as words.
const WORDS_BYTES_MAX: usize = 256;
