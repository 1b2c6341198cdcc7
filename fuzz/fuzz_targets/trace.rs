//! Feeds arbitrary text as a packet trace: its packets must be in the order of their cycles, or its error reported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::program::fabric_alone::trace::read;

fuzz_target!(|text: &str| {
    if let Ok(packets) = read(text) {
        assert!(packets.is_sorted_by_key(|packet| packet.generated));
    }
});
