//! Checks that every interface moves every byte with any size of the processor's cache: blocks are evicted while stores
//! wait for others, and written back while the program reads the received bytes. The caches are on a memory bus and
//! behind an I/O bus; the gain from a cache behind an I/O bus is tested in [`snooped`](caches/snooped.rs).
//!
//! The programs compare every byte that they receive with the sent byte, and panic if they differ.

#[path = "caches/snooped.rs"]
mod snooped;

use narrows::engine::{Outcome, Recorder};
use narrows::text::Document;

/// Sizes of caches in bytes, and their numbers of ways: caches of one block, of a few, and of many.
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

/// The interfaces that need no coherent bus, for the host behind an I/O bus.
const WITHOUT_COHERENCE: [&str; 5] = ["ni2w", "udma", "ap3000", "startjr", "memory-channel"];

/// Runs `workload` over every interface with every cache of a memory bus, and with every third cache behind an I/O bus.
fn assert_done_with_any_cache(nodes: u64, workload: &str) {
    assert_done_on("memory-bus-1998", "memory-bus", &INTERFACES, nodes, workload);
    assert_done_on("p6-natoma", "io-bus", &WITHOUT_COHERENCE, nodes, workload);
}

fn assert_done_on(host: &str, host_table: &str, interfaces: &[&str], nodes: u64, workload: &str) {
    let (further_keys, step) = match host_table {
        "io-bus" => (", hit-cycles = 1, supply-time = \"20 ns\"", 3),
        _ => ("", 1),
    };
    for interface in interfaces {
        for (size, associativity) in CACHES.iter().step_by(step) {
            let text = format!(
                r#"
parts = ["hosts/{host}", "ni/{interface}", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]
nodes.n = {{ host = "{host}", count = {nodes} }}
hosts.{host}.{host_table}.cache = {{ size = "{size} B", ways = {associativity}{further_keys} }}
run.no-progress-limit = "1 ms"
[workload]
{workload}
"#
            );
            let read = narrows::machine::read(Document::Text("test.toml", &text, None), &[]);
            let machine = read.unwrap_or_else(|problems| panic!("{problems}")).value;
            let outcome = narrows::experiment::run(&machine, Recorder::off()).outcome;
            assert_eq!(
                outcome,
                Outcome::Done,
                "{interface} on {host} with {associativity} ways of {size} B: {workload}"
            );
        }
    }
}

#[test]
fn bytes_are_right_with_any_cache() {
    for bytes in [1, 8, 77, 248, 256, 1000] {
        assert_done_with_any_cache(
            2,
            &format!(r#"ping-pong = {{ warm-up = 0, messages = 12, payload = "{bytes} B" }}"#),
        );
        assert_done_with_any_cache(2, &format!(r#"stream = {{ warm-up = 0, messages = 12, payload = "{bytes} B" }}"#));
    }
}

#[test]
fn bytes_are_right_with_any_cache_from_two_senders() {
    for bytes in [77, 600] {
        let flows = r#"["n1 -> n0", "n2 -> n0"]"#;
        assert_done_with_any_cache(
            3,
            &format!(r#"stream = {{ warm-up = 0, flows = {flows}, messages = 12, payload = "{bytes} B" }}"#),
        );
    }
}
