//! Any bytes as an IPv4 packet: what is taken of it lies in it, and etherparse says the same of it.
#![no_main]

#[path = "../../tests/any_bytes/ip_packet.rs"]
mod ip_packet;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ip_packet::any(bytes));
