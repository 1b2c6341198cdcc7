//! Every named number of Trapeze.

use super::policy::Policy;
use crate::engine::{Bytes, Time};
use crate::host::Means;
use crate::text::Table;

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
    /// A protocol's part of an event: a packet offered, come or taken; its own frame made or read; a
    /// timer gone off.
    pub protocol: u64,
    /// Copying a control message within the interface's memory, once it has its ring entry.
    pub copy: u64,
}

/// How the host learns of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notification {
    /// The interface interrupts the processor.
    Interrupt,
    /// The receiving program reads the next entry's state across the bus at this interval.
    Polling(Time),
}

impl TrapezeParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> TrapezeParameters {
        TrapezeParameters {
            ring_entries: t.count("ring-entries", "Entries of each message ring").range(1, 4096).required(),
            payload_max: t
                .bytes("payload-max", "Largest payload: the size of a packet buffer")
                .min("4 B")
                .max("1 MiB")
                .required(),
            tags: t.count("tags", "Tags the incoming payload table holds").range(2, 65_536).required(),
            policy: Policy::read(t),
            firmware: t.table(
                "firmware",
                "What the firmware's work takes, in cycles of the interface's processor",
                FirmwareCosts::read,
            ),
            logging: t.flag("logging", "Whether the firmware logs every transfer").or(false),
            notification: Notification::read(t),
            ring_poll: t
                .time("ring-poll", "How often a sender that found the ring full looks again")
                .min("100 ns")
                .required(),
            shadow: t.flag("shadow", "Whether control messages pass through a buffer in host memory").or(false),
            keep_buffers: t
                .flag("keep-buffers", "A fault to study: the receiving firmware frees no packet buffer")
                .or(false),
        }
    }
}

impl FirmwareCosts {
    fn read(t: &mut Table<'_>) -> FirmwareCosts {
        FirmwareCosts {
            poll: t.count("poll", "One pass over rings and status bits").min(1).max(1_000_000).required(),
            send_begin: t
                .count("send-begin", "Taking a message from the send ring and starting hostTx")
                .max(1_000_000)
                .required(),
            transfer: t.count("transfer", "Starting a netTx or hostRcv transfer").max(1_000_000).required(),
            send_end: t.count("send-end", "Freeing buffer and send ring entry").max(1_000_000).required(),
            receive_post: t.count("receive-post", "Posting netRcv for a control message").max(1_000_000).required(),
            receive_begin: t
                .count("receive-begin", "Looking a tag up and posting netRcv for the payload")
                .max(1_000_000)
                .required(),
            receive_end: t.count("receive-end", "Handing a message to the host").max(1_000_000).required(),
            log: t.count("log", "Writing a log entry for one transfer").max(1_000_000).required(),
            protocol: t
                .count("protocol", "A protocol's part of an event: a packet offered, come or taken, its own frame")
                .max(1_000_000)
                .or(60),
            copy: t
                .count("copy", "Under a protocol, copying a control message to its ring entry")
                .max(1_000_000)
                .or(64),
        }
    }
}

impl Notification {
    /// What firmware and driver need of a host.
    pub fn needs(self) -> Means {
        Means { registers: true, dma: true, interrupts: self == Notification::Interrupt, ..Means::default() }
    }

    fn read(t: &mut Table<'_>) -> Notification {
        let ways =
            [("interrupt", "The interface interrupts the processor"), ("polling", "The program looks across the bus")];
        t.one_of("notification", "How the host learns of a message", &ways, |way, t| match way {
            "polling" => Notification::Polling(t.time("interval", "Time between two looks").min("100 ns").or("2 us")),
            _ => Notification::Interrupt,
        })
    }
}
