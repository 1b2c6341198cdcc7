//! What must fit together where packets cross routers: shape, routing, nodes, packets, workload.

use crate::engine::Rate;
use crate::fabric::routed::RoutedParameters;
use crate::fabric::topology::Shape;
use crate::fabric::topology::survey::{self, Deadlock};
use crate::machine::{FabricParameters, Machine};
use crate::text::{Problem, Read};

/// All of it.
pub(super) fn check(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let FabricParameters::Routed(topology, routed) = &read.value.fabric else { return };
    if let Some(problem) = super::host_memory::check(read, topology, routed) {
        return problems.push(problem);
    }
    let table = format!("fabric.{}", read.value.fabric.key());
    let shape = match topology.build() {
        Ok(shape) => shape,
        Err(wrong) => {
            let told = wrong.iter().map(|(key, message, help)| read.wrong(&format!("{table}.{key}"), message, help));
            return problems.extend(told);
        }
    };
    let nodes = shape.wiring.nodes();
    for (key, message) in routed.router.check(&shape, read.value.workload.needs().packet_flits) {
        problems.push(router(read, key, &message));
    }
    workload(read, routed, nodes, problems);
    crossing(read, routed, problems);
    if problems.is_empty() {
        deadlock(read, &table, &shape, routed, problems);
    }
}

/// A router's parameter that does not fit the shape, or what a workload that drives it alone offers.
fn router(read: &Read<Machine>, key: &str, message: &str) -> Problem {
    let of = |key: &str| format!("fabric.router.{key}");
    if key != "buffer-flits" {
        return read.wrong(&of(key), message, "");
    }
    let workload = read.value.workload.table();
    let [buffer, switching, packets] = [of(key), of("switching"), format!("{workload}.packet-flits")];
    let help = format!("make {buffer} larger, or the packets of [{workload}] shorter; a wormhole needs neither");
    read.wrong(read.foremost(&[&buffer, &packets, &switching]), message, &help)
}

fn workload(read: &Read<Machine>, routed: &RoutedParameters, nodes: u32, problems: &mut Vec<Problem>) {
    let most = 1.0 / f64::from(routed.router.cycles_per_flit());
    let wrong = read.value.workload.check_routers(nodes, most).into_iter();
    problems.extend(wrong.map(|error| read.wrong(&read.value.workload.key(&error.key), &error.message, &error.help)));
}

/// Cross-traffic has edges to come from and links to go by, and somebody to meet there.
fn crossing(read: &Read<Machine>, routed: &RoutedParameters, problems: &mut Vec<Problem>) {
    let (Some(cross), FabricParameters::Routed(topology, _)) = (routed.cross, &read.value.fabric) else { return };
    let mut wrong = |key: &str, message: &str, help: &str| problems.push(read.wrong(key, message, help));
    let (table, fabric) = ("fabric.cross-traffic", read.value.fabric.key());
    if topology.with_columns().is_none() {
        let message = format!("cross-traffic comes from the edges of a mesh, and [fabric.{fabric}] has none");
        wrong(table, &message, "leave it out, or choose [fabric.mesh]");
    } else if read.value.workload.needs().fabric_only {
        let message = format!("`{}` drives the fabric alone", read.value.workload.table());
        wrong(table, &message, "leave it out, or choose a workload for hosts with interfaces");
    }
    let link = routed.router.clock.0.saturating_mul(routed.router.link_bits.into());
    if cross.rate.bits_per_s() > link {
        let message = format!("{} is more than a link moves, {}", cross.rate, Rate::from_bits_per_s(link));
        wrong(&format!("{table}.rate"), &message, "choose a smaller one");
    }
    let longest = read.value.fabric.facts().packet_max.map(|longest| longest.bytes);
    if let Some(longest) = longest.filter(|longest| cross.message > *longest) {
        let message = format!("a message of {} is longer than a packet can be here, {longest}", cross.message);
        wrong(&format!("{table}.message"), &message, "choose a shorter one");
    }
}

/// How many channels of a circle are told.
const CIRCLE_TOLD: usize = 12;

/// Refuses a routing whose packets can wait for one another in a circle.
fn deadlock(read: &Read<Machine>, table: &str, shape: &Shape, routed: &RoutedParameters, problems: &mut Vec<Problem>) {
    let Deadlock::Circle(circle) = survey::deadlock(shape, routed.router.virtual_channels) else { return };
    let waits: Vec<String> = circle.iter().take(CIRCLE_TOLD).map(ToString::to_string).collect();
    let message = format!("packets can wait for one another in a circle of {} channels", circle.len());
    let rest = if circle.len() > CIRCLE_TOLD { "so on, until one" } else { "the last" };
    let help = format!("each waits for the next, and {rest} for the first: {}", waits.join("; "));
    problems.push(read.wrong(table, &message, &help));
}
