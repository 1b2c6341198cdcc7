//! Reads arbitrary bytes as a matrix in each format: the result must be a valid matrix, or an error with a message.
#![no_main]

#[path = "../../tests/any_bytes/matrix.rs"]
mod matrix;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| matrix::check_any_bytes(bytes));
