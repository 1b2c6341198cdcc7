//! Checks that every interface moves every byte with any size of the processor's cache: blocks are evicted while stores
//! wait for others, and written back while the program looks at what it received.
//!
//! The programs compare every byte they receive with what was sent, and panic where one differs.

use narrows::engine::{Outcome, Recorder};
use narrows::text::Document;

/// Sizes of caches, in bytes, and their ways: of one block, of a few, and of many.
const CACHES: [(u64, u64); 10] = [
    (64, 1),
    (128, 1),
    (128, 2),
    (1 << 10, 1),
    (1 << 10, 4),
    (1 << 10, 16),
    (4 << 10, 1),
    (4 << 10, 2),
    (64 << 10, 1),
    (64 << 10, 4),
];

const INTERFACES: [&str; 9] =
    ["ni2w", "udma", "ap3000", "startjr", "memory-channel", "cni512q", "cni32qm", "cni32qm-throttle", "single-cycle"];

/// Runs `workload` over every interface with every cache.
fn done_with_any_cache(nodes: u64, workload: &str) {
    for interface in INTERFACES {
        for (size, ways) in CACHES {
            let text = format!(
                r#"
parts = ["hosts/memory-bus-1998", "ni/{interface}", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]
nodes.n = {{ host = "memory-bus-1998", count = {nodes} }}
hosts.memory-bus-1998.memory-bus.cache = {{ size = "{size} B", ways = {ways} }}
run.no-progress-limit = "1 ms"
[workload]
{workload}
"#
            );
            let read = narrows::machine::read(Document::Text("test.toml", &text, None), &[]);
            let machine = read.unwrap_or_else(|problems| panic!("{problems}")).value;
            let outcome = narrows::experiment::run(&machine, Recorder::off()).outcome;
            assert_eq!(outcome, Outcome::Done, "{interface} with {ways} ways of {size} B: {workload}");
        }
    }
}

#[test]
fn bytes_are_right_with_any_cache() {
    for bytes in [1, 8, 77, 248, 256, 1000] {
        done_with_any_cache(2, &format!(r#"ping-pong = {{ warm-up = 0, messages = 12, payload = "{bytes} B" }}"#));
        done_with_any_cache(2, &format!(r#"stream = {{ warm-up = 0, messages = 12, payload = "{bytes} B" }}"#));
    }
}

#[test]
fn bytes_are_right_with_any_cache_from_two_senders() {
    for bytes in [77, 600] {
        let flows = r#"["n1 -> n0", "n2 -> n0"]"#;
        done_with_any_cache(
            3,
            &format!(r#"stream = {{ warm-up = 0, flows = {flows}, messages = 12, payload = "{bytes} B" }}"#),
        );
    }
}
