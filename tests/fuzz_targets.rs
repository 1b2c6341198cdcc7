//! Compiles the targets of `fuzz/`, for which fuzzing needs a nightly compiler, and runs each of them on a few inputs.

// Each target is a program of its own, without a function `main`.
#![allow(unused_attributes)]

#[path = "../fuzz/fuzz_targets/capture.rs"]
mod capture;
#[path = "../fuzz/fuzz_targets/description.rs"]
mod description;
#[path = "../fuzz/fuzz_targets/graph.rs"]
mod graph;
#[path = "../fuzz/fuzz_targets/ip_packet.rs"]
mod ip_packet;
#[path = "../fuzz/fuzz_targets/matrix.rs"]
mod matrix;
#[path = "../fuzz/fuzz_targets/metis_graph.rs"]
mod metis_graph;
#[path = "../fuzz/fuzz_targets/quantity.rs"]
mod quantity;
#[path = "../fuzz/fuzz_targets/reassembly.rs"]
mod reassembly;
#[path = "../fuzz/fuzz_targets/set.rs"]
mod set;
#[path = "../fuzz/fuzz_targets/trace.rs"]
mod trace;
#[path = "../fuzz/fuzz_targets/vary.rs"]
mod vary;

use std::collections::BTreeSet;

/// Takes the place of the macro of libfuzzer-sys: a target becomes the function `fuzz` of its module.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: &$input_type:ty| $body:expr) => {
        pub fn fuzz($input: &$input_type) {
            $body
        }
    };
}

/// A target for texts, or for bytes.
enum Target {
    Text(fn(&str)),
    Bytes(fn(&[u8])),
}

/// The targets by their names.
const TARGETS: [(&str, Target); 11] = [
    ("capture", Target::Bytes(capture::fuzz)),
    ("description", Target::Text(description::fuzz)),
    ("graph", Target::Bytes(graph::fuzz)),
    ("ip_packet", Target::Bytes(ip_packet::fuzz)),
    ("matrix", Target::Bytes(matrix::fuzz)),
    ("metis_graph", Target::Bytes(metis_graph::fuzz)),
    ("quantity", Target::Text(quantity::fuzz)),
    ("reassembly", Target::Bytes(reassembly::fuzz)),
    ("set", Target::Text(set::fuzz)),
    ("trace", Target::Text(trace::fuzz)),
    ("vary", Target::Text(vary::fuzz)),
];

const INPUTS: [&str; 6] = [
    "",
    "64 B",
    "workload.ping-pong.payload=64 B..1 KiB*2",
    "parts = [\"ni/trapeze\"]\n",
    "generated_cycle,source,destination,flits\n1,0,1,8\n0,1,0,8\n",
    "3 2\n2\n1 3\n2\n",
];

#[test]
fn fuzz_targets_run_on_a_few_inputs() {
    for input in INPUTS {
        for (_, target) in &TARGETS {
            match target {
                Target::Text(fuzz) => fuzz(input),
                Target::Bytes(fuzz) => fuzz(input.as_bytes()),
            }
        }
    }
}

#[test]
fn each_fuzz_target_of_the_manifest_is_compiled() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/Cargo.toml");
    let manifest: toml::Table =
        std::fs::read_to_string(manifest).expect("the manifest is readable").parse().expect("the manifest is TOML");
    let binaries = manifest["bin"].as_array().expect("the manifest lists its programs");
    let listed: BTreeSet<&str> = binaries.iter().filter_map(|binary| binary["name"].as_str()).collect();
    assert_eq!(listed, TARGETS.iter().map(|(name, _)| *name).collect::<BTreeSet<_>>());
}
