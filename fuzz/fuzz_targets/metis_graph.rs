//! Reads arbitrary bytes as a METIS graph: the result must be a valid graph, or an error with a message.
#![no_main]

#[path = "../../tests/any_bytes/metis_graph.rs"]
mod metis_graph;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| metis_graph::check_any_bytes(bytes));
