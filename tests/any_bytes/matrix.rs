//! Feeds arbitrary bytes as a matrix of each format: it must be valid, or the error must have a message and a line of
//! the file.

use narrows::program::input::{harwell_boeing, matrix_market, triplets};

/// Reads the bytes and checks the result.
pub fn check_any_bytes(bytes: &[u8]) {
    for read in [matrix_market::read, harwell_boeing::read, triplets::read] {
        match read(bytes) {
            Ok(matrix) => assert!(matrix.lower.is_valid() && matrix.adjacency().is_valid() && matrix.lower.rows() > 0),
            Err(error) => {
                let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
                assert!((1..=lines).contains(&error.line), "{error} of {lines} lines");
                assert!(!error.message.is_empty() && error.message.len() < 400, "{error}");
            }
        }
    }
}
