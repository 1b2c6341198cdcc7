//! Turns a description into a machine: the machine's structure, its checks, and its construction.
//!
//! | file | does |
//! |---|---|
//! | `mod.rs` | the description's tables: nodes, hosts, interface, fabric, workload, run |
//! | `nodes.rs` | the nodes of a description, by name or implied by the fabric |
//! | `registry.rs` | the parts that descriptions may name |
//! | `host_capabilities.rs` | the capabilities of each kind of host |
//! | `selections.rs` | the registered parts that a description selects |
//! | `alternatives.rs` | the registered parts that a message may suggest |
//! | `check/` | the checks, before time 0, that the parts are compatible |
//! | `combinations.rs` | every combination of the shipped parts, with the reasons why it is refused |
//! | `build.rs` | the simulation of a checked description |
//! | `inert.rs` | the reason why a number has no effect on a run |
//! | `key_spelling.rs` | how descriptions write their keys |
//! | `keys.rs` | translation of keys from the spelling of results, and completion of partial keys |
//! | `shipped.rs` | the parts and examples that are compiled into the program |

mod alternatives;
pub mod build;
mod check;
pub mod combinations;
mod endpoint_names;
mod host_capabilities;
mod inert;
mod key_spelling;
pub mod keys;
mod nodes;
mod registry;
mod result_names;
mod selections;
pub mod shipped;

pub use check::notes::HostWarning;
pub use check::unused::notices;
pub use endpoint_names::EndpointNames;
pub use registry::Registry;
pub use selections::{FabricPart, HostPart, InterfacePart, ProtocolPart, Workload};

use crate::engine::{Bytes, EndpointMap, Time};
use crate::error::Error;
use crate::fabric::topology::survey::Survey;
use crate::messaging::MessagingParameters;
use crate::messaging::shared::SharedMemoryParameters;
use crate::ni;
use crate::text::{
    DescriptionReader, Document, LayerCache, Parameters, Problems, Read, Schema, Source, Table, describe, file, load,
    load_cached,
};
use std::path::Path;
use std::sync::Arc;

/// A machine and its workload, as described.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Machine {
    /// The nodes, in the order of the description.
    pub nodes: Vec<NodeDescription>,
    /// The kinds of host, by name.
    pub hosts: Vec<(String, HostPart)>,
    /// The interface, protocol and messaging layer of the nodes; `None` if the workload drives the fabric alone.
    pub node_parts: Option<NodeParts>,
    /// The fabric between the nodes.
    pub fabric: FabricPart,
    /// The workload that runs on the machine.
    pub workload: Workload,
    /// Seed and limits.
    pub run: Run,
    /// The parts that the description could name.
    pub registry: Arc<Registry>,
}

/// A node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeDescription {
    /// The name of the node.
    pub name: String,
    /// The key of the node's table.
    pub key: String,
    /// The name of the node's host.
    pub host: String,
    /// The interface of the node, if it differs from the common interface.
    pub ni: Option<InterfacePart>,
    /// The number of endpoints that programs can use.
    pub endpoints: u32,
}

impl NodeDescription {
    /// Returns the names of the node's endpoints by their index.
    fn indexed_endpoints(&self) -> impl Iterator<Item = String> {
        (0..self.endpoints).map(|index| format!("{}:{index}", self.name))
    }

    /// Returns the table of the node's interface: `ni` for the common interface, otherwise the table below the node.
    pub fn ni_table(&self) -> &str {
        self.ni.as_ref().map_or("ni", |ni| ni.family_table())
    }
}

/// The interface, protocol and messaging layer of the nodes.
#[derive(Clone, Debug)]
pub struct NodeParts {
    /// The common interface, which all nodes have that do not describe another.
    pub ni: InterfacePart,
    /// The protocol between the interfaces.
    pub protocol: ProtocolPart,
    /// The messaging layer.
    pub messaging: MessagingParameters,
    /// The costs of shared memory, if programs use it.
    pub shared_memory: SharedMemoryParameters,
}

/// Seed and limits of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct Run {
    /// Seed of all random streams.
    #[param(default = 1)]
    pub seed: u64,
    /// Simulated time at which the run ends at the latest.
    #[param(min = "1 ns", default = "1000 s")]
    pub time_limit: Time,
    /// Simulated time without progress after which the run ends as a deadlock; deliveries, transfers and waits for a
    /// known instant are progress.
    #[param(min = "1 us", default = "1 s")]
    pub no_progress_limit: Time,
}

impl Machine {
    /// Reads a description whose parts are those of `registry`.
    #[doc(hidden)]
    pub fn read(t: &mut Table<'_>, registry: &Arc<Registry>) -> Machine {
        let entries = t.map("nodes", "Nodes, by name", |t| nodes::NodeEntry::read(t, registry));
        let named_nodes = nodes::expand_entries(&entries);
        let hosts = registry.read_hosts(t);
        let fabric = registry.read_fabric(t);
        let mut workload = registry.read_workload(t);
        let node_parts = NodeParts::read(t, registry, &workload, !hosts.is_empty(), &named_nodes);
        if let Some(node_parts) = &node_parts
            && let Some(resolved) = workload.resolved(node_parts.message_max(&interfaces(node_parts, &named_nodes)))
        {
            workload = workload.with_spec(resolved);
        }
        let nodes = nodes::described_or_implied(named_nodes, &fabric, &hosts);
        if let Some(expanded) = workload.with_endpoints(&|| names_for_patterns(&nodes)) {
            workload = workload.with_spec(expanded);
        }
        Machine {
            nodes,
            node_parts,
            hosts,
            fabric,
            workload,
            run: t.table("run", "Seed and limits of the run", Run::read),
            registry: registry.clone(),
        }
    }
}

impl Machine {
    /// Reads and checks a description of parts that ship.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its position.
    pub fn parse(text: &str) -> Result<Machine, Error> {
        Registry::shared().parse(text)
    }

    /// Reads and checks a file with a description of parts that ship.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file cannot be read, or every problem of the description, each with its position.
    pub fn open(path: impl AsRef<Path>) -> Result<Machine, Error> {
        Registry::shared().open(path)
    }

    /// Returns all interfaces, beginning with the common one.
    pub fn interfaces(&self) -> Vec<&InterfacePart> {
        self.node_parts.as_ref().map_or_else(Vec::new, |node_parts| interfaces(node_parts, &self.nodes))
    }

    /// Returns the map from endpoints to nodes.
    pub fn addresses(&self) -> EndpointMap {
        EndpointMap::new(self.nodes.iter().map(|node| node.endpoints))
    }

    /// Returns the names of all endpoints, in the order of their numbers.
    pub fn endpoint_names(&self) -> Vec<String> {
        let names_of = |node: &NodeDescription| match node.endpoints {
            1 => vec![node.name.clone()],
            _ => node.indexed_endpoints().collect(),
        };
        self.nodes.iter().flat_map(names_of).collect()
    }

    /// Returns the properties of a fabric of routers that can be computed before time 0.
    pub fn survey(&self) -> Option<Survey> {
        self.fabric.routers()?.survey()
    }

    /// Returns the notes on a description without problems, which need no run.
    pub fn note(&self) -> Option<String> {
        let notes = check::notes::notes(self);
        (!notes.is_empty()).then(|| notes.join("\n"))
    }
}

/// Returns the names that patterns of endpoints may match: the names of all nodes, and of all endpoints of nodes that
/// have several.
fn names_for_patterns(nodes: &[NodeDescription]) -> Vec<String> {
    let endpoints = nodes.iter().filter(|node| node.endpoints > 1).flat_map(NodeDescription::indexed_endpoints);
    nodes.iter().map(|node| node.name.clone()).chain(endpoints).collect()
}

/// Returns the interfaces of nodes, the common one first.
fn interfaces<'a>(node_parts: &'a NodeParts, nodes: &'a [NodeDescription]) -> Vec<&'a InterfacePart> {
    let mut all: Vec<&InterfacePart> = nodes.iter().map(|node| node_parts.interface_of(node)).collect();
    all.sort_by_key(|interface| interface.family_table() != "ni");
    all.dedup_by_key(|interface| interface.family_table());
    if all.is_empty() { vec![&node_parts.ni] } else { all }
}

impl NodeParts {
    /// Returns the interface of a node.
    pub fn interface_of<'a>(&'a self, node: &'a NodeDescription) -> &'a InterfacePart {
        node.ni.as_ref().unwrap_or(&self.ni)
    }

    /// Returns the size of the largest message that a program may send.
    fn message_max(&self, interfaces: &[&InterfacePart]) -> Bytes {
        let interface_max = ni::message_max(interfaces.iter().map(|interface| &***interface));
        self.messaging.message_max.map_or(interface_max, |limit| limit.min(interface_max))
    }

    /// Reads the interface, protocol and messaging layer. A workload that drives the fabric alone may have none.
    fn read(
        t: &mut Table<'_>,
        registry: &Registry,
        workload: &Workload,
        has_hosts: bool,
        nodes: &[NodeDescription],
    ) -> Option<NodeParts> {
        let fabric_only = workload.needs().fabric_only;
        registry.refuse_protocols_as_interfaces(t);
        // If each node has its own interface, the common one is optional.
        let node_interfaces = nodes.iter().map(|node| node.ni.as_ref()).collect::<Option<Vec<_>>>().unwrap_or_default();
        let family = registry.interfaces();
        // Whether the key is required depends on the workload. The schema covers all workloads, so it does not require
        // the key.
        let ni = match fabric_only || !node_interfaces.is_empty() || t.describing() {
            true => family.read_optional(t, family.summary()),
            false => Some(family.read(t)),
        };
        let ni = ni.or_else(|| node_interfaces.first().map(|ni| (*ni).clone().nested_in(family.table())));
        if ni.is_none() && !t.has("messaging") && !t.has("protocol") {
            return None;
        }
        // A shipped part may define tables that no interface asks for. They are read, and have no effect.
        let (protocol, messaging) = (registry.read_protocol(t), messaging(t, has_hosts));
        let shared_memory = shared_memory(t, workload, ni.as_ref());
        ni.map(|ni| NodeParts { ni, protocol, messaging, shared_memory })
    }
}

/// Reads the costs of messaging. Their table is required only if the description has a host; without a host, the checks
/// report only that it is missing.
fn messaging(t: &mut Table<'_>, has_hosts: bool) -> MessagingParameters {
    let (key, doc) = ("messaging", "Messaging layer above the interface; shipped host parts describe it");
    let default_messaging = MessagingParameters { message_max: None, ..MessagingParameters::PAPER };
    if t.describing() {
        // A workload that drives the fabric alone has no messaging.
        return t.optional_table(key, doc, MessagingParameters::read).unwrap_or(default_messaging);
    }
    match has_hosts || t.has(key) {
        true => t.table(key, doc, MessagingParameters::read),
        false => default_messaging,
    }
}

/// Reads `shared-memory` if programs share memory or the table is defined.
fn shared_memory(t: &mut Table<'_>, workload: &Workload, ni: Option<&InterfacePart>) -> SharedMemoryParameters {
    t.add_known("shared-memory");
    let in_hardware = ni.and_then(|ni| ni.coherent_block()).map(SharedMemoryParameters::in_hardware);
    if !workload.needs().shared_memory && !t.has("shared-memory") && !t.describing() {
        return in_hardware.unwrap_or_else(SharedMemoryParameters::defaults);
    }
    let kinds = [
        ("software", "Software keeps memory coherent, by handlers of active messages"),
        ("hardware", "The interface keeps memory coherent; its keys state the costs"),
    ];
    let default = if in_hardware.is_some() { "hardware" } else { "software" };
    t.one_of_or("shared-memory", "Mechanism of coherent shared memory", &kinds, default, |kind, t| match kind {
        // The checks report an interface without such hardware.
        "hardware" => {
            in_hardware.unwrap_or_else(|| SharedMemoryParameters::in_hardware(SharedMemoryParameters::defaults().block))
        }
        _ => SharedMemoryParameters::read(t),
    })
}

/// Reads and checks a description of shipped parts, overridden by the settings `sets` (`a.b=c`).
pub fn read(document: Document<'_>, sets: &[String]) -> Result<Read<Machine>, Problems> {
    Registry::shared().read(document, sets)
}

impl Registry {
    /// Reads and checks a description. Paths in it are relative to the current folder.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its position.
    pub fn parse(self: &Arc<Self>, text: &str) -> Result<Machine, Error> {
        Ok(self.read(Document::Text("description", text, None), &[])?.value)
    }

    /// Reads and checks a file with a description. Paths in the description are relative to the file's folder.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file cannot be read, or every problem of the description, each with its position.
    pub fn open(self: &Arc<Self>, path: impl AsRef<Path>) -> Result<Machine, Error> {
        let path = path.as_ref();
        let text = file::read(path).map_err(Error::io)?;
        let name = path.display().to_string();
        Ok(self.read(Document::Text(&name, &text, path.parent()), &[])?.value)
    }

    /// Reads and checks a description, overridden by the settings `sets` (`a.b=c`).
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its position.
    #[doc(hidden)]
    pub fn read(self: &Arc<Self>, document: Document<'_>, sets: &[String]) -> Result<Read<Machine>, Problems> {
        self.read_layers(document, sets, &[], None)
    }

    /// Reads and checks a point of a sweep. The settings `varied` override all others. Keys may be written as in
    /// results, with `_`. `cache` holds the layers below the settings. It must be used only for this document, which
    /// must be given as a text.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its position.
    #[doc(hidden)]
    pub fn read_varied(
        self: &Arc<Self>,
        document: Document<'_>,
        sets: &[String],
        varied: &[String],
        cache: &LayerCache,
    ) -> Result<Read<Machine>, Problems> {
        self.read_layers(document, sets, varied, Some(cache))
    }

    fn read_layers(
        self: &Arc<Self>,
        document: Document<'_>,
        sets: &[String],
        varied: &[String],
        cache: Option<&LayerCache>,
    ) -> Result<Read<Machine>, Problems> {
        let canonical = |sets: &[String]| sets.iter().map(|set| self.with_canonical_keys(set)).collect::<Vec<_>>();
        self.read_canonical(document, &canonical(sets), &canonical(varied), cache)
            .map_err(|problems| self.with_completed_keys(problems, document))
    }

    fn read_canonical(
        self: &Arc<Self>,
        document: Document<'_>,
        sets: &[String],
        varied: &[String],
        cache: Option<&LayerCache>,
    ) -> Result<Read<Machine>, Problems> {
        let source = Source { document, sets, varied, library: shipped::library() };
        let loaded = match cache {
            Some(cache) => load_cached(&source, cache)?,
            None => load(&source)?,
        };
        let mut read = DescriptionReader::new(loaded).read(|t| Machine::read(t, self))?;
        let problems = check::check(&read);
        check::replace_unsupported_defaults(&mut read);
        if problems.is_empty() { Ok(read) } else { Err(read.problems(problems)) }
    }

    /// Returns the schema of descriptions of these parts.
    pub fn schema(self: &Arc<Self>) -> Schema {
        describe(|t| Machine::read(t, self))
    }
}

#[cfg(test)]
mod tests;
