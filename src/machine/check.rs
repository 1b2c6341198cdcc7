//! What must fit together before time 0.

use super::{Fabric, Host, Machine, Ni};
use crate::fabric::myrinet::{RouteError, routes};
use crate::ni::trapeze;
use crate::text::{Problem, Read};

/// All problems of a description whose every value is sound.
pub(super) fn check(read: &Read<Machine>) -> Vec<Problem> {
    let mut problems = Vec::new();
    nodes(read, &mut problems);
    workload(read, &mut problems);
    interface(read, &mut problems);
    if problems.is_empty() {
        fabric(read, &mut problems);
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
            problems.push(read.wrong(&key, &message, &among("hosts", &node.host, &hosts)));
        }
    }
    let (least, most) = (machine.workload.nodes_min(), 1024);
    if machine.nodes.len() < least || machine.nodes.len() > most {
        let message = format!("the machine has {} nodes", machine.nodes.len());
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
            problems.push(read.wrong(key, &format!("there is no node `{name}`"), &among("nodes", name, &names)));
        }
    }
    for (key, name) in machine.workload.to_itself(&names) {
        let message = format!("`{name}` would send to itself");
        problems.push(read.wrong(key, &message, "the two ends of a program are different nodes"));
    }
    let Ni::Trapeze { trapeze, .. } = &machine.ni;
    if let Some((key, payload)) = machine.workload.payload_max().filter(|(_, payload)| *payload > trapeze.payload_max) {
        let message = format!("a payload of {payload} is larger than a packet buffer, {}", trapeze.payload_max);
        problems.push(read.wrong(key, &message, "make it smaller, or ni.trapeze.payload-max larger"));
    }
}

fn interface(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let Ni::Trapeze { chip, trapeze } = &read.value.ni;
    for (key, message) in trapeze::check(trapeze, chip) {
        problems.push(read.wrong(&format!("ni.trapeze.{key}"), &message, ""));
    }
    for (name, Host::IoBus(host)) in &read.value.hosts {
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
    let Fabric::Myrinet(parameters) = &read.value.fabric;
    let Err(error) = routes(&names, &parameters.switches, &parameters.links) else { return };
    let help = match &error {
        RouteError::NoLinks => "join every node to a switch: \"node - switch\"".to_owned(),
        RouteError::UnknownEnd { name, .. } => {
            let ends: Vec<&str> = names.iter().chain(&parameters.switches).map(String::as_str).collect();
            among("ends", name, &ends)
        }
        RouteError::Unreachable { .. } => "routes pass switches, never another node".to_owned(),
    };
    problems.push(read.wrong("fabric.myrinet.links", &error.to_string(), &help));
}

/// What is allowed, and what was probably meant.
fn among(what: &str, given: &str, allowed: &[&str]) -> String {
    let list = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
    match crate::text::suggest::nearest(given, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {what}: {list}"),
        None => format!("{what}: {list}"),
    }
}
