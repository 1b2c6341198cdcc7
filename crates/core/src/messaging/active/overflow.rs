//! The queue in a user's virtual memory to which a processor moves messages that it cannot handle yet.
//!
//! A handler runs to its end before the next one starts. If a send inside a handler blocks because the interface has no
//! buffer for it, the processor must keep taking messages from its interface, or two nodes that send to each other
//! would deadlock. The interfaces of Mukherjee and Hill (1998), Table 2, differ in who buffers the messages that arrive
//! meanwhile. Where the table says "NI / VM" and "processor involved"
//! ([`overflows_to_user_memory`](crate::ni::DriverLimits::overflows_to_user_memory)), the processor moves them to the
//! user's memory, and handles them when the blocked send has returned and the program polls.
//!
//! The module models the bytes of each message in the node's memory; the driver's work to receive the message and
//! store it there; the loads that move it back into registers, through the caches; and the cycles to manage the queue
//! (`messaging.overflow`), for each message that enters it or leaves it. Messages leave the queue in the order in
//! which they entered it. While the queue holds any message, no message is taken from the interface for a handler, so
//! that handlers run in the order of arrival. On a node that several programs share, the inbox of each program serves
//! as its queue, and the bytes of the queued messages are not stored in the node's memory.
//!
//! The size of the queue is limited by the node's memory only. Page faults are left out.

use crate::engine::{EndpointId, Journey};
use crate::host::Address;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The messages of an endpoint that were moved to memory and whose handlers have not run.
#[derive(Default)]
pub(super) struct Overflow {
    messages: RefCell<VecDeque<BufferedMessage>>,
    free_buffers: RefCell<Vec<Address>>,
    /// Number of messages that were ever moved to memory.
    total: Cell<u64>,
}

/// A message in the queue.
pub(super) struct BufferedMessage {
    pub from: EndpointId,
    pub handler: u8,
    /// The driver's buffer that holds the message.
    pub buffer: Address,
    /// The address of the payload in the buffer.
    pub payload: Address,
    /// The payload's length.
    pub bytes: usize,
    pub journey: Journey,
}

impl Overflow {
    /// Returns whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.messages.borrow().is_empty()
    }

    /// Returns a free buffer, or one that `allocate` returns.
    pub fn buffer(&self, allocate: impl FnOnce() -> Address) -> Address {
        let free = self.free_buffers.borrow_mut().pop();
        free.unwrap_or_else(allocate)
    }

    /// Makes a buffer free again.
    pub fn free_buffer(&self, buffer: Address) {
        self.free_buffers.borrow_mut().push(buffer);
    }

    /// Appends a message.
    pub fn push(&self, message: BufferedMessage) {
        self.messages.borrow_mut().push_back(message);
        self.count_message();
    }

    /// Counts a message that was moved to memory.
    pub fn count_message(&self) {
        self.total.set(self.total.get() + 1);
    }

    /// Removes and returns the oldest message.
    pub fn pop(&self) -> Option<BufferedMessage> {
        self.messages.borrow_mut().pop_front()
    }

    /// Returns the number of messages that were ever moved to memory.
    pub fn total(&self) -> u64 {
        self.total.get()
    }
}
