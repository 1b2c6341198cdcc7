//! Inputs of parallel programs: graphs and matrices from files, meshes and matrices drawn from a seed, and
//! which processor gets what of them.
//!
//! | file | holds |
//! |---|---|
//! | `adjacency.rs` | who neighbours whom |
//! | `matrix.rs`, `triangle.rs` | a symmetric matrix, what makes it of entries, and its lower triangle |
//! | `lines.rs` | the lines of a file, and what is wrong with them |
//! | `metis.rs` | METIS graphs |
//! | `matrix_market.rs` | Matrix Market coordinates |
//! | `harwell_boeing.rs`, `fixed.rs` | Harwell–Boeing matrices, and their fields of fixed width |
//! | `triplets.rs` | bare `row column value` lines |
//! | `mesh.rs`, `tetrahedra.rs` | a 3-D mesh of tetrahedra, of given numbers of nodes, edges and faces |
//! | `fem.rs` | a matrix such as finite elements give |
//! | `colours.rs` | a multicolour ordering of a matrix |
//! | `partition.rs` | parts of equal size, by coordinates or by neighbours |
//!
//! A reader takes any bytes and gives what they hold or the first thing that is wrong, with its line.
//! Counts in a header are believed only as far as the file is long, before anything is allocated by them.
//!
//! Leaves out: weights, right-hand sides, matrices that are not symmetric, and writing.

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

/// Reads a matrix of any of these formats: told by how a Matrix Market file begins and by the ending of others;
/// what is neither holds triplets. A graph is a pattern.
pub fn read(path: &Path, bytes: &[u8]) -> Result<SymmetricMatrix, InputError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        _ if bytes.starts_with(b"%%MatrixMarket") => matrix_market::read(bytes),
        "mtx" => matrix_market::read(bytes),
        "graph" | "metis" => metis::read(bytes).map(|graph| SymmetricMatrix::of_graph(&graph)),
        "rsa" | "psa" | "rua" | "pua" | "hb" | "rb" => harwell_boeing::read(bytes),
        _ => triplets::read(bytes),
    }
}
