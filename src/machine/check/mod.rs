//! What must fit together before time 0.

mod kinds;
mod memory_bus;
mod routed;

use crate::engine::Bytes;
use crate::fabric::myrinet::{RouteError, routes};
use crate::machine::nodes::NODES_MAX;
use crate::machine::{Fabric, Host, Machine, Ni, shipped};
use crate::ni::lanai::LanaiParameters;
use crate::ni::trapeze::layout::Layout;
use crate::ni::trapeze::{self, Policy, TrapezeParameters};
use crate::program::Workload;
use crate::text::{Problem, Read};

/// All problems of a description whose every value is sound.
pub(super) fn check(read: &Read<Machine>) -> Vec<Problem> {
    let mut problems = Vec::new();
    nodes(read, &mut problems);
    kinds::of_one_kind(read, &mut problems);
    workload(read, &mut problems);
    interface(read, &mut problems);
    if problems.is_empty() {
        fabric(read, &mut problems);
        routed::check(read, &mut problems);
    }
    problems
}

fn nodes(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let hosts: Vec<&str> = machine.hosts.iter().map(|(name, _)| name.as_str()).collect();
    for node in &machine.nodes {
        if !hosts.contains(&node.host.as_str()) {
            let key = format!("nodes.{}.host", node.name);
            let message = format!("there is no host `{}`", node.host);
            problems.push(read.wrong(&key, &message, &hosts_there_are(&node.host, &hosts)));
        }
    }
    let most = if matches!(machine.ni, Ni::Packets { .. } | Ni::None) { NODES_MAX as usize } else { 1024 };
    let least = machine.workload.nodes_min();
    if machine.nodes.len() < least || machine.nodes.len() > most {
        let plural = if machine.nodes.len() == 1 { "" } else { "s" };
        let message = format!("the machine has {} node{plural}", machine.nodes.len());
        problems.push(read.wrong(
            "nodes",
            &message,
            &format!("this workload needs {least} to {most}, each as [nodes.NAME]"),
        ));
    }
}

fn workload(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let names: Vec<&str> = machine.nodes.iter().map(|node| node.name.as_str()).collect();
    for (key, name) in machine.workload.names() {
        if !names.contains(&name) {
            let key = &flow_key(machine, key, name);
            problems.push(read.wrong(key, &format!("there is no node `{name}`"), &among("nodes", name, &names)));
        }
    }
    for (key, name) in machine.workload.to_itself(&names) {
        let message = format!("`{name}` would send to itself");
        let key = &flow_key(machine, key, &format!("{name} -> {name}"));
        problems.push(read.wrong(key, &message, "the two ends of a program are different nodes"));
    }
    for (key, reason) in machine.workload.check(machine.nodes.len()) {
        problems.push(read.wrong(&key, &reason, ""));
    }
    let Ni::Trapeze { trapeze, .. } = &machine.ni else { return };
    if let Some((key, payload)) = machine.workload.payload_max().filter(|(_, payload)| *payload > trapeze.payload_max) {
        let message = format!("a payload of {payload} is larger than a packet buffer, {}", trapeze.payload_max);
        problems.push(read.wrong(key, &message, "make it smaller, or ni.trapeze.payload-max larger"));
    }
}

/// The key of the flow that names a node, or is written like this, where `key` is that of all flows.
fn flow_key(machine: &Machine, key: &str, sought: &str) -> String {
    let Workload::Stream(stream) = &machine.workload else { return key.to_owned() };
    let is_sought =
        |(from, to): &(String, String)| from == sought || to == sought || format!("{from} -> {to}") == sought;
    match stream.flows.iter().position(is_sought) {
        Some(flow) => format!("{key}.{flow}"),
        None => key.to_owned(),
    }
}

fn interface(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    match &read.value.ni {
        Ni::Trapeze { chip, trapeze } => trapeze_fits(read, chip, trapeze, problems),
        Ni::MemoryBus { interface, messaging } => memory_bus::parameters(read, interface, messaging, problems),
        Ni::Packets { interface, messaging } => routed::order(read, interface, messaging, problems),
        Ni::None => {}
    }
}

fn trapeze_fits(
    read: &Read<Machine>,
    chip: &LanaiParameters,
    trapeze: &TrapezeParameters,
    problems: &mut Vec<Problem>,
) {
    let policy = format!("ni.trapeze.policy.{}", policy_name(&trapeze.policy));
    let (minpulse, buffers) = (format!("{policy}.minpulse"), format!("{policy}.buffers"));
    let of = |key: &str| format!("ni.trapeze.{key}");
    let (payload, entries, tags, memory) = (of("payload-max"), of("ring-entries"), of("tags"), of("lanai.sram.size"));
    for (key, message) in trapeze::check(trapeze, chip) {
        let (at, help) = match key {
            "policy" => {
                (read.foremost(&[&minpulse, &payload]), "make minpulse smaller, or payload-max larger".to_owned())
            }
            "ring-entries" => {
                (read.foremost(&[&entries, &payload]), "make ring-entries or payload-max smaller".to_owned())
            }
            _ => (read.foremost(&[&buffers, &payload, &entries, &tags, &memory]), room(trapeze, chip)),
        };
        problems.push(read.wrong(at, &message, &help));
    }
    bus_before_network(read, chip, problems);
}

/// What would fit into the interface's memory.
fn room(trapeze: &TrapezeParameters, chip: &LanaiParameters) -> String {
    let rings = Layout::new(trapeze).send_buffer(0);
    match chip.sram.size.get().saturating_sub(rings) / (2 * trapeze.payload_max.get()) {
        0 => format!(
            "not even one buffer of {} in each direction fits beside rings and tags, which need {}: make payload-max, ring-entries or tags smaller",
            trapeze.payload_max,
            Bytes(rings)
        ),
        fit => format!("{fit} buffers of {} in each direction fit beside the rings", trapeze.payload_max),
    }
}

fn policy_name(policy: &Policy) -> &'static str {
    match policy {
        Policy::StoreAndForward { .. } => "store-and-forward",
        Policy::PureCutThrough { .. } => "pure-cut-through",
        Policy::EagerCutThrough { .. } => "eager-cut-through",
        Policy::AdaptiveCutThrough { .. } => "adaptive-cut-through",
    }
}

/// The interface's memory serves the bus first; something must be left for the network.
fn bus_before_network(read: &Read<Machine>, chip: &LanaiParameters, problems: &mut Vec<Problem>) {
    for (name, host) in &read.value.hosts {
        let Host::IoBus(host) = host else { continue };
        let bus = host.bridge.read_rate.max(host.bridge.write_rate);
        if bus >= chip.sram.rate {
            let message = format!("memory of {} leaves nothing for the network beside DMA at {bus}", chip.sram.rate);
            let help = format!("the bus comes first: more than the rates of hosts.{name}.io-bus.bridge");
            problems.push(read.wrong("ni.trapeze.lanai.sram.rate", &message, &help));
        }
    }
}

fn fabric(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let names: Vec<String> = read.value.nodes.iter().map(|node| node.name.clone()).collect();
    let Fabric::Myrinet(parameters) = &read.value.fabric else { return };
    let before = problems.len();
    names_once(read, &names, &parameters.switches, problems);
    links_once(read, &parameters.links, problems);
    if problems.len() > before {
        return;
    }
    let Err(error) = routes(&names, &parameters.switches, &parameters.links) else { return };
    let links = "fabric.myrinet.links";
    let (key, help) = match &error {
        RouteError::NoLinks => (links.to_owned(), "join every node to a switch: \"node - switch\"".to_owned()),
        RouteError::UnknownEnd { name, link } => {
            let ends: Vec<&str> = names.iter().chain(&parameters.switches).map(String::as_str).collect();
            (format!("{links}.{link}"), among("ends", name, &ends))
        }
        RouteError::Unreachable { from, to } => (links.to_owned(), unlinked(&parameters.links, [from, to])),
    };
    problems.push(read.wrong(&key, &error.to_string(), &help));
}

/// A link names its ends: two may not have one name.
fn names_once(read: &Read<Machine>, nodes: &[String], switches: &[String], problems: &mut Vec<Problem>) {
    for (number, name) in switches.iter().enumerate() {
        let what = match (nodes.contains(name), switches[..number].contains(name)) {
            (true, _) => "node",
            (_, true) => "switch",
            _ => continue,
        };
        let key = format!("fabric.myrinet.switches.{number}");
        let message = format!("there is a {what} called `{name}` already");
        problems.push(read.wrong(&key, &message, "nodes and switches each have a name of their own"));
    }
}

/// A second link between two ends would never be used.
fn links_once(read: &Read<Machine>, links: &[(String, String)], problems: &mut Vec<Problem>) {
    for (number, (from, to)) in links.iter().enumerate() {
        let again = |(a, b): &(String, String)| (a, b) == (from, to) || (a, b) == (to, from);
        let (message, help) = match (from == to, links[..number].iter().any(again)) {
            (true, _) => (format!("`{from}` is linked to itself"), "a link joins two different ends"),
            (_, true) => (format!("`{from}` and `{to}` are linked already"), "a second link would never be used"),
            _ => continue,
        };
        problems.push(read.wrong(&format!("fabric.myrinet.links.{number}"), &message, help));
    }
}

/// Why there is no path between two nodes.
fn unlinked(links: &[(String, String)], nodes: [&String; 2]) -> String {
    let has_link = |node: &String| links.iter().any(|(from, to)| from == node || to == node);
    match nodes.into_iter().find(|node| !has_link(node)) {
        Some(node) => format!("no link ends at `{node}`: add one, such as \"{node} - SWITCH\""),
        None => "routes pass switches, never another node".to_owned(),
    }
}

/// Where to take a host from.
fn hosts_there_are(given: &str, hosts: &[&str]) -> String {
    let shipped = |name: &str| format!("hosts/{name}");
    if shipped::part(&shipped(given)).is_some() {
        return format!("add the shipped part \"{}\" to `parts`", shipped(given));
    }
    match hosts {
        [] => "describe it as [hosts.NAME…], or name a shipped one in `parts`: see `narrows list hosts`".to_owned(),
        _ => among("hosts", given, hosts),
    }
}

/// What is allowed, and what was probably meant.
fn among(what: &str, given: &str, allowed: &[&str]) -> String {
    let list = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
    match crate::text::suggest::nearest(given, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}
