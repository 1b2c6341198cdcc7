//! Finds hosts and nodes that nothing uses, and interfaces that a setting replaced because it names a key of another
//! interface. A misspelt name in a key defines a new table, whose values have no effect.
//!
//! An unused host or node that only settings define is an error. An unused host of the file is reported as a warning,
//! because settings may choose between several hosts. Unused hosts of shipped parts are not reported.

use crate::machine::{EndpointNames, Machine, shipped};
use crate::program::FlowEndpoint;
use crate::text::suggest::{nearest, suggestion};
use crate::text::{Layer, Origin, Problem, Read};
use std::collections::BTreeSet;

/// Returns the problems of hosts and nodes that only settings define and nothing uses.
pub(super) fn problems(read: &Read<Machine>) -> Vec<Problem> {
    let hosts = unused_hosts(&read.value).filter(|host| is_defined_by_settings(read, &["hosts", host]));
    let hosts = hosts.filter(|host| !may_be_chosen_by_other_settings(read, host)).map(|host| host_problem(read, host));
    hosts.chain(unused_nodes(read).into_iter().map(|node| node_problem(read, node))).collect()
}

/// Returns the notices on the settings and hosts of a valid description, each in a line: warnings of hosts of the file
/// that no node uses, and a note on an interface that a setting replaced.
pub fn notices(read: &Read<Machine>) -> Vec<String> {
    let is_shipped = |origin: &Origin| matches!(origin.layer, Layer::Part(_));
    // A result contains all hosts of the description that it was made of.
    let is_file = |origin: &Origin| matches!(&origin.layer, Layer::File(path) if path.extension().is_none_or(|ending| ending != "json"));
    let warning = |host| {
        let origins = read.definitions(&["hosts", host]);
        let origin = origins.iter().find(|origin| is_file(origin)).filter(|_| !origins.iter().any(is_shipped))?;
        let help = suggestion("hosts", host, &other_hosts(&read.value, host));
        Some(format!("warning: {origin}: no node uses the host `{host}`: {help}"))
    };
    unused_hosts(&read.value).filter_map(warning).chain(replaced_interface(read)).collect()
}

/// Returns the hosts that no node has, if the machine has several hosts.
fn unused_hosts(machine: &Machine) -> impl Iterator<Item = &str> {
    let used_hosts: BTreeSet<&str> = match machine.hosts.len() {
        // Nodes have the only host, or name one that does not exist, which is reported.
        0 | 1 => BTreeSet::new(),
        _ => machine.nodes.iter().map(|node| node.host.as_str()).collect(),
    };
    let names = machine.hosts.iter().map(|(name, _)| name.as_str());
    names.filter(move |name| machine.hosts.len() > 1 && !used_hosts.contains(name))
}

/// Returns the names of all hosts except `host`.
fn other_hosts<'a>(machine: &'a Machine, host: &str) -> Vec<&'a str> {
    machine.hosts.iter().map(|(name, _)| name.as_str()).filter(|name| *name != host).collect()
}

/// Returns the key of the setting `KEY=VALUE`.
fn key_of(setting: &str) -> &str {
    setting.split('=').next().unwrap_or_default().trim()
}

fn is_setting(origin: &Origin) -> bool {
    origin.layer.setting().is_some()
}

/// Returns whether only settings define the table at `path`.
fn is_defined_by_settings(read: &Read<Machine>, path: &[&str]) -> bool {
    let origins = read.definitions(path);
    !origins.is_empty() && origins.iter().all(is_setting)
}

/// Returns whether settings choose the hosts and `host` is a shipped host. The values for `host` may then be intended
/// for runs in which other settings choose it.
fn may_be_chosen_by_other_settings(read: &Read<Machine>, host: &str) -> bool {
    let chooses_host = |setting: &str| {
        let key = key_of(setting);
        key == "parts" || key.starts_with("nodes.") && key.ends_with(".host")
    };
    shipped::part(&format!("hosts/{host}")).is_some() && read.texts().settings().any(chooses_host)
}

fn host_problem(read: &Read<Machine>, host: &str) -> Problem {
    let other_hosts = other_hosts(&read.value, host);
    let hint = nearest(host, other_hosts.iter().copied()).map(|name| format!("did you mean `hosts.{name}`?"));
    let message = format!("no node uses the host `{host}`");
    read.problem_at(&format!("hosts.{host}"), &message, &hint.unwrap_or_default())
        .help(format!("hosts of the description: {}", other_hosts.join(", ")))
}

/// Returns the names of the unused entries of `nodes`: only settings define them, no flow of the workload uses them,
/// and the fabric does not name them. The list is empty if the description has no other nodes, or if the workload has
/// no flows.
fn unused_nodes(read: &Read<Machine>) -> Vec<&str> {
    let machine = &read.value;
    let mut nodes_of_settings = node_entries(machine);
    let count = nodes_of_settings.len();
    nodes_of_settings.retain(|node| is_defined_by_settings(read, &["nodes", node]));
    if nodes_of_settings.is_empty() || nodes_of_settings.len() == count {
        return Vec::new();
    }
    let endpoints = EndpointNames::new(machine);
    let node_of = |endpoint| match endpoint {
        FlowEndpoint::Named(name) => endpoints.node_of(name),
        FlowEndpoint::OfNode(node) => Some(node),
    };
    let flows = machine.workload.flows();
    let used_keys: BTreeSet<&str> = flows
        .iter()
        .flat_map(|flow| [flow.from, flow.to])
        .chain(machine.workload.local_buffers().into_iter().map(|(endpoint, _)| endpoint))
        .filter_map(|endpoint| Some(machine.nodes.get(node_of(endpoint)?)?.key.as_str()))
        .collect();
    let fabric_names = machine.fabric.node_names().unwrap_or_default();
    let is_used = |node: &str| {
        used_keys.contains(format!("nodes.{node}").as_str()) || fabric_names.iter().any(|name| name.as_str() == node)
    };
    nodes_of_settings.retain(|node| !flows.is_empty() && !is_used(node));
    nodes_of_settings
}

/// Returns the names of the entries of `nodes`.
fn node_entries(machine: &Machine) -> Vec<&str> {
    let mut names: Vec<&str> = machine.nodes.iter().filter_map(|node| node.key.strip_prefix("nodes.")).collect();
    names.dedup();
    names
}

fn node_problem(read: &Read<Machine>, node: &str) -> Problem {
    let other_nodes: Vec<&str> = node_entries(&read.value).into_iter().filter(|name| *name != node).collect();
    let hint = nearest(node, other_nodes.iter().copied()).map(|name| format!("did you mean `nodes.{name}`?"));
    let message = format!("no flow of the workload uses the node `{node}`");
    read.problem_at(&format!("nodes.{node}"), &message, &hint.unwrap_or_default())
        .help(format!("other nodes: {}", other_nodes.join(", ")))
}

/// Returns the note that a setting of a key of one interface replaced another interface, which the description has.
fn replaced_interface(read: &Read<Machine>) -> Option<String> {
    let machine = &read.value;
    let table = machine.node_parts.as_ref()?.ni.table();
    let kind = table.strip_prefix("ni.")?;
    let definitions = read.definitions(&["ni", kind]);
    let setting = definitions.first()?.layer.setting().filter(|_| definitions.iter().all(is_setting))?;
    let description_origin =
        |other: &str| read.definitions(&["ni", other]).into_iter().rfind(|origin| !is_setting(origin));
    let kinds = machine.registry.interfaces().members().into_iter().map(|(key, _)| key);
    let mut other_kinds = kinds.filter(|other| *other != kind);
    let (replaced_kind, origin) = other_kinds.find_map(|other| Some((other, description_origin(other)?)))?;
    let key = key_of(setting);
    let option = if matches!(definitions[0].layer, Layer::Set(_)) { "--set " } else { "the varied key " };
    let part = shipped::part(&format!("ni/{kind}"));
    let part = part.map_or(String::new(), |_| format!("; `--set ni={kind}` chooses the shipped part"));
    Some(format!(
        "note: {option}{key} replaces the interface `{replaced_kind}` ({origin}) by `{kind}` with its default \
         values{part}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::read;
    use crate::text::{Document, Problems};

    fn read_ring(added_lines: &str, sets: &[&str]) -> Result<Read<Machine>, Problems> {
        let text = shipped::example("ring-ping-pong").expect("the example ships");
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        read(Document::Text("m.toml", &format!("{text}{added_lines}"), None), &sets)
    }

    fn messages(sets: &[&str]) -> Vec<String> {
        let problems = read_ring("", sets).err().map_or_else(Vec::new, |problems| problems.list().to_vec());
        problems.into_iter().map(|problem| format!("{} {}", problem.message, problem.help.join(" "))).collect()
    }

    #[test]
    fn unused_host_or_node_of_a_setting_is_an_error() {
        assert_eq!(
            messages(&["hosts.pcie-gen3x8.pcie.root-complex=263.5 ns"]),
            [
                "`hosts.pcie-gen3x8`: no node uses the host `pcie-gen3x8` did you mean `hosts.pcie-gen3-x8`? hosts of the description: pcie-gen3-x8"
            ]
        );
        assert_eq!(
            messages(&["nodes.lefft.host=pcie-gen3-x8"]),
            [
                "`nodes.lefft`: no flow of the workload uses the node `lefft` did you mean `nodes.left`? other nodes: left, right"
            ]
        );
        let used = ["hosts.mine.pcie.root-complex=263.5 ns", "nodes.left.host=mine"];
        assert_eq!(messages(&used), Vec::<String>::new());
        let third = ["nodes.third.host=pcie-gen3-x8", "workload.ping-pong.from=third"];
        assert_eq!(messages(&third), Vec::<String>::new());
        // The values of the first host are for another choice of the host.
        let chosen = ["hosts.pcie-gen3-x8.pcie.root-complex=1 us", "hosts.mine.pcie.root-complex=263.5 ns"];
        let chosen = [
            &chosen[..],
            &[
                "parts=['hosts/p6-natoma', 'ni/ring', 'fabrics/ideal-1998']",
                "nodes.left.host=mine",
                "nodes.right.host=mine",
            ],
        ]
        .concat();
        assert_eq!(messages(&chosen), Vec::<String>::new());
    }

    #[test]
    fn unused_host_of_the_file_is_a_notice_and_one_of_a_part_is_none() {
        let notices_of = |added_lines: &str, sets: &[&str]| {
            notices(&read_ring(added_lines, sets).expect("the description is valid"))
        };
        assert_eq!(
            notices_of("", &["parts=['ni/ring', 'hosts/pcie-gen3-x8', 'hosts/p6-natoma', 'fabrics/ideal-1998']"]),
            Vec::<String>::new()
        );
        let [notice] = &notices_of("\n[hosts.pcie-gen3x8.pcie]\ncores = 1\n", &[])[..] else {
            panic!("no single notice")
        };
        assert!(
            notice.starts_with("warning: m.toml:")
                && notice.ends_with(
                    ": no node uses the host `pcie-gen3x8`: did you mean `pcie-gen3-x8`? hosts: pcie-gen3-x8"
                ),
            "{notice}"
        );
    }

    #[test]
    fn interface_that_a_setting_replaces_is_a_notice() {
        let read = read_ring("", &["ni.rdma.mtu=4 KiB"]).expect("the description is valid");
        let [notice] = &notices(&read)[..] else { panic!("no single notice") };
        assert!(notice.starts_with("note: --set ni.rdma.mtu replaces the interface `ring` (machines/ni/"), "{notice}");
        assert!(
            notice.ends_with(" by `rdma` with its default values; `--set ni=rdma` chooses the shipped part"),
            "{notice}"
        );
        let same = read_ring("", &["ni.ring.inline-max=128 B"]).expect("the description is valid");
        assert_eq!(notices(&same), Vec::<String>::new());
    }
}
