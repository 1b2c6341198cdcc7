//! The parameters of Trapeze.

use super::policy::Policy;
use crate::engine::{Bytes, Time};
use crate::host::HostCapabilities;
use crate::text::Parameters;

/// The parameters of Trapeze's firmware and driver.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct TrapezeParameters {
    /// Number of entries of each message ring.
    ///
    /// The send ring and the receive ring have the same length.
    #[param(min = 1, max = 4096, meaning = Capacity, resource = "message rings")]
    pub ring_entries: u64,
    /// Largest payload: the size of a packet buffer.
    #[param(min = "4 B", max = "1 MiB", meaning = Granularity)]
    pub payload_max: Bytes,
    /// Number of tags of the incoming payload table.
    #[param(min = 2, max = 65_536, meaning = Capacity)]
    pub tags: u64,
    /// Rule for starting the transfer of a packet out of an interface buffer.
    #[param(one_of)]
    pub policy: Policy,
    /// Costs of the firmware, in cycles of the interface's processor.
    #[param(table)]
    pub firmware: FirmwareCosts,
    /// Whether the firmware logs every transfer.
    #[param(default = false)]
    pub logging: bool,
    /// Method by which the host is notified of a message.
    #[param(one_of)]
    pub notification: Notification,
    /// Time between two polls of a sender that found the ring full.
    #[param(min = "100 ns", meaning = Policy)]
    pub ring_poll: Time,
    /// Whether control messages pass through a buffer in host memory.
    #[param(default = false)]
    pub shadow: bool,
    /// An injected fault: the receiving firmware frees no packet buffer.
    #[param(default = false)]
    pub keep_buffers: bool,
}

/// The costs of the firmware, in cycles of the interface's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = 1_000_000), meaning = Work, resource = "firmware")]
pub struct FirmwareCosts {
    /// Cycles of one pass in which the firmware polls the rings and the status bits of the LANai.
    #[param(min = 1)]
    pub poll: u64,
    /// Cycles to take a message from the send ring and start hostTx, the DMA from host memory.
    pub send_begin: u64,
    /// Cycles to start a transfer of netTx, the DMA to the link, or of hostRcv, the DMA to host memory.
    pub transfer: u64,
    /// Cycles to free the buffer and the send ring entry of a message that was sent.
    pub send_end: u64,
    /// Cycles to start netRcv, the DMA from the link, for a control message.
    pub receive_post: u64,
    /// Cycles to look up the tag of a control message and start netRcv for its payload.
    pub receive_begin: u64,
    /// Cycles to hand a received message to the host.
    pub receive_end: u64,
    /// Cycles to write the log entry of a transfer.
    pub log: u64,
    /// Cycles of the protocol for an event: a packet is offered, received or taken, or a control frame is handled.
    ///
    /// A control frame that is composed or read, and a timer that expires, take the same cycles.
    #[param(default = 60)]
    pub protocol: u64,
    /// Cycles to copy a control message to its ring entry; only with a protocol.
    ///
    /// Without a protocol the message is received into its ring entry, and is not copied.
    #[param(default = 64)]
    pub copy: u64,
}

/// Method by which the host is notified of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum Notification {
    /// The interface interrupts the processor.
    Interrupt,
    /// The program polls across the bus.
    ///
    /// A poll reads the state of the next entry.
    Polling(
        /// Time between two polls.
        #[param(key = "interval", min = "100 ns", default = "2 us", meaning = Policy)]
        Time,
    ),
}

impl Notification {
    /// Returns the host capabilities that firmware and driver need.
    pub fn needs(self) -> HostCapabilities {
        use HostCapabilities as Has;
        let polled = Has::of([Has::REGISTERS, Has::DMA]);
        if self == Notification::Interrupt { polled.with(Has::INTERRUPTS, 1) } else { polled }
    }
}
