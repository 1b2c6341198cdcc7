//! Parses arbitrary text as a quantity: the printed form of the quantity must read back as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::engine::{Bytes, Hertz, Rate, Time};
use narrows::text::quantity::{Quantity, parse};

fn check_round_trip<Q: Quantity + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = parse::<Q>(text) {
        assert_eq!(parse::<Q>(&value.to_string()), Ok(value));
    }
}

fuzz_target!(|text: &str| {
    check_round_trip::<Time>(text);
    check_round_trip::<Bytes>(text);
    check_round_trip::<Rate>(text);
    check_round_trip::<Hertz>(text);
});
