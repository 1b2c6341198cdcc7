//! Names in results that several programs report.

use crate::part::ResultName;

/// Metrics of programs that are not those of a single workload.
pub const RESULTS: &[ResultName] = &[
    ResultName::metric(
        "message.latency_one_way",
        "us",
        "Latency of a message, from the call of the sending program until the receiving program has it; the mean over all measured messages",
    ),
    ResultName::metric("message.bandwidth", "MB/s", "Payload that arrived per time, after the warm-up"),
    ResultName::metric("messages.sent", "", "Messages that programs sent"),
    ResultName::metric("messages.delivered", "", "Messages that programs received"),
    ResultName::metric("messages.dropped", "", "Messages that were lost"),
    ResultName::metric("messages.count", "", "Active messages, with a transfer counted once"),
    ResultName::metric(
        "messages.bytes",
        "B",
        "Bytes of active messages and transfers, including a header of 8 bytes each",
    ),
    ResultName::metric("messages.size.BYTES", "", "Active messages of this size, including 8 bytes of header"),
    ResultName::metric("packets.sent", "", "Packets that programs sent"),
    ResultName::metric("packets.delivered", "", "Packets that programs accepted"),
    ResultName::metric("packets.in_flight", "", "Packets that were sent and not yet accepted at the end"),
    ResultName::metric(
        "packets.dropped",
        "",
        "Packets that the fabric dropped, including acknowledgements and retransmissions",
    ),
    ResultName::metric("packets.dropped.REASON", "", "Packets that software dropped, by reason"),
    ResultName::metric("packets.never_accepted.NODE", "", "Packets that were sent to an endpoint which accepted none"),
    ResultName::metric(
        "packets.overflowed",
        "",
        "Packets that were moved to memory, because a handler waited for space in the interface",
    ),
    ResultName::metric(
        "cycles",
        "cycles",
        "Length of the run in cycles of the first node's processor; in cycles of the fabric if a program drives the fabric alone",
    ),
    ResultName::metric(
        "frames.injected",
        "",
        "Packets that interfaces sent into the fabric, including those of the protocol",
    ),
    ResultName::metric("frames.delivered", "", "Packets that the fabric delivered, including those of the protocol"),
    ResultName::metric("frames.dropped", "", "Packets that the fabric dropped, including those of the protocol"),
    ResultName::metric("frames.in_flight", "", "Packets in the fabric at the end, including those of the protocol"),
    ResultName::metric("ni.acknowledgements", "", "Acknowledgements that were sent as packets of their own"),
    ResultName::metric("ni.carried", "", "Acknowledgements that were sent in packets with data"),
    ResultName::metric("ni.bulk", "", "Packets that were sent in bulk dialogs of NIFDY"),
    ResultName::metric("ni.retransmitted", "", "Packets that the protocol sent again"),
    ResultName::metric("ni.duplicates", "", "Packets that arrived again and were discarded"),
    ResultName::metric("ni.state", "B", "Largest memory that the protocol's state occupied at a node"),
    ResultName::metric(
        "time.program",
        "cycles",
        "Mean time of the programs, in their timed section or else in all of the run",
    ),
    ResultName::metric("time.compute", "cycles", "Part of time.program in computation, including that of handlers"),
    ResultName::metric("time.send", "cycles", "Part of time.program in sending packets to the interface"),
    ResultName::metric("time.receive", "cycles", "Part of time.program in receiving packets, and in polls after sends"),
    ResultName::metric(
        "time.dispatch",
        "cycles",
        "Part of time.program in dispatching messages to their handlers by a run-time system",
    ),
    ResultName::metric(
        "time.wait_for_capacity",
        "cycles",
        "Part of time.program in waiting for space in the interface",
    ),
    ResultName::metric(
        "time.wait_for_message",
        "cycles",
        "Part of time.program in waiting for packets, barriers, or the processor that other programs of the node use",
    ),
    ResultName::metric("time.wait_for_block", "cycles", "Part of time.program in waiting for blocks of shared memory"),
    ResultName::metric(
        "time.synchronization",
        "cycles",
        "Part of time.program in waiting for locks and for data that other programs write",
    ),
    ResultName::metric(
        "shared_memory.faults",
        "",
        "Mean number of times that a program waited for a block of shared memory",
    ),
    ResultName::metric(
        "cross_traffic.rate",
        "MB/s",
        "Mean rate of the traffic that the fabric adds to that of the programs",
    ),
    ResultName::metric(
        "links.utilisation",
        "",
        "Fraction of the run in which links moved flits, the mean over all links",
    ),
    ResultName::metric("links.utilisation_max", "", "Fraction of the run in which the busiest link moved flits"),
];
