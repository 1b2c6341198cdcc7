//! Is the field that of a serial run, whatever the network, and is the graph what was stated?

use super::super::bench::{self, Bench, CM5, SYNTHETIC, UNORDERED};
use super::*;
use crate::messaging::active::Parameters;
use crate::program::Workload;

fn em3d(text: &str) -> Em3d {
    match bench::read(&format!("[workload.em3d]\n{text}")) {
        Workload::Em3d(em3d) => em3d,
        other => panic!("{other:?}"),
    }
}

fn run(text: &str, nodes: usize, parameters: Parameters) -> Bench {
    let em3d = em3d(text);
    let mut bench = Bench::new(nodes, parameters, 1);
    // The program itself compares with a serial run, and panics where they differ.
    bench.run(|world| em3d.start(world));
    bench
}

const LIGHT: &str = "n-nodes = 20\niterations = 3";
const HEAVY: &str = "n-nodes = 20\niterations = 3\nd-nodes = 20\nlocal-p = 3\ndist-span = 7";

#[test]
fn the_field_is_that_of_a_serial_run() {
    for parameters in [SYNTHETIC, UNORDERED, CM5] {
        run(LIGHT, 8, parameters);
        run(HEAVY, 8, parameters);
        run("n-nodes = 3\nlocal-p = 0\ndist-span = 1", 2, parameters);
        run("n-nodes = 3\nlocal-p = 100", 8, parameters);
    }
    let bench = run(HEAVY, 8, UNORDERED);
    assert_eq!(bench.metrics, run(HEAVY, 8, UNORDERED).metrics, "a run is the same again");
}

#[test]
fn more_arcs_between_processors_take_more_packets_and_cycles() {
    let (light, heavy) = (run(LIGHT, 8, CM5), run(HEAVY, 8, CM5));
    assert!(heavy.metric("em3d.packets") > 2.0 * light.metric("em3d.packets"));
    assert!(heavy.metric("em3d.cycles_per_iteration") > 1.5 * light.metric("em3d.cycles_per_iteration"));
    // All processors need values of all others: a message from each to each in both half steps.
    assert_eq!(heavy.metric("em3d.messages"), (3 * 2 * 8 * 7) as f64);
    assert_eq!(heavy.metric("packets.sent"), heavy.metric("em3d.packets"), "barriers are no packets");
}

#[test]
fn without_other_processors_it_computes_and_meets_at_barriers_only() {
    let bench = run("local-p = 100\nn-nodes = 10\nd-nodes = 4\narc-cycles = 5", 8, SYNTHETIC);
    assert_eq!(bench.metric("em3d.cycles_per_iteration"), (2 * (10 * 4 * 5 + SYNTHETIC.barrier)) as f64);
    assert_eq!(bench.metric("em3d.packets"), 0.0);
}

#[test]
fn the_graph_is_what_was_stated() {
    let parameters = em3d("");
    let graph = Graph::new(&parameters, 64, 1);
    let (mut local, mut farthest) = (0, 0);
    for processor in 0..64 {
        for (from, weight) in graph.arcs(0, &graph.of(processor)) {
            let distance = (graph.at(*from).0 + 64 - processor) % 64;
            local += usize::from(distance == 0);
            farthest = farthest.max(distance.min(64 - distance));
            assert!((0.0..0.1).contains(weight));
        }
    }
    let arcs = 64 * 200 * 10;
    assert!((79 * arcs / 100..81 * arcs / 100).contains(&local), "{local} of {arcs}");
    assert_eq!(farthest, 5);
    assert_eq!(parameters.check(5)[0].0, "dist-span");
    assert!(parameters.check(6).is_empty());
}
