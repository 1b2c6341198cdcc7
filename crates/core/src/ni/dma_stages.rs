//! Stages of a message through interfaces that read and write host memory by DMA, in the order in which a message
//! passes them. Several interfaces report these stages, with the same meaning.

use crate::part::ResultName;

/// From the start of sending until the interface has been notified.
pub const DOORBELL: ResultName = ResultName::stage(
    "doorbell",
    "The sending processor composes the request and writes it, or a doorbell, to the interface",
);
/// Until the interface has the request.
pub const DESCRIPTOR: ResultName = ResultName::stage("descriptor", "The interface reads the request from host memory");
/// Until the payload is in the interface.
pub const PAYLOAD_READ: ResultName =
    ResultName::stage("payload read", "The interface reads the payload from host memory");
/// Until the packet is in the receiving interface.
pub const WIRE: ResultName =
    ResultName::stage("wire", "The packet crosses the network, until the receiving interface has its last byte");
/// Until the payload is visible in memory.
pub const PAYLOAD_WRITE: ResultName =
    ResultName::stage("payload write", "The receiving interface writes the payload to host memory");
/// Until the entry that reports the packet is visible.
pub const COMPLETION: ResultName =
    ResultName::stage("completion", "The receiving interface writes the entry that reports the packet");
/// Until the driver has found the entry.
pub const POLL: ResultName = ResultName::stage("poll", "The entry waits until the receiving processor polls it");
