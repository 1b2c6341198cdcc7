//! Any bytes as a capture: its packets lie in it, or it is told what is wrong, and where.
#![no_main]

#[path = "../../tests/any_bytes/capture.rs"]
mod capture;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| capture::any(bytes));
