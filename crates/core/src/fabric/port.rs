//! The two views of a node's place at a fabric, of which an interface takes one.
//!
//! *Streams* ([`StreamTx`], [`StreamRx`]): byte by byte, for engines that begin before all of a packet is there. A
//! receiver that returns no credits holds the fabric up, back to the sender's engine.
//! *Packets* ([`PacketPort`]): whole packets by call-back, without a task for each interface, for thousands of
//! interfaces.
//!
//! A fabric gives one view or both; an adapter makes the other (`packet_adapter.rs`, `stream_adapter.rs`).

use super::packet::Packet;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Class, Rate, Time};
use std::rc::Rc;

/// The fabric dropped the packet: none of its further bytes enter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped;

/// The transmit side of a node's stream into one class, with one packet at a time.
#[allow(async_fn_in_trait)]
pub trait StreamTx {
    /// Returns the flow-control unit: reserving more at once has no effect.
    fn flow_unit(&self) -> Bytes;

    /// Returns the rate at which bytes leave.
    fn rate(&self) -> Rate;

    /// Takes the channel for a packet, of which no byte need be there yet.
    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped>;

    /// Waits until bytes may leave, and returns how many: at most `most`. Back-pressure reaches the engine here.
    async fn reserve(&mut self, most: Bytes) -> Result<Bytes, Dropped>;

    /// Sends the packet's next `bytes`, which are reserved, in no less than `min_duration`; `last` states that the packet
    /// ends with them. Returns when the last of them has left.
    async fn send(&mut self, bytes: Bytes, min_duration: Time, last: bool);

    /// Releases the channel after the last byte.
    fn close(&mut self);

    /// Returns the short cut for packets that are there as a whole, where nothing can hold one up: each leaves at
    /// [`rate`](StreamTx::rate).
    fn uncontended(&mut self) -> Option<&mut dyn UncontendedTx> {
        None
    }
}

/// The transmit side of a stream in which nothing can hold a packet up.
pub trait UncontendedTx {
    /// Records a packet that left at the stream's rate, its last byte just now. Takes the place of all other calls.
    fn complete(&mut self, packet: &Rc<Packet>);
}

/// What the receive side of a stream yields, in order.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Bytes of a packet begin to arrive, and take `time`.
    Bytes {
        /// Packet that they belong to.
        packet: Rc<Packet>,
        /// Number of bytes.
        bytes: Bytes,
        /// Time from the first to the last of them.
        time: Time,
        /// Whether the packet begins with them.
        first: bool,
        /// Whether the packet ends with them.
        last: bool,
    },
    /// The packet was dropped on its way: no further bytes of it arrive.
    Dropped(Rc<Packet>),
}

/// The receive side of a node's stream from one class.
#[allow(async_fn_in_trait)]
pub trait StreamRx {
    /// Waits for what arrives next: at most `most` bytes, where the fabric can divide a piece.
    async fn next(&mut self, most: Bytes) -> Piece;

    /// Returns when a reader that begins at `start` has taken `bytes` at `rate`, in whole picoseconds. A fabric with a
    /// clock keeps what takes whole cycles on the edges of that.
    fn end_of_transfer(&self, start: Time, bytes: Bytes, rate: Rate) -> Time {
        start.saturating_add(rate.time_for(bytes))
    }

    /// Returns the credit of `bytes` that were taken.
    fn return_credit(&mut self, bytes: Bytes);

    /// Returns whether a packet that waits for a receive slot waits before its first byte has arrived and blocks the
    /// channel for packets behind it. Otherwise it has arrived whole, and the fabric buffers without limit.
    fn blocks_channel(&self) -> bool;

    /// States that the reader takes whole packets: `next` may return a packet late, with only the time that is left of
    /// its transfer.
    fn set_packet_mode(&mut self) {}

    /// States which task takes what arrives, for the report of a deadlock.
    fn set_receiver(&mut self, _task: TaskId) {}
}

/// What a fabric notifies the interface of a node of.
#[derive(Clone, Debug)]
pub enum FabricEvent {
    /// A packet of the class may be sent.
    TxReady(Class),
    /// The header of a packet has arrived.
    HeaderArrived(Rc<Packet>),
    /// The rest of a packet has arrived, after its header.
    TailArrived(Rc<Packet>),
    /// All of a packet has arrived, without an event for its header.
    PacketArrived(Rc<Packet>),
    /// A packet that this node sent was dropped.
    Dropped(Rc<Packet>),
}

/// What takes the events of a node.
pub type Listener = Box<dyn Fn(FabricEvent)>;

/// The port for whole packets at a node; it holds no future.
pub trait PacketPort {
    /// Reports what happens here to `listener` from now on.
    fn attach(&self, listener: Listener);

    /// Sends a packet, which may be done only while the class is ready: at the start, and after
    /// [`TxReady`](FabricEvent::TxReady).
    fn send(&self, packet: Rc<Packet>);

    /// Sets the number of receive slots for packets that need one, before the first packet is sent. Without this call
    /// there is no limit.
    fn set_slots(&self, class: Class, slots: u32);

    /// Adds a receive slot.
    fn add_slot(&self, class: Class);
}

/// The use of one direction of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LinkUse {
    /// Name of the link.
    pub name: String,
    /// Time for which packets held it, whether their bytes moved or waited.
    pub held: Time,
    /// Time for which bytes crossed it, at its own rate.
    pub moving: Time,
}

impl LinkUse {
    /// Returns the use of the link `name`, which packets held for a time and whose bytes crossed it for a part of that.
    pub fn new(name: impl Into<String>, held: Time, moving: Time) -> LinkUse {
        LinkUse { name: name.into(), held, moving }
    }
}
