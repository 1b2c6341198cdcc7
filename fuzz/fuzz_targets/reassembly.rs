//! Reassembles fragments that arbitrary bytes describe: each byte of a complete datagram must have been stored once,
//! and no more bytes may be stored than the limit allows.
#![no_main]

#[path = "../../tests/any_bytes/reassembly.rs"]
mod reassembly;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reassembly::check_any_bytes(bytes));
