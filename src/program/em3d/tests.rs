//! Is the graph what was stated?

use super::super::tests;
use super::*;
use crate::program::Workload;

#[test]
fn the_graph_is_what_was_stated() {
    let Workload::Em3d(parameters) = tests::read("[workload.em3d]") else { panic!("a solver was described") };
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
    assert!(parameters.check(2).is_empty(), "it is as far as there are processors");
    let stated = Em3d { dist_span: Some(5), ..parameters };
    assert_eq!(stated.check(5)[0].0, "dist-span");
    assert!(stated.check(6).is_empty());
}
