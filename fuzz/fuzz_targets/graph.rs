//! Reads arbitrary text as a graph (an edge list, node-link JSON or GraphML): the graph must be routed, or its errors
//! reported.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/any_bytes/network_graph.rs"]
mod network_graph;

fuzz_target!(|bytes: &[u8]| network_graph::check_any_bytes(bytes));
