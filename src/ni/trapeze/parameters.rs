//! Every named number of Trapeze.

use super::policy::Policy;
use crate::engine::{Bytes, Time};

/// The parameters of Trapeze, firmware and driver.
#[derive(Clone, Debug)]
pub struct TrapezeParameters {
    /// Entries of the send ring, and of the receive ring.
    pub ring_entries: u64,
    /// The largest payload; every packet buffer has this size.
    pub payload_max: Bytes,
    /// Tags that the incoming payload table can hold.
    pub tags: u64,
    /// When transfers to a sink start.
    pub policy: Policy,
    /// What the firmware's work takes.
    pub firmware: FirmwareCosts,
    /// Whether the firmware logs every transfer.
    pub logging: bool,
    /// What the driver's work takes.
    pub software: SoftwareCosts,
    /// How the host learns of a message.
    pub notification: Notification,
    /// How often a sender that found the ring full looks again.
    pub ring_poll: Time,
    /// Whether control messages pass through a buffer in host memory.
    pub shadow: bool,
    /// A fault for tests: the receiving firmware never frees a packet buffer.
    pub keep_buffers: bool,
}

/// What the firmware's work takes, in cycles of the interface's processor.
#[derive(Clone, Copy, Debug)]
pub struct FirmwareCosts {
    /// One pass over rings and status bits.
    pub poll: u64,
    /// Taking a message from the send ring and starting the payload's hostTx.
    pub send_begin: u64,
    /// Starting a netTx or hostRcv transfer.
    pub transfer: u64,
    /// Freeing buffer and send ring entry.
    pub send_end: u64,
    /// Posting netRcv for a control message.
    pub receive_post: u64,
    /// Looking a control message's tag up and posting netRcv for its payload.
    pub receive_begin: u64,
    /// Handing a message to the host.
    pub receive_end: u64,
    /// Writing a log entry for one transfer.
    pub log: u64,
}

/// What the driver's work takes, in cycles of the host's processor, beside programmed I/O.
#[derive(Clone, Copy, Debug)]
pub struct SoftwareCosts {
    /// Sending a message.
    pub send: u64,
    /// Receiving a message.
    pub receive: u64,
}

/// How the host learns of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notification {
    /// The interface interrupts the processor.
    Interrupt,
    /// The receiving program reads the next entry's state across the bus at this interval.
    Polling(Time),
}
