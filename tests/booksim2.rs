//! Compares the router network, and the plainly written reference, with BookSim2. Packet traces must agree to the
//! cycle, and curves of latency and throughput within the stated tolerances. BookSim2's results are in
//! `tests/data/booksim2`.

use crate::reference_network::ReferenceNetwork;
use narrows::engine::rng;
use narrows::fabric::router::{EventKind, Injection, Network, PacketEvent, RouterParameters};
use narrows::fabric::topology::Shape;
use narrows::fabric::topology::adaptive::MinimalAdaptive;
use narrows::fabric::topology::butterfly::ButterflyParameters;
use narrows::fabric::topology::fat_tree::{FatTreeParameters, ParentChoice};
use narrows::fabric::topology::grid::Grid;
use narrows::fabric::topology::mesh::MeshParameters;
use narrows::fabric::topology::torus::{MiddleChannelHalf, TorusParameters};
use narrows::text::Parameters;
use rand::RngExt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/booksim2")
}

/// A run of BookSim2: its configuration and its packets.
struct Trace {
    name: String,
    configuration: BTreeMap<String, String>,
    packets: Vec<Packet>,
}

/// A packet of a trace, with the cycles in which it was generated and arrived.
#[derive(Clone, Copy)]
struct Packet {
    generated: u64,
    source: u32,
    destination: u32,
    arrived: u64,
}

fn traces() -> Vec<Trace> {
    // The variable names a folder with further traces.
    let folder = std::env::var_os("BOOKSIM2_TRACES").map_or_else(folder, PathBuf::from);
    let paths = std::fs::read_dir(folder).expect("the folder of traces").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(".csv")).collect();
    paths.sort();
    paths.iter().filter(|path| !path.ends_with("booksim2-curves.csv")).map(|path| read_trace(path)).collect()
}

fn read_trace(path: &Path) -> Trace {
    let text = std::fs::read_to_string(path).expect("a trace");
    let mut lines = text.lines();
    let header = lines.next().expect("a trace begins with its configuration").trim_start_matches("# ");
    let configuration = header.split(' ').filter_map(|pair| pair.split_once('='));
    let configuration = configuration.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let packets = lines.skip(1).map(|line| {
        let cells: Vec<u64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let &[generated, source, destination, arrived] = cells.as_slice() else { panic!("four numbers: {line}") };
        Packet { generated, source: source as u32, destination: destination as u32, arrived }
    });
    Trace {
        name: path.file_name().expect("a name").to_string_lossy().into_owned(),
        configuration,
        packets: packets.collect(),
    }
}

impl Trace {
    fn integer(&self, key: &str) -> u64 {
        self.configuration.get(key).unwrap_or_else(|| panic!("{}: no {key}", self.name)).parse().expect("a number")
    }

    fn shape(&self) -> Shape {
        let (k, n) = (self.integer("k") as u32, self.integer("n") as u32);
        let shape = vec![k; n as usize];
        match self.configuration["topology"].as_str() {
            "mesh" => MeshParameters { shape }.shape(),
            "torus" => TorusParameters { shape }.shape_with(MiddleChannelHalf::Both),
            "fly" => ButterflyParameters { nodes: k.pow(n), radix: k, dilation: 1 }.shape().expect("a butterfly"),
            other => panic!("{}: a {other}", self.name),
        }
    }

    /// Returns the cycles of a link: BookSim2 doubles those of a torus unless `use_noc_latency` is 0.
    fn wire_delay(&self) -> u8 {
        let is_short = self.configuration.get("use_noc_latency").is_some_and(|value| value == "0");
        u8::from(self.configuration["topology"] == "torus" && !is_short)
    }

    fn parameters(&self) -> RouterParameters {
        for stage in ["vc_alloc_delay", "sw_alloc_delay", "st_final_delay"] {
            assert_eq!(self.integer(stage), 1, "{}: BookSim2 has no pipeline where {stage} is above 1", self.name);
        }
        RouterParameters {
            virtual_channels: self.integer("num_vcs") as u8,
            buffer_flits: self.integer("vc_buf_size") as u16,
            credit_delay: self.integer("credit_delay") as u8,
            routing_delay: self.integer("routing_delay") as u8,
            wire_delay: self.wire_delay(),
            ..RouterParameters::defaults()
        }
    }

    /// Returns the number of packets that arrive in a cycle other than that of BookSim2.
    fn mismatch_count(&self, mut network: impl SteppedNetwork) -> usize {
        let flits = self.integer("packet_size") as u16;
        let mut tags_by_cycle: Vec<usize> = (0..self.packets.len()).collect();
        tags_by_cycle.sort_by_key(|tag| self.packets[*tag].generated);
        let (mut events, mut pending_tags) = (Vec::new(), tags_by_cycle.into_iter().peekable());
        let mut arrival_cycles = vec![None; self.packets.len()];
        let last_cycle = self.packets.iter().map(|packet| packet.arrived).max().expect("a trace has packets");
        for now in 0..last_cycle + 100 {
            while let Some(tag) = pending_tags.next_if(|tag| self.packets[*tag].generated == now) {
                let Packet { source, destination, .. } = self.packets[tag];
                network.inject(Injection::whole(source, destination, flits, tag as u32));
            }
            network.advance(&mut events);
            for PacketEvent { cycle, tag, kind, .. } in events.drain(..) {
                if kind == EventKind::Delivered {
                    arrival_cycles[tag as usize] = Some(cycle);
                }
            }
        }
        self.packets.iter().zip(arrival_cycles).filter(|(packet, arrived)| *arrived != Some(packet.arrived)).count()
    }
}

/// A network that is simulated cycle by cycle: the router network, or its reference.
trait SteppedNetwork {
    fn inject(&mut self, injection: Injection);
    fn advance(&mut self, events: &mut Vec<PacketEvent>);
}

impl SteppedNetwork for Network {
    fn inject(&mut self, injection: Injection) {
        self.offer(injection);
    }
    fn advance(&mut self, events: &mut Vec<PacketEvent>) {
        self.step();
        self.take_events(events);
    }
}

impl SteppedNetwork for ReferenceNetwork {
    fn inject(&mut self, injection: Injection) {
        self.offer(injection);
    }
    fn advance(&mut self, events: &mut Vec<PacketEvent>) {
        self.step();
        self.take_events(events);
    }
}

#[test]
fn every_packet_of_every_trace_arrives_in_the_same_cycle() {
    let traces = traces();
    assert!(traces.len() >= 4, "the folder has the traces");
    for trace in traces {
        let network = Network::new(trace.shape(), &trace.parameters(), 1);
        assert_eq!(
            trace.mismatch_count(network),
            0,
            "mismatches among {} packets of {}",
            trace.packets.len(),
            trace.name
        );
        let reference = ReferenceNetwork::new(trace.shape(), &trace.parameters(), 1);
        assert_eq!(
            trace.mismatch_count(reference),
            0,
            "mismatches of the reference, among {} packets of {}",
            trace.packets.len(),
            trace.name
        );
    }
}

/// BookSim2's measurement at one offered load.
#[derive(Clone)]
struct ReferencePoint {
    routing: String,
    traffic: String,
    virtual_channels: u8,
    buffer_flits: u16,
    packet_flits: u16,
    offered_load: f64,
    status: String,
    accepted_load: f64,
    hops: f64,
    latency: f64,
}

fn points() -> Vec<ReferencePoint> {
    let mut reader = csv::Reader::from_path(folder().join("booksim2-curves.csv")).expect("the curves");
    let headers = reader.headers().expect("the file has a header row").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let cell = |row: &csv::StringRecord, key: &str| {
        let column = headers.iter().position(|header| header == key).unwrap_or_else(|| panic!("no column {key}"));
        row[column].to_owned()
    };
    let number = |row: &csv::StringRecord, key: &str| cell(row, key).parse::<f64>().unwrap_or(f64::NAN);
    let point = |row: &csv::StringRecord| ReferencePoint {
        routing: cell(row, "routing"),
        traffic: cell(row, "traffic"),
        virtual_channels: number(row, "num_vcs") as u8,
        buffer_flits: number(row, "vc_buffer_flits") as u16,
        packet_flits: number(row, "packet_flits") as u16,
        offered_load: number(row, "offered_flits_per_node_cycle"),
        status: cell(row, "status"),
        accepted_load: number(row, "accepted_flits_per_node_cycle"),
        hops: number(row, "hops_avg"),
        latency: number(row, "packet_latency_avg_cycles"),
    };
    rows.iter().map(point).collect()
}

/// The network's measurement at one offered load.
struct Measurement {
    accepted_load: f64,
    hops: f64,
    latency: f64,
}

const NODES: u32 = 64;
const WARM_UP_CYCLES: u64 = 2_000;
const CYCLES: u64 = 5_000;

impl ReferencePoint {
    /// Returns the shape, and the difference between a packet's number of routers and the routing's distance.
    fn shape(&self) -> (Shape, i64) {
        match self.routing.as_str() {
            "dim_order" => (MeshParameters { shape: vec![8, 8] }.shape(), 1),
            "min_adapt" => {
                let grid = Grid::new(&[8, 8]);
                let wiring = grid.wiring(false);
                (Shape { name: grid.name(), wiring, routing: Arc::new(MinimalAdaptive::new(grid)) }, 1)
            }
            "nca" => {
                let tree = FatTreeParameters { nodes: NODES, arity: 4, parents: vec![4], climb: ParentChoice::Drawn };
                (tree.shape().expect("a tree"), -1)
            }
            other => panic!("routing by {other}"),
        }
    }

    fn destination(&self, stream: &mut rng::RandomStream, source: u32) -> u32 {
        match self.traffic.as_str() {
            "uniform" => stream.random_range(0..NODES),
            "bitcomp" => NODES - 1 - source,
            other => panic!("{other} traffic"),
        }
    }

    fn label(&self) -> String {
        let ReferencePoint { routing, traffic, virtual_channels, buffer_flits, packet_flits, offered_load, .. } = self;
        let channels = format!("{virtual_channels} channels of {buffer_flits} flits, packets of {packet_flits}");
        format!("{routing}, {traffic}, {channels}, offered {offered_load}")
    }
}

/// Measures the network under Bernoulli sources; uniform destinations include the source itself. Packets that are
/// generated during the warm-up are not counted.
fn measure(point: &ReferencePoint) -> Measurement {
    let ReferencePoint { virtual_channels, buffer_flits, .. } = *point;
    let parameters = RouterParameters { virtual_channels, buffer_flits, ..RouterParameters::defaults() };
    let (shape, routers_beyond_distance) = point.shape();
    let routing = shape.routing.clone();
    let mut network = Network::new(shape, &parameters, 1);
    let mut stream = rng::stream(1, "open-loop sources");
    let packet_probability = point.offered_load / f64::from(point.packet_flits);
    // The entry of a tag holds the cycle in which the packet was generated, and the number of routers on its route.
    let mut generated_packets: Vec<(u64, i64)> = Vec::new();
    let (mut events, mut latency, mut hops, mut packets, mut delivered_before) = (Vec::new(), 0, 0, 0u64, 0);
    let last_cycle = WARM_UP_CYCLES + CYCLES;
    let is_counted = |cycle: u64| (WARM_UP_CYCLES..last_cycle).contains(&cycle);
    let mut accepted_load = 0;
    while network.cycle() < last_cycle || (point.offered_load < 1.0 && network.counts().in_flight() > 0) {
        let now = network.cycle();
        if now == WARM_UP_CYCLES {
            delivered_before = network.counts().delivered_flits;
        }
        for source in (0..NODES).filter(|_| now < last_cycle) {
            if stream.random::<f64>() < packet_probability {
                let destination = point.destination(&mut stream, source);
                let (flits, tag) = (point.packet_flits, generated_packets.len() as u32);
                generated_packets
                    .push((now, i64::from(routing.distance(source, destination)) + routers_beyond_distance));
                network.offer(Injection::whole(source, destination, flits, tag));
            }
        }
        network.step();
        if now + 1 == last_cycle {
            accepted_load = network.counts().delivered_flits - delivered_before;
        }
        network.take_events(&mut events);
        for event in events.drain(..).filter(|event| event.kind == EventKind::Delivered) {
            let (cycle, router_count) = generated_packets[event.tag as usize];
            if is_counted(cycle) {
                latency += event.cycle - cycle;
                hops += router_count as u64;
                packets += 1;
            }
        }
    }
    let mean = |sum: u64| sum as f64 / packets as f64;
    let accepted_load = accepted_load as f64 / (CYCLES * u64::from(NODES)) as f64;
    Measurement { accepted_load, hops: mean(hops), latency: mean(latency) }
}

/// Asserts that `measured` deviates from `expected` by at most the fraction `fraction`.
#[track_caller]
fn assert_within(fraction: f64, measured: f64, expected: f64, label: &str) {
    assert!((measured / expected - 1.0).abs() <= fraction, "{label}: {measured:.4} against {expected:.4}");
}

#[test]
fn latency_and_throughput_follow_booksim2_s_curves() {
    let points: Vec<ReferencePoint> = points().into_iter().filter(|point| point.routing == "dim_order").collect();
    for saturated in points.iter().filter(|point| point.status == "saturated") {
        let is_comparable = |point: &&ReferencePoint| {
            let key = |point: &ReferencePoint| (point.virtual_channels, point.buffer_flits, point.packet_flits);
            key(point) == key(saturated) && point.status == "ok" && point.offered_load <= 0.8 * saturated.accepted_load
        };
        assert_within(0.05, measure(saturated).accepted_load, saturated.accepted_load, &saturated.label());
        for point in points.iter().filter(is_comparable) {
            let measured = measure(point);
            // Each simulator drew its own packets; one router more or less on the route changes the latency by 5
            // cycles.
            let latency = measured.latency + 5.0 * (point.hops - measured.hops);
            assert_within(if point.offered_load < 0.05 { 0.02 } else { 0.05 }, latency, point.latency, &point.label());
            assert_within(0.05, measured.accepted_load, point.accepted_load, &point.label());
        }
    }
}

/// Each simulator draws its ports from its own random numbers. BookSim2's `min_adapt` keeps only one port of each
/// priority, and therefore routes in dimension order. The network here prefers that order, and takes another port if no
/// channel is free.
#[test]
fn adaptive_and_random_routes_take_as_long_as_booksim2_s() {
    for point in points().into_iter().filter(|point| point.routing != "dim_order") {
        let measured = measure(&point);
        // Beyond saturation packets block each other's routes, and fewer are accepted.
        if point.status == "ok" || point.routing == "nca" {
            assert_within(0.03, measured.accepted_load, point.accepted_load, &point.label());
        }
        if point.status == "ok" {
            let latency = measured.latency + 5.0 * (point.hops - measured.hops);
            assert_within(if point.offered_load < 0.4 { 0.05 } else { 0.15 }, latency, point.latency, &point.label());
        }
    }
}
