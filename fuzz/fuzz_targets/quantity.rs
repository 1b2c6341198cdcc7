//! Feeds arbitrary text as a quantity: its printed form must read back as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::engine::{Bytes, Hertz, Rate, Time};
use narrows::text::quantity::{Quantity, parse};

fn round<Q: Quantity + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = parse::<Q>(text) {
        assert_eq!(parse::<Q>(&value.to_string()), Ok(value));
    }
}

fuzz_target!(|text: &str| {
    round::<Time>(text);
    round::<Bytes>(text);
    round::<Rate>(text);
    round::<Hertz>(text);
});
