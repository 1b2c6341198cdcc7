//! Feeds arbitrary bytes as a METIS graph: it must be valid, or the error must have a message and a line of the file.

use narrows::program::input::metis;

/// Reads the bytes and checks the result.
pub fn check_any_bytes(bytes: &[u8]) {
    match metis::read(bytes) {
        Ok(graph) => assert!(graph.is_valid() && graph.vertices() > 0),
        Err(error) => {
            let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
            assert!((1..=lines).contains(&error.line), "{error} of {lines} lines");
            assert!(!error.message.is_empty() && error.message.len() < 400, "{error}");
        }
    }
}
