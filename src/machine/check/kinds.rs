//! Whether an interface has the hosts, the fabric and the workload that it works with.

use super::memory_bus::needs_io_bus;
use crate::machine::{Fabric, Host, Machine, Ni};
use crate::text::{Problem, Read};

/// What an interface needs: how it is called in messages, its kind of host, and its fabric.
struct Needs {
    ni: &'static str,
    host: &'static str,
    fabric: Option<&'static str>,
}

/// Whether interface, hosts, fabric and workload are of one kind.
pub(super) fn of_one_kind(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let alone = machine.workload.drives_fabric_alone();
    let needs = match &machine.ni {
        Ni::None => return without_interface(read, problems),
        _ if alone => return not_alone(read, problems),
        Ni::Trapeze { .. } => Needs { ni: "Trapeze", host: "io-bus", fabric: Some("myrinet") },
        Ni::MemoryBus { .. } => Needs { ni: "this interface", host: "memory-bus", fabric: Some("ideal") },
        Ni::Packets { .. } => Needs { ni: "this interface", host: "software", fabric: None },
    };
    hosts(read, &needs, problems);
    let here = fabric_key(&machine.fabric);
    if let Some(needed) = needs.fabric.filter(|needed| *needed != here) {
        let message = format!("{} does not work with the fabric `{here}`", needs.ni);
        let help = format!("{} needs [fabric.{needed}]", needs.ni);
        problems.push(read.wrong(&format!("fabric.{here}"), &message, &help));
    }
    if matches!(machine.ni, Ni::MemoryBus { .. }) {
        needs_io_bus(read, problems);
    }
    workload(read, problems);
}

fn hosts(read: &Read<Machine>, needs: &Needs, problems: &mut Vec<Problem>) {
    let Needs { ni, host: needed, .. } = needs;
    for node in &read.value.nodes {
        let Some((_, host)) = read.value.hosts.iter().find(|(name, _)| *name == node.host) else { continue };
        let (kind, place) = match host {
            Host::IoBus(_) => ("io-bus", "an I/O bus"),
            Host::MemoryBus(_) => ("memory-bus", "a memory bus"),
            Host::Software(_) => ("software", "no bus"),
        };
        if kind != *needed {
            let message = format!("`{}` is a host for interfaces on {place}, and {ni} is not one of them", node.host);
            let help = format!("{ni} needs a host with [hosts.NAME.{needed}]");
            let (own, host) = (format!("nodes.{}.host", node.name), format!("hosts.{}.{kind}", node.host));
            problems.push(read.wrong(read.foremost(&[&own, &host]), &message, &help));
            return;
        }
    }
}

/// The key of a fabric's table.
pub(super) fn fabric_key(fabric: &Fabric) -> &'static str {
    match fabric {
        Fabric::Myrinet(_) => "myrinet",
        Fabric::Ideal(_) => "ideal",
        Fabric::Routed(topology, _) => topology.key(),
    }
}

/// A workload that drives the fabric alone needs one of routers.
fn without_interface(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    if !matches!(read.value.fabric, Fabric::Routed(..)) {
        let key = format!("fabric.{}", fabric_key(&read.value.fabric));
        let help = "choose a shape of routers, such as [fabric.mesh]";
        problems.push(read.wrong(&key, "this workload drives routers, and the fabric has none", help));
    }
}

/// A workload that drives the fabric alone would leave the interface without anything to do.
fn not_alone(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let key = match &read.value.ni {
        Ni::Trapeze { .. } => "ni.trapeze".to_owned(),
        Ni::MemoryBus { interface, .. } => format!("ni.{}", interface.kind.key()),
        Ni::Packets { interface, .. } => format!("ni.{}", interface.key()),
        Ni::None => return,
    };
    let message =
        format!("`workload.{}` drives the fabric alone, and no interface takes part", read.value.workload.key());
    problems.push(read.wrong(&key, &message, "leave it out, or choose a workload for hosts with interfaces"));
}

/// Programs on all nodes send active messages; the others, messages through host memory.
fn workload(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let packets = matches!(machine.ni, Ni::Packets { .. });
    let key = format!("workload.{}", machine.workload.key());
    match (packets, machine.workload.is_parallel()) {
        (true, false) => problems.push(read.wrong(
            &key,
            "this workload sends from host memory, and the interface has hosts without one",
            "choose a program on all nodes, such as [workload.bursts], or another interface",
        )),
        (false, true) => problems.push(read.wrong(
            &key,
            "this program sends active messages, and the interface does not carry them",
            "it needs [ni.nifdy] or [ni.plain]",
        )),
        _ => {}
    }
}
