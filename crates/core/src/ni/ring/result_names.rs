//! Names in results that stem from descriptor rings.

use crate::part::ResultName;

/// Stages in the order of a message's way, resources, and metrics.
pub const RESULTS: &[ResultName] = &[
    ResultName::stage(
        "doorbell",
        "The sending processor composes the request and writes it, or a doorbell, to the interface",
    ),
    ResultName::stage("descriptor", "The interface reads the request from host memory"),
    ResultName::stage("payload read", "The interface reads the payload from host memory"),
    ResultName::stage("wire", "The packet crosses the network, until the receiving interface has its last byte"),
    ResultName::stage("payload write", "The receiving interface writes the payload to host memory"),
    ResultName::stage("completion", "The receiving interface writes the entry that reports the packet"),
    ResultName::stage("poll", "The entry waits until the receiving processor polls it"),
    ResultName::stage(
        "interrupt",
        "The packet waits for the interrupt that announces it, and for the processor to take it",
    ),
    ResultName::stage(
        "softirq",
        "The kernel takes the packet from the ring and processes it below the level of programs",
    ),
    ResultName::resource("payload reads", "Reads of payloads, as the fraction of those that may be outstanding"),
    ResultName::metric("ring.doorbells", "", "Doorbells of send and receive rings"),
    ResultName::metric("ring.fetches", "", "DMA reads of descriptors"),
    ResultName::metric("ring.frames.inline", "", "Frames whose payload was in the ring"),
    ResultName::metric("ring.frames.sent", "", "Frames that interfaces sent"),
    ResultName::metric("ring.frames.waited", "", "Frames that waited for a receive buffer"),
    ResultName::metric("ring.head-reads", "", "Reads of head registers by processors"),
    ResultName::metric("ring.interrupts", "", "Interrupts that were raised"),
    ResultName::metric("ring.write-backs", "", "DMA writes of descriptors or completion entries"),
];
