//! Is the graph what was stated, and the serial run what the equations say? Is a wrong field told?

use super::super::tests;
use super::*;

#[test]
fn the_graph_is_what_was_stated() {
    let parameters = tests::read::<Em3d>("[workload.em3d]");
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
    assert!(parameters.check_endpoints(2).is_empty(), "it is as far as there are processors");
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
fn a_serial_run_is_what_the_equations_say() {
    let graph = Graph::new(&small(), 4, 7);
    let (mut electric, mut magnetic) = (graph.initial(0).to_vec(), graph.initial(1).to_vec());
    for _ in 0..3 {
        #[allow(clippy::needless_range_loop)] // Both sides are told by the node's number.
        for node in 0..20 {
            for (from, weight) in graph.arcs(1, &(node..node + 1)) {
                magnetic[node] -= weight * electric[*from as usize];
            }
        }
        #[allow(clippy::needless_range_loop)] // Both sides are told by the node's number.
        for node in 0..20 {
            for (from, weight) in graph.arcs(0, &(node..node + 1)) {
                electric[node] -= weight * magnetic[*from as usize];
            }
        }
    }
    assert_ne!(electric, graph.initial(0), "the field moves");
    assert_eq!(graph.serial(3), [electric, magnetic]);
}

/// Two processors that have computed, one of them a value that is off by as little as can be.
fn ended(is_right: bool) {
    let (parameters, graph) = (small(), Graph::new(&small(), 2, 7));
    let mut values = graph.serial(parameters.iterations);
    if !is_right {
        values[1][7] = f64::from_bits(values[1][7].to_bits() ^ 1);
    }
    let of = |processor: usize| [0, 1].map(|side: usize| values[side][processor * 5..][..5].to_vec());
    let field = Field {
        parameters,
        graph,
        sending: Vec::new(),
        ghosts: Vec::new(),
        messages: Cell::new(0),
        span: parallel::Span::default(),
        ends: Vec::new(),
        packets: Default::default(),
        results: RefCell::new(vec![None; 2]),
        workers: OnceCell::new(),
    };
    [0, 1].into_iter().for_each(|processor| field.end(processor, of(processor)));
}

#[test]
fn a_field_that_is_right_is_taken() {
    ended(true);
}

#[test]
#[should_panic(expected = "the field is not that of a serial run")]
fn a_field_that_is_wrong_in_one_bit_is_told() {
    ended(false);
}
