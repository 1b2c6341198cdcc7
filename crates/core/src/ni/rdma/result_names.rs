//! Names in results that stem from queue pairs.

use crate::part::ResultName;

/// Stages in the order of a message's way, resources, and metrics.
pub const RESULTS: &[ResultName] = &[
    ResultName::stage(
        "doorbell",
        "The sending processor composes the request and writes it, or a doorbell, to the interface",
    ),
    ResultName::stage("descriptor", "The interface reads the request from host memory"),
    ResultName::stage("send processing", "The sending interface processes the request and schedules its packets"),
    ResultName::stage("payload read", "The interface reads the payload from host memory"),
    ResultName::stage("wire", "The packet crosses the network, until the receiving interface has its last byte"),
    ResultName::stage("receive processing", "The receiving interface processes the packet"),
    ResultName::stage("payload write", "The receiving interface writes the payload to host memory"),
    ResultName::stage("completion", "The receiving interface writes the entry that reports the packet"),
    ResultName::stage("poll", "The entry waits until the receiving processor polls it"),
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
