//! Feeds arbitrary bytes as a script of fragments: a complete datagram must have had each of its bytes stored once,
//! within the limit.
#![no_main]

#[path = "../../tests/any_bytes/reassembly.rs"]
mod reassembly;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reassembly::check_any_bytes(bytes));
