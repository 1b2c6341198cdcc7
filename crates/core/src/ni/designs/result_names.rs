//! Names in results that come from fifos and queues, in the order in which a message passes them.

use crate::ni::dma_stages;
use crate::part::ResultName;

/// Stages of messages through a fifo or a queue.
pub const RESULTS: &[ResultName] = &[
    ResultName::stage(
        "send: earlier fragments",
        "The packet waits until the earlier packets of its message have been composed",
    ),
    ResultName::stage("send: processor", "Instructions and cache hits of the sending processor"),
    ResultName::stage("send: bus", "Accesses of the sending processor that leave it"),
    ResultName::stage("send: interface", "The sending interface fetches and processes the packet"),
    dma_stages::WIRE,
    ResultName::stage("receive: interface", "The receiving interface processes and stores the packet"),
    ResultName::stage("receive: poll", "The packet waits until a poll of the receiving processor finds it"),
    ResultName::stage("receive: processor", "Instructions and cache hits of the receiving processor"),
    ResultName::stage("receive: bus", "Accesses of the receiving processor that leave it"),
];
