//! Routed fabrics as parts: one part for each shape, all with the same parameters of routers, links, loss and
//! cross-traffic.

use super::{CrossTraffic, Routed, RoutedFabric, RoutedParameters};
use super::{known_deadlocks, memory_check};
use crate::engine::{Bytes, Class, NodeId, Sim};
use crate::fabric::any::{AnyStreamRx, AnyStreamTx};
use crate::fabric::capabilities::FabricCapabilities;
use crate::fabric::hub::PacketCounts;
use crate::fabric::net::{FabricNet, NodePorts};
use crate::fabric::port::LinkUse;
use crate::fabric::spec::FabricSpec;
use crate::fabric::topology::survey::Deadlock;
use crate::fabric::topology::{TOPOLOGIES, Topology, flit_router_error};
use crate::part::{ParameterError, PartEntry, PartInfo, PartSpec, SiblingTable, SiblingTables};
use crate::text::suggest::suggestion;
use crate::text::{ParameterSink, ParameterVariants, Parameters, Table};
use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

/// The tables that are siblings of a shape's table.
const SIBLING_TABLES: [SiblingTable; 3] = [
    SiblingTable { key: "router", refusal: "has no routers to configure" },
    SiblingTable { key: "loss", refusal: "has no model of lost packets" },
    SiblingTable { key: "cross-traffic", refusal: "has no edges from which cross-traffic of a mesh could come" },
];

/// Returns the registry's entries, one for each shape.
pub fn entries() -> Vec<PartEntry<dyn FabricSpec>> {
    let help = "choose a fabric of routers such as [fabric.mesh]";
    let siblings = Arc::new(SiblingTables { tables: &SIBLING_TABLES, help, read: read_router_tables });
    let entry = |&(shape, summary): &(&'static str, &'static str)| {
        let read = move |t: &mut Table<'_>| -> Arc<dyn FabricSpec> {
            let topology = Topology::read_variant(shape, t);
            Arc::new(RoutedFabric { topology, parameters: RoutedParameters::defaults() })
        };
        PartEntry::new(PartInfo::new(shape, summary), read).with_siblings(&siblings)
    };
    TOPOLOGIES.iter().map(entry).collect()
}

/// Reads the sibling tables of a shape.
fn read_router_tables(t: &mut Table<'_>, spec: &Arc<dyn FabricSpec>) -> Arc<dyn FabricSpec> {
    let parameters = RoutedParameters::read(t);
    match spec.routers() {
        Some(fabric) => Arc::new(RoutedFabric { topology: fabric.topology.clone(), parameters }),
        None => spec.clone(),
    }
}

impl PartSpec for RoutedFabric {
    fn info(&self) -> PartInfo {
        let shape = self.topology.variant();
        let (key, summary) = TOPOLOGIES.iter().find(|(name, _)| *name == shape).expect("a shape is listed");
        PartInfo::new(key, summary)
    }

    /// Returns an error if the fabric does not fit in the simulating machine's memory; otherwise the errors of its
    /// shape and links.
    fn check(&self) -> Vec<ParameterError> {
        if let Some(error) = memory_check::check(self) {
            return vec![error];
        }
        let error = |(key, message, help)| ParameterError::new(key, message).help(help);
        let errors: Vec<ParameterError> = match self.topology.build() {
            Ok(shape) => {
                flit_router_error(&shape.wiring).map(|message| ParameterError::new("", message)).into_iter().collect()
            }
            Err(errors) => errors.into_iter().map(error).collect(),
        };
        errors.into_iter().chain(self.check_links()).collect()
    }

    fn inert_reason(&self, _key: &str) -> Option<&'static str> {
        None
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        self.topology.write(to);
        self.parameters.write(to);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl FabricSpec for RoutedFabric {
    fn capabilities(&self) -> FabricCapabilities {
        RoutedFabric::capabilities(self)
    }

    fn nodes(&self) -> Option<u32> {
        Some(self.topology.nodes())
    }

    fn node_names(&self) -> Option<Vec<String>> {
        self.topology.node_names()
    }

    fn check_nodes(&self, nodes: &[String]) -> Vec<ParameterError> {
        let cross_traffic_errors =
            self.parameters.cross.map(|cross| self.check_cross_traffic(cross)).unwrap_or_default();
        cross_traffic_errors.into_iter().chain(self.check_position_names(nodes)).collect()
    }

    fn check_routes(&self) -> Vec<ParameterError> {
        self.check_deadlock().into_iter().collect()
    }

    fn routers(&self) -> Option<&RoutedFabric> {
        Some(self)
    }

    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet> {
        Rc::new(Routed::start(sim, self, nodes, seed))
    }
}

impl FabricNet for Rc<Routed> {
    fn ports(&self, node: NodeId) -> NodePorts {
        let fabric = self.clone();
        let stream_pair =
            move |class| (AnyStreamTx::Routed(fabric.tx(node, class)), AnyStreamRx::Routed(fabric.rx(node, class)));
        let networks = self.networks;
        let streams = Box::new(move || Class::all(networks).map(stream_pair).collect());
        NodePorts::StreamsAndPackets { streams, packets: self.packet_port(node) }
    }

    fn links(&self) -> Vec<LinkUse> {
        Routed::links(self)
    }

    fn packet_counts(&self) -> PacketCounts {
        self.hub.counts()
    }

    fn cross_traffic(&self) -> Option<Bytes> {
        Routed::cross_traffic(self)
    }
}

/// Number of channels of a cycle that are listed.
const CYCLE_LISTED: usize = 12;
/// Number of links with errors that are listed.
const LINKS_LISTED: usize = 10;

fn link_error((message, help): (String, String)) -> ParameterError {
    ParameterError::new("file", message).help(help)
}

impl RoutedFabric {
    /// Returns whether the fabric has edges, at which cross-traffic enters.
    pub fn has_edges(&self) -> bool {
        self.topology.with_io_columns().is_some()
    }

    /// Checks that the rates and latencies of single links are whole numbers of the routers' cycles.
    fn check_links(&self) -> Vec<ParameterError> {
        let router = &self.parameters.router;
        let described_links = self.topology.described_links();
        let mut link_errors = described_links.iter().filter_map(|link| {
            let (message, help) = router.link_timing(link.attributes, router.wire_delay).err()?;
            Some((format!("{}: {message}", link.location), help))
        });
        let mut errors: Vec<ParameterError> = link_errors.by_ref().take(LINKS_LISTED).map(link_error).collect();
        let unlisted_count = link_errors.count();
        if unlisted_count > 0 {
            errors.push(link_error((format!("and {unlisted_count} more like these"), String::new())));
        }
        errors
    }

    /// Checks that either all nodes have names of positions in the shape, or no node has one.
    fn check_position_names(&self, nodes: &[String]) -> Option<ParameterError> {
        let names = self.topology.node_names()?;
        let unplaced_node = self.positions(nodes).err()?;
        let message = format!("node `{unplaced_node}` is not a host of the graph, and other nodes are");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let help = format!(
            "nodes are placed by the names of hosts, or all in order: {}",
            suggestion("hosts", &unplaced_node, &names)
        );
        Some(ParameterError::new("file", message).help(help))
    }

    /// Checks that the shape has edges for cross-traffic, and that its links can carry the traffic.
    fn check_cross_traffic(&self, cross: CrossTraffic) -> Vec<ParameterError> {
        let mut errors = Vec::new();
        let mut add_error = |key: &str, message: String, help: String| {
            errors.push(ParameterError::new(key, message).help(help));
        };
        if !self.has_edges() {
            let shape = self.topology.variant();
            let message = format!("cross-traffic comes from the edges of a mesh, and [fabric.{shape}] has none");
            add_error("cross-traffic", message, "remove the table, or choose [fabric.mesh]".to_owned());
        }
        let link_rate = self.link_rate();
        if cross.rate > link_rate {
            let message = format!("{} exceeds the rate of a link", cross.rate);
            add_error("cross-traffic.rate", message, format!("at most {link_rate}"));
        }
        let longest_packet = RoutedFabric::capabilities(self).packet_max.map(|packet_max| packet_max.bytes);
        if let Some(packet_max) = longest_packet.filter(|longest_packet| cross.message > *longest_packet) {
            let message = format!("a message of {} is longer than the longest packet", cross.message);
            add_error("cross-traffic.message", message, format!("at most {packet_max}"));
        }
        errors
    }

    /// Checks that packets cannot wait for one another in a cycle.
    fn check_deadlock(&self) -> Option<ParameterError> {
        let deadlock = known_deadlocks::deadlock(&self.topology, self.parameters.router.virtual_channels)?;
        let Deadlock::Cycle(cycle) = deadlock else { return None };
        let shape = self.topology.build().expect("a shape that was searched can be built");
        let listed_channels = cycle.iter().take(CYCLE_LISTED);
        let waits: Vec<String> = listed_channels.map(|channel| channel.with_name(&shape.wiring)).collect();
        let message = format!(
            "the routing can deadlock: packets can wait for one another in a cycle of {} channels",
            cycle.len()
        );
        let ending = if cycle.len() > CYCLE_LISTED { "so on, until one" } else { "the last" };
        let waits = format!("each channel waits for the next, and {ending} for the first: {}", waits.join("; "));
        Some(match self.topology.deadlock_remedy() {
            Some((key, remedy)) => ParameterError::new(key, message).help(format!("{remedy}; at present {waits}")),
            None => ParameterError::new("", message).help(waits),
        })
    }
}
