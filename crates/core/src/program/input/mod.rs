//! Inputs of parallel programs: graphs and matrices from files, meshes and matrices generated from a seed, and their
//! partitions.
//!
//! | file | holds |
//! |---|---|
//! | `adjacency.rs` | an undirected graph |
//! | `matrix.rs`, `triangle.rs` | a symmetric matrix, its construction from entries, and its lower triangle |
//! | `lines.rs` | the lines of a file, and errors in them |
//! | `metis.rs` | METIS graphs |
//! | `matrix_market.rs` | Matrix Market coordinates |
//! | `harwell_boeing.rs`, `fixed.rs` | Harwell–Boeing matrices, and their fields of fixed width |
//! | `triplets.rs` | bare `row column value` lines |
//! | `mesh.rs`, `tetrahedra.rs` | a 3-D mesh of tetrahedra with given numbers of nodes, edges and faces |
//! | `fem.rs` | a matrix like those of the finite-element method |
//! | `colours.rs` | a multicolour ordering of a matrix |
//! | `partition.rs` | partitions into parts of equal size, by coordinates or by neighbours |
//!
//! A reader accepts any bytes, and returns their contents or the first error with its line. A count in a header is
//! checked against the length of the file before memory is allocated.
//!
//! The module leaves out weights, right-hand sides, unsymmetric matrices, and writing.

mod adjacency;
pub(super) mod colours;
pub(super) mod fem;
mod fixed;
pub mod harwell_boeing;
mod lines;
mod matrix;
pub mod matrix_market;
pub(super) mod mesh;
pub mod metis;
pub(super) mod partition;
#[cfg(test)]
mod tests;
mod tetrahedra;
mod triangle;
pub mod triplets;

pub use adjacency::Adjacency;
pub use lines::InputError;
pub use matrix::SymmetricMatrix;
pub use triangle::LowerTriangle;

use std::path::Path;

/// Reads a matrix in any of these formats. A Matrix Market file is recognised by its first line, and other formats by
/// the extension of the file; any other file is read as triplets. A graph is read as a pattern.
pub fn read(path: &Path, bytes: &[u8]) -> Result<SymmetricMatrix, InputError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        _ if bytes.starts_with(b"%%MatrixMarket") => matrix_market::read(bytes),
        "mtx" => matrix_market::read(bytes),
        "graph" | "metis" => metis::read(bytes).map(|graph| SymmetricMatrix::from_graph(&graph)),
        "rsa" | "psa" | "rua" | "pua" | "hb" | "rb" => harwell_boeing::read(bytes),
        _ => triplets::read(bytes),
    }
}
