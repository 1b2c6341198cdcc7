//! Partitions: every element has a part, parts are equal but for one, and few edges are cut.

use super::super::mesh::{Mesh, MeshSize};
use super::super::partition::{breadth_first, dealt, members, parts};
use super::*;
use proptest::prelude::*;

fn is_balanced(owners: &[u32], parts: usize) {
    let sizes: Vec<usize> = members(owners, parts).iter().map(Vec::len).collect();
    assert_eq!(sizes.iter().sum::<usize>(), owners.len());
    let (least, most) = (sizes.iter().min().expect("a part"), sizes.iter().max().expect("a part"));
    assert!(most - least <= 1 && sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
}

proptest! {
    #[test]
    fn parts_are_equal_wherever_elements_lie(
        coordinates in prop::collection::vec(any::<[u8; 3]>().prop_map(|at| at.map(|at| f64::from(at / 32))), 0..200),
        count in 1usize..40,
    ) {
        is_balanced(&parts(&coordinates, count), count);
        is_balanced(&dealt(coordinates.len(), count), count);
    }

    #[test]
    fn parts_are_equal_whoever_neighbours_whom(
        pairs in prop::collection::btree_set((0u32..50, 50u32..100), 0..200),
        count in 1usize..40,
    ) {
        let graph = Adjacency::of_edges(100, pairs);
        is_balanced(&breadth_first(&graph, count), count);
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
fn few_edges_are_cut() {
    let mesh = Mesh::generate(MeshSize::of_nodes(3000).expect("a size"), 1).expect("a mesh");
    let graph = Adjacency::of_edges(3000, mesh.edges.iter().map(|[one, other]| (*one, *other)));
    let cut = |owners: &[u32]| {
        mesh.edges.iter().filter(|[one, other]| owners[*one as usize] != owners[*other as usize]).count()
    };
    let [bisected, breadth, at_random] = [parts(&mesh.coordinates, 8), breadth_first(&graph, 8), dealt(3000, 8)]
        .map(|owners| cut(&owners) as f64 / mesh.edges.len() as f64);
    assert!(bisected < 0.25 && bisected < breadth && breadth < at_random, "{bisected} {breadth} {at_random}");
}
