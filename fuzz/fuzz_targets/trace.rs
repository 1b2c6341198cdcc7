//! Reads arbitrary text as a packet trace: the packets of a valid trace must be in the order of their cycles.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::program::fabric_alone::trace::read;

fuzz_target!(|text: &str| {
    if let Ok(packets) = read(text) {
        assert!(packets.is_sorted_by_key(|packet| packet.generation_cycle));
    }
});
