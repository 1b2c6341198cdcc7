//! Checks, before time 0, that the parts of a machine are compatible.

mod fabric;
pub mod fit;
mod memory_capacity;
pub(super) mod notes;
mod reach;
mod sound;
pub(super) mod unused;

use crate::machine::{EndpointNames, HostPart, InterfacePart, Machine, NodeDescription, shipped};
use crate::program::flow_patterns::is_pattern;
use crate::text::suggest::suggestion;
use crate::text::{Problem, Read};
use std::collections::BTreeSet;

/// Returns all problems of a description whose every value is valid.
pub(super) fn check(read: &Read<Machine>) -> Vec<Problem> {
    let mut problems = unused::problems(read);
    // A host or a node that was defined by mistake would cause further problems.
    if !problems.is_empty() {
        return problems;
    }
    check_nodes(read, &mut problems);
    check_workload(read, &mut problems);
    sound::check_parts(read, &mut problems);
    match &read.value.node_parts {
        None => check_fabric_only(read, &mut problems),
        Some(_) => check_compatibility(read, &mut problems),
    }
    if problems.is_empty() {
        memory_capacity::check(read, &mut problems);
        fabric::check(read, &mut problems);
    }
    problems
}

/// Checks that the parts are compatible.
fn check_compatibility(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let Some(node_parts) = &machine.node_parts else { return };
    let (fabric, workload, registry) = (&machine.fabric, &machine.workload, &machine.registry);
    if workload.needs().fabric_only {
        let message = format!("[{}] drives the fabric alone, without interfaces", workload.table());
        let help = "remove the interface, or choose a workload that runs on hosts";
        problems.push(read.problem_at(&node_parts.ni.table(), &message, help));
        return;
    }
    let (interfaces, endpoints_key) = (&machine.interfaces()[..], &endpoints_key(machine));
    let mut reported: Vec<fit::IncompatibleParts> = Vec::new();
    for &interface in interfaces {
        let (fabric_capabilities, addresses, hosts) =
            (fabric.capabilities(), machine.addresses(), hosts_of(machine, interface));
        let parts = fit::PartsToCheck {
            registry,
            hosts,
            node_parts,
            interface,
            interfaces,
            fabric_capabilities,
            fabric,
            workload,
            addresses,
            endpoints_key,
        };
        // A problem that does not depend on the interface is reported once, not once for each interface.
        reported.extend(
            fit::incompatibilities(&parts)
                .into_iter()
                .filter(|incompatibility| !reported.contains(incompatibility))
                .collect::<Vec<_>>(),
        );
    }
    for incompatibility in &reported {
        report(read, incompatibility, problems);
    }
    check_classes(read, node_parts, problems);
}

/// Returns the hosts of the nodes that have `interface`, by name.
fn hosts_of<'a>(machine: &'a Machine, interface: &InterfacePart) -> Vec<(&'a str, &'a HostPart)> {
    let has_interface = |node: &&NodeDescription| node.ni_table() == interface.family_table();
    let host_of = |node: &NodeDescription| machine.hosts.iter().find(|(name, _)| *name == node.host);
    let hosts =
        machine.nodes.iter().filter(has_interface).filter_map(host_of).map(|(name, host)| (name.as_str(), host));
    let mut hosts: Vec<_> = hosts.collect();
    hosts.dedup_by_key(|(name, _)| *name);
    hosts
}

/// Returns the key that states the largest number of endpoints of a node.
fn endpoints_key(machine: &Machine) -> String {
    let endpoints_max = machine.addresses().endpoints_per_node_max();
    let node = machine.nodes.iter().find(|node| node.endpoints == endpoints_max);
    node.map_or_else(|| "nodes".to_owned(), |node| format!("{}.endpoints", node.key))
}

/// Reports an incompatibility at the key of the highest layer.
fn report(read: &Read<Machine>, incompatibility: &fit::IncompatibleParts, problems: &mut Vec<Problem>) {
    let keys: Vec<String> =
        incompatibility.keys.iter().cloned().chain(selection_key(&read.value, &incompatibility.keys)).collect();
    // If no nodes are described, the key `nodes` does not exist, and the fabric determines the number of nodes.
    let keys: Vec<&str> =
        keys.iter().map(String::as_str).filter(|key| *key != "nodes" || read.is_defined(key)).collect();
    problems.push(
        read.problem_at(read.highest_layer(&keys), &incompatibility.message, &incompatibility.help).incompatible(),
    );
}

/// Returns the key by which the protocol uses a second logical network, and the value by which it uses none.
fn second_class(node_parts: &super::NodeParts) -> Option<(String, &'static str)> {
    node_parts.protocol.second_class_key().map(|(key, none)| (node_parts.protocol.key(key), none))
}

/// Replaces defaults that the fabric does not support: by default, a protocol uses a second logical network if the
/// fabric has one.
pub(super) fn replace_unsupported_defaults(read: &mut Read<Machine>) {
    let Some(node_parts) = &read.value.node_parts else { return };
    if let Some((key, none)) = second_class(node_parts)
        && read.value.fabric.capabilities().classes == 1
    {
        read.replace_default(&key, none);
    }
}

/// Checks that a logical network which the description names exists.
fn check_classes(read: &Read<Machine>, node_parts: &super::NodeParts, problems: &mut Vec<Problem>) {
    let Some((key, _)) = second_class(node_parts) else { return };
    let (fabric, capabilities) = (&read.value.fabric, read.value.fabric.capabilities());
    if read.is_defined(&key) && capabilities.classes == 1 {
        let message = format!("there is no other logical network: [{}] has only one", fabric.table());
        let help = match capabilities.classes_key {
            Some(key) => format!("leave out the key, or write {} = 2", fabric.key(key)),
            None => "leave out the key".to_owned(),
        };
        problems.push(read.problem_at(&key, &message, &help));
    }
}

/// Returns the key by which a node selects the host to which one of `keys` belongs. A problem of a host from a shipped
/// part can be reported at this key.
fn selection_key(machine: &Machine, keys: &[String]) -> Option<String> {
    let concerns_host = |host: &str| {
        keys.iter().any(|key| key.strip_prefix("hosts.").is_some_and(|key| key.starts_with(&format!("{host}."))))
    };
    machine.nodes.iter().find(|node| concerns_host(&node.host)).map(|node| format!("nodes.{}.host", node.name))
}

/// Checks that a workload that drives the fabric alone has a fabric of routers.
fn check_fabric_only(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let (fabric, nodes) = (&read.value.fabric, read.value.nodes.len());
    if let Some(incompatibility) = reach::node_count_error(&read.value.registry, nodes, None, fabric) {
        report(read, &incompatibility, problems);
    }
    if read.value.addresses().endpoints_per_node_max() > 1 {
        let message = "this workload drives the fabric alone, and its nodes have no endpoints";
        let key = endpoints_key(&read.value);
        problems.push(read.problem_at(&key, message, &format!("remove `{key}`")));
    }
    if fabric.routers().is_none() {
        let all_fabrics = read.value.registry.fabrics().default_parts().iter();
        let example = all_fabrics.filter(|fabric| fabric.routers().is_some()).map(|fabric| fabric.table()).next();
        let example = example.map_or(String::new(), |table| format!(", such as [{table}]"));
        let help = format!("choose a shape of routers{example}");
        problems.push(read.problem_at(&fabric.table(), "this workload drives routers, and the fabric has none", &help));
    }
}

fn check_nodes(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let hosts: Vec<&str> = machine.hosts.iter().map(|(name, _)| name.as_str()).collect();
    for node in &machine.nodes {
        if !hosts.contains(&node.host.as_str()) {
            let key = format!("nodes.{}.host", node.name);
            let message = format!("there is no host `{}`", node.host);
            problems.push(read.problem_at(&key, &message, &available_hosts_help(&node.host, &hosts)));
        }
    }
    let endpoints_of = |node: &NodeDescription| -> Vec<String> {
        (0..node.endpoints).map(|index| format!("{}:{index}", node.name)).collect()
    };
    let shared_nodes = machine.nodes.iter().filter(|node| node.endpoints > 1);
    let endpoint_names: BTreeSet<String> = shared_nodes.flat_map(endpoints_of).collect();
    for node in &machine.nodes {
        if endpoint_names.contains(&node.name) {
            let (other, index) = node.name.rsplit_once(':').unwrap_or_default();
            let message = format!("`{}` is also the name of endpoint {index} of node `{other}`", node.name);
            problems.push(read.problem_at(
                &format!("nodes.{}", node.name),
                &message,
                "choose another name for the node",
            ));
        }
    }
    let (node_count, node_min) = (machine.nodes.len(), machine.workload.needs().nodes);
    if node_count < node_min {
        let plural = if node_count == 1 { "" } else { "s" };
        let message = format!("the machine has {node_count} node{plural}, and this workload needs at least {node_min}");
        problems.push(read.problem_at(
            "nodes",
            &message,
            "describe each as [nodes.NAME], or several of a kind with `count`",
        ));
    }
}

fn check_workload(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let has_shared_nodes = machine.addresses().endpoints_per_node_max() > 1;
    let (kind, kinds) = if has_shared_nodes { ("endpoint", "endpoints") } else { ("node", "nodes") };
    let names = machine.endpoint_names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let endpoints = EndpointNames::new(machine);
    for (key, name) in machine.workload.endpoint_names() {
        if endpoints.find(name).is_none() {
            let key = machine.workload.key(&key);
            let message = match is_pattern(name) {
                true => {
                    format!("the pattern `{name}` yields no flow: there is no pair of different {kinds} that matches")
                }
                false => format!("there is no {kind} `{name}`"),
            };
            problems.push(read.problem_at(&key, &message, &suggestion(kinds, name, &names)));
        }
    }
    let defaults = [0, 1].map(|node| machine.nodes.get(node).map(|node| node.name.as_str()));
    for (key, (from, to)) in machine.workload.endpoint_pairs(defaults) {
        let [sender, receiver] = [from, to].map(|name| endpoints.find(name));
        if from != to && (sender.is_none() || sender != receiver) {
            continue;
        }
        let message = format!("`{from}` sends to itself");
        let help = format!("choose two different {kinds}");
        problems.push(read.problem_at(&machine.workload.key(&key), &message, &help));
    }
    // If there are too few nodes, that is already reported above.
    let endpoint_count =
        Some(machine.addresses().len()).filter(|_| machine.nodes.len() >= machine.workload.needs().nodes);
    for error in endpoint_count.map(|number| machine.workload.check_endpoints(number)).unwrap_or_default() {
        problems.push(read.problem_at(&machine.workload.key(&error.key), &error.message, &error.help));
    }
}

/// Returns help for a node that names the unknown host `host`.
fn available_hosts_help(host: &str, hosts: &[&str]) -> String {
    let part_name = format!("hosts/{host}");
    if shipped::part(&part_name).is_some() {
        return format!("add the shipped part \"{part_name}\" to `parts`");
    }
    match hosts {
        [] => "describe it as [hosts.NAME…], or name a shipped one in `parts`: see `narrows list hosts`".to_owned(),
        _ => suggestion("hosts", host, hosts),
    }
}
