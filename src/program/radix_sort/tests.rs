//! Are keys sorted, whatever the network, and do scan and coalesce take what they must?

use super::super::bench::{self, Bench, CM5, SYNTHETIC, UNORDERED};
use crate::messaging::active::Parameters;
use crate::program::Workload;

fn run(text: &str, nodes: usize, parameters: Parameters) -> Bench {
    let Workload::RadixSort(sort) = bench::read(&format!("[workload.radix-sort]\n{text}")) else {
        panic!("a sort was described")
    };
    let mut bench = Bench::new(nodes, parameters, 1);
    // The program itself compares with a serial sort, and panics where they differ.
    bench.run(|world| sort.start(world));
    bench
}

#[test]
fn keys_are_sorted_whatever_the_network() {
    for parameters in [SYNTHETIC, UNORDERED, CM5] {
        for nodes in [2, 3, 8] {
            run("keys = 50", nodes, parameters);
            run("keys = 7\nbits = 3\npasses = 5\ndelay = 90", nodes, parameters);
        }
    }
    let bench = run("keys = 50", 8, UNORDERED);
    assert_eq!(bench.metrics, run("keys = 50", 8, UNORDERED).metrics, "a run is the same again");
}

#[test]
fn a_scan_sends_a_sum_and_a_total_for_each_bucket() {
    // One key for each of 4 nodes: coalescing sends at most 4 packets.
    let sent = run("keys = 1\npasses = 1", 4, SYNTHETIC).metric("packets.sent");
    let scan = 256.0 * (3.0 + 3.0);
    assert!((scan..=scan + 4.0).contains(&sent), "{sent}");
}

#[test]
fn a_delay_between_sends_lets_the_scan_run_as_a_pipeline() {
    let scan = |delay| run(&format!("keys = 8\npasses = 1\ndelay = {delay}"), 16, CM5).metric("radix.scan_cycles");
    let (without, with) = (scan(0), scan(50));
    assert!(with < 0.7 * without, "a node that keeps receiving cannot send: {with} and {without} cycles");
}

#[test]
fn phases_are_timed_apart() {
    let bench = run("keys = 100", 8, CM5);
    let phases = bench.metric("radix.scan_cycles") + bench.metric("radix.coalesce_cycles");
    // Beside them: counting, and a barrier's cycles, in each pass.
    let counted = bench.metric("radix.cycles") - 2.0 * phases;
    assert!((2.0 * 1_000.0..2.0 * 1_200.0).contains(&counted), "{counted}");
}
