//! Feeds arbitrary bytes as a matrix of each format: it must be valid, or its error reported.
#![no_main]

#[path = "../../tests/any_bytes/matrix.rs"]
mod matrix;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| matrix::check_any_bytes(bytes));
