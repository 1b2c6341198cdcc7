//! The two kinds of port by which an interface uses a fabric.
//!
//! *Streams* ([`StreamTx`], [`StreamRx`]) move packets byte by byte, for engines that start to send before a packet is
//! complete. A receiver that returns no credits blocks the fabric, back to the sender's engine. *Packet ports*
//! ([`PacketPort`]) move whole packets and report events by call-backs. They need no task for each interface, which
//! suits thousands of interfaces.
//!
//! A fabric has one kind or both; an adapter makes the other (`packet_adapter.rs`, `stream_adapter.rs`).

use super::packet::Packet;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Class, Rate, Time};
use std::rc::Rc;

/// The error of a stream whose packet the fabric dropped: no further byte of the packet enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketDropped;

/// The transmit side of a node's stream into one class, with one packet at a time.
#[allow(async_fn_in_trait)]
pub trait StreamTx {
    /// Returns the flow-control unit, the largest number of bytes that one call of [`reserve`](StreamTx::reserve) can
    /// reserve.
    fn flow_unit(&self) -> Bytes;

    /// Returns the rate at which bytes leave.
    fn rate(&self) -> Rate;

    /// Waits for the channel and takes it for `packet`, whose bytes may be appended later.
    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), PacketDropped>;

    /// Waits until bytes may leave, and returns their number, at most `bytes_max`. Back-pressure lengthens this wait.
    async fn reserve(&mut self, bytes_max: Bytes) -> Result<Bytes, PacketDropped>;

    /// Sends the packet's next `bytes`, which are reserved, in no less than `min_duration`; `last` states whether the
    /// packet ends with these bytes. Returns when the last byte has left.
    async fn send(&mut self, bytes: Bytes, min_duration: Time, last: bool);

    /// Releases the channel after the last byte.
    fn close(&mut self);

    /// Returns the shortcut for complete packets, if nothing can ever block the stream: each packet then leaves at
    /// [`rate`](StreamTx::rate).
    fn uncontended(&mut self) -> Option<&mut dyn UncontendedTx> {
        None
    }
}

/// The transmit side of a stream that nothing can block.
pub trait UncontendedTx {
    /// Records that a packet left at the stream's rate and that its last byte leaves now. This call replaces all other
    /// calls for the packet.
    fn complete(&mut self, packet: &Rc<Packet>);
}

/// A result of [`StreamRx::next`]: bytes of a packet, or the report of a drop.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Bytes of a packet, which begin to arrive now and take `time`.
    Bytes {
        /// Packet to which the bytes belong.
        packet: Rc<Packet>,
        /// Number of bytes.
        bytes: Bytes,
        /// Time from the first of the bytes to the last.
        time: Time,
        /// Whether the packet begins with these bytes.
        first: bool,
        /// Whether the packet ends with these bytes.
        last: bool,
    },
    /// The packet was dropped inside the fabric: no further bytes of it arrive.
    Dropped(Rc<Packet>),
}

/// The receive side of a node's stream from one class.
#[allow(async_fn_in_trait)]
pub trait StreamRx {
    /// Waits for the next piece; it has at most `bytes_max` bytes if the fabric can divide a piece.
    async fn next(&mut self, bytes_max: Bytes) -> Piece;

    /// Returns the time at which a reader that begins at `start` has taken `bytes` at `rate`, in whole picoseconds. A
    /// fabric with a clock keeps transfers of whole cycles on the edges of its clock.
    fn end_of_transfer(&self, start: Time, bytes: Bytes, rate: Rate) -> Time {
        start.saturating_add(rate.time_for(bytes))
    }

    /// Returns the credits of `bytes` that the reader has taken.
    fn return_credit(&mut self, bytes: Bytes);

    /// Returns where a packet waits for a receive slot. If `true`, the packet waits before its first byte has arrived,
    /// and blocks the channel for packets behind it. If `false`, the fabric buffers complete packets without limit.
    fn blocks_channel(&self) -> bool;

    /// Declares that the reader takes whole packets: `next` may return a packet late, with only the remaining time of
    /// its transfer.
    fn set_packet_mode(&mut self) {}

    /// Sets the task that takes arriving bytes, which the report of a deadlock names.
    fn set_receiver(&mut self, _task: TaskId) {}
}

/// An event that a fabric reports to the interface of a node.
#[derive(Clone, Debug)]
pub enum FabricEvent {
    /// A packet of this class may be sent.
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

/// The call-back that handles the events of a node.
pub type Listener = Box<dyn Fn(FabricEvent)>;

/// The port for whole packets at a node. None of its methods waits.
pub trait PacketPort {
    /// Reports the events of this node to `listener` from now on.
    fn attach(&self, listener: Listener);

    /// Sends a packet. May be called only while the packet's class is ready: once at the start, and once after each
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
    /// Time for which packets held the link, whether their bytes moved or waited.
    pub busy: Time,
    /// Time for which bytes crossed the link, at the link's rate.
    pub active: Time,
}

impl LinkUse {
    /// Returns the use of the link `name`: packets held it for `busy`, and bytes crossed it for `active` of that time.
    pub fn new(name: impl Into<String>, busy: Time, active: Time) -> LinkUse {
        LinkUse { name: name.into(), busy, active }
    }
}
