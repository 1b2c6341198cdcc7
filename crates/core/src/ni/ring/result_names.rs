//! Names in results that stem from descriptor rings.

use crate::ni::dma_stages;
use crate::part::ResultName;

/// Stages in the order in which a message passes them, resources, and metrics.
pub const RESULTS: &[ResultName] = &[
    dma_stages::DOORBELL,
    dma_stages::DESCRIPTOR,
    dma_stages::PAYLOAD_READ,
    dma_stages::WIRE,
    dma_stages::PAYLOAD_WRITE,
    dma_stages::COMPLETION,
    dma_stages::POLL,
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
