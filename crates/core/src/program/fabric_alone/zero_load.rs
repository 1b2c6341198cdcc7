//! Zero load: one packet at a time, from each of `sources` nodes to every other node. Latencies are reported by
//! distance.
//!
//! The latency is the time from the cycle in which the header leaves the source interface to the cycle in which it (or,
//! with store-and-forward, the tail) is at the destination: T_lat(d) of Callahan and Goldstein (1995), Table 3.
//! Distances are those of the topology.

use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::{Distribution, Metric, Outcome};
use crate::fabric::routed::FabricOnly;
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{Part, PartInfo, ResultName};
use crate::program::RunningWorkload;
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The parameters of the zero-load test.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct ZeroLoad {
    /// Length of each packet in flits.
    #[param(min = 1, max = 4096, default = 8)]
    pub packet_flits: u16,
    /// Number of nodes that send, spread over all nodes; each sends to all others.
    #[param(min = 1, max = 1 << 20, default = 64)]
    pub sources: u32,
}

/// The smallest and the largest latency of some packets.
#[derive(Clone, Copy)]
struct LatencyRange {
    min: u64,
    max: u64,
}

/// The state of the zero-load test.
struct ZeroLoadState {
    parameters: ZeroLoad,
    nodes: u32,
    fabric: Rc<FabricOnly>,
    /// Number of the next pair.
    next_pair: u64,
    start_cycle: u64,
    distance: u32,
    /// Whether a packet is in flight.
    has_packet_in_flight: bool,
    /// Latencies until the arrival of the header, by distance.
    header_latencies: BTreeMap<u32, LatencyRange>,
    /// Latencies until the arrival of the tail, by distance.
    tail_latencies: BTreeMap<u32, LatencyRange>,
    delivered_packets: u64,
    /// Latencies until the arrival of the header, or with store-and-forward of the tail.
    latencies: Latencies,
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric(
        "zero_load.DISTANCE.latency",
        "cycles",
        "Latency of single packets over this distance, in hops, until the header arrived; until the tail if routers store and forward",
    ),
    ResultName::metric("zero_load.DISTANCE.header", "cycles", "Time until the header of a single packet arrived"),
    ResultName::metric("zero_load.DISTANCE.tail", "cycles", "Time until the tail of a single packet arrived"),
    ResultName::metric("zero_load.latency", "cycles", "Latency of single packets, over all distances"),
];

impl Part for ZeroLoad {
    const INFO: PartInfo =
        PartInfo::new("zero-load", "One packet at a time between all pairs of nodes, through the fabric alone")
            .results(RESULTS);
}

impl WorkloadSpec for ZeroLoad {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits)
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        let state = ZeroLoadState {
            parameters: self.clone(),
            nodes: fabric.nodes(),
            fabric: fabric.clone(),
            next_pair: 0,
            start_cycle: 0,
            distance: 0,
            has_packet_in_flight: false,
            header_latencies: BTreeMap::new(),
            tail_latencies: BTreeMap::new(),
            delivered_packets: 0,
            latencies: Latencies::default(),
        };
        let state = Rc::new(RefCell::new(state));
        world.sim.spawn("zero load", drive(world.sim.clone(), fabric, state.clone()));
        Rc::new(ZeroLoadRun(state))
    }
}

impl ZeroLoadState {
    /// Returns the source and destination of pair `number`, or `None` after the last pair.
    fn pair(&self, number: u64) -> Option<(u32, u32)> {
        let (nodes, sources) = (u64::from(self.nodes), u64::from(self.parameters.sources.min(self.nodes)));
        let (source, destination_index) = (number / (nodes - 1).max(1), number % (nodes - 1).max(1));
        let source = (source < sources).then(|| source * nodes / sources)?;
        let destination = if destination_index < source { destination_index } else { destination_index + 1 };
        (destination < nodes).then_some((source as u32, destination as u32))
    }
}

impl LatencyRange {
    fn add_latency(ranges: &mut BTreeMap<u32, LatencyRange>, distance: u32, latency: u64) {
        let range = ranges.entry(distance).or_insert(LatencyRange { min: latency, max: latency });
        range.min = range.min.min(latency);
        range.max = range.max.max(latency);
    }
}

impl Traffic for ZeroLoadState {
    fn next_offer_cycle(&self, cycle: u64) -> Option<u64> {
        (!self.has_packet_in_flight && self.pair(self.next_pair).is_some()).then_some(cycle)
    }

    fn offer_packets(&mut self, cycle: u64, network: &mut Network) {
        let (source, destination) = self.pair(self.next_pair).expect("packets are offered only while a pair is left");
        let flits = self.parameters.packet_flits;
        self.distance = self.fabric.distance(source, destination);
        network.offer(Injection::whole(source, destination, flits, 0));
        (self.start_cycle, self.has_packet_in_flight, self.next_pair) = (cycle, true, self.next_pair + 1);
    }

    fn handle(&mut self, event: &PacketEvent) {
        let latency = event.cycle - self.start_cycle;
        match event.kind {
            EventKind::FlitsSent(_) | EventKind::Injected | EventKind::FlitsArrived(_) => {}
            EventKind::HeaderArrived => {
                LatencyRange::add_latency(&mut self.header_latencies, self.distance, latency);
                if !self.fabric.is_store_and_forward() {
                    self.latencies.add(latency);
                }
            }
            EventKind::Delivered => {
                if self.fabric.is_store_and_forward() {
                    self.latencies.add(latency);
                }
                LatencyRange::add_latency(&mut self.tail_latencies, self.distance, latency);
                self.has_packet_in_flight = false;
                self.delivered_packets += 1;
            }
        }
    }
}

/// The name of the metric of a packet's latency: until the arrival of its header, or of its tail if routers store and
/// forward.
const LATENCY: &str = "zero_load.latency";

/// A running or finished zero-load test.
struct ZeroLoadRun(Rc<RefCell<ZeroLoadState>>);

impl RunningWorkload for ZeroLoadRun {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let state = self.0.borrow();
        let mut metrics = vec![Metric::count("packets.delivered", state.delivered_packets as f64, "")];
        let latency_ranges =
            if state.fabric.is_store_and_forward() { &state.tail_latencies } else { &state.header_latencies };
        for (quantity, ranges) in
            [("latency", latency_ranges), ("header", &state.header_latencies), ("tail", &state.tail_latencies)]
        {
            for (distance, LatencyRange { min, max }) in ranges {
                for (bound, value) in [("min", min), ("max", max)] {
                    metrics.push(Metric::latency(
                        format!("zero_load.d{distance}.{quantity}_{bound}"),
                        *value as f64,
                        "cycles",
                    ));
                }
            }
        }
        metrics.extend(state.latencies.metrics(LATENCY));
        metrics.extend(link_metrics(world));
        metrics
    }

    fn distributions(&self, _: &World, _: &Outcome) -> Vec<Distribution> {
        self.0.borrow().latencies.distributions(LATENCY)
    }
}
