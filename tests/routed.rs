//! Checks interfaces on routed fabrics: every packet arrives once and whole, and with NIFDY in order, on any fabric;
//! the counts of packets add up; zero-load latencies equal the formulas.
//!
//! Programs check the bytes of every packet, and panic if one differs. Only the tests of zero-load latencies and of
//! replayed traces depend on the constants of shipped parts.

mod any_system;

use crate::common::cli::json;
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{RunResult, run};
use narrows::machine::build::build;
use narrows::machine::{self, Machine};
use narrows::protocol::nifdy::NifdyParameters;
use narrows::text::Document;
use std::fs;
use std::path::PathBuf;

/// Reads the machine of a description, or returns its errors.
fn read(text: &str) -> Result<Machine, String> {
    let read = machine::read(Document::Text("test.toml", text, None), &[]);
    read.map(|read| read.value).map_err(|problems| format!("{problems}\n{text}"))
}

fn run_description(text: &str) -> RunResult {
    run(&read(text).unwrap_or_else(|problems| panic!("{problems}")), Recorder::off())
}

/// Runs a description, and asserts that it completes and that its counts of packets add up.
fn run_to_completion(text: &str) -> RunResult {
    let result = run_description(text);
    assert_eq!(result.outcome, Outcome::Done, "{text}");
    assert_packets_conserved(&result, text);
    result
}

#[track_caller]
fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name} in {:?}", result.metrics))
}

/// Asserts that every packet injected into the fabric was delivered, is in flight, or was dropped.
fn assert_packets_conserved(result: &RunResult, text: &str) {
    let [injected, delivered, in_flight, dropped] =
        ["injected", "delivered", "in_flight", "dropped"].map(|name| metric(result, &format!("frames.{name}")));
    assert_eq!(injected, delivered + in_flight + dropped, "{text}");
}

/// Asserts that the processors have accepted all sent packets.
fn assert_all_arrived(result: &RunResult, text: &str) {
    let [sent, delivered] = ["packets.sent", "packets.delivered"].map(|name| metric(result, name));
    assert!(sent > 0.0, "{text}");
    assert_eq!(sent, delivered, "{text}");
}

/// Returns a description: `workload` and `fabric` complete the headers `[workload.` and `[fabric.` and add the keys of
/// these tables; `interface` adds the keys of `[ni.queues]`, and further tables.
fn description(workload: &str, fabric: &str, interface: &str) -> String {
    format!("parts = [\"hosts/cm-5\"]\n[workload.{workload}\n[fabric.{fabric}\n[ni.queues]\n{interface}\n")
}

const ROUTER: &str = "[fabric.router]\nnetworks = 2\nvirtual-channels = 2\nclock = \"33 MHz\"";
const NIFDY: &str = "[protocol.nifdy]\n[messaging]\nin-order = true";
const WITHOUT_PROTOCOL: &str = "[protocol.none]\nsend-buffers = 4\nreceive-buffers = 2\n[messaging]\nin-order = false";
const CYCLIC_SHIFT: &str = "cyclic-shift]\nwords = 40";

/// Returns a mesh of 4 x 4.
fn mesh() -> String {
    format!("mesh]\nshape = [4, 4]\n{ROUTER}")
}

/// A temporary file, which is removed when the test ends.
struct GraphFile(PathBuf);

impl GraphFile {
    /// Writes a graph of nine routers, each with a node: a ring with a chord.
    fn graph(name: &str) -> GraphFile {
        let path = std::env::temp_dir().join(format!("narrows-routed-{name}-{}.edges", std::process::id()));
        let ring: String = (0..9).map(|from| format!("{from} {}\n", (from + 1) % 9)).collect();
        fs::write(&path, ring + "1 6\n").expect("the file can be written");
        GraphFile(path)
    }
}

impl Drop for GraphFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn interfaces_with_nifdy_and_without_a_protocol_work_on_every_routed_fabric() {
    let file = GraphFile::graph("every");
    let graph = format!("graph]\nfile = {:?}", file.0);
    for shape in [
        "mesh]\nshape = [4, 4]",
        "mesh]\nshape = [4, 4]\nrouting = \"minimal-adaptive\"",
        "torus]\nshape = [4, 4]",
        "ring]\nnodes = 8",
        "hypercube]\ndimensions = 4",
        "fat-tree]\nnodes = 16",
        "fat-tree]\nnodes = 16\narity = 4\nparents = [2, 2, 4]",
        "butterfly]\nnodes = 16",
        "butterfly]\nnodes = 16\ndilation = 2",
        "crossbar]\nnodes = 8",
        &graph,
    ] {
        for interface in [NIFDY, WITHOUT_PROTOCOL] {
            let text = description(CYCLIC_SHIFT, &format!("{shape}\n{ROUTER}"), interface);
            assert_all_arrived(&run_to_completion(&text), &text);
        }
    }
}

#[test]
fn interfaces_with_nifdy_and_without_a_protocol_work_on_fabrics_without_routers() {
    let nodes = "[nodes.n]\nhost = \"cm-5\"\ncount = 8";
    for fabric in [
        "ideal]\nlatency = \"200 ns\"\nrate = \"160 MB/s\"",
        "myrinet]\nlink-rate = \"160 MB/s\"\nswitch-latency = \"1 us\"\nslack = \"128 B\"\nflit = \"128 B\"\n\
         watchdog = \"50 ms\"\nswitches = [\"s0\"]",
    ] {
        for interface in [NIFDY, WITHOUT_PROTOCOL] {
            let text = description(CYCLIC_SHIFT, &format!("{fabric}\n{nodes}"), interface);
            assert_all_arrived(&run_to_completion(&text), &text);
        }
    }
}

#[test]
fn programs_compute_correct_results() {
    for workload in ["radix-sort]\nkeys = 32\nbits = 4", "em3d]\nn-nodes = 20\nd-nodes = 4\niterations = 2"] {
        for interface in [NIFDY, WITHOUT_PROTOCOL] {
            let text = description(workload, &mesh(), interface);
            assert_all_arrived(&run_to_completion(&text), &text);
        }
    }
}

/// Returns a ring of flows over a mesh, from each node to the next by number. Processors receive faster than they send;
/// otherwise a processor that receives before each send might never send.
fn neighbour_flows(unresponsive_nodes: &str) -> Machine {
    let bursts = format!(
        "bursts]\ncycles = 60000\npattern = \"neighbour\"\npackets = [1000000, 1000000]\nunresponsive-nodes = [{unresponsive_nodes}]"
    );
    let costs = format!("{NIFDY}\nsend = 60\npoll = 10\nreceive = 45\nbarrier = 0");
    let host = "[hosts.fast.software]\nclock = \"33 MHz\"\n";
    let text = description(&bursts, &mesh(), &costs).replace("parts = [\"hosts/cm-5\"]\n", "") + host;
    read(&text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Returns the number of packets that each node accepted.
fn accepted_packets(machine: &Machine) -> Vec<u64> {
    let built = build(machine, Recorder::off());
    assert_eq!(built.run(), Outcome::Done);
    built.world.active_endpoints().iter().map(|endpoint| endpoint.accepted_packets()).collect()
}

#[test]
fn node_that_accepts_nothing_does_not_block_other_nodes() {
    let (complete, all_but_one) = (neighbour_flows(""), neighbour_flows("5"));
    let (accepted_by_all, accepted_by_all_but_one) = (accepted_packets(&complete), accepted_packets(&all_but_one));
    // Node 6 receives nothing and sends all the time, and node 7 sends in the time that its receives leave.
    for node in (0..16).filter(|node| ![5, 6].contains(node)) {
        assert!(
            2 * accepted_by_all_but_one[node] >= accepted_by_all[node],
            "{node} has {accepted_by_all_but_one:?} of {accepted_by_all:?}"
        );
    }
    // Node 5 accepts nothing, and sends nothing to node 6.
    assert!(
        accepted_by_all.iter().all(|count| *count > 100)
            && [accepted_by_all_but_one[5], accepted_by_all_but_one[6]] == [0, 0],
        "{accepted_by_all_but_one:?} of {accepted_by_all:?}"
    );
    let [all, all_but_one] = [complete, all_but_one].map(|machine| run(&machine, Recorder::off()));
    let never_accepting = |result: &RunResult| -> Vec<String> {
        let names = result.metrics.iter().filter_map(|metric| metric.name.strip_prefix("packets.never_accepted."));
        names.map(str::to_owned).collect()
    };
    assert_eq!((never_accepting(&all), never_accepting(&all_but_one)), (vec![], vec!["node5".to_owned()]));
    assert_packets_conserved(&all_but_one, "neighbours");
    // The flow to node 5 and the flow from it are missing, so 14 of the 16 flows remain.
    let share = metric(&all_but_one, "packets.delivered") / metric(&all, "packets.delivered");
    assert!((0.7..1.0).contains(&share), "{share} of the packets that all nodes accept");
}

#[test]
fn lost_packets_are_retransmitted() {
    let text = "parts = [\"hosts/overheads-40-60\", \"fabrics/nifdy-mesh\"]\n[fabric]\nloss = 0.05\n\
                [ni.queues]\n[protocol.nifdy]\nretransmission.timeout = \"150 us\"\n\
                [workload.bursts]\nphases = 3\npackets = [10, 30]";
    let result = run_to_completion(text);
    assert_all_arrived(&result, text);
    assert_eq!(metric(&result, "bursts.out_of_order"), 0.0);
    let [dropped, injected] = ["dropped", "injected"].map(|name| metric(&result, &format!("frames.{name}")));
    // There are thousands of frames, so four standard deviations are less than 0.02.
    assert!((0.03..0.07).contains(&(dropped / injected)), "{dropped} of {injected} frames are lost");
    assert!(metric(&result, "ni.retransmitted") > 0.0);
}

#[test]
fn acknowledgements_are_piggybacked_on_answers_over_one_network() {
    let piggybacked = |networks: u32| {
        let fabric = format!("mesh]\nshape = [2, 2]\n[fabric.router]\nnetworks = {networks}");
        let text =
            description("cyclic-shift]\nwords = 20", &fabric, "[protocol.nifdy]\npiggybacked-acknowledgements = true");
        metric(&run_to_completion(&text), "ni.carried")
    };
    assert!(piggybacked(1) > 0.0);
    assert_eq!(piggybacked(2), 0.0, "answers take the other network");
}

#[test]
fn random_numbers_depend_on_the_seed_alone() {
    let results = |seed: u64, interface| {
        let adaptive = format!("mesh]\nshape = [4, 4]\nrouting = \"minimal-adaptive\"\n{ROUTER}");
        let text = description("bursts]\ntraffic = \"light\"\ncycles = 30000", &adaptive, interface);
        let result = run_to_completion(&format!("{text}[run]\nseed = {seed}"));
        format!("{:?} {} {}", result.metrics, result.end, result.events)
    };
    for interface in [NIFDY, WITHOUT_PROTOCOL] {
        assert_eq!(results(1, interface), results(1, interface));
        assert_ne!(results(1, interface), results(2, interface));
    }
}

#[test]
fn interface_state_does_not_grow_with_the_machine() {
    // The state of a node is bounded by its parameters, none of which is the number of nodes.
    let state = |nodes: u32| {
        let tree = format!("fat-tree]\nnodes = {nodes}\n{ROUTER}");
        let text = description("bursts]\ncycles = 2000", &tree, NIFDY);
        let node_parts = read(&text).expect("the description is valid").node_parts.expect("interfaces");
        let nifdy = *node_parts.protocol.of::<NifdyParameters>().expect("the protocol is NIFDY");
        (metric(&run_to_completion(&text), "ni.state"), nifdy.unit.state_bytes(node_parts.ni.limits().packet.len()))
    };
    let [(few_nodes_bytes, few_nodes_bound), (many_nodes_bytes, many_nodes_bound)] = [16, 256].map(state);
    assert_eq!(few_nodes_bound, many_nodes_bound);
    assert!(
        few_nodes_bytes > 0.0
            && few_nodes_bytes <= few_nodes_bound as f64
            && many_nodes_bytes > 0.0
            && many_nodes_bytes <= many_nodes_bound as f64,
        "{few_nodes_bytes}, {many_nodes_bytes} of {few_nodes_bound}"
    );
}

/// Checks the latencies against Table 3 of Callahan and Goldstein (1995): `a·d + b` cycles over `d` links or stages.
/// With store-and-forward, the formula is for the tail of a packet that takes L = 32 cycles on a link.
#[test]
fn zero_load_latencies_equal_the_formulas() {
    for (fabric, cycles_per_hop, endpoint_cycles) in [
        ("fat-tree", 5, 2),
        ("cm-5", 9, 2),
        ("store-and-forward", 33, 3),
        ("mesh", 4, 14),
        ("torus", 4, 14),
        ("mesh-3d", 4, 18),
        ("butterfly", 5, 2),
        ("multibutterfly", 5, 2),
    ] {
        let result =
            run_description(&format!("parts = [\"fabrics/nifdy-{fabric}\"]\n[workload.zero-load]\npacket-flits = 8"));
        assert_eq!(result.outcome, Outcome::Done);
        let distance_in_name =
            |name: &str| name.strip_prefix("zero_load.d")?.strip_suffix(".latency_min")?.parse::<u32>().ok();
        let distances: Vec<u32> = result.metrics.iter().filter_map(|metric| distance_in_name(&metric.name)).collect();
        assert!(!distances.is_empty());
        for distance in distances {
            let expected = f64::from(cycles_per_hop * distance + endpoint_cycles);
            let extremes =
                ["min", "max"].map(|extreme| metric(&result, &format!("zero_load.d{distance}.latency_{extreme}")));
            assert_eq!(extremes, [expected; 2], "{fabric} over {distance}");
        }
    }
}

/// Returns the numbers of mismatches and packets of a replayed trace with these settings, by the command line.
fn replay(settings: &[String]) -> [f64; 2] {
    let overrides = settings.iter().flat_map(|setting| ["--set", setting]);
    let result = json(&[&["run", "replay-mesh", "--format", "json"], &overrides.collect::<Vec<_>>()[..]].concat());
    ["mismatches", "packets"].map(|name| {
        let value = result["metrics"][format!("replay.{name}")]["value"].as_f64();
        value.unwrap_or_else(|| panic!("no replay.{name} in {}", result["metrics"]))
    })
}

#[test]
fn booksim2_traces_replay_without_a_mismatch() {
    let [mismatches, packets] = replay(&[]);
    assert!(mismatches == 0.0 && packets > 0.0, "{mismatches} of {packets}");
    // The columns are name, virtual channels, flits of a buffer, flits of a packet, and credit delay.
    for (trace, channels, buffer, flits, credit) in [
        ("mesh8x8-v1-b2-p8-r010", 1, 2, 8, 1),
        ("mesh8x8-v2-b4-p1-r030-c0", 2, 4, 1, 0),
        ("mesh8x8-v4-b8-p1-r020", 4, 8, 1, 1),
        ("mesh8x8-v4-b8-p8-r020", 4, 8, 8, 1),
    ] {
        let [mismatches, packets] = replay(&[
            format!("workload.replay.file={}/tests/data/booksim2/{trace}.csv", env!("CARGO_MANIFEST_DIR")),
            format!("workload.replay.packet-flits={flits}"),
            format!("fabric.router.virtual-channels={channels}"),
            format!("fabric.router.buffer-flits={buffer}"),
            format!("fabric.router.credit-delay={credit}"),
        ]);
        assert!(mismatches == 0.0 && packets > 0.0, "{mismatches} of {packets} of {trace}");
    }
}
