//! Parses arbitrary bytes as an IPv4 packet: an accepted packet must be within the bytes, and etherparse must parse it
//! to the same fields.
#![no_main]

#[path = "../../tests/any_bytes/ip_packet.rs"]
mod ip_packet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ip_packet::check_any_bytes(bytes));
