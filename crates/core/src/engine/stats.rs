//! Summary of latencies or other durations: count, extremes, mean and percentiles.
//!
//! A [`Summary`] stores every value, to the picosecond, up to a maximum number. Above it, values are counted in the
//! buckets of a [`Histogram`], whose width is at most 1/128 of their value, so that a percentile is at most 0.8 % above
//! the exact one. Count, minimum, maximum and mean stay exact. Only integers are stored, so the result does not depend
//! on the order of values or of merging.

use super::histogram::{self, Histogram, bucket_of, value_of_rank};
use super::time::Time;

/// The default maximum number of values that are stored one by one.
const EXACT_MAX: usize = 1 << 16;

impl FromIterator<Time> for Summary {
    fn from_iter<I: IntoIterator<Item = Time>>(times: I) -> Summary {
        let mut summary = Summary::default();
        times.into_iter().for_each(|time| summary.add(time));
        summary
    }
}

/// A summary of the latencies of messages, or of other durations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    count: u64,
    sum_ps: u128,
    min: Time,
    max: Time,
    exact_max: usize,
    values: StoredValues,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum StoredValues {
    /// Each value, in the order of arrival.
    Exact(Vec<Time>),
    /// Number of values in each bucket.
    Counts(Vec<u64>),
}

impl Default for Summary {
    fn default() -> Summary {
        Summary::with_exact_max(EXACT_MAX)
    }
}

impl Summary {
    /// Creates an empty summary, whose percentiles are exact up to `exact_max` values.
    pub fn with_exact_max(exact_max: usize) -> Summary {
        let values = StoredValues::Exact(Vec::new());
        Summary { count: 0, sum_ps: 0, min: Time::MAX, max: Time::ZERO, exact_max, values }
    }

    /// Adds a value.
    pub fn add(&mut self, value: Time) {
        self.count += 1;
        self.sum_ps += u128::from(value.ps());
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        match &mut self.values {
            StoredValues::Exact(values) => {
                values.push(value);
                if values.len() > self.exact_max {
                    self.convert_to_counts();
                }
            }
            StoredValues::Counts(counts) => add_count(counts, bucket(value), 1),
        }
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Summary) {
        match &other.values {
            StoredValues::Exact(values) => values.iter().for_each(|&value| self.add(value)),
            StoredValues::Counts(other_counts) => {
                self.convert_to_counts();
                let StoredValues::Counts(counts) = &mut self.values else {
                    unreachable!("the values are counts after `convert_to_counts`")
                };
                for (bucket, &value_count) in
                    other_counts.iter().enumerate().filter(|&(_, &value_count)| value_count > 0)
                {
                    add_count(counts, bucket, value_count);
                }
                self.count += other.count;
                self.sum_ps += other.sum_ps;
                self.min = self.min.min(other.min);
                self.max = self.max.max(other.max);
            }
        }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether percentiles are exact.
    pub fn is_exact(&self) -> bool {
        matches!(self.values, StoredValues::Exact(_))
    }

    /// Returns the minimum, or zero if there are no values.
    pub fn min(&self) -> Time {
        if self.is_empty() { Time::ZERO } else { self.min }
    }

    /// Returns the maximum, or zero if there are no values.
    pub fn max(&self) -> Time {
        self.max
    }

    /// Returns the mean, rounded down to a picosecond, or zero if there are no values.
    pub fn mean(&self) -> Time {
        Time::from_ps(self.sum_ps.checked_div(u128::from(self.count)).unwrap_or(0) as u64)
    }

    /// Returns the mean in microseconds, for results, or zero if there are no values.
    pub fn mean_us(&self) -> f64 {
        self.mean_in(1e6)
    }

    /// Returns the mean in units of the given number of picoseconds; zero if there is no value.
    pub fn mean_in(&self, unit_ps: f64) -> f64 {
        self.sum_ps as f64 / unit_ps / self.count.max(1) as f64
    }

    /// Returns the least value with at least `percent` per cent of the values at or below it (nearest rank, the
    /// percentage taken to three decimals); zero without values.
    pub fn percentile(&self, percent: f64) -> Time {
        self.percentiles(&[percent])[0]
    }

    /// Returns several percentiles, each as [`Summary::percentile`] returns it, with one copy of the values.
    ///
    /// # Panics
    ///
    /// Panics if one of `percents` is not from 0 to 100.
    pub fn percentiles(&self, percents: &[f64]) -> Vec<Time> {
        let ranks: Vec<u64> = percents.iter().map(|percent| histogram::rank(self.count, *percent)).collect();
        if self.is_empty() {
            return vec![Time::ZERO; percents.len()];
        }
        match &self.values {
            StoredValues::Exact(values) => values_of_ranks(values.clone(), &ranks),
            StoredValues::Counts(counts) => {
                let (counts, extremes) = (counts.iter().copied().enumerate(), (self.min.ps(), self.max.ps()));
                ranks.iter().map(|rank| Time::from_ps(value_of_rank(counts.clone(), *rank, extremes))).collect()
            }
        }
    }

    /// Returns the values as a histogram of picoseconds.
    pub fn histogram(&self) -> Histogram {
        let (min, max) = (self.min().ps(), self.max().ps());
        match &self.values {
            StoredValues::Exact(values) => Histogram::from_counts(min, max, &bucket_counts(values)),
            StoredValues::Counts(counts) => Histogram::from_counts(min, max, counts),
        }
    }

    /// Replaces the stored values by counts in buckets.
    fn convert_to_counts(&mut self) {
        if let StoredValues::Exact(values) = &self.values {
            self.values = StoredValues::Counts(bucket_counts(values));
        }
    }
}

/// Returns the values of the given ranks, counted from 1.
fn values_of_ranks(mut values: Vec<Time>, ranks: &[u64]) -> Vec<Time> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(ranks[*index]));
    let mut percentiles = vec![Time::ZERO; ranks.len()];
    // Later searches skip the values above a rank that was found.
    for index in order {
        let rank = ranks[index] as usize;
        percentiles[index] = *values.select_nth_unstable(rank - 1).1;
        values.truncate(rank);
    }
    percentiles
}

/// Returns the number of values in each bucket.
fn bucket_counts(values: &[Time]) -> Vec<u64> {
    let mut counts = Vec::new();
    values.iter().for_each(|&value| add_count(&mut counts, bucket(value), 1));
    counts
}

fn add_count(counts: &mut Vec<u64>, bucket: usize, times: u64) {
    if bucket >= counts.len() {
        counts.resize(bucket + 1, 0);
    }
    counts[bucket] += times;
}

fn bucket(value: Time) -> usize {
    bucket_of(value.ps())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn summary(exact_max: usize, values: &[u64]) -> Summary {
        let mut summary = Summary::with_exact_max(exact_max);
        values.iter().for_each(|&ps| summary.add(Time::from_ps(ps)));
        summary
    }

    #[test]
    fn percentiles_of_the_numbers_from_1_to_100() {
        let summary = summary(100, &(1..=100).rev().collect::<Vec<_>>());
        let percentile_ps = |percent| summary.percentile(percent).ps();
        assert_eq!([0.0, 7.0, 50.0, 99.0, 99.1, 100.0].map(percentile_ps), [1, 7, 50, 99, 100, 100]);
        assert_eq!((summary.mean(), summary.mean_us()), (Time::from_ps(50), 50.5e-6));
        assert_eq!((summary.min(), summary.max()), (Time::from_ps(1), Time::from_ps(100)));
        assert!(summary.is_exact());
    }

    #[test]
    fn statistics_of_no_values_are_zero() {
        let empty = Summary::default();
        assert_eq!([empty.min(), empty.max(), empty.mean(), empty.percentile(50.0)], [Time::ZERO; 4]);
        assert_eq!((empty.count(), empty.mean_us()), (0, 0.0));
    }

    proptest! {
        #[test]
        fn counts_stay_within_the_stated_error(
            values in prop::collection::vec(any::<u64>().prop_flat_map(|max| 0..=max >> 8), 1..300),
            percent in 0.0..=100.0f64,
        ) {
            let (exact, coarse) = (summary(300, &values), summary(0, &values));
            prop_assert!(exact.is_exact() && !coarse.is_exact());
            prop_assert_eq!((exact.mean(), exact.min(), exact.max()), (coarse.mean(), coarse.min(), coarse.max()));
            let (exact_percentile, coarse_percentile) = (exact.percentile(percent), coarse.percentile(percent));
            prop_assert!(exact_percentile <= coarse_percentile);
            prop_assert!(coarse_percentile.ps() - exact_percentile.ps() <= exact_percentile.ps() / 128);
        }

        #[test]
        fn several_percentiles_equal_single_percentiles(
            values in prop::collection::vec(0..50u64, 1..200),
            percents in prop::collection::vec(0.0..=100.0f64, 1..6),
        ) {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            for exact_max in [300, 0] {
                let summary = summary(exact_max, &values);
                let single_percentiles: Vec<Time> = percents.iter().map(|percent| summary.percentile(*percent)).collect();
                prop_assert_eq!(summary.percentiles(&percents), single_percentiles.clone());
                let rank = |percent: &f64| histogram::rank(sorted.len() as u64, *percent) as usize;
                let expected = percents.iter().map(|percent| Time::from_ps(sorted[rank(percent) - 1]));
                prop_assert_eq!(single_percentiles, expected.collect::<Vec<_>>());
            }
        }

        #[test]
        fn the_histogram_of_values_is_that_of_their_counts(values in prop::collection::vec(any::<u64>(), 0..50)) {
            prop_assert_eq!(summary(100, &values).histogram(), summary(0, &values).histogram());
        }

        #[test]
        fn merged_series_equal_one_series_of_all_samples(a in prop::collection::vec(any::<u64>(), 0..50), b in prop::collection::vec(any::<u64>(), 0..50)) {
            let all_values = [&a[..], &b[..]].concat();
            for exact_max in [0, 30, 100] {
                let mut merged = summary(exact_max, &a);
                merged.merge(&summary(exact_max, &b));
                prop_assert_eq!(merged, summary(exact_max, &all_values));
            }
        }
    }
}
