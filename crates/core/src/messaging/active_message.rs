//! Active messages as data: a packet that names a handler and carries a few words (von Eicken 1993), and the
//! ranges of handler numbers.
//!
//! | handlers | run |
//! |---|---|
//! | below [`PROTOCOL_HANDLERS`] | the program's |
//! | from there, below [`MESSAGING_HANDLERS`] | those of a protocol in software, which may wait for memory |
//! | from there | the messaging layer's own: transfers |

use crate::engine::EndpointId;

/// The first handler of a protocol in software; programs have those below.
pub const PROTOCOL_HANDLERS: u8 = 24;
/// The first handler of the messaging layer. A header has five bits for a handler.
pub const MESSAGING_HANDLERS: u8 = 28;

/// Asks the receiver of a transfer to set it up.
pub(super) const TRANSFER_BEGIN: u8 = MESSAGING_HANDLERS;
/// Answers that the receiver of a transfer has set it up.
pub(super) const TRANSFER_READY: u8 = MESSAGING_HANDLERS + 1;
/// Carries a part of a transfer's words.
pub(super) const TRANSFER_DATA: u8 = MESSAGING_HANDLERS + 2;

/// The words that a packet carries.
pub type MessageWords = smallvec::SmallVec<[u32; 8]>;

/// An active message to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveMessage {
    /// The receiving endpoint.
    pub to: EndpointId,
    /// Whether it is a reply, and takes the reply network.
    pub reply: bool,
    /// The handler that it runs.
    pub handler: u8,
    /// The words that it carries.
    pub words: MessageWords,
    /// Whether it requests a bulk dialog.
    pub bulk: bool,
    /// Whether it is the last packet of a bulk dialog.
    pub last: bool,
    /// Whether the interface's protocol applies to it.
    pub acknowledged: bool,
}

impl ActiveMessage {
    /// Returns a request of one packet.
    pub fn new(to: EndpointId, handler: u8, words: &[u32]) -> ActiveMessage {
        let words = MessageWords::from_slice(words);
        ActiveMessage { to, reply: false, handler, words, bulk: false, last: false, acknowledged: true }
    }
}

/// An active message received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received<'a> {
    /// The sending endpoint.
    pub from: EndpointId,
    /// The handler that it runs.
    pub handler: u8,
    /// The words that it carries.
    pub words: &'a [u32],
}
