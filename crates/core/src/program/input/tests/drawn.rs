//! Meshes and matrices that are drawn: have they the numbers that were asked, and are they sound?

use super::super::fem::FemSize;
use super::super::mesh::{Mesh, MeshSize, UNSTRUCTURED};
use super::super::tetrahedra::volume;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The size of BCSSTK32, of the Harwell-Boeing collection.
const BCSSTK32: FemSize = FemSize { rows: 44_609, freedom: 6, neighbours: 44.164 };

fn mesh(size: MeshSize, seed: u64) -> Mesh {
    Mesh::generate(size, seed).expect("a mesh of this size")
}

fn volumes(mesh: &Mesh) -> impl Iterator<Item = f64> + '_ {
    mesh.tetrahedra.iter().map(|corners| volume(corners.map(|node| mesh.coordinates[node as usize])))
}

/// The volume that the surface encloses.
fn enclosed(mesh: &Mesh) -> f64 {
    let of = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|node| mesh.coordinates[node as usize]);
        volume([[0.0; 3], a, b, c])
    };
    mesh.faces.iter().map(of).sum()
}

#[test]
fn the_mesh_of_the_paper_has_its_numbers() {
    let mesh = mesh(UNSTRUCTURED, 1);
    assert_eq!(mesh.size(), UNSTRUCTURED);
    assert_eq!(mesh, self::mesh(UNSTRUCTURED, 1), "it depends on the seed");
    assert_ne!(mesh, self::mesh(UNSTRUCTURED, 2), "and on nothing else");
    is_a_body(&mesh);
}

/// Tetrahedra fill what the surface encloses, without gap and overlap, and the surface is closed.
fn is_a_body(mesh: &Mesh) {
    assert!(volumes(mesh).all(|volume| volume > 0.0));
    // Tens of thousands of additions, each rounded by some 1e-16.
    let (filled, enclosed) = (volumes(mesh).sum::<f64>(), enclosed(mesh));
    assert!((filled / enclosed - 1.0).abs() < 1e-10, "{filled} {enclosed}");
    let mut sides: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for face in &mesh.faces {
        for (one, other) in [(face[0], face[1]), (face[1], face[2]), (face[2], face[0])] {
            *sides.entry([one.min(other), one.max(other)]).or_default() += if one < other { 1 } else { -1 };
        }
    }
    assert!(sides.values().all(|sum| *sum == 0), "each side is passed once each way");
    assert!(sides.keys().all(|edge| mesh.edges.binary_search(edge).is_ok()));
    assert!(mesh.edges.is_sorted() && mesh.edges.iter().all(|[one, other]| one < other));
    let mut is_met = vec![false; mesh.coordinates.len()];
    mesh.edges.iter().flatten().for_each(|node| is_met[*node as usize] = true);
    assert!(is_met.iter().all(|met| *met), "no node is alone");
}

#[test]
fn small_meshes_have_their_numbers() {
    for nodes in [8, 9, 26, 27, 60, 300] {
        let size = MeshSize::of_nodes(nodes).expect("eight nodes make a cube");
        let flipped = MeshSize { edges: size.edges + nodes / 20, ..size };
        for size in [size, flipped] {
            let mesh = mesh(size, 5);
            assert_eq!(mesh.size(), size);
            is_a_body(&mesh);
        }
    }
    assert_eq!(MeshSize::of_nodes(7), None);
}

#[test]
fn a_mesh_that_cannot_be_is_refused() {
    let refused = |nodes, edges, faces| Mesh::generate(MeshSize { nodes, edges, faces }, 1).expect_err("no such mesh");
    let message = refused(100, 200, 12);
    assert_eq!(
        message,
        "no mesh of tetrahedra has 100 nodes, 200 edges and 12 faces of its surface: 423 edges and 108 faces would do"
    );
    refused(100, 488, 107);
    refused(100, 5000, 108);
    refused(0, 0, 0);
    refused(3, 3, 1);
    refused(usize::MAX, usize::MAX, usize::MAX);
    refused(100, usize::MAX, usize::MAX);
}

#[test]
fn a_matrix_of_finite_elements_is_as_large_as_was_asked() {
    let of = |size| fem::generate(size, 3).expect("a matrix").matrix.lower;
    let matrix = of(BCSSTK32);
    assert_eq!(matrix.rows(), 44_609);
    // The last pair of mesh nodes is all or nothing; and the last mesh node has fewer rows.
    assert!(matrix.below().abs_diff(985_046) <= 6 * 36, "{}", matrix.below());
    let (one, other) = (matrix.row(600).0, matrix.row(605).0);
    assert_eq!([one, &[600, 601, 602, 603, 604]].concat(), other, "rows of a mesh node have the same neighbours");
    let small = of(FemSize { rows: 100, freedom: 1, neighbours: 6.0 });
    assert_eq!(small.below(), 300);
    assert!(small.is_sound());
    for (rows, freedom, neighbours) in [(0, 1, 1.0), (10, 0, 1.0), (10, 1, f64::NAN), (10, 1, 20.0), (100, 1, 1.0)] {
        assert!(fem::generate(FemSize { rows, freedom, neighbours }, 3).is_err());
    }
}

#[test]
fn a_matrix_of_finite_elements_is_dominated_by_its_diagonal() {
    let matrix = fem::generate(FemSize { rows: 500, freedom: 3, neighbours: 20.0 }, 9).expect("a matrix").matrix.lower;
    let mut beside = vec![0.0; 500];
    for row in 0..500 {
        for (column, value) in matrix.row(row).0.iter().zip(matrix.row(row).1) {
            beside[row] += value.abs();
            beside[*column as usize] += value.abs();
        }
    }
    assert!((0..500).all(|row| matrix.diagonal(row) > beside[row]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_graph_is_read_as_it_was_written(pairs in prop::collection::btree_set((0u32..12, 0u32..12), 1..40)) {
        let ring = (0..12).map(|vertex| (vertex, (vertex + 1) % 12));
        let pairs: std::collections::BTreeSet<(u32, u32)> = pairs.into_iter().chain(ring)
            .filter(|(one, other)| one != other).map(|(one, other)| (one.min(other), one.max(other))).collect();
        let graph = Adjacency::of_edges(12, pairs.iter().copied());
        let line = |vertex| graph.of(vertex).iter().map(|other| format!(" {}", other + 1)).collect::<String>();
        let lines: Vec<String> = (0..12).map(line).collect();
        let text = format!("12 {}\n{}\n", pairs.len(), lines.join("\n"));
        prop_assert_eq!(metis::read(text.as_bytes()), Ok(graph));
    }
}
