//! Active messages as data: a packet that names a handler and carries a few words (von Eicken 1993), and the
//! ranges of handler numbers.
//!
//! | numbers | handlers |
//! |---|---|
//! | below [`PROTOCOL_HANDLERS`] | those of the program |
//! | from [`PROTOCOL_HANDLERS`], below [`MESSAGING_HANDLERS`] | those of a protocol in software, which may wait for memory |
//! | from [`MESSAGING_HANDLERS`] | those of the messaging layer, which carry transfers |

use crate::engine::EndpointId;

/// The first handler number of protocols in software; programs have the numbers below.
pub const PROTOCOL_HANDLERS: u8 = 24;
/// The first handler number of the messaging layer. A header has five bits for a handler.
pub const MESSAGING_HANDLERS: u8 = 28;

/// Handler of the packet that asks the receiver of a transfer to set the transfer up.
pub(super) const TRANSFER_BEGIN: u8 = MESSAGING_HANDLERS;
/// Handler of the answer that the receiver of a transfer has set it up.
pub(super) const TRANSFER_READY: u8 = MESSAGING_HANDLERS + 1;
/// Handler of a packet with a part of a transfer's words.
pub(super) const TRANSFER_DATA: u8 = MESSAGING_HANDLERS + 2;

/// The words that a packet carries.
pub type MessageWords = smallvec::SmallVec<[u32; 8]>;

/// An active message to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveMessage {
    /// The receiving endpoint.
    pub to: EndpointId,
    /// Whether the message is a reply, and takes the reply network.
    pub is_reply: bool,
    /// Number of the handler that the message runs.
    pub handler: u8,
    /// The words that the message carries.
    pub words: MessageWords,
    /// Whether the message requests a bulk dialog.
    pub is_bulk: bool,
    /// Whether the message is the last packet of a bulk dialog.
    pub is_last: bool,
    /// Whether the interface's protocol applies to the message.
    pub is_acknowledged: bool,
}

impl ActiveMessage {
    /// Returns a request that consists of one packet.
    pub fn new(to: EndpointId, handler: u8, words: &[u32]) -> ActiveMessage {
        let words = MessageWords::from_slice(words);
        ActiveMessage { to, is_reply: false, handler, words, is_bulk: false, is_last: false, is_acknowledged: true }
    }
}

/// An active message received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received<'a> {
    /// The sending endpoint.
    pub from: EndpointId,
    /// Number of the handler that the message runs.
    pub handler: u8,
    /// The words that the message carries.
    pub words: &'a [u32],
}
