//! Tests of the generated graph, the serial run, and the check of results.

use super::super::tests;
use super::*;

#[test]
fn graph_has_the_stated_locality_and_distance() {
    let parameters = tests::read::<Em3d>("[workload.em3d]");
    let graph = Graph::new(&parameters, 64, 1);
    let (mut local_arcs, mut distance_max) = (0, 0);
    for processor in 0..64 {
        for (from, weight) in graph.arcs(0, &graph.nodes_of(processor)) {
            let distance = (graph.owner_and_index(*from).0 + 64 - processor) % 64;
            local_arcs += usize::from(distance == 0);
            distance_max = distance_max.max(distance.min(64 - distance));
            assert!((0.0..0.1).contains(weight));
        }
    }
    let arcs = 64 * 200 * 10;
    assert!((79 * arcs / 100..81 * arcs / 100).contains(&local_arcs), "{local_arcs} of {arcs}");
    assert_eq!(distance_max, 5);
    assert!(parameters.check_endpoints(2).is_empty(), "the default is at most the largest possible distance");
    let stated_distance = Em3d { dist_span: Some(5), ..parameters };
    assert_eq!(stated_distance.check_endpoints(5)[0].key, "dist-span");
    assert!(stated_distance.check_endpoints(6).is_empty());
    let error_key = |prefetch| {
        Em3d { prefetch, ..stated_distance.clone() }.check_endpoints(6).first().map(|error| error.key.clone())
    };
    assert_eq!([0, 9, 10].map(error_key), [None, None, Some("prefetch".to_owned())]);
}

fn small_parameters() -> Em3d {
    let text = "[workload.em3d]\nn-nodes = 5\nd-nodes = 3\nlocal-p = 30\niterations = 3";
    tests::read(text)
}

#[test]
fn serial_run_solves_the_equations() {
    let graph = Graph::new(&small_parameters(), 4, 7);
    let (mut electric, mut magnetic) = (graph.initial_values(0).to_vec(), graph.initial_values(1).to_vec());
    for _ in 0..3 {
        #[allow(clippy::needless_range_loop)] // The node's number indexes both sides.
        for node in 0..20 {
            for (from, weight) in graph.arcs(1, &(node..node + 1)) {
                magnetic[node] -= weight * electric[*from as usize];
            }
        }
        #[allow(clippy::needless_range_loop)] // The node's number indexes both sides.
        for node in 0..20 {
            for (from, weight) in graph.arcs(0, &(node..node + 1)) {
                electric[node] -= weight * magnetic[*from as usize];
            }
        }
    }
    assert_ne!(electric, graph.initial_values(0), "the field changes");
    assert_eq!(graph.run_serially(3), [electric, magnetic]);
}

/// Checks the results of two processors. If `is_correct` is false, one value has a wrong bit.
fn check_result(is_correct: bool) {
    let (parameters, graph) = (small_parameters(), Graph::new(&small_parameters(), 2, 7));
    let mut values = graph.run_serially(parameters.iterations);
    if !is_correct {
        values[1][7] = f64::from_bits(values[1][7].to_bits() ^ 1);
    }
    let share = |processor: usize| [0, 1].map(|side: usize| values[side][processor * 5..][..5].to_vec());
    let em3d_run = Em3dRun {
        parameters,
        graph,
        send_lists: Vec::new(),
        ghosts: Vec::new(),
        message_count: Cell::new(0),
        timed_section: parallel::TimedSection::default(),
        endpoints: Vec::new(),
        packet_counts: Default::default(),
        results: RefCell::new(vec![None; 2]),
        workers: OnceCell::new(),
    };
    [0, 1].into_iter().for_each(|processor| em3d_run.finish(processor, share(processor)));
}

#[test]
fn correct_field_is_accepted() {
    check_result(true);
}

#[test]
#[should_panic(expected = "the field differs from that of a serial run")]
fn field_with_one_wrong_bit_is_rejected() {
    check_result(false);
}
