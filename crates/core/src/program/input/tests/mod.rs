//! Tests of the readers, their errors, and the generators.

mod errors;
mod files;
mod generated;
mod partitions;

use super::*;

/// A triangle with one further vertex, as a graph and as a matrix in three formats.
const GRAPH: &str = include_str!("../../../../../../tests/data/matrices/tailed-triangle.graph");
const MATRIX_MARKET: &str = include_str!("../../../../../../tests/data/matrices/tailed-triangle.mtx");
const CARDS: &str = include_str!("../../../../../../tests/data/matrices/tailed-triangle.rsa");
const TRIPLETS: &str = include_str!("../../../../../../tests/data/matrices/tailed-triangle.triplets");

fn rows(matrix: &SymmetricMatrix) -> Vec<(Vec<u32>, Vec<f64>, f64)> {
    let matrix = &matrix.lower;
    let row = |row: usize| (matrix.row(row).0.to_vec(), matrix.row(row).1.to_vec(), matrix.diagonal(row));
    (0..matrix.rows()).map(row).collect()
}

#[test]
fn graphs_are_read_with_and_without_weights() {
    let graph = metis::read(GRAPH.as_bytes()).expect("the graph is valid");
    assert_eq!((graph.vertices(), graph.edges()), (4, 4));
    assert_eq!([0, 1, 2, 3].map(|vertex| graph.neighbours(vertex)), [&[1, 2][..], &[0, 2], &[0, 1, 3], &[2]]);
    let weighted = "3 2 111 2\n9 5 6 2 7\n9 5 6 3 8 1 7\n9 5 6 2 8\n";
    let weighted = metis::read(weighted.as_bytes()).expect("the graph with weights is valid");
    assert_eq!([0, 1, 2].map(|vertex| weighted.neighbours(vertex)), [&[1][..], &[0, 2], &[1]]);
}

#[test]
fn all_formats_of_a_matrix_are_equal() {
    let market = matrix_market::read(MATRIX_MARKET.as_bytes()).expect("the matrix is valid");
    let row = |columns: &[u32], values: &[f64], diagonal| (columns.to_vec(), values.to_vec(), diagonal);
    let expected =
        [row(&[], &[], 4.0), row(&[0], &[-1.0], 0.0), row(&[0, 1], &[-1.0, -1.0], 0.0), row(&[2], &[-2.5], 3.0)];
    assert_eq!(rows(&market), expected);
    assert_eq!(harwell_boeing::read(CARDS.as_bytes()), Ok(market.clone()));
    assert_eq!(triplets::read(TRIPLETS.as_bytes()), Ok(market.clone()));
    assert_eq!(metis::read(GRAPH.as_bytes()), Ok(market.adjacency()));
    assert!(market.lower.is_valid() && market.adjacency().is_valid());
}

#[test]
fn symmetric_general_matrices_are_read() {
    let text = "%%MatrixMarket MATRIX coordinate integer General\n2 2 3\n1 2 7\n2 1 7\n2 2 5\n";
    let matrix = matrix_market::read(text.as_bytes()).expect("the matrix is valid");
    assert_eq!(rows(&matrix), [(vec![], vec![], 0.0), (vec![0], vec![7.0], 5.0)]);
}

#[test]
fn patterns_get_positive_definite_values() {
    let text = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 3\n";
    let matrix = matrix_market::read(text.as_bytes()).expect("the pattern is valid");
    assert!(!matrix.has_values);
    assert_eq!(rows(&matrix), [(vec![], vec![], 3.0), (vec![0], vec![-1.0], 2.0), (vec![0], vec![-1.0], 2.0)]);
}

#[test]
fn right_hand_sides_are_skipped() {
    let cards = CARDS.replacen(
        "            6             1             2             3             0",
        "            7             1             2             3             1",
        1,
    );
    let formats = "(1P,2E12.4)         \n";
    let cards =
        cards.replacen(formats, &format!("{formats}F                          1             0\n"), 1) + "  any\n";
    assert_eq!(harwell_boeing::read(cards.as_bytes()), harwell_boeing::read(CARDS.as_bytes()));
}

#[test]
fn format_follows_from_extension_and_first_line() {
    let read_as = |name: &str, text: &str| read(Path::new(name), text.as_bytes());
    let market = read_as("a.mtx", MATRIX_MARKET).expect("the matrix is valid");
    for (name, text) in [("a.txt", MATRIX_MARKET), ("a.RSA", CARDS), ("a.triplet", TRIPLETS)] {
        assert_eq!(read_as(name, text), Ok(market.clone()), "{name}");
    }
    let graph = read_as("a.graph", GRAPH).expect("the pattern is valid");
    assert_eq!((graph.adjacency(), graph.has_values), (market.adjacency(), false));
    assert_eq!(rows(&graph)[2], (vec![0, 1], vec![-1.0, -1.0], 4.0));
    assert!(graph.lower.is_valid());
    assert_eq!(read_as("a.mtx", TRIPLETS).expect_err("a Matrix Market file needs a banner").line, 1);
}
