//! Tests of partitions: each element has a part, sizes differ by one at most, and few edges are cut.

use super::super::mesh::{Mesh, MeshSize};
use super::super::partition::{breadth_first, members, parts, round_robin};
use super::*;
use proptest::prelude::*;

fn check_balance(owners: &[u32], parts: usize) {
    let sizes: Vec<usize> = members(owners, parts).iter().map(Vec::len).collect();
    assert_eq!(sizes.iter().sum::<usize>(), owners.len());
    let (min, max) = (sizes.iter().min().expect("a part"), sizes.iter().max().expect("a part"));
    assert!(max - min <= 1 && sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
}

proptest! {
    #[test]
    fn parts_are_balanced_for_any_coordinates(
        coordinates in prop::collection::vec(any::<[u8; 3]>().prop_map(|at| at.map(|at| f64::from(at / 32))), 0..200),
        count in 1usize..40,
    ) {
        check_balance(&parts(&coordinates, count), count);
        check_balance(&round_robin(coordinates.len(), count), count);
    }

    #[test]
    fn parts_are_balanced_for_any_graph(
        pairs in prop::collection::btree_set((0u32..50, 50u32..100), 0..200),
        count in 1usize..40,
    ) {
        let graph = Adjacency::from_edges(100, pairs);
        check_balance(&breadth_first(&graph, count), count);
    }
}

#[test]
fn bisection_splits_the_longest_side() {
    let line: Vec<[f64; 3]> = (0..8).map(|at| [0.0, 10.0 - f64::from(at), 0.5]).collect();
    assert_eq!(parts(&line, 4), [3, 3, 2, 2, 1, 1, 0, 0]);
    assert_eq!(parts(&line, 3), [2, 2, 1, 1, 1, 0, 0, 0]);
    assert_eq!(parts(&line[..2], 3), [1, 0], "a part may be empty");
    assert_eq!(parts(&[[f64::NAN; 3]; 4], 2), [0, 0, 1, 1]);
}

#[test]
fn bisection_cuts_fewest_edges() {
    let mesh = Mesh::generate(MeshSize::for_nodes(3000).expect("a size"), 1).expect("a mesh");
    let graph = Adjacency::from_edges(3000, mesh.edges.iter().map(|[one, other]| (*one, *other)));
    let cut = |owners: &[u32]| {
        mesh.edges.iter().filter(|[one, other]| owners[*one as usize] != owners[*other as usize]).count()
    };
    let [bisected, breadth, unordered] = [parts(&mesh.coordinates, 8), breadth_first(&graph, 8), round_robin(3000, 8)]
        .map(|owners| cut(&owners) as f64 / mesh.edges.len() as f64);
    assert!(bisected < 0.25 && bisected < breadth && breadth < unordered, "{bisected} {breadth} {unordered}");
}
