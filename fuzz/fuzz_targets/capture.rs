//! Reads arbitrary bytes as a capture: each packet must be within the bytes, or the error must have a message and an
//! offset within the bytes.
#![no_main]

#[path = "../../tests/any_bytes/capture.rs"]
mod capture;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| capture::check_any_bytes(bytes));
