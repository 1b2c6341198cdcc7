//! Any text as a graph, an edge list or node-link JSON: it is read, or its problems are told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::fabric::topology::graph::parse;

fuzz_target!(|text: &str| {
    if let Err(problems) = parse(text) {
        assert!(!problems.is_empty());
    }
});
