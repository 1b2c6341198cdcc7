//! Replay of a packet trace on any routed fabric. Each arrival is compared with that in the trace.

use super::trace::{self, FLITS_MAX, TracePacket};
use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::{Distribution, Metric, Outcome};
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::RunningWorkload;
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::file::SHIPPED;
use crate::text::{Parameters, Table};
use include_dir::{Dir, include_dir};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The traces of the shipped examples.
static TRACES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shipped/traces");

/// The parameters of a replay.
#[derive(Clone, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Replay {
    /// Packet trace, a CSV file with the columns generated_cycle,source,destination[,arrived_cycle][,flits].
    pub file: PathBuf,
    /// Length of packets whose length is not in the trace, in flits.
    #[param(min = 1, max = FLITS_MAX, default = 1)]
    pub packet_flits: u16,
    /// Packets of the trace, in order.
    #[param(with(read = |t| read_trace(t, &file), write = |_, _| ()))]
    pub packets: Arc<[TracePacket]>,
}

fn read_trace(t: &mut Table<'_>, file: &Path) -> Arc<[TracePacket]> {
    if t.describing() || !t.has("file") {
        return Arc::default();
    }
    let packets = match trace_text(file) {
        Err(message) => {
            t.report_invalid("file", format!("the trace cannot be read: {message}"), "give the path of a CSV file");
            Vec::new()
        }
        Ok(text) => trace::read(&text).unwrap_or_else(|error| {
            t.report_invalid("file", format!("the trace has an error in {error}"), COLUMNS_HELP);
            Vec::new()
        }),
    };
    packets.into()
}

/// The state of a replay.
struct ReplayState {
    parameters: Replay,
    /// Index of the first packet not yet offered.
    next_packet: usize,
    /// Number of packets whose last flit has arrived.
    arrived_packets: u64,
    /// Number of arrived packets whose arrival is in the trace.
    compared_packets: u64,
    /// Number of packets that did not arrive in the cycle stated in the trace.
    mismatches: u64,
    latencies: Latencies,
    /// Cycle in which the last packet arrived.
    last_arrival_cycle: u64,
}

impl Replay {
    /// Returns the length of the longest packet in flits.
    pub fn packet_flits_max(&self) -> u16 {
        self.packets.iter().map(|packet| packet.flits.unwrap_or(self.packet_flits)).max().unwrap_or(self.packet_flits)
    }

    /// Returns the line and the node of the first packet with a node that is not among the `nodes` nodes.
    pub fn unknown_node(&self, nodes: u32) -> Option<(u64, u32)> {
        let endpoints =
            self.packets.iter().flat_map(|packet| [(packet.line, packet.source), (packet.line, packet.destination)]);
        endpoints.into_iter().find(|(_, node)| *node >= nodes)
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("replay.packets", "", "Packets of the trace that arrived"),
    ResultName::metric("replay.compared", "", "Packets whose arrival is in the trace, and was compared"),
    ResultName::metric("replay.mismatches", "", "Packets that did not arrive in the cycle that the trace states"),
    ResultName::metric("replay.latency", "cycles", "Latency of a packet of the trace; the mean over all packets"),
];

impl Part for Replay {
    const INFO: PartInfo = PartInfo::new("replay", "Packets of a trace through the fabric alone")
        .results(RESULTS)
        .example("file = \"traces/mesh8x8-v4-b8-p8-r020.csv\"");
}

impl WorkloadSpec for Replay {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits_max())
    }

    fn check_routers(&self, nodes: u32, _: f64) -> Vec<ParameterError> {
        let Some((line, node)) = self.unknown_node(nodes) else { return Vec::new() };
        let message = format!("line {line} of the trace names node {node}, but the last node is {}", nodes - 1);
        vec![ParameterError::new("file", message).help("make the shape of the fabric larger, or choose another trace")]
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        fabric.network().report_deliveries_only();
        let state = ReplayState {
            parameters: self.clone(),
            next_packet: 0,
            arrived_packets: 0,
            compared_packets: 0,
            mismatches: 0,
            latencies: Latencies::default(),
            last_arrival_cycle: 0,
        };
        let state = Rc::new(RefCell::new(state));
        world.sim.spawn("replay", drive(world.sim.clone(), fabric, state.clone()));
        Rc::new(ReplayRun(state))
    }
}

/// The name of the metric of a packet's latency, from its generation to the arrival of its tail.
const LATENCY: &str = "replay.latency";

const COLUMNS_HELP: &str =
    "the first line names the columns: generated_cycle,source,destination and optionally arrived_cycle and flits";

/// Returns the text of a trace, which is a file or belongs to a shipped example.
fn trace_text(path: &Path) -> Result<String, String> {
    let text = match path.strip_prefix(SHIPPED) {
        Err(_) => fs::read_to_string(path).map_err(|error| error.to_string()),
        Ok(name) => {
            let file = name.strip_prefix("traces").ok().and_then(|name| TRACES.get_file(name));
            let text = file.and_then(|file| file.contents_utf8()).map(str::to_owned);
            text.ok_or("there is no shipped trace of this name".to_owned())
        }
    };
    text.map_err(|error| format!("`{}`: {error}", path.display()))
}

impl Traffic for ReplayState {
    fn next_offer_cycle(&self, _: u64) -> Option<u64> {
        self.parameters.packets.get(self.next_packet).map(|packet| packet.generation_cycle)
    }

    fn offer_packets(&mut self, cycle: u64, network: &mut Network) {
        while let Some(packet) =
            self.parameters.packets.get(self.next_packet).filter(|packet| packet.generation_cycle <= cycle)
        {
            let flits = packet.flits.unwrap_or(self.parameters.packet_flits);
            network.offer(Injection::whole(packet.source, packet.destination, flits, self.next_packet as u32));
            self.next_packet += 1;
        }
    }

    fn handle(&mut self, event: &PacketEvent) {
        debug_assert_eq!(event.kind, EventKind::Delivered, "the network reports deliveries only");
        let packet = &self.parameters.packets[event.tag as usize];
        let latency = event.cycle - packet.generation_cycle;
        self.arrived_packets += 1;
        self.latencies.add(latency);
        self.last_arrival_cycle = event.cycle;
        if let Some(arrival_cycle) = packet.arrival_cycle {
            self.compared_packets += 1;
            self.mismatches += u64::from(arrival_cycle != event.cycle);
        }
    }
}

/// A running or finished replay.
struct ReplayRun(Rc<RefCell<ReplayState>>);

impl RunningWorkload for ReplayRun {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let replay = self.0.borrow();
        let packets_with_arrival =
            replay.parameters.packets.iter().filter(|packet| packet.arrival_cycle.is_some()).count() as u64;
        let mut metrics = vec![
            Metric::count("replay.packets", replay.arrived_packets as f64, ""),
            Metric::count("replay.compared", replay.compared_packets as f64, ""),
            // A packet that never arrived counts as a mismatch.
            Metric::new(
                "replay.mismatches",
                (replay.mismatches + packets_with_arrival - replay.compared_packets) as f64,
                "",
            ),
        ];
        metrics.extend(replay.latencies.metrics(LATENCY));
        metrics.push(Metric::cost("cycles", replay.last_arrival_cycle as f64, "cycles"));
        metrics.extend(link_metrics(world));
        metrics
    }

    fn distributions(&self, _: &World, _: &Outcome) -> Vec<Distribution> {
        self.0.borrow().latencies.distributions(LATENCY)
    }
}
