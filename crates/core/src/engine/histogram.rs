//! A log-linear histogram of whole numbers, and the percentiles of samples.
//!
//! The buckets are those of HdrHistogram with two significant digits: one for each value below 256, then 128 for each
//! doubling, so that a bucket is at most 1/128 of its values wide. Counts are whole numbers, so the order of samples
//! and of merging does not matter. The least and the greatest sample are exact.
//!
//! A percentile is the sample of the nearest rank: the least sample with at least the given share of all samples at or
//! below it, without interpolation (definition 1 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The
//! American Statistician 50(4), 1996). A histogram reports the end of that sample's bucket, which is at most 1/128
//! above the sample.
//!
//! A percentile is reported if at least [`SAMPLES_BEYOND`] samples are expected on its rarer side, which is above the
//! 99th percentile, for example, or below the 1st. With an expectation of 10 samples there, the exact 95 % interval of
//! their number (Clopper and Pearson, Biometrika 26(4), 1934) is 4.8 to 18.4: if samples are independent, the share of
//! all samples beyond the reported value is within a factor of about two of the nominal share.

use std::collections::BTreeMap;

/// The binary logarithm of the number of buckets in each doubling.
const SUB_BUCKET_BITS: u32 = 7;

/// The number of samples that a percentile needs on its rarer side.
pub const SAMPLES_BEYOND: u64 = 10;

/// The largest width of a bucket, as a fraction of its values.
pub const RELATIVE_ERROR: f64 = 1.0 / (1 << SUB_BUCKET_BITS) as f64;

/// The percentiles that runs report, each with the suffix of its metric's name.
pub const PERCENTILES: [(&str, f64); 4] = [("_p50", 50.0), ("_p90", 90.0), ("_p99", 99.0), ("_p999", 99.9)];

/// Returns a percentage in thousandths of a per cent. Ranks are computed in whole numbers, because with floats 7 % of
/// 100 samples would give the eighth sample.
fn thousandths(percent: f64) -> u128 {
    assert!((0.0..=100.0).contains(&percent), "a percentile is from 0 to 100");
    (percent * 1_000.0).round() as u128
}

/// Returns the nearest rank of a percentile among `samples` samples, counted from 1. `percent` is rounded to three
/// decimals.
///
/// # Panics
///
/// Panics if `percent` is not from 0 to 100.
pub fn rank(samples: u64, percent: f64) -> u64 {
    (u128::from(samples) * thousandths(percent)).div_ceil(100_000).max(1) as u64
}

/// Returns the least number of samples with which a percentile is reported: [`SAMPLES_BEYOND`] divided by the share of
/// samples on its rarer side. The extremes, 0 and 100 %, need one sample.
///
/// # Panics
///
/// Panics if `percent` is not from 0 to 100.
pub fn samples_needed(percent: f64) -> u64 {
    let thousandths = thousandths(percent);
    let rarer_side_thousandths = thousandths.min(100_000 - thousandths);
    let scaled_samples = u128::from(SAMPLES_BEYOND) * 100_000;
    if rarer_side_thousandths == 0 { 1 } else { scaled_samples.div_ceil(rarer_side_thousandths) as u64 }
}

/// Returns the bucket of a value: one for each value below 256, then 128 for each doubling.
pub(super) fn bucket_of(value: u64) -> usize {
    let shift = value.checked_ilog2().unwrap_or(0).saturating_sub(SUB_BUCKET_BITS);
    ((u64::from(shift) << SUB_BUCKET_BITS) + (value >> shift)) as usize
}

/// Returns the greatest value of a bucket.
pub(super) fn bucket_max(bucket: usize) -> u64 {
    let shift = (bucket as u64 >> SUB_BUCKET_BITS).saturating_sub(1);
    let sub_bucket = bucket as u64 - (shift << SUB_BUCKET_BITS);
    sub_bucket << shift | ((1 << shift) - 1)
}

/// A bucket with samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// The least value of the bucket.
    pub min: u64,
    /// The greatest value of the bucket.
    pub max: u64,
    /// The number of samples.
    pub count: u64,
}

/// A histogram, which stores only buckets that have samples.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Histogram {
    samples: u64,
    min: u64,
    max: u64,
    /// The numbers of the buckets that have samples, ascending, and the number of samples in each.
    bucket_numbers: Vec<u16>,
    counts: Vec<u64>,
}

impl Histogram {
    /// Returns the histogram of samples between `min` and `max`, with the numbers of samples in `counts`, one for each
    /// bucket.
    pub(super) fn from_counts(min: u64, max: u64, counts: &[u64]) -> Histogram {
        let nonempty_counts = || counts.iter().enumerate().filter(|(_, count)| **count > 0);
        Histogram {
            samples: counts.iter().sum(),
            min,
            max,
            bucket_numbers: nonempty_counts().map(|(number, _)| number as u16).collect(),
            counts: nonempty_counts().map(|(_, count)| *count).collect(),
        }
    }

    /// Returns the histogram whose buckets end at the given values and have the given numbers of samples, as
    /// [`Histogram::buckets`] lists them.
    ///
    /// # Errors
    ///
    /// Returns a sentence that states what is wrong with the buckets or the extremes.
    pub fn from_buckets(min: u64, max: u64, buckets: &[(u64, u64)]) -> Result<Histogram, String> {
        let mut histogram = Histogram { min, max, ..Histogram::default() };
        for &(bucket_end, count) in buckets {
            let bucket_number = bucket_of(bucket_end) as u16;
            if bucket_max(bucket_number.into()) != bucket_end {
                return Err(format!("no bucket ends at {bucket_end}"));
            }
            if histogram.bucket_numbers.last().is_some_and(|last| *last >= bucket_number) {
                return Err(format!("the bucket up to {bucket_end} is not in ascending order"));
            }
            if count == 0 {
                return Err(format!("the bucket up to {bucket_end} is empty"));
            }
            let samples = histogram.samples.checked_add(count);
            histogram.samples = samples.ok_or("it has more samples than a number can count")?;
            histogram.bucket_numbers.push(bucket_number);
            histogram.counts.push(count);
        }
        let end_buckets = (histogram.bucket_numbers.first().copied(), histogram.bucket_numbers.last().copied());
        match end_buckets == (Some(bucket_of(min) as u16), Some(bucket_of(max) as u16)) && min <= max {
            true => Ok(histogram),
            false if buckets.is_empty() => Err("it has no bucket".to_owned()),
            false => Err(format!("its extremes, {min} and {max}, are not in its first and last bucket")),
        }
    }

    /// Adds all samples of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        if other.samples == 0 {
            return;
        }
        let is_empty = self.samples == 0;
        self.min = if is_empty { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.samples = self.samples.saturating_add(other.samples);
        let mut merged_counts: BTreeMap<u16, u64> = self.nonempty_buckets().collect();
        for (bucket_number, count) in other.nonempty_buckets() {
            let sum = merged_counts.entry(bucket_number).or_default();
            *sum = sum.saturating_add(count);
        }
        (self.bucket_numbers, self.counts) = merged_counts.into_iter().unzip();
    }

    fn nonempty_buckets(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        self.bucket_numbers.iter().copied().zip(self.counts.iter().copied())
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the least sample, exactly, or `None` without samples.
    pub fn min(&self) -> Option<u64> {
        (self.samples > 0).then_some(self.min)
    }

    /// Returns the greatest sample, exactly, or `None` without samples.
    pub fn max(&self) -> Option<u64> {
        (self.samples > 0).then_some(self.max)
    }

    /// Returns the buckets that have samples, in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.nonempty_buckets().map(|(bucket_number, count)| {
            let bucket_number = usize::from(bucket_number);
            let from = bucket_number.checked_sub(1).map_or(0, |previous_bucket| bucket_max(previous_bucket) + 1);
            Bucket { min: from, max: bucket_max(bucket_number), count }
        })
    }

    /// Returns a percentile, at most 1/128 above the exact one, or `None` if there are fewer samples than
    /// [`samples_needed`].
    ///
    /// # Panics
    ///
    /// Panics if `percent` is not from 0 to 100.
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        if self.samples < samples_needed(percent) {
            return None;
        }
        let counts = self.nonempty_buckets().map(|(bucket_number, count)| (bucket_number.into(), count));
        Some(value_of_rank(counts, rank(self.samples, percent), (self.min, self.max)))
    }
}

/// Returns the sample of a rank, counted from 1, in a histogram with extremes `least` and `greatest`: the end of its
/// bucket, or an extreme exactly. `counts` holds the buckets in ascending order with their numbers of samples.
pub(super) fn value_of_rank(
    mut counts: impl Iterator<Item = (usize, u64)>,
    rank: u64,
    (least, greatest): (u64, u64),
) -> u64 {
    if rank == 1 {
        return least;
    }
    let mut cumulative_count = 0_u64;
    let bucket_of_rank = counts.find(|(_, count)| {
        cumulative_count = cumulative_count.saturating_add(*count);
        cumulative_count >= rank
    });
    bucket_of_rank.map_or(greatest, |(bucket, _)| bucket_max(bucket).clamp(least, greatest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Summary, Time};
    use proptest::prelude::*;

    fn histogram(values: &[u64]) -> Histogram {
        values.iter().map(|&ps| Time::from_ps(ps)).collect::<Summary>().histogram()
    }

    #[test]
    fn buckets_are_those_of_hdr_histogram_and_join_without_gaps() {
        for bucket in 0..bucket_of(u64::MAX) {
            let last = bucket_max(bucket);
            assert_eq!((bucket_of(last), bucket_of(last + 1)), (bucket, bucket + 1));
        }
        assert_eq!(bucket_max(bucket_of(u64::MAX)), u64::MAX);
        assert!(bucket_of(u64::MAX) <= usize::from(u16::MAX));
        // HdrHistogram with two significant digits: 256 buckets of one, then 128 of two, 128 of four, and so on.
        assert_eq!([255, 256, 257, 258, 511, 512, 515, 516].map(bucket_of), [255, 256, 256, 257, 383, 384, 384, 385]);
    }

    #[test]
    fn a_percentile_needs_ten_samples_beyond_it() {
        assert_eq!([50.0, 90.0, 99.0, 99.9].map(samples_needed), [20, 100, 1_000, 10_000]);
        assert_eq!([0.0, 0.1, 10.0, 99.999, 100.0].map(samples_needed), [1, 10_000, 100, 1_000_000, 1]);
        let histogram_up_to = |samples: u64| histogram(&(1..=samples).collect::<Vec<_>>());
        assert_eq!((histogram_up_to(999).percentile(99.0), histogram_up_to(1_000).percentile(99.0)), (None, Some(991)));
        assert_eq!(
            (histogram_up_to(9_999).percentile(99.9), histogram_up_to(10_000).percentile(99.9)),
            (None, Some(10_000))
        );
        assert_eq!(
            (
                histogram_up_to(1).percentile(0.0),
                histogram_up_to(1).percentile(100.0),
                histogram_up_to(1).percentile(50.0)
            ),
            (Some(1), Some(1), None)
        );
        assert_eq!(Histogram::default().percentile(100.0), None);
    }

    #[test]
    fn impossible_buckets_are_refused() {
        let error_of = |min, max, buckets: &[(u64, u64)]| {
            Histogram::from_buckets(min, max, buckets).expect_err("the buckets are invalid")
        };
        assert_eq!(error_of(1, 1, &[]), "it has no bucket");
        assert_eq!(error_of(256, 256, &[(256, 1)]), "no bucket ends at 256");
        assert_eq!(error_of(1, 2, &[(2, 1), (1, 1)]), "the bucket up to 1 is not in ascending order");
        assert_eq!(error_of(1, 2, &[(1, 1), (2, 0)]), "the bucket up to 2 is empty");
        assert!(error_of(1, 2, &[(1, u64::MAX), (2, 1)]).contains("more samples"));
        assert!(error_of(1, 3, &[(1, 1), (2, 1)]).contains("extremes"));
    }

    /// Samples of all magnitudes.
    fn samples() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(any::<u64>().prop_flat_map(|max| 0..=max >> (max % 60)), 0..300)
    }

    proptest! {
        #[test]
        fn percentiles_are_within_the_stated_error_of_the_sorted_samples(
            values in prop::collection::vec(any::<u64>().prop_flat_map(|max| 0..=max >> (max % 60)), 20..3_000),
            percent in 0.0..=100.0f64,
        ) {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let percentile = histogram(&values).percentile(percent);
            prop_assert_eq!(percentile.is_some(), values.len() as u64 >= samples_needed(percent));
            if let Some(percentile) = percentile {
                // The least sample that at least `percent` of the samples do not exceed.
                let share = (percent * 1_000.0).round() / 100_000.0;
                let rank_min = share * sorted.len() as f64 - 1e-9;
                let has_rank = |(index, _): &(usize, &u64)| (index + 1) as f64 >= rank_min;
                let exact = *sorted.iter().enumerate().find(has_rank).expect("a sample has this rank").1;
                prop_assert!(exact <= percentile && percentile - exact <= exact / 128, "{} for {}", percentile, exact);
            }
        }

        #[test]
        fn merging_gives_the_histogram_of_all_samples(a in samples(), b in samples()) {
            let mut merged = histogram(&a);
            merged.merge(&histogram(&b));
            prop_assert_eq!(&merged, &histogram(&[&a[..], &b[..]].concat()));
            let mut merged_in_reverse = histogram(&b);
            merged_in_reverse.merge(&histogram(&a));
            prop_assert_eq!(merged, merged_in_reverse);
        }

        #[test]
        fn buckets_hold_all_samples_and_give_the_histogram_again(values in samples()) {
            let histogram = histogram(&values);
            let buckets: Vec<Bucket> = histogram.buckets().collect();
            for bucket in &buckets {
                let count_within = values.iter().filter(|value| (bucket.min..=bucket.max).contains(*value)).count();
                prop_assert_eq!(count_within as u64, bucket.count);
            }
            prop_assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), values.len() as u64);
            if let (Some(min), Some(max)) = (histogram.min(), histogram.max()) {
                prop_assert_eq!((Some(&min), Some(&max)), (values.iter().min(), values.iter().max()));
                let pairs: Vec<(u64, u64)> = buckets.iter().map(|bucket| (bucket.max, bucket.count)).collect();
                prop_assert_eq!(Histogram::from_buckets(min, max, &pairs), Ok(histogram));
            }
        }
    }
}
