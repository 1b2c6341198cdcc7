//! `KEY=LOW..HIGH`: what a search goes over. With a step (`64 B..8 KiB*2`) it looks at those values alone.

use crate::experiment::vary::range::{Range, rounded};
use crate::experiment::vary::{self, Vary};
use narrows_core::text::Problem;

/// Ends as near as a part of this of the lower one are near enough.
const NEAR: u64 = 1000;

/// From this ratio on the middle is that of the logarithms.
const WIDE: u64 = 4;

/// A key, and the values between two ends.
#[derive(Clone, Debug)]
pub struct SearchRange {
    /// The key.
    pub key: String,
    range: Range,
    /// The values of a range with steps.
    values: Option<Vec<String>>,
}

impl SearchRange {
    /// Takes an option apart.
    pub fn parse(option: &str) -> Result<SearchRange, Problem> {
        let wrong = |why: String| {
            Problem::new(format!("cannot search over `{option}`: {why}"))
                .help("write KEY=LOW..HIGH, such as workload.stream.payload=64 B..8 KiB")
                .help("with a step, such as 64 B..8 KiB*2, only those values are looked at")
        };
        vary::names(option).map_err(|problem| wrong(problem.label.to_string()))?;
        let (key, range) = option.split_once('=').ok_or_else(|| wrong("`=` and a range are missing".to_owned()))?;
        let range = Range::parse(range.trim()).map_err(wrong)?;
        if range.from == range.to {
            return Err(wrong("both ends are the same".to_owned()));
        }
        let values = range.has_step().then(|| Vary::parse(option)).transpose()?.map(|vary| vary.values);
        Ok(SearchRange { key: key.trim().to_owned(), range, values })
    }

    /// The first place and the last.
    pub fn ends(&self) -> (u64, u64) {
        match &self.values {
            Some(values) => (0, values.len() as u64 - 1),
            None => (self.range.from, self.range.to),
        }
    }

    /// The value at a place.
    pub fn value(&self, place: u64) -> String {
        match &self.values {
            Some(values) => values[place as usize].clone(),
            None => self.range.scale.write(place),
        }
    }

    /// A place between two, unless they are near enough: to four digits, where there is one of those.
    pub fn between(&self, low: u64, high: u64) -> Option<u64> {
        let apart = high - low;
        if apart < 2 || (self.values.is_none() && apart <= low / NEAR) {
            return None;
        }
        let middle = low + apart / 2;
        if self.values.is_some() {
            return Some(middle);
        }
        let middle = match low > 0 && high / low >= WIDE {
            true => rounded(libm::sqrt(low as f64) * libm::sqrt(high as f64)),
            false => rounded(middle as f64),
        };
        Some(if low < middle && middle < high { middle } else { low + apart / 2 })
    }

    /// How many values are looked at, at most.
    pub fn looks(&self) -> usize {
        let (low, high) = self.ends();
        2 + (u64::BITS - (high - low).leading_zeros()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_are_looked_at_alone() {
        let over = SearchRange::parse("a.b=64 B..1 KiB*2").expect("a range");
        assert_eq!((over.ends(), over.value(1)), ((0, 4), "128 B".to_owned()));
        assert_eq!(over.between(1, 2), None);
        for wrong in ["a.b", "a=1", "a=1..1", "a=2..1", "=1..2", "a=1 B..2 s", "a=0..4*log3"] {
            assert!(SearchRange::parse(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn halving_ends_at_neighbours_or_within_a_thousandth(low in 0u64..1_000_000, more in 1u64..1_000_000_000, wanted: u64) {
            let over = SearchRange::parse(&format!("a={low}..{}", low + more)).unwrap();
            let (mut low, mut high) = over.ends();
            let (first, wanted, mut looks) = (low, low + wanted % more, 0);
            while let Some(middle) = over.between(low, high) {
                prop_assert!(low < middle && middle < high);
                if middle > wanted { high = middle } else { low = middle }
                looks += 1;
            }
            prop_assert!(low <= wanted && wanted < high && (high - low < 2 || high - low <= low / NEAR), "{}..{}", low, high);
            prop_assert!(looks <= 80 && low >= first);
        }
    }
}
