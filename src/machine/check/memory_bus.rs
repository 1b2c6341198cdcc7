//! What must fit together where the interface sits on the memory bus.

use crate::engine::Bytes;
use crate::machine::{Host, Machine};
use crate::messaging::polled::MessagingParameters;
use crate::ni::memory_bus::InterfaceParameters;
use crate::program::Workload;
use crate::text::{Problem, Read};

/// Workloads that need what only an I/O-bus host has.
pub(super) fn needs_io_bus(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let help = "this needs a host with an I/O bus, and Trapeze";
    match &read.value.workload {
        Workload::Dma(_) => problems.push(read.wrong("workload.dma", "the interface has no host DMA to test", help)),
        Workload::Stream(stream) if stream.copying => {
            problems.push(read.wrong(
                "workload.stream.copying",
                "a memory-bus host copies no blocks beside its program",
                help,
            ));
        }
        _ => {}
    }
}

/// The parameters of memory-bus hosts, of the interface, and of the messaging layer.
pub(super) fn parameters(
    read: &Read<Machine>,
    interface: &InterfaceParameters,
    messaging: &MessagingParameters,
    problems: &mut Vec<Problem>,
) {
    for (name, host) in &read.value.hosts {
        let Host::MemoryBus(host) = host else { continue };
        for problem in host.check() {
            problems.push(read.wrong(&format!("hosts.{name}.memory-bus.{}", problem.parameter), &problem.reason, ""));
        }
    }
    for problem in interface.check() {
        let key = format!("ni.{}.{}", interface.kind.key(), key_of(problem.parameter));
        problems.push(read.wrong(&key, &problem.reason, ""));
    }
    for problem in messaging.check(interface.message_bytes_max.len().max(16)) {
        problems.push(read.wrong(&format!("messaging.{}", key_of(problem.parameter)), &problem.reason, ""));
    }
    let most = Bytes(messaging.message_bytes_max as u64);
    if let Some((key, payload)) = read.value.workload.payload_max().filter(|(_, payload)| *payload > most) {
        let message = format!("a payload of {payload} is larger than a message may be, {most}");
        problems.push(read.wrong(key, &message, "make it smaller, or messaging.message-max larger"));
    }
    let empty = |payload: Bytes| payload.is_empty();
    if let Some((key, _)) = read.value.workload.payload_min().filter(|(_, payload)| empty(*payload)) {
        problems.push(read.wrong(key, "a message without a payload", "at least 1 B: there are no control messages"));
    }
}

/// The key under which a parameter stands in a description.
fn key_of(parameter: &'static str) -> &'static str {
    match parameter {
        "message-bytes-max" => "message-max",
        "access-bytes" => "access",
        other => other,
    }
}
