//! Tests with files from other sources, which are not shipped. The environment variable `NARROWS_DATA` names their
//! folder.
//!
//!     NARROWS_DATA=DIR cargo test --lib input::tests::files -- --ignored

use super::*;
use std::path::Path;

fn read_file(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("NARROWS_DATA").expect("NARROWS_DATA names a folder");
    std::fs::read(Path::new(&folder).join(name)).expect("the folder has the file")
}

#[test]
#[ignore = "needs files that do not ship"]
fn mesh_around_an_aerofoil_is_read() {
    let bytes = read_file("meshes/4elt.graph");
    let graph = metis::read(&bytes).expect("the graph is valid");
    assert_eq!((graph.vertices(), graph.edges()), (15_606, 45_878));
    assert!(graph.is_valid());
}

#[test]
#[ignore = "needs files that do not ship"]
fn pattern_of_a_structure_is_read() {
    let bytes = read_file("matrices/bcsstk29.psa");
    let matrix = harwell_boeing::read(&bytes).expect("the pattern is valid");
    assert_eq!((matrix.lower.rows(), matrix.lower.rows() + matrix.lower.entries_below_diagonal()), (13_992, 316_740));
    assert!(matrix.lower.is_valid() && !matrix.has_values);
}

#[test]
#[ignore = "needs files that do not ship"]
fn matrix_of_a_structure_is_read() {
    let bytes = read_file("matrices/bcsstk16.triplet");
    let matrix = triplets::read(&bytes).expect("the matrix is valid");
    assert_eq!((matrix.lower.rows(), matrix.lower.rows() + matrix.lower.entries_below_diagonal()), (4884, 147_631));
    assert!(matrix.lower.is_valid() && matrix.has_values);
    assert_eq!((matrix.lower.diagonal(0), matrix.lower.row(1).1[0]), (285_559_874.919_5, 26_666_666.662_28));
}
