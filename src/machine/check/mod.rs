//! What must fit together before time 0.

pub mod fit;
mod host_memory;
mod memory_room;
pub(super) mod myrinet;
mod reach;
mod routed;
mod sound;

use crate::fabric::myrinet::{RouteError, routes};
use crate::machine::{FabricParameters, HostPart, Interface, Machine, NodeDescription, shipped};
use crate::text::{Problem, Read};
use std::collections::BTreeSet;

/// All problems of a description whose every value is sound.
pub(super) fn check(read: &Read<Machine>) -> Vec<Problem> {
    let mut problems = Vec::new();
    nodes(read, &mut problems);
    workload(read, &mut problems);
    sound::parts(read, &mut problems);
    match &read.value.ends {
        None => alone(read, &mut problems),
        Some(_) => fits(read, &mut problems),
    }
    if problems.is_empty() {
        memory_room::check(read, &mut problems);
        fabric(read, &mut problems);
        routed::check(read, &mut problems);
    }
    problems
}

/// Whether the parts fit together.
fn fits(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let Some(ends) = &machine.ends else { return };
    let (key, workload, registry) = (machine.fabric.key(), &machine.workload, &machine.registry);
    if workload.needs().fabric_only {
        let message = format!("`{}` drives the fabric alone, and no interface takes part", workload.table());
        let help = "leave it out, or choose a workload for hosts with interfaces";
        problems.push(read.wrong(&format!("ni.{}", ends.ni.key()), &message, help));
        return;
    }
    let (interfaces, endpoints) = (&machine.interfaces()[..], &endpoints_key(machine));
    let mut told: Vec<fit::Misfit> = Vec::new();
    for &interface in interfaces {
        let (facts, addresses, hosts) = (machine.fabric.facts(), machine.addresses(), hosts_of(machine, interface));
        let parts = fit::Parts {
            registry,
            hosts,
            ends,
            interface,
            interfaces,
            facts,
            fabric: key,
            workload,
            addresses,
            endpoints,
        };
        // What is wrong whatever the interface is told once.
        told.extend(fit::misfits(&parts).into_iter().filter(|misfit| !told.contains(misfit)).collect::<Vec<_>>());
    }
    for misfit in &told {
        tell(read, misfit, problems);
    }
    classes(read, ends, problems);
}

/// The kinds of host that have an interface, by name.
fn hosts_of<'a>(machine: &'a Machine, interface: Interface<'_>) -> Vec<(&'a str, &'a HostPart)> {
    let has_it = |node: &&NodeDescription| node.ni_table == interface.table;
    let of = |node: &NodeDescription| machine.hosts.iter().find(|(name, _)| *name == node.host);
    let hosts = machine.nodes.iter().filter(has_it).filter_map(of).map(|(name, host)| (name.as_str(), host));
    let mut hosts: Vec<_> = hosts.collect();
    hosts.dedup_by_key(|(name, _)| *name);
    hosts
}

/// The key of the most endpoints that a node has.
fn endpoints_key(machine: &Machine) -> String {
    let most = machine.addresses().most();
    let node = machine.nodes.iter().find(|node| node.endpoints == most);
    node.map_or_else(|| "nodes".to_owned(), |node| format!("{}.endpoints", node.key))
}

/// Tells a misfit at the key that counts most.
fn tell(read: &Read<Machine>, misfit: &fit::Misfit, problems: &mut Vec<Problem>) {
    let keys: Vec<String> = misfit.keys.iter().cloned().chain(chosen(&read.value, &misfit.keys)).collect();
    // Where no nodes are described there are as many as the fabric has.
    let keys: Vec<&str> = keys.iter().map(String::as_str).filter(|key| *key != "nodes" || read.stands(key)).collect();
    problems.push(read.wrong(read.foremost(&keys), &misfit.message, &misfit.help).misfit());
}

/// A logical network that a description names is there.
fn classes(read: &Read<Machine>, ends: &super::Ends, problems: &mut Vec<Problem>) {
    let Some(key) = ends.protocol.second_class_key().map(|key| ends.protocol.key(key)) else { return };
    let fabric = read.value.fabric.key();
    if read.stands(&key) && read.value.fabric.facts().classes == 1 {
        let message = format!("there is no other logical network: [fabric.{fabric}] has one");
        let help = match &read.value.fabric {
            FabricParameters::Routed(..) => "leave it out, or write fabric.router.networks = 2",
            _ => "leave it out",
        };
        problems.push(read.wrong(&key, &message, help));
    }
}

/// Where a node was given the host that one of `keys` is about: hosts often come with a shipped part.
fn chosen(machine: &Machine, keys: &[String]) -> Option<String> {
    let is_about = |host: &str| {
        keys.iter().any(|key| key.strip_prefix("hosts.").is_some_and(|key| key.starts_with(&format!("{host}."))))
    };
    machine.nodes.iter().find(|node| is_about(&node.host)).map(|node| format!("nodes.{}.host", node.name))
}

/// A workload that drives the fabric alone needs one of routers.
fn alone(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let (fabric, nodes) = (&read.value.fabric, read.value.nodes.len());
    if let Some(misfit) = reach::too_many(nodes, None, &fabric.facts(), fabric.key()) {
        tell(read, &misfit, problems);
    }
    if read.value.addresses().most() > 1 {
        let message = "this workload drives the fabric alone, and no program takes an endpoint";
        problems.push(read.wrong(&endpoints_key(&read.value), message, "leave it out"));
    }
    if !matches!(read.value.fabric, FabricParameters::Routed(..)) {
        let key = format!("fabric.{}", read.value.fabric.key());
        let help = "choose a shape of routers, such as [fabric.mesh]";
        problems.push(read.wrong(&key, "this workload drives routers, and the fabric has none", help));
    }
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
    let of = |node: &NodeDescription| -> Vec<String> {
        (0..node.endpoints).map(|place| format!("{}:{place}", node.name)).collect()
    };
    let several = machine.nodes.iter().filter(|node| node.endpoints > 1);
    let ends: BTreeSet<String> = several.flat_map(of).collect();
    for node in &machine.nodes {
        if ends.contains(&node.name) {
            let message = format!("`{}` is the name of another node's endpoint", node.name);
            problems.push(read.wrong(&format!("nodes.{}.host", node.name), &message, "call it otherwise"));
        }
    }
    let (number, least) = (machine.nodes.len(), machine.workload.needs().nodes);
    if number < least {
        let plural = if number == 1 { "" } else { "s" };
        let message = format!("the machine has {number} node{plural}, and this workload needs at least {least}");
        problems.push(read.wrong(
            "nodes",
            &message,
            "describe each as [nodes.NAME], or several of a kind with `count`",
        ));
    }
}

fn workload(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let several = machine.addresses().most() > 1;
    let (kind, kinds) = if several { ("endpoint", "endpoints") } else { ("node", "nodes") };
    let names = machine.end_names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (key, name) in machine.workload.endpoint_names() {
        if machine.end(name).is_none() {
            let key = machine.workload.key(&key);
            problems.push(read.wrong(&key, &format!("there is no {kind} `{name}`"), &among(kinds, name, &names)));
        }
    }
    let defaults = [0, 1].map(|node| machine.nodes.get(node).map(|node| node.name.as_str()));
    for (key, (from, to)) in machine.workload.endpoint_pairs(defaults) {
        if from != to && (machine.end(from).is_none() || machine.end(from) != machine.end(to)) {
            continue;
        }
        let message = format!("`{from}` would send to itself");
        let help = format!("the two ends of a program are different {kinds}");
        problems.push(read.wrong(&machine.workload.key(&key), &message, &help));
    }
    // Of too few nodes enough is told.
    let number = Some(machine.addresses().len()).filter(|_| machine.nodes.len() >= machine.workload.needs().nodes);
    for error in number.map(|number| machine.workload.check_endpoints(number)).unwrap_or_default() {
        problems.push(read.wrong(&machine.workload.key(&error.key), &error.message, &error.help));
    }
}

fn fabric(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let names: Vec<String> = read.value.nodes.iter().map(|node| node.name.clone()).collect();
    let FabricParameters::Myrinet(parameters) = &read.value.fabric else { return };
    let (before, joined) = (problems.len(), parameters.links_between(&names));
    names_once(read, &names, &parameters.switches, problems);
    links_once(read, &joined, problems);
    if problems.len() > before {
        return;
    }
    let Err(error) = routes(&names, &parameters.switches, &joined) else { return };
    let links = "fabric.myrinet.links";
    let (key, help) = match &error {
        RouteError::NoLinks => (links.to_owned(), "join every node to a switch: \"node - switch\"".to_owned()),
        RouteError::UnknownEnd { name, link } => {
            let ends: Vec<&str> = names.iter().chain(&parameters.switches).map(String::as_str).collect();
            (format!("{links}.{link}"), among("ends", name, &ends))
        }
        RouteError::Unreachable { from, to } => (links.to_owned(), unlinked(&joined, [from, to])),
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
