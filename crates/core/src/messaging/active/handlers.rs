//! The functions that a program registers for its active messages, and their dispatch.

use crate::engine::EndpointId;
use crate::messaging::active_message::{MessageWords, Received};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

type MessageHandler = Rc<dyn Fn(&Received<'_>)>;
type TransferHandler = Rc<dyn Fn(EndpointId, u8, Vec<u32>)>;
type ProtocolHandler = Rc<dyn Fn(EndpointId, u8, MessageWords) -> HandlerFuture>;
/// The remainder of a handler that waits for memory.
pub(super) type HandlerFuture = Pin<Box<dyn Future<Output = ()>>>;

/// A program's handlers, by the kind of message.
#[derive(Default)]
pub(super) struct Handlers {
    message: RefCell<Option<MessageHandler>>,
    transfer: RefCell<Option<TransferHandler>>,
    protocol: RefCell<Option<ProtocolHandler>>,
}

impl Handlers {
    /// Registers the handler of messages that consist of one packet.
    pub fn set_message(&self, handler: MessageHandler) {
        *self.message.borrow_mut() = Some(handler);
    }

    /// Registers the handler of transfers.
    pub fn set_transfer(&self, handler: TransferHandler) {
        *self.transfer.borrow_mut() = Some(handler);
    }

    /// Registers the handler of a protocol in software.
    pub fn set_protocol(&self, handler: ProtocolHandler) {
        *self.protocol.borrow_mut() = Some(handler);
    }

    /// Runs the handler of a message.
    pub fn run_message(&self, received: &Received<'_>) {
        let handler = self.message.borrow().clone().expect("a node that is sent messages handles them");
        handler(received);
    }

    /// Runs the handler of a transfer.
    pub fn run_transfer(&self, from: EndpointId, handler: u8, words: Vec<u32>) {
        let run = self.transfer.borrow().clone().expect("a node that is sent transfers handles them");
        run(from, handler, words);
    }

    /// Starts the handler of a protocol's message, and returns the remainder of the handler.
    pub fn start_protocol(&self, received: &Received<'_>) -> HandlerFuture {
        let handler = self.protocol.borrow().clone().expect("a node that is sent a protocol's messages handles them");
        handler(received.from, received.handler, received.words.into())
    }
}
