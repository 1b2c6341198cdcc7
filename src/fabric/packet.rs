//! A packet and the events of its arrival.

use crate::engine::{Bytes, NodeId, Time, Tracked};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What the fabric carries: bytes that the sending interface appends and the receiving one takes.
#[derive(Debug)]
pub struct Packet {
    /// The port it enters by.
    pub source: NodeId,
    /// The port it leaves by.
    pub destination: NodeId,
    /// The message it belongs to.
    pub message: Tracked,
    bytes: RefCell<Vec<u8>>,
    taken: Cell<usize>,
}

impl Packet {
    /// A packet of `message` with nothing in it yet.
    pub fn new(message: Tracked, length: Bytes) -> Rc<Packet> {
        let bytes = RefCell::new(Vec::with_capacity(length.len()));
        Rc::new(Packet {
            source: message.source,
            destination: message.destination,
            message,
            bytes,
            taken: Cell::new(0),
        })
    }

    /// Appends what enters the fabric.
    pub fn append(&self, bytes: &[u8]) {
        self.bytes.borrow_mut().extend_from_slice(bytes);
    }

    /// Takes what leaves the fabric, in order.
    pub fn take(&self, into: &mut [u8]) {
        let start = self.taken.get();
        let end = start + into.len();
        into.copy_from_slice(&self.bytes.borrow()[start..end]);
        self.taken.set(end);
    }
}

/// What a receiving port sees, in order.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// Bytes of a packet begin to arrive, and take `time` on the wire.
    Data {
        /// Whose bytes.
        packet: Rc<Packet>,
        /// How many.
        bytes: Bytes,
        /// From the first to the last of them.
        time: Time,
    },
    /// The packet was dropped on its way: nothing more of it comes.
    Dropped(Rc<Packet>),
}
