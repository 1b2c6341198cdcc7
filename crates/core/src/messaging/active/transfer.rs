//! Transfers: messages of many packets.
//!
//! With in-order delivery, the first packet carries handler and length, "while subsequent messages contain the data"
//! (Callahan and Goldstein 1995, §2.2). Without in-order delivery, "a round trip to initialize the destination
//! processor's data structures" comes first, and each packet carries its offset. A receiver accepts one transfer of
//! each sender at a time: it answers the setup of the next transfer when all packets of the previous transfer have
//! arrived. The packets of a transfer request a bulk dialog, which the last packet ends.
//!
//! A sender cannot have several transfers to one receiver at once.

use crate::engine::EndpointId;
use crate::messaging::active_message::{
    ActiveMessage, MessageWords, Received, TRANSFER_BEGIN, TRANSFER_DATA, TRANSFER_READY,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Number of bits of a transfer's length in its first word; the handler's number is in the bits above.
const LENGTH_BITS: u32 = 24;

/// The transfers of an endpoint.
#[derive(Default)]
pub(super) struct Transfers {
    /// Incomplete transfers, by sending endpoint; an endpoint sends one transfer at a time.
    partial_transfers: RefCell<BTreeMap<EndpointId, PartialTransfer>>,
    /// Whether the receiver of the transfer that is being sent is set up.
    is_receiver_ready: Cell<bool>,
}

struct PartialTransfer {
    handler: u8,
    words: Vec<u32>,
    /// Number of words that have not arrived yet.
    missing_words: usize,
    /// The first word of the sender's next transfer, whose setup has not been answered.
    next_first_word: Option<u32>,
}

/// A transfer of which all words have arrived.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct CompleteTransfer {
    pub handler: u8,
    pub words: Vec<u32>,
    /// The answer to the setup of the sender's next transfer, if that setup has waited for this transfer.
    pub reply: Option<ActiveMessage>,
}

/// Returns the first word of a transfer, which encodes its handler and its length.
///
/// # Panics
///
/// Panics if there are too many words.
fn first_word(handler: u8, words: &[u32]) -> u32 {
    assert!(words.len() < 1 << LENGTH_BITS, "a transfer has at most 2²⁴ - 1 words");
    u32::from(handler) << LENGTH_BITS | words.len() as u32
}

/// Returns the packets of a transfer with in-order delivery, each with at most `words_max` words.
pub(super) fn ordered_packets(
    to: EndpointId,
    handler: u8,
    words: &[u32],
    words_max: usize,
) -> impl Iterator<Item = ActiveMessage> {
    let mut all_words = vec![first_word(handler, words)];
    all_words.extend_from_slice(words);
    let packet_count = all_words.len().div_ceil(words_max);
    (0..packet_count).map(move |number| {
        let part = &all_words[number * words_max..all_words.len().min((number + 1) * words_max)];
        data_packet(to, MessageWords::from_slice(part), number, packet_count)
    })
}

/// Returns the packets of a transfer whose receiver is set up. Each packet carries its offset and data, together at
/// most `words_max` words.
pub(super) fn unordered_packets(
    to: EndpointId,
    words: &[u32],
    words_max: usize,
) -> impl Iterator<Item = ActiveMessage> {
    let data_max = words_max - 1;
    let packet_count = words.len().div_ceil(data_max);
    words.chunks(data_max).enumerate().map(move |(number, part)| {
        let mut packet_words = MessageWords::from_slice(&[(number * data_max) as u32]);
        packet_words.extend_from_slice(part);
        data_packet(to, packet_words, number, packet_count)
    })
}

fn data_packet(to: EndpointId, words: MessageWords, number: usize, packet_count: usize) -> ActiveMessage {
    ActiveMessage {
        words,
        is_bulk: packet_count > 1,
        is_last: packet_count > 1 && number + 1 == packet_count,
        ..ActiveMessage::new(to, TRANSFER_DATA, &[])
    }
}

/// Returns the packet that asks `to` to set up a transfer of `words`.
pub(super) fn setup_packet(to: EndpointId, handler: u8, words: &[u32]) -> ActiveMessage {
    ActiveMessage::new(to, TRANSFER_BEGIN, &[first_word(handler, words)])
}

/// Returns whether `handler` replies to the sender of the packet.
pub(super) fn sends_reply(handler: u8) -> bool {
    handler == TRANSFER_BEGIN
}

/// Returns whether the packets for a handler are parts of a message, and not messages of their own.
pub(super) fn is_transfer_handler(handler: u8) -> bool {
    handler == TRANSFER_DATA
}

impl Transfers {
    /// Marks the receiver of the next transfer to send as not set up.
    pub fn reset_receiver_ready(&self) {
        self.is_receiver_ready.set(false);
    }

    /// Returns whether the receiver of the transfer that is being sent is set up.
    pub fn is_receiver_ready(&self) -> bool {
        self.is_receiver_ready.get()
    }

    /// Accepts a packet of a transfer, and returns the answer, if the packet needs one.
    pub fn accept(&self, received: &Received<'_>, in_order: bool) -> Option<ActiveMessage> {
        let mut partial_transfers = self.partial_transfers.borrow_mut();
        let from = received.from;
        match received.handler {
            TRANSFER_READY => self.is_receiver_ready.set(true),
            TRANSFER_BEGIN => match partial_transfers.get_mut(&from) {
                Some(partial) => partial.next_first_word = Some(received.words[0]),
                None => return Some(begin_transfer(&mut partial_transfers, from, received.words[0])),
            },
            _ if in_order => {
                let is_first = !partial_transfers.contains_key(&from);
                let partial = partial_transfers.entry(from).or_insert_with(|| PartialTransfer::new(received.words[0]));
                let part = &received.words[usize::from(is_first)..];
                partial.write(partial.words.len() - partial.missing_words, part);
            }
            _ => {
                let partial = partial_transfers.get_mut(&from).expect("a transfer's receiver is set up first");
                partial.write(received.words[0] as usize, &received.words[1..]);
            }
        }
        None
    }

    /// Removes and returns the transfer of `from`, if it is complete.
    pub fn take_complete(&self, from: EndpointId) -> Option<CompleteTransfer> {
        let mut partial_transfers = self.partial_transfers.borrow_mut();
        partial_transfers.get(&from).filter(|partial| partial.missing_words == 0)?;
        let PartialTransfer { handler, words, next_first_word, .. } = partial_transfers.remove(&from)?;
        let reply = next_first_word.map(|first_word| begin_transfer(&mut partial_transfers, from, first_word));
        Some(CompleteTransfer { handler, words, reply })
    }
}

/// Sets up the transfer of `from` with the first word `first_word`, and returns the answer that acknowledges the setup.
fn begin_transfer(
    partial_transfers: &mut BTreeMap<EndpointId, PartialTransfer>,
    from: EndpointId,
    first_word: u32,
) -> ActiveMessage {
    partial_transfers.insert(from, PartialTransfer::new(first_word));
    ActiveMessage { is_reply: true, ..ActiveMessage::new(from, TRANSFER_READY, &[]) }
}

impl PartialTransfer {
    fn new(first_word: u32) -> PartialTransfer {
        let length = (first_word & ((1 << LENGTH_BITS) - 1)) as usize;
        let handler = (first_word >> LENGTH_BITS) as u8;
        PartialTransfer { handler, words: vec![0; length], missing_words: length, next_first_word: None }
    }

    fn write(&mut self, offset: usize, part: &[u32]) {
        self.words[offset..offset + part.len()].copy_from_slice(part);
        self.missing_words -= part.len();
    }
}
