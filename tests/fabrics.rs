//! Checks that fabrics of another crate carry every interface, whether they offer streams, packet ports or both.
//!
//! Each fabric wraps the ideal one. The programs compare every byte that they receive with the sent one.

use narrows::engine::{Metric, NodeId, Outcome, Recorder, Sim};
use narrows::fabric::ideal::IdealParameters;
use narrows::fabric::{
    AnyStreamRx, AnyStreamTx, DeliveryHub, FabricCapabilities, FabricNet, FabricSpec, LinkUse, NodePorts, PacketCounts,
    PacketOverStream, StreamPair,
};
use narrows::machine::build::build;
use narrows::machine::{Machine, Registry};
use narrows::part::{Part, PartInfo};
use narrows::text::{Document, Parameters};
use std::rc::Rc;
use std::sync::Arc;

/// The ideal fabric, offered as packet ports only.
#[derive(Debug, Parameters)]
struct PacketsOnly {
    #[param(flatten)]
    ideal: IdealParameters,
}

/// The ideal fabric, offered as streams behind a trait object, without a variant of the crate's enum.
#[derive(Debug, Parameters)]
struct BoxedStreams {
    #[param(flatten)]
    ideal: IdealParameters,
}

impl Part for PacketsOnly {
    const INFO: PartInfo = PartInfo::new("packets-only", "The ideal fabric, by whole packets alone");
}

impl Part for BoxedStreams {
    const INFO: PartInfo = PartInfo::new("boxed-streams", "The ideal fabric, by boxed streams");
}

impl FabricSpec for PacketsOnly {
    fn capabilities(&self) -> FabricCapabilities {
        self.ideal.capabilities()
    }

    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet> {
        let (ideal, hub) = (self.ideal.start(sim, nodes, seed), Rc::default());
        Rc::new(PacketNet { sim: sim.clone(), nodes: nodes.to_vec(), ideal, hub })
    }
}

impl FabricSpec for BoxedStreams {
    fn capabilities(&self) -> FabricCapabilities {
        self.ideal.capabilities()
    }

    fn start(&self, sim: &Sim, nodes: &[String], seed: u64) -> Rc<dyn FabricNet> {
        Rc::new(BoxedNet(self.ideal.start(sim, nodes, seed)))
    }
}

struct PacketNet {
    sim: Sim,
    nodes: Vec<String>,
    ideal: Rc<dyn FabricNet>,
    hub: Rc<DeliveryHub>,
}

struct BoxedNet(Rc<dyn FabricNet>);

fn streams(net: &Rc<dyn FabricNet>, node: NodeId) -> Vec<StreamPair> {
    match net.ports(node) {
        NodePorts::Streams(streams) => streams,
        _ => panic!("the ideal fabric gives streams"),
    }
}

impl FabricNet for PacketNet {
    fn ports(&self, node: NodeId) -> NodePorts {
        let (name, streams) = (&self.nodes[node.index()], streams(&self.ideal, node));
        NodePorts::Packets(PacketOverStream::start(&self.sim, node, name, streams, &self.hub))
    }

    fn links(&self) -> Vec<LinkUse> {
        self.ideal.links()
    }

    fn packet_counts(&self) -> PacketCounts {
        self.hub.counts()
    }
}

impl FabricNet for BoxedNet {
    fn ports(&self, node: NodeId) -> NodePorts {
        let boxed = |(tx, rx): StreamPair| (AnyStreamTx::custom(tx), AnyStreamRx::custom(rx));
        NodePorts::Streams(streams(&self.0, node).into_iter().map(boxed).collect())
    }

    fn links(&self) -> Vec<LinkUse> {
        self.0.links()
    }
}

/// Returns two nodes with this host and interface, joined by a fabric.
fn machine(host: &str, ni: &str, fabric: &str, workload: &str) -> Machine {
    let nodes = format!("[nodes.a]\nhost = \"{host}\"\n[nodes.b]\nhost = \"{host}\"\n");
    let parts = format!("parts = [\"hosts/{host}\", \"ni/{ni}\", \"protocols/none\"]\n");
    let fabric = format!("[fabric.{fabric}]\nlatency = \"1 us\"\nrate = \"160 MB/s\"\n");
    let text = format!("{parts}{nodes}{fabric}{workload}\n");
    let registry = Arc::new(Registry::shipped().with_fabric::<PacketsOnly>().with_fabric::<BoxedStreams>());
    let read = registry.read(Document::Text("fabrics.toml", &text, None), &[]);
    read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value
}

/// Runs the machine to its end, and returns its metrics and the counts of packets.
fn run(machine: &Machine) -> (Vec<Metric>, PacketCounts) {
    let built = build(machine, Recorder::off().with_messages());
    let outcome = built.run();
    assert_eq!(outcome, Outcome::Done, "{machine:?}");
    let delivered = built.world.tally.delivered();
    assert!(delivered.is_sorted_by_key(|(_, time)| *time));
    let fabric = built.world.fabric.as_ref().expect("a fabric joins the nodes");
    (built.workload.metrics(&built.world, &outcome), fabric.packet_counts())
}

fn metric(metrics: &[Metric], name: &str) -> f64 {
    metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("no {name} in {metrics:?}")).value
}

const STREAM: &str = "[workload.stream]\nflows = [\"a -> b\"]\npayload = \"8 KiB\"\nmessages = 60\nwarm-up = 4";
const PING_PONG: &str = "[workload.ping-pong]\nwarm-up = 0\npayload = \"4 KiB\"\nmessages = 20";

/// Interfaces whose engines use streams.
const STREAMING_INTERFACES: [[&str; 2]; 4] = [
    ["pentium-ii-440lx", "trapeze"],
    ["pentium-iii-815ep", "e-udp"],
    ["pentium-iii-815ep", "udp-ip"],
    ["pentium-iii-815ep", "gm"],
];

#[test]
fn engines_that_stream_send_all_bytes_in_order_over_a_fabric_of_whole_packets() {
    for [host, ni] in STREAMING_INTERFACES {
        for workload in [STREAM, PING_PONG] {
            let (metrics, counts) = run(&machine(host, ni, "packets-only", workload));
            let [sent, delivered] = ["messages.sent", "messages.delivered"].map(|name| metric(&metrics, name));
            assert!(sent > 0.0 && sent == delivered, "{ni}: {sent} {delivered}");
            assert_eq!((counts.in_flight(), counts.dropped), (0, 0), "{ni}: {counts:?}");
            assert!(counts.injected as f64 >= sent, "{ni}: {counts:?}");
        }
    }
}

#[test]
fn packet_waits_for_its_last_byte_on_a_fabric_of_whole_packets() {
    for [host, ni] in STREAMING_INTERFACES {
        let round_trip_us = |fabric| metric(&run(&machine(host, ni, fabric, PING_PONG)).0, "round_trip.latency");
        let [streamed, whole_packets] = [round_trip_us("ideal"), round_trip_us("packets-only")];
        assert!(whole_packets > streamed, "{ni}: {whole_packets} us as a whole, {streamed} us byte by byte");
    }
}

#[test]
fn boxed_streams_are_the_same_as_those_of_the_enum() {
    for [host, ni] in STREAMING_INTERFACES.into_iter().chain([["memory-bus-1998", "cni32qm"], ["cm-5", "queues"]]) {
        let workload = PING_PONG.replace("4 KiB", "200 B");
        let [enum_result, boxed_result] =
            ["ideal", "boxed-streams"].map(|fabric| run(&machine(host, ni, fabric, &workload)));
        assert_eq!(enum_result, boxed_result, "{ni}");
    }
}
