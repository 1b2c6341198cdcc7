//! Tests of partitions: each element has a part, sizes differ by one at most, and few edges are cut.

use super::super::mesh::{Mesh, MeshSize};
use super::super::partition::{breadth_first, by_coordinates, elements_by_part, round_robin};
use super::*;
use proptest::prelude::*;

fn check_balance(owners: &[u32], parts: usize) {
    let sizes: Vec<usize> = elements_by_part(owners, parts).iter().map(Vec::len).collect();
    assert_eq!(sizes.iter().sum::<usize>(), owners.len());
    let (min, max) = (
        sizes.iter().min().expect("there is at least one part"),
        sizes.iter().max().expect("there is at least one part"),
    );
    assert!(max - min <= 1 && sizes.is_sorted_by(|one, next| one >= next), "{sizes:?}");
}

proptest! {
    #[test]
    fn parts_are_balanced_for_any_coordinates(
        coordinates in prop::collection::vec(any::<[u8; 3]>().prop_map(|at| at.map(|at| f64::from(at / 32))), 0..200),
        part_count in 1usize..40,
    ) {
        check_balance(&by_coordinates(&coordinates, part_count), part_count);
        check_balance(&round_robin(coordinates.len(), part_count), part_count);
    }

    #[test]
    fn parts_are_balanced_for_any_graph(
        pairs in prop::collection::btree_set((0u32..50, 50u32..100), 0..200),
        part_count in 1usize..40,
    ) {
        let graph = Adjacency::from_edges(100, pairs);
        check_balance(&breadth_first(&graph, part_count), part_count);
    }
}

#[test]
fn bisection_splits_the_longest_side() {
    let line: Vec<[f64; 3]> = (0..8).map(|at| [0.0, 10.0 - f64::from(at), 0.5]).collect();
    assert_eq!(by_coordinates(&line, 4), [3, 3, 2, 2, 1, 1, 0, 0]);
    assert_eq!(by_coordinates(&line, 3), [2, 2, 1, 1, 1, 0, 0, 0]);
    assert_eq!(by_coordinates(&line[..2], 3), [1, 0], "a part may be empty");
    assert_eq!(by_coordinates(&[[f64::NAN; 3]; 4], 2), [0, 0, 1, 1]);
}

#[test]
fn bisection_cuts_fewest_edges() {
    let mesh = Mesh::generate(MeshSize::for_nodes(3000).expect("this number of nodes is possible"), 1)
        .expect("this size is possible");
    let graph = Adjacency::from_edges(3000, mesh.edges.iter().map(|[one, other]| (*one, *other)));
    let cut_edges = |owners: &[u32]| {
        mesh.edges.iter().filter(|[one, other]| owners[*one as usize] != owners[*other as usize]).count()
    };
    let [bisection_cut, breadth_first_cut, round_robin_cut] =
        [by_coordinates(&mesh.coordinates, 8), breadth_first(&graph, 8), round_robin(3000, 8)]
            .map(|owners| cut_edges(&owners) as f64 / mesh.edges.len() as f64);
    assert!(
        bisection_cut < 0.25 && bisection_cut < breadth_first_cut && breadth_first_cut < round_robin_cut,
        "{bisection_cut} {breadth_first_cut} {round_robin_cut}"
    );
}
