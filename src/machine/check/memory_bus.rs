//! What must fit together where the interface sits on the memory bus, and that an interface has
//! the host, the fabric and the workload it works with.

use crate::engine::Bytes;
use crate::machine::{Fabric, Host, Machine, Ni};
use crate::messaging::polled::MessagingParameters;
use crate::ni::memory_bus::InterfaceParameters;
use crate::program::Workload;
use crate::text::{Problem, Read};

/// Whether interface, hosts, fabric and workload are of one kind.
pub(super) fn of_one_kind(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let on_memory_bus = matches!(machine.ni, Ni::MemoryBus { .. });
    let (ni, bus, other) = match on_memory_bus {
        true => ("this interface", "memory-bus", "an I/O bus"),
        false => ("Trapeze", "io-bus", "a memory bus"),
    };
    for node in &machine.nodes {
        let host = machine.hosts.iter().find(|(name, _)| *name == node.host);
        if host.is_some_and(|(_, host)| matches!(host, Host::MemoryBus(_)) != on_memory_bus) {
            let message = format!("`{}` is a host for interfaces on {other}, and {ni} is not one of them", node.host);
            let help = format!("{ni} needs a host with [hosts.NAME.{bus}]");
            problems.push(read.wrong(&format!("nodes.{}.host", node.name), &message, &help));
        }
    }
    if matches!(machine.fabric, Fabric::Ideal(_)) != on_memory_bus {
        let (here, needed) = if on_memory_bus { ("myrinet", "ideal") } else { ("ideal", "myrinet") };
        let message = format!("{ni} does not work with the fabric `{here}`");
        problems.push(read.wrong(&format!("fabric.{here}"), &message, &format!("{ni} needs [fabric.{needed}]")));
    }
    if on_memory_bus {
        needs_io_bus(read, problems);
    }
}

/// Workloads that need what only an I/O-bus host has.
fn needs_io_bus(read: &Read<Machine>, problems: &mut Vec<Problem>) {
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
