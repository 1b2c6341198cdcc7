//! Myrinet as a part: its capabilities, and the checks of its links, its nodes and its source routes.
//!
//! A possible deadlock is a note, not an error: every Myrinet has a watchdog, which breaks a cycle of waiting packets
//! by dropping one of them. If the watchdog's time exceeds the run's `no-progress-limit`, the run ends as deadlocked.

use super::{Myrinet, MyrinetParameters, MyrinetRx, MyrinetTx, RouteError, dependency_cycle, routes};
use crate::engine::{NodeId, Sim, Time};
use crate::fabric::any::{AnyStreamRx, AnyStreamTx};
use crate::fabric::capabilities::{FabricCapabilities, Loss};
use crate::fabric::net::{FabricNet, NodePorts};
use crate::fabric::port::LinkUse;
use crate::fabric::spec::FabricSpec;
use crate::part::{ParameterError, Part, PartInfo};
use crate::text::suggest::suggestion;
use std::rc::Rc;

impl Part for MyrinetParameters {
    const INFO: PartInfo = PartInfo::new("myrinet", "Source-routed wormhole switches with back-pressure");

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        (key == "watchdog").then_some("no packet holds its path for that time")
    }
}

impl FabricSpec for MyrinetParameters {
    fn capabilities(&self) -> FabricCapabilities {
        let loss = Loss::Held { failure_time: self.watchdog, carried_bytes: self.link_rate.bytes_in(self.watchdog) };
        FabricCapabilities { loss, ..FabricCapabilities::new(self.link_rate) }
    }

    fn check_nodes(&self, nodes: &[String]) -> Vec<ParameterError> {
        let links = self.links_between(nodes);
        let errors = [duplicate_names(nodes, &self.switches), duplicate_links(&links)].concat();
        let Some(error) = routes(nodes, &self.switches, &links).err().filter(|_| errors.is_empty()) else {
            return errors;
        };
        let (key, help) = match &error {
            RouteError::NoLinks => ("links".to_owned(), "join every node to a switch: \"node - switch\"".to_owned()),
            RouteError::UnknownEnd { name, link } => {
                let end_names: Vec<&str> = nodes.iter().chain(&self.switches).map(String::as_str).collect();
                (format!("links.{link}"), suggestion("nodes and switches", name, &end_names))
            }
            RouteError::Unreachable { from, to } => ("links".to_owned(), missing_link(&links, [from, to])),
        };
        vec![ParameterError::new(key, error.to_string()).help(help)]
    }

    fn notes(&self, nodes: &[String], no_progress_limit: Time) -> Vec<String> {
        let Some(cycle) = dependency_cycle(nodes, self) else { return Vec::new() };
        let watchdog = self.watchdog;
        let outcome = match watchdog < no_progress_limit {
            true => format!(
                "the watchdog drops a packet that holds its links for {watchdog}, and programs that wait for it may deadlock"
            ),
            false => format!(
                "the run would end as a deadlock: run.no-progress-limit, {no_progress_limit}, does not exceed fabric.myrinet.watchdog, {watchdog}"
            ),
        };
        vec![format!("deadlock: packets can wait in a cycle: {cycle}\n  {outcome}")]
    }

    fn start(&self, sim: &Sim, nodes: &[String], _seed: u64) -> Rc<dyn FabricNet> {
        Rc::new(Myrinet::new(sim, self.clone(), nodes).expect("a checked fabric joins its nodes"))
    }
}

impl FabricNet for Rc<Myrinet> {
    fn ports(&self, node: NodeId) -> NodePorts {
        let (tx, rx) = (MyrinetTx::new(self), MyrinetRx::new(self, node));
        NodePorts::Streams(vec![(AnyStreamTx::Myrinet(tx), AnyStreamRx::Myrinet(rx))])
    }

    fn links(&self) -> Vec<LinkUse> {
        self.link_use()
    }
}

/// Returns an error for each switch that has the name of a node or of another switch, because links refer to their ends
/// by name.
fn duplicate_names(nodes: &[String], switches: &[String]) -> Vec<ParameterError> {
    let mut errors = Vec::new();
    for (index, name) in switches.iter().enumerate() {
        let kind = match (nodes.contains(name), switches[..index].contains(name)) {
            (true, _) => "node",
            (_, true) => "switch",
            _ => continue,
        };
        let message = format!("there is a {kind} called `{name}` already");
        let help = "names of nodes and switches must be unique";
        errors.push(ParameterError::new(format!("switches.{index}"), message).help(help));
    }
    errors
}

/// Returns an error for each link that no route would use: a second link between two ends, and a link from an end to
/// itself.
fn duplicate_links(links: &[(String, String)]) -> Vec<ParameterError> {
    let mut errors = Vec::new();
    for (index, (from, to)) in links.iter().enumerate() {
        let joins_same_pair = |(a, b): &(String, String)| (a, b) == (from, to) || (a, b) == (to, from);
        let (message, help) = match (from == to, links[..index].iter().any(joins_same_pair)) {
            (true, _) => {
                (format!("`{from}` is linked to itself"), "remove it: a link joins two different nodes or switches")
            }
            (_, true) => (
                format!("`{from}` and `{to}` are linked already"),
                "remove it: a second link between the two would never be used",
            ),
            _ => continue,
        };
        errors.push(ParameterError::new(format!("links.{index}"), message).help(help));
    }
    errors
}

/// Returns the help for two nodes between which there is no path: a link that would join them.
fn missing_link(links: &[(String, String)], nodes: [&String; 2]) -> String {
    let has_link = |node: &String| links.iter().any(|(from, to)| from == node || to == node);
    match nodes.into_iter().find(|node| !has_link(node)) {
        Some(node) => format!("no link ends at `{node}`: add one, such as \"{node} - SWITCH\""),
        None => "routes pass switches, never another node".to_owned(),
    }
}
