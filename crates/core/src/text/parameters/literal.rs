//! Checks that a literal in `#[param(..)]`, such as `default = "80 ns"`, is a decimal number with a unit of its type.
//!
//! The compiler evaluates the check. A number that is not whole in the smallest unit of the type, or too large, is found
//! when the parameters are read for the first time.

use super::super::kind::ValueKind;
use super::super::quantity::Unit;
use super::super::value::ParameterType;

/// The spelling of microseconds that is read in addition to `us`.
const MICROSECONDS: &[u8] = "µs".as_bytes();

/// Checks `text`, a literal of the type `T`, if literals of this type have units.
///
/// # Panics
///
/// Panics with `message` if `text` is not a decimal number with a unit of the type.
#[track_caller]
pub const fn check<T: ParameterType>(text: &str, message: &'static str) {
    let units = <T::Kind as ValueKind>::UNITS;
    if !units.is_empty() && !is_amount(text.trim_ascii().as_bytes(), units) {
        panic!("{}", message);
    }
}

/// Returns whether `text` is a decimal number followed by one of `units`.
const fn is_amount(text: &[u8], units: &[Unit]) -> bool {
    let whole_end = digits_end(text, 0);
    let number_end = match whole_end < text.len() && text[whole_end] == b'.' {
        true => digits_end(text, whole_end + 1),
        false => whole_end,
    };
    if whole_end == 0 || number_end == whole_end + 1 {
        return false;
    }
    let unit = text.split_at(number_end).1.trim_ascii_start();
    let mut index = 0;
    while index < units.len() {
        let name = units[index].0.as_bytes();
        if are_equal(unit, name) || are_equal(name, b"us") && are_equal(unit, MICROSECONDS) {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns the position of the first byte from `start` on that is not a digit.
const fn digits_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() && text[end].is_ascii_digit() {
        end += 1;
    }
    end
}

const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::super::quantity;
    use super::*;
    use crate::engine::{Bytes, Time};
    use proptest::prelude::*;

    #[test]
    fn literals_of_types_without_units_are_not_checked() {
        check::<u64>("80 nsec", "");
        check::<String>("80 nsec", "");
        check::<Bytes>("8 KiB", "");
        check::<Vec<Time>>("1.5 µs", "");
    }

    #[test]
    #[should_panic(expected = "`pipeline`")]
    fn literal_with_another_unit_panics() {
        check::<Time>("80 nsec", "`pipeline`: wrong unit");
    }

    proptest! {
        #[test]
        fn every_quantity_that_is_read_is_a_valid_literal(text in " ?[0-9]{0,3}\\.?[0-9]{0,3} ?(ns|us|µs|s|B|KiB|nsec|)") {
            prop_assert!(quantity::parse::<Time>(&text).is_err() || is_amount(text.trim().as_bytes(), <Time as Sample>::UNITS));
            prop_assert!(quantity::parse::<Bytes>(&text).is_err() || is_amount(text.trim().as_bytes(), <Bytes as Sample>::UNITS));
        }
    }

    use quantity::Quantity as Sample;
}
