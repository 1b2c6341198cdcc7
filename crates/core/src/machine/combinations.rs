//! Every combination of the shipped parts, with the reasons why it is refused.
//!
//! Each part is read once. Whether parts are compatible is then decided, as for any description, from their
//! capabilities, requirements and guarantees ([`fit`](super::check)). Programs that drive the fabric alone use no host
//! and no interface, and are left out.

use super::check::fit::{PartsToCheck, incompatibilities};
use super::{Machine, NodeParts, Registry, Workload, shipped};
use crate::text::{DescriptionReader, Document, Source, load};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A host, an interface, a protocol, a fabric and a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Combination {
    /// The name of the host.
    pub host: &'static str,
    /// The name of the interface.
    pub ni: &'static str,
    /// The name of the protocol.
    pub protocol: &'static str,
    /// The name of the fabric.
    pub fabric: &'static str,
    /// The program's key in `[workload]`.
    pub workload: &'static str,
    /// Reasons why the parts are incompatible; empty if they are compatible.
    #[serde(rename = "refused")]
    pub refusal_reasons: Vec<String>,
}

/// The host, interface and fabric that are compatible with the most parts. They complete the description in which a
/// single part is read.
const COMMON_PARTS: [&str; 3] = ["hosts/memory-bus-1998", "ni/queues", "fabrics/ideal-1998"];

impl Registry {
    /// Returns every combination of the shipped parts and all workloads that run on nodes, in the order of the parts'
    /// names.
    pub fn combinations(self: &Arc<Self>) -> Vec<Combination> {
        combinations(self)
    }

    /// Returns the keys of the workloads that run on nodes; all others drive the fabric alone.
    pub fn workloads_on_nodes(self: &Arc<Self>) -> impl Iterator<Item = &'static str> {
        let keys = self.workloads().iter().map(|entry| entry.info.key);
        keys.filter(|key| !read_machine(self, &COMMON_PARTS, key).workload.needs().fabric_only)
    }
}

fn combinations(registry: &Arc<Registry>) -> Vec<Combination> {
    let ([host, ni, fabric], shared_registry) = (COMMON_PARTS, Registry::shared());
    let shipped_parts =
        |folder: &'static str| shipped::parts().iter().filter(move |name| name.starts_with(folder)).copied();
    let Some(any_workload) = registry.workloads_on_nodes().next() else { return Vec::new() };
    let read = |parts: &[&'static str]| read_machine(registry, parts, any_workload);
    let hosts = shipped_parts("hosts/").chain(registry.hosts().keys_not_in(shared_registry.hosts()));
    let hosts: Vec<_> = hosts.map(|part| (part, read(&[part, ni, fabric]))).collect();
    let interfaces = shipped_parts("ni/").chain(registry.interfaces().keys_not_in(shared_registry.interfaces()));
    let interfaces: Vec<_> = interfaces.map(|part| (part, read(&[host, part, fabric]))).collect();
    let protocols = shipped_parts("protocols/").chain(registry.protocols().keys_not_in(shared_registry.protocols()));
    let protocols: Vec<_> = protocols.map(|part| (part, read(&[host, ni, part, fabric]))).collect();
    let fabrics = shipped_parts("fabrics/").chain(registry.fabrics().keys_not_in(shared_registry.fabrics()));
    let fabrics: Vec<_> = fabrics.map(|part| (part, read(&[host, ni, part]))).collect();
    let programs: Vec<_> =
        registry.workloads_on_nodes().map(|key| (key, read_machine(registry, &COMMON_PARTS, key).workload)).collect();
    let mut combinations = Vec::new();
    for (host, host_machine) in &hosts {
        for (ni, interface_machine) in &interfaces {
            for (protocol, protocol_machine) in &protocols {
                // An interface that implements shared memory states its costs.
                let NodeParts { ni: own_interface, shared_memory, .. } = node_parts(interface_machine);
                let node_parts = NodeParts {
                    ni: own_interface,
                    shared_memory,
                    protocol: node_parts(protocol_machine).protocol,
                    ..node_parts(host_machine)
                };
                for (fabric, fabric_machine) in &fabrics {
                    for (workload, program) in &programs {
                        let refusal_reasons = refusal_reasons(host_machine, &node_parts, fabric_machine, program);
                        combinations.push(Combination { host, ni, protocol, fabric, workload, refusal_reasons });
                    }
                }
            }
        }
    }
    combinations
}

fn node_parts(machine: &Machine) -> NodeParts {
    machine.node_parts.clone().expect("a program on nodes has interfaces")
}

/// Returns the shortest description that consists of parts and a workload.
pub fn description(registry: &Registry, parts: &[&str], workload: &str) -> String {
    let example = registry.workloads().get(workload).map_or("", |entry| entry.info.example);
    format!("{}\n[workload.{workload}]\n{example}\n", part_lines(registry, parts))
}

/// Returns the lines of a description that select parts. Shipped parts are selected by name, with their folder; parts
/// that only the registry knows are selected by key, with their own example.
pub fn part_lines(registry: &Registry, parts: &[&str]) -> String {
    let (shipped, registered): (Vec<&str>, Vec<&str>) = parts.iter().partition(|part| part.contains('/'));
    let shipped: Vec<String> = shipped.iter().map(|part| format!("\"{part}\"")).collect();
    let tables: String = registered.iter().map(|key| registry.example_table(key)).collect();
    format!("parts = [{}]\n{tables}", shipped.join(", "))
}

fn read_machine(registry: &Arc<Registry>, parts: &[&str], workload: &str) -> Machine {
    let text = description(registry, parts, workload);
    let document = Document::Text("a combination of shipped parts", &text, Some(Path::new(shipped::SHIPPED)));
    let source = Source { document, sets: &[], varied: &[], library: shipped::library() };
    let read = load(&source).and_then(|loaded| DescriptionReader::new(loaded).read(|t| Machine::read(t, registry)));
    match read {
        Ok(read) => read.value,
        Err(problems) => panic!("shipped parts are valid: {}", problems),
    }
}

/// Returns the reasons why the parts are incompatible.
fn refusal_reasons(host: &Machine, node_parts: &NodeParts, fabric: &Machine, workload: &Workload) -> Vec<String> {
    let hosts = host.hosts.iter().map(|(name, host)| (name.as_str(), host)).collect();
    let (registry, interface, interfaces) = (&host.registry, &node_parts.ni, &[&node_parts.ni][..]);
    let (fabric_capabilities, addresses, fabric) = (fabric.fabric.capabilities(), fabric.addresses(), &fabric.fabric);
    let endpoints_key = "nodes";
    let parts = PartsToCheck {
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
    incompatibilities(&parts).into_iter().map(|diagnostic| diagnostic.message).collect()
}
