//! Checks that every packet, fragment, capture, graph and matrix is either read or refused with a reason, and that none
//! causes a panic. The tests run the targets of `fuzz/` that take bytes, on a few inputs by default, or on as many as
//! fit in a stated time:
//!
//!     NARROWS_FUZZ_SECONDS=600 cargo test --test all any_bytes:: -- --ignored --nocapture

#[path = "any_bytes/capture.rs"]
mod capture;
#[path = "any_bytes/ip_packet.rs"]
mod ip_packet;
#[path = "any_bytes/matrix.rs"]
mod matrix;
#[path = "any_bytes/metis_graph.rs"]
mod metis_graph;
#[path = "any_bytes/network_graph.rs"]
mod network_graph;
#[path = "any_bytes/reassembly.rs"]
mod reassembly;

use narrows::engine::{NodeId, Time};
use narrows::protocol::udp_ip::{Datagram, Sum, addresses};
use narrows::report::capture::Capture;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::{Duration, Instant};

/// A target: a function that accepts any bytes and panics on an error.
type FuzzTarget = fn(&[u8]);

/// Returns the packets of a few datagrams.
fn packets() -> Vec<Vec<u8>> {
    let socket = |node| addresses::socket(NodeId(node), 0).expect("the node has an address");
    let fragments_of = |(identification, length): (u16, usize)| {
        let payload: Vec<u8> = (0..length).map(|index| index as u8).collect();
        let datagram = Datagram { from: socket(0), to: socket(1), identification, payload: length, checksum: None };
        let fragments = datagram.summed(Sum::of_bytes(&payload)).fragments(60).expect("the MTU is valid");
        fragments.map(|fragment| fragment.packet(&payload)).collect::<Vec<_>>()
    };
    [(1, 0), (2, 21), (3, 150)].into_iter().flat_map(fragments_of).collect()
}

/// Returns the undamaged captures: one written by this program, and three of packets that Linux sent.
fn captures() -> Vec<Vec<u8>> {
    let mut capture = Capture::new(["a", "b"]);
    for (number, packet) in packets().iter().enumerate() {
        capture.packet(number % 2, Time::from_us(number as u64), packet);
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/captures/");
    let names = ["linux.pcapng", "linux-ns.pcap", "linux-us.pcap"];
    let read = |name| std::fs::read(format!("{folder}{name}")).expect("the shipped capture is readable");
    let mut captures: Vec<Vec<u8>> = names.into_iter().map(read).collect();
    // Only the first packets of each capture are kept, because most of a long file is payload.
    captures.iter_mut().for_each(|file| file.truncate(600));
    captures.push(capture.bytes().to_vec());
    captures
}

/// Returns a triangle with a tail as a METIS graph, with weights and without.
fn graphs() -> Vec<Vec<u8>> {
    let texts =
        [include_str!("data/matrices/tailed-triangle.graph"), "3 2 111 2\n9 5 6 2 7\n9 5 6 3 8 1 7\n9 5 6 2 8\n"];
    texts.map(|text| text.as_bytes().to_vec()).into()
}

/// Returns the same graph as a matrix, in each format.
fn matrices() -> Vec<Vec<u8>> {
    let matrix_market = include_str!("data/matrices/tailed-triangle.mtx");
    let harwell_boeing = include_str!("data/matrices/tailed-triangle.rsa");
    let triplets = include_str!("data/matrices/tailed-triangle.triplets");
    let general = "%%MatrixMarket MATRIX coordinate integer General\n2 2 3\n1 2 7\n2 1 7\n2 2 5\n";
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n";
    [matrix_market, harwell_boeing, triplets, general, pattern].map(|text| text.as_bytes().to_vec()).into()
}

/// Returns two hosts at two switches, in each format, with kinds, rates and latencies.
fn networks() -> Vec<Vec<u8>> {
    let list = "# switches: s*\nh0 s0\ns0 s1 {'rate': '8 Gbit/s', 'latency': '5 ns'}\nh1,s1 # last\n";
    let json = r#"{"directed": false,
"nodes": [{"id": "h0", "kind": "host"}, {"id": 1, "kind": "host"}, {"id": "s0", "kind": "switch"},
{"id": "s1", "kind": "router"}],
"edges": [{"source": "h0", "target": "s0"}, {"source": 1, "target": "s1", "rate": "8 Gbit/s"},
{"source": "s0", "target": "s1", "latency": "5 ns"}]}"#;
    let graphml = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="kind" attr.type="string"><default>switch</default></key>
<key id="d1" for="edge" attr.name="rate" attr.type="string"/>
<graph edgedefault="undirected">
<node id="h0"><data key="d0">host</data></node><node id="h1"><data key="d0">host</data></node>
<node id="s0"/><node id="s1"/>
<edge source="h0" target="s0"/><edge source="h1" target="s1"><data key="d1">8 Gbit/s</data></edge>
<edge source="s0" target="s1" directed="false"/></graph></graphml>"#;
    [list, json, graphml].map(|text| text.as_bytes().to_vec()).into()
}

/// Returns the bytes of one or two seeds with fewer than a dozen changes: bytes are replaced, inserted, repeated or set
/// to extreme values, bits are flipped, and the end is cut off.
fn damaged(seeds: &[Vec<u8>], rng: &mut Pcg64) -> Vec<u8> {
    let mut bytes = seeds[rng.random_range(0..seeds.len())].clone();
    if rng.random_range(0..8) == 0 {
        bytes.extend_from_slice(&seeds[rng.random_range(0..seeds.len())]);
    }
    for _ in 0..rng.random_range(0..12) {
        if bytes.is_empty() {
            bytes.push(rng.random());
        }
        let offset = rng.random_range(0..bytes.len());
        match rng.random_range(0..6) {
            0 => bytes[offset] = rng.random(),
            1 => bytes[offset] ^= 1 << rng.random_range(0..8),
            2 => bytes.truncate(offset),
            3 => drop(bytes.splice(offset..offset, [0; 4])),
            4 => bytes[offset] = [0, 1, 0x7f, 0x80, 0xff][rng.random_range(0..5)],
            _ => {
                let part = bytes[offset..(offset + rng.random_range(1..40)).min(bytes.len())].to_vec();
                bytes.splice(offset..offset, part);
            }
        }
    }
    bytes
}

/// Returns a short input of random bytes.
fn random_bytes(rng: &mut Pcg64) -> Vec<u8> {
    (0..rng.random_range(0..400)).map(|_| rng.random()).collect()
}

/// Runs `target` on damaged seeds and on random bytes until `time` has passed, and returns the number of inputs.
fn fuzz(target: FuzzTarget, seeds: &[Vec<u8>], time: Duration, seed: u64) -> u64 {
    let (mut rng, start, mut inputs) = (Pcg64::seed_from_u64(seed), Instant::now(), 0);
    while start.elapsed() < time {
        for _ in 0..1_000 {
            let input = if rng.random_range(0..10) == 0 { random_bytes(&mut rng) } else { damaged(seeds, &mut rng) };
            if let Err(panic) = std::panic::catch_unwind(|| target(&input)) {
                eprintln!("the input that panics: {input:02x?}");
                std::panic::resume_unwind(panic);
            }
        }
        inputs += 1_000;
    }
    inputs
}

/// Returns the number in the environment variable `name`, or `default_value` if it is not set.
fn variable_or(name: &str, default_value: u64) -> u64 {
    std::env::var(name)
        .map_or(default_value, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

#[track_caller]
fn fuzz_for_seconds(name: &str, target: FuzzTarget, seeds: &[Vec<u8>]) {
    let seconds = variable_or("NARROWS_FUZZ_SECONDS", 60);
    let inputs = fuzz(target, seeds, Duration::from_secs(seconds), variable_or("NARROWS_FUZZ_SEED", 1));
    eprintln!("{name}: {inputs} inputs in {seconds} s");
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_ip_packet_for_minutes() {
    fuzz_for_seconds("ip_packet", ip_packet::check_any_bytes, &packets());
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_reassembly_for_minutes() {
    // The seeds are scripts of fragments, not packets: whole datagrams in units of eight bytes, in order.
    let script =
        |total: u8| (0..total).flat_map(|index| [u8::from(index + 1 < total), index, 1, 1]).collect::<Vec<u8>>();
    fuzz_for_seconds("reassembly", reassembly::check_any_bytes, &[script(2), script(5), script(9)]);
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_capture_for_minutes() {
    fuzz_for_seconds("capture", capture::check_any_bytes, &captures());
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_metis_graph_for_minutes() {
    fuzz_for_seconds("metis_graph", metis_graph::check_any_bytes, &graphs());
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_network_graph_for_minutes() {
    fuzz_for_seconds("network_graph", network_graph::check_any_bytes, &networks());
}

#[test]
#[ignore = "takes NARROWS_FUZZ_SECONDS, 60 if that is not set"]
fn fuzz_matrix_for_minutes() {
    fuzz_for_seconds("matrix", matrix::check_any_bytes, &matrices());
}

/// Checks that the seeds are valid. If they were not, no damaged input would reach the code behind the first line.
#[test]
fn seeds_of_graphs_and_matrices_are_valid() {
    assert!(graphs().iter().all(|bytes| narrows::program::input::metis::read(bytes).is_ok()));
    let names = ["a.mtx", "a.rsa", "a.txt", "a.mtx", "a.mtx"].map(std::path::Path::new);
    let read = |(name, bytes): (&std::path::Path, &Vec<u8>)| narrows::program::input::read(name, bytes).is_ok();
    assert!(names.into_iter().zip(&matrices()).all(read));
    for bytes in networks() {
        let text = String::from_utf8(bytes).expect("the seed is UTF-8");
        let graph = narrows::fabric::topology::graph::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!((graph.vertices.len(), graph.links.len(), graph.nodes().count()), (4, 3, 2), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_packet_panics(bytes in prop::collection::vec(any::<u8>(), 0..120), seed in any::<u64>()) {
        ip_packet::check_any_bytes(&bytes);
        ip_packet::check_any_bytes(&damaged(&packets(), &mut Pcg64::seed_from_u64(seed)));
    }

    #[test]
    fn no_fragments_panic(script in prop::collection::vec((any::<u8>(), 0u8..12, 0u8..5, 0u8..4), 0..60)) {
        let bytes: Vec<u8> = script.into_iter().flat_map(|(flags, at, length, wait)| [flags, at, length, wait]).collect();
        reassembly::check_any_bytes(&bytes);
    }

    #[test]
    fn no_capture_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), seed in any::<u64>()) {
        capture::check_any_bytes(&bytes);
        capture::check_any_bytes(&damaged(&captures(), &mut Pcg64::seed_from_u64(seed)));
    }

    #[test]
    fn no_graph_and_no_matrix_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), seed in any::<u64>()) {
        let mut rng = Pcg64::seed_from_u64(seed);
        metis_graph::check_any_bytes(&bytes);
        matrix::check_any_bytes(&bytes);
        network_graph::check_any_bytes(&bytes);
        (0..4).for_each(|_| network_graph::check_any_bytes(&damaged(&networks(), &mut rng)));
        (0..4).for_each(|_| metis_graph::check_any_bytes(&damaged(&graphs(), &mut rng)));
        (0..4).for_each(|_| matrix::check_any_bytes(&damaged(&matrices(), &mut rng)));
    }
}
