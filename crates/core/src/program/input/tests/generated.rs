//! Tests that generated meshes and matrices have the requested numbers and are valid.

use super::super::fem::FemSize;
use super::super::mesh::{Mesh, MeshSize, UNSTRUCTURED};
use super::super::tetrahedra::volume;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The size of BCSSTK32, of the Harwell-Boeing collection.
const BCSSTK32: FemSize = FemSize { rows: 44_609, degrees_of_freedom: 6, neighbours: 44.164 };

fn generated_mesh(size: MeshSize, seed: u64) -> Mesh {
    Mesh::generate(size, seed).expect("this size is possible")
}

fn volumes(mesh: &Mesh) -> impl Iterator<Item = f64> + '_ {
    mesh.tetrahedra.iter().map(|corners| volume(corners.map(|node| mesh.coordinates[node as usize])))
}

/// Returns the volume that the surface encloses.
fn enclosed_volume(mesh: &Mesh) -> f64 {
    let cone_volume = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|node| mesh.coordinates[node as usize]);
        volume([[0.0; 3], a, b, c])
    };
    mesh.faces.iter().map(cone_volume).sum()
}

#[test]
fn mesh_of_the_paper_has_its_size() {
    let mesh = generated_mesh(UNSTRUCTURED, 1);
    assert_eq!(mesh.size(), UNSTRUCTURED);
    assert_eq!(mesh, self::generated_mesh(UNSTRUCTURED, 1), "the mesh depends only on size and seed");
    assert_ne!(mesh, self::generated_mesh(UNSTRUCTURED, 2), "another seed gives another mesh");
    check_mesh(&mesh);
}

/// Checks that the tetrahedra fill the volume within the surface without gap and overlap, and that the surface is
/// closed.
fn check_mesh(mesh: &Mesh) {
    assert!(volumes(mesh).all(|volume| volume > 0.0));
    // There are tens of thousands of additions, each with a rounding error of about 1e-16.
    let (filled_volume, enclosed_volume) = (volumes(mesh).sum::<f64>(), enclosed_volume(mesh));
    assert!((filled_volume / enclosed_volume - 1.0).abs() < 1e-10, "{filled_volume} {enclosed_volume}");
    let mut side_balances: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for face in &mesh.faces {
        for (one, other) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
            *side_balances.entry([one.min(other), one.max(other)]).or_default() += if one < other { 1 } else { -1 };
        }
    }
    assert!(side_balances.values().all(|sum| *sum == 0), "each side occurs once in each direction");
    assert!(side_balances.keys().all(|edge| mesh.edges.binary_search(edge).is_ok()));
    assert!(mesh.edges.is_sorted() && mesh.edges.iter().all(|[one, other]| one < other));
    let mut is_used = vec![false; mesh.coordinates.len()];
    mesh.edges.iter().flatten().for_each(|node| is_used[*node as usize] = true);
    assert!(is_used.iter().all(|used| *used), "each node has an edge");
}

#[test]
fn small_meshes_have_their_sizes() {
    for nodes in [8, 9, 26, 27, 60, 300] {
        let size = MeshSize::for_nodes(nodes).expect("eight nodes make a cube");
        let flipped = MeshSize { edges: size.edges + nodes / 20, ..size };
        for size in [size, flipped] {
            let mesh = generated_mesh(size, 5);
            assert_eq!(mesh.size(), size);
            check_mesh(&mesh);
        }
    }
    assert_eq!(MeshSize::for_nodes(7), None);
}

#[test]
fn impossible_meshes_are_rejected() {
    let rejection_message =
        |nodes, edges, faces| Mesh::generate(MeshSize { nodes, edges, faces }, 1).expect_err("no mesh has this size");
    let message = rejection_message(100, 200, 12);
    assert_eq!(
        message,
        "no mesh of tetrahedra has 100 nodes, 200 edges and 12 surface faces; 423 edges and 108 faces are possible"
    );
    rejection_message(100, 488, 107);
    rejection_message(100, 5000, 108);
    rejection_message(0, 0, 0);
    rejection_message(3, 3, 1);
    rejection_message(usize::MAX, usize::MAX, usize::MAX);
    rejection_message(100, usize::MAX, usize::MAX);
}

#[test]
fn finite_element_matrix_has_the_requested_size() {
    let lower_triangle = |size| fem::generate(size, 3).expect("this size is possible").matrix.lower;
    let matrix = lower_triangle(BCSSTK32);
    assert_eq!(matrix.rows(), 44_609);
    // The last pair of mesh nodes adds all of its entries or none; and the last mesh node has fewer rows.
    assert!(matrix.entries_below_diagonal().abs_diff(985_046) <= 6 * 36, "{}", matrix.entries_below_diagonal());
    let (one, other) = (matrix.row(600).0, matrix.row(605).0);
    assert_eq!([one, &[600, 601, 602, 603, 604]].concat(), other, "rows of a mesh node have the same neighbours");
    let small = lower_triangle(FemSize { rows: 100, degrees_of_freedom: 1, neighbours: 6.0 });
    assert_eq!(small.entries_below_diagonal(), 300);
    assert!(small.is_valid());
    for (rows, degrees_of_freedom, neighbours) in
        [(0, 1, 1.0), (10, 0, 1.0), (10, 1, f64::NAN), (10, 1, 20.0), (100, 1, 1.0)]
    {
        assert!(fem::generate(FemSize { rows, degrees_of_freedom, neighbours }, 3).is_err());
    }
}

#[test]
fn finite_element_matrix_is_diagonally_dominant() {
    let matrix = fem::generate(FemSize { rows: 500, degrees_of_freedom: 3, neighbours: 20.0 }, 9)
        .expect("this size is possible")
        .matrix
        .lower;
    let mut row_sums = vec![0.0; 500];
    for row in 0..500 {
        for (column, value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
            row_sums[row] += value.abs();
            row_sums[*column as usize] += value.abs();
        }
    }
    assert!((0..500).all(|row| matrix.diagonal(row) > row_sums[row]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_written_graph_is_read_back(pairs in prop::collection::btree_set((0u32..12, 0u32..12), 1..40)) {
        let ring = (0..12).map(|vertex| (vertex, (vertex + 1) % 12));
        let pairs: std::collections::BTreeSet<(u32, u32)> = pairs.into_iter().chain(ring)
            .filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other))).collect();
        let graph = Adjacency::from_edges(12, pairs.iter().copied());
        let line = |vertex| graph.neighbours(vertex).iter().map(|other| format!(" {}", other + 1)).collect::<String>();
        let lines: Vec<String> = (0..12).map(line).collect();
        let text = format!("12 {}\n{}\n", pairs.len(), lines.join("\n"));
        prop_assert_eq!(metis::read(text.as_bytes()), Ok(graph));
    }
}
