//! Names in results that stem from queue pairs.

use crate::ni::dma_stages;
use crate::part::ResultName;

/// Stages in the order in which a message passes them, resources, and metrics.
pub const RESULTS: &[ResultName] = &[
    dma_stages::DOORBELL,
    dma_stages::DESCRIPTOR,
    ResultName::stage("send processing", "The sending interface processes the request and schedules its packets"),
    dma_stages::PAYLOAD_READ,
    dma_stages::WIRE,
    ResultName::stage("receive processing", "The receiving interface processes the packet"),
    dma_stages::PAYLOAD_WRITE,
    dma_stages::COMPLETION,
    dma_stages::POLL,
    ResultName::resource("payload reads", "The path from host memory into packet memory"),
    ResultName::resource("payload writes", "The path from packet memory to host memory"),
    ResultName::metric("rdma.packets", "", "Packets that interfaces sent, including acknowledgements"),
    ResultName::metric("rdma.retransmissions", "", "Packets that were sent again"),
    ResultName::metric("rdma.sequence_errors", "", "Packets that arrived before an earlier packet of their queue pair"),
    ResultName::metric("rdma.receiver_not_ready", "", "Messages for which no receive was posted"),
    ResultName::metric("rdma.time_outs", "", "Times without progress after which packets were sent again"),
    ResultName::metric("rdma.dropped", "", "Packets that the interface discarded"),
    ResultName::metric("rdma.failed_queue_pairs", "", "Queue pairs in the error state"),
    ResultName::metric("rdma.context_misses", "", "Contexts of queue pairs that were read from host memory"),
    ResultName::metric("rdma.translation_misses", "", "Translations of addresses that were read from host memory"),
];
