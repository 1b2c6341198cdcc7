//! Capabilities of a fabric, known before time 0: which packets it carries, in which order, and which it may lose.

use crate::engine::{Bytes, Rate, Time};

/// The capabilities of a fabric: nodes, logical networks, order, loss, packet length and link rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FabricCapabilities {
    /// Largest number of nodes that the fabric joins; `None` if there is no limit.
    pub nodes_max: Option<u32>,
    /// Number of logical networks.
    pub classes: u8,
    /// Key that sets the number of logical networks, if there is one.
    pub classes_key: Option<&'static str>,
    /// Whether packets of the same pair of nodes and the same class leave the fabric in the order in which they
    /// entered.
    pub in_order: bool,
    /// Packets that may be lost.
    pub loss: Loss,
    /// Longest packet that the fabric carries; `None` if there is no limit.
    pub packet_max: Option<MtuLimit>,
    /// Rate of a node's link in each direction.
    pub link_rate: Rate,
}

impl FabricCapabilities {
    /// Returns the capabilities of a fabric that keeps packets in order, with links of `link_rate`, one logical
    /// network, no loss and no limits.
    pub const fn new(link_rate: Rate) -> FabricCapabilities {
        FabricCapabilities {
            nodes_max: None,
            classes: 1,
            classes_key: None,
            in_order: true,
            loss: Loss::Never,
            packet_max: None,
            link_rate,
        }
    }
}

/// Packets that a fabric may lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The fabric loses no packet.
    Never,
    /// The fabric may lose packets that hold their path for longer than `failure_time`: those that wait for a reader,
    /// or for each other in a cycle. At most `carried_bytes` bytes cross the path in that time.
    Held {
        /// Time for which a packet may hold its path.
        failure_time: Time,
        /// Bytes that cross the path in that time.
        carried_bytes: Bytes,
    },
    /// The fabric may lose any packet, with the probability that the description states.
    Any,
}

/// The longest packet that a fabric carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MtuLimit {
    /// Length of the packet.
    pub bytes: Bytes,
    /// Cause of the limit, as a noun phrase.
    pub reason: &'static str,
    /// Keys of the fabric that set the limit; the first is the one to change, and the product of the first two is the
    /// limit.
    pub keys: &'static [&'static str],
    /// Change of the description that would allow longer packets, in words; empty if no change would.
    pub hint: &'static str,
}

impl MtuLimit {
    /// Returns the limit of `bytes`. `reason` is its cause, as a noun phrase, and `keys` are the fabric's keys that
    /// change it.
    pub const fn new(bytes: Bytes, reason: &'static str, keys: &'static [&'static str]) -> MtuLimit {
        MtuLimit { bytes, reason, keys, hint: "" }
    }
}
