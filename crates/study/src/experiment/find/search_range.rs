//! The range of a search: `KEY=LOW..HIGH`. With a step (`64 B..8 KiB*2`) only the values of the steps are tried.

use crate::experiment::vary::range::{Range, rounded};
use crate::experiment::vary::{self, Vary};
use narrows_core::text::Problem;

/// The search ends when the width of its interval is at most the lower end divided by this number.
const INVERSE_TOLERANCE: u64 = 1000;

/// The ratio of the ends above which the next value is their geometric mean.
const GEOMETRIC_RATIO_MIN: u64 = 4;

/// A key, and its values between two ends. A position is an index into the values if the range has steps, and otherwise
/// an amount in the smallest unit.
#[derive(Clone, Debug)]
pub struct SearchRange {
    /// The key that is searched over.
    pub key: String,
    range: Range,
    /// The values, if the range has steps.
    values: Option<Vec<String>>,
}

impl SearchRange {
    /// Parses `KEY=LOW..HIGH`.
    pub fn parse(option: &str) -> Result<SearchRange, Problem> {
        let problem = |why: String| {
            Problem::new(format!("cannot search over `{option}`: {why}"))
                .help("write KEY=LOW..HIGH, such as workload.stream.payload=64 B..8 KiB")
                .help("with a step, such as 64 B..8 KiB*2, only those values are tried")
        };
        vary::key_names(option).map_err(|invalid| problem(invalid.label.to_string()))?;
        let (key, range) = option.split_once('=').ok_or_else(|| problem("`=` and a range are missing".to_owned()))?;
        let range = Range::parse(range.trim()).map_err(problem)?;
        if range.is_descending {
            return Err(problem("the end is less than the beginning".to_owned()));
        }
        if range.from == range.to {
            return Err(problem("both ends are the same".to_owned()));
        }
        let values = range.has_step().then(|| Vary::parse(option)).transpose()?.map(|vary| vary.values);
        Ok(SearchRange { key: key.trim().to_owned(), range, values })
    }

    /// Returns the first and the last position.
    pub fn first_and_last(&self) -> (u64, u64) {
        match &self.values {
            Some(values) => (0, values.len() as u64 - 1),
            None => (self.range.from, self.range.to),
        }
    }

    /// Returns the value at a position, as text.
    pub fn value(&self, position: u64) -> String {
        match &self.values {
            Some(values) => values[position as usize].clone(),
            None => self.range.notation.format(position),
        }
    }

    /// Returns a position between two others, rounded to four digits if such a position is between them. Returns `None`
    /// if the two are close enough to end the search.
    pub fn position_between(&self, low: u64, high: u64) -> Option<u64> {
        let width = high - low;
        if width < 2 || (self.values.is_none() && width <= low / INVERSE_TOLERANCE) {
            return None;
        }
        let middle = low + width / 2;
        if self.values.is_some() {
            return Some(middle);
        }
        let middle = match low > 0 && high / low >= GEOMETRIC_RATIO_MIN {
            true => rounded(libm::sqrt(low as f64) * libm::sqrt(high as f64)),
            false => rounded(middle as f64),
        };
        Some(if low < middle && middle < high { middle } else { low + width / 2 })
    }

    /// Returns the largest number of values that the search may try.
    pub fn probes_max(&self) -> usize {
        let (low, high) = self.first_and_last();
        2 + (u64::BITS - (high - low).leading_zeros()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn range_with_steps_has_only_their_values() {
        let range = SearchRange::parse("a.b=64 B..1 KiB*2").expect("the range is valid");
        assert_eq!((range.first_and_last(), range.value(1)), ((0, 4), "128 B".to_owned()));
        assert_eq!(range.position_between(1, 2), None);
        for invalid in ["a.b", "a=1", "a=1..1", "a=2..1", "=1..2", "a=1 B..2 s", "a=0..4*log3", "a=4..1*log3"] {
            assert!(SearchRange::parse(invalid).is_err(), "{invalid}");
        }
    }

    proptest! {
        #[test]
        fn bisection_ends_at_neighbours_or_within_a_thousandth(
            low in 0u64..1_000_000, width in 1u64..1_000_000_000, offset: u64
        ) {
            let range = SearchRange::parse(&format!("a={low}..{}", low + width)).unwrap();
            let (mut low, mut high) = range.first_and_last();
            let (first, crossing, mut probes) = (low, low + offset % width, 0);
            while let Some(middle) = range.position_between(low, high) {
                prop_assert!(low < middle && middle < high);
                if middle > crossing { high = middle } else { low = middle }
                probes += 1;
            }
            prop_assert!(low <= crossing && crossing < high, "{}..{}", low, high);
            prop_assert!(high - low < 2 || high - low <= low / INVERSE_TOLERANCE, "{}..{}", low, high);
            prop_assert!(probes <= 80 && low >= first);
        }
    }
}
