//! Hashes of JSON and of files.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of compact JSON, in hexadecimal.
pub fn digest(json: &impl serde::Serialize) -> String {
    sha256(serde_json::to_string(json).expect("a record is plain JSON").as_bytes())
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let digit = |half_byte: u8| char::from_digit(half_byte.into(), 16).expect("half a byte is a digit");
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
