//! Any bytes as an IPv4 packet: an accepted packet lies within the bytes, and etherparse parses it to the same fields.
#![no_main]

#[path = "../../tests/any_bytes/ip_packet.rs"]
mod ip_packet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ip_packet::any(bytes));
