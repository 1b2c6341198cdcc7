//! Tests of the generated graph, the serial run, and the check of results.

use super::super::tests;
use super::*;

#[test]
fn graph_has_the_stated_locality_and_distance() {
    let parameters = tests::read::<Em3d>("[workload.em3d]");
    let graph = Graph::new(&parameters, 64, 1);
    let (mut local, mut farthest) = (0, 0);
    for processor in 0..64 {
        for (from, weight) in graph.arcs(0, &graph.nodes_of(processor)) {
            let distance = (graph.owner(*from).0 + 64 - processor) % 64;
            local += usize::from(distance == 0);
            farthest = farthest.max(distance.min(64 - distance));
            assert!((0.0..0.1).contains(weight));
        }
    }
    let arcs = 64 * 200 * 10;
    assert!((79 * arcs / 100..81 * arcs / 100).contains(&local), "{local} of {arcs}");
    assert_eq!(farthest, 5);
    assert!(parameters.check_endpoints(2).is_empty(), "the default is at most the largest possible distance");
    let stated = Em3d { dist_span: Some(5), ..parameters };
    assert_eq!(stated.check_endpoints(5)[0].key, "dist-span");
    assert!(stated.check_endpoints(6).is_empty());
    let ahead =
        |prefetch| Em3d { prefetch, ..stated.clone() }.check_endpoints(6).first().map(|error| error.key.clone());
    assert_eq!([0, 9, 10].map(ahead), [None, None, Some("prefetch".to_owned())]);
}

fn small() -> Em3d {
    let text = "[workload.em3d]\nn-nodes = 5\nd-nodes = 3\nlocal-p = 30\niterations = 3";
    tests::read(text)
}

#[test]
fn serial_run_solves_the_equations() {
    let graph = Graph::new(&small(), 4, 7);
    let (mut electric, mut magnetic) = (graph.initial(0).to_vec(), graph.initial(1).to_vec());
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
    assert_ne!(electric, graph.initial(0), "the field changes");
    assert_eq!(graph.serial(3), [electric, magnetic]);
}

/// Checks the results of two processors. If `is_correct` is false, one value has a wrong bit.
fn check_result(is_correct: bool) {
    let (parameters, graph) = (small(), Graph::new(&small(), 2, 7));
    let mut values = graph.serial(parameters.iterations);
    if !is_correct {
        values[1][7] = f64::from_bits(values[1][7].to_bits() ^ 1);
    }
    let share = |processor: usize| [0, 1].map(|side: usize| values[side][processor * 5..][..5].to_vec());
    let field = Field {
        parameters,
        graph,
        sends: Vec::new(),
        ghosts: Vec::new(),
        messages: Cell::new(0),
        span: parallel::TimedSection::default(),
        endpoints: Vec::new(),
        packets: Default::default(),
        results: RefCell::new(vec![None; 2]),
        workers: OnceCell::new(),
    };
    [0, 1].into_iter().for_each(|processor| field.finish(processor, share(processor)));
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
