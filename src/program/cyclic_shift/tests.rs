//! Does all come to all, are phases kept apart where they are to be, and is the map what was pending?

use super::super::bench::{self, Bench, CM5, SYNTHETIC, UNORDERED};
use crate::messaging::active::Parameters;
use crate::program::Workload;

fn run(text: &str, nodes: usize, parameters: Parameters) -> Bench {
    let Workload::CyclicShift(shift) = bench::read(&format!("[workload.cyclic-shift]\n{text}")) else {
        panic!("a shift was described")
    };
    let mut bench = Bench::new(nodes, parameters, 1);
    bench.run(|world| shift.start(world));
    bench
}

#[test]
fn all_words_come_to_all_nodes() {
    for parameters in [SYNTHETIC, UNORDERED, CM5] {
        for nodes in [2, 5, 8] {
            let bench = run("words = 100", nodes, parameters);
            assert_eq!(bench.metric("packets.in_flight"), 0.0);
        }
    }
    // 101 words in packets of 7, from each of 8 nodes to each of 7.
    assert_eq!(run("words = 100", 8, SYNTHETIC).metric("packets.sent"), (8 * 7 * 15) as f64);
}

#[test]
fn in_order_delivery_saves_packets_and_time() {
    let (ordered, not) = (run("words = 120", 8, CM5), run("words = 120", 8, Parameters { in_order: false, ..CM5 }));
    assert_eq!(ordered.metric("packets.sent"), (56 * 25) as f64);
    assert_eq!(not.metric("packets.sent"), (56 * 32) as f64);
    assert!(ordered.metric("shift.cycles") < not.metric("shift.cycles"));
}

#[test]
fn a_barrier_after_each_phase_keeps_receivers_to_one_sender() {
    // The program itself panics if phases are not received one after the other.
    let most = run("barriers = true", 16, CM5).metric("shift.pending_max");
    assert!(most <= 513_f64.div_euclid(5.0) + 1.0, "no more than a message: {most}");
    run("barriers = true", 5, UNORDERED);
}

#[test]
fn the_map_shows_what_was_pending() {
    let bench = run("sample = 500", 4, SYNTHETIC);
    let map = bench.map.as_ref().expect("a shift draws a map");
    assert_eq!((map.rows, map.columns as u64), (4, bench.metric("cycles") as u64 / 500));
    assert_eq!(f64::from(*map.values.iter().max().expect("samples")), bench.metric("shift.pending_max"));
    assert_eq!(map.row(3).len(), map.columns);
    assert!(map.row(1).iter().any(|pending| *pending > 0));
    let again = run("sample = 500", 4, SYNTHETIC);
    assert_eq!((&again.metrics, &again.map), (&bench.metrics, &bench.map), "a run is the same again");
}
