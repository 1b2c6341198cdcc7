//! What active messages cost, and how they are packed.

use crate::engine::{Bytes, Hertz};
use crate::host::software::SoftwareParameters;
use crate::text::Table;

/// The costs of messaging, and the packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// The processors' clock.
    pub clock: Hertz,
    /// Cycles to send a packet.
    pub send: u64,
    /// Cycles of a poll that finds nothing.
    pub poll: u64,
    /// Cycles to receive a packet: dispatch, handle, return.
    pub receive: u64,
    /// Cycles from the last node's entering a barrier to all nodes' leaving it.
    pub barrier: u64,
    /// Cycles more to receive a packet of a transfer that may come out of order.
    pub reorder: u64,
    /// A packet with its header of one word.
    pub packet: Bytes,
    /// Whether transfers rely on packets that arrive in the order in which they were sent.
    pub in_order: bool,
    /// Cycles from one interface to the other, of the ideal wire.
    #[cfg(test)]
    pub latency: u64,
    /// The most cycles by which a packet is late, on the ideal wire.
    #[cfg(test)]
    pub jitter: u64,
}

/// The messaging layer of a description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagingParameters {
    /// Whether transfers rely on packets that arrive in the order in which they were sent.
    pub in_order: bool,
    /// Cycles more to receive a packet of a transfer that may come out of order.
    pub reorder: u64,
}

impl MessagingParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> MessagingParameters {
        MessagingParameters {
            in_order: t
                .flag("in-order", "Whether transfers rely on packets that arrive in the order they were sent in")
                .or(false),
            reorder: t
                .count("reorder", "Cycles more to receive a packet of a transfer that may come out of order")
                .max(1_000_000)
                .or(0),
        }
    }
}

impl Parameters {
    /// Those of a host with this software and messaging layer, for packets of `packet`.
    pub fn of(host: &SoftwareParameters, messaging: &MessagingParameters, packet: Bytes) -> Parameters {
        let SoftwareParameters { clock, send, poll, receive, barrier } = *host;
        let MessagingParameters { in_order, reorder } = *messaging;
        Parameters {
            clock,
            send,
            poll,
            receive,
            barrier,
            reorder,
            packet,
            in_order,
            #[cfg(test)]
            latency: 0,
            #[cfg(test)]
            jitter: 0,
        }
    }

    /// The most words that go with a packet.
    pub fn words_max(&self) -> usize {
        self.packet.len() / 4 - 1
    }
}
