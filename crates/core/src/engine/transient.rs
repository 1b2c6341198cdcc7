//! The test for an initial transient that remains among the measured values: it determines whether the first values
//! have another level than the rest.
//!
//! The values are averaged in batches, and two models of a transient are compared with noise.
//!
//! - A *step*: at each split of the batches, the mean of the batches before it is compared with the mean of the batches
//!   after it. The noise is that of the longer of the two parts.
//! - A *line*: the batches rise or fall from the first to the last. The noise is that of the residuals.
//!
//! Each model explains a sum of squares. Divided by the variance of the noise, this sum is a squared number of standard
//! errors; the square is called `step` or `line` here. The variance is the Cramér–von Mises estimator with constant
//! weight (Goldsman, Kang and Seila 1999: 6/*m*² times the sum of the squares of the centred partial sums of *m*
//! batches; 15/*m*² for the residuals of a line). It does not assume that batches are independent. A transient remains
//! if step/140 + line/35 is more than 1. That holds for a step of twelve standard errors, for a line of six, and for a
//! smaller amount of both, as in an exponential approach to a level. A step or a line counts only if it changes the
//! mean of all values by more than 0.5 % of the mean, whichever end of the series is the steady one.
//!
//! The comparison of an early with a late part is that of Schruben (1982) and of Goldsman, Schruben and Swain (1994).
//! MSER (White 1997), which [`TimeSeries`](super::time_series::TimeSeries) implements, is not a test, since it always
//! removes some values. The bounds are chosen: fewer than one in two hundred series of independent batches reaches
//! them, which leaves a margin because successive batches of a queue near saturation are correlated. A pattern that
//! repeats a few times among the values counts as noise of the pattern's size.
//!
//! The test cannot find a level that does not change among the measured values: a run that ends before its caches are
//! warm shows only the cold level. Workloads check the caches for that ([`TransientTest::Filling`]).

use super::interval::mean;

/// Largest number of batches that are compared; if there are more, neighbours are joined.
const BATCHES_MAX: usize = 64;
/// Smallest number of batches that are compared.
const BATCHES_MIN: usize = 10;
/// Squared standard errors from which a step alone is a transient (chosen).
const STEP_SIGNIFICANCE_MIN: f64 = 140.0;
/// Squared standard errors from which a line alone is a transient (chosen).
const LINE_SIGNIFICANCE_MIN: f64 = 35.0;
/// Least error of the mean, as a fraction of the mean, for which a step or line counts (chosen).
const BIAS_MIN: f64 = 0.005;
/// Mean squares of the partial sums of independent batches: after subtraction of their mean, and after subtraction of
/// the line through them.
const PARTIAL_SUM_MEAN_SQUARES: [f64; 2] = [1.0 / 6.0, 1.0 / 15.0];

/// The result of the test for an initial transient.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TransientTest {
    /// There are too few values.
    TooShort,
    /// No transient is detected.
    Steady,
    /// The first values have another level than the rest.
    Transient(LevelShift),
    /// The values have one level, but caches were still being filled.
    Filling {
        /// The number of blocks that were fetched into cache frames for the first time while the last values were
        /// measured.
        blocks: u64,
        /// The number of those last values.
        values: u64,
    },
}

/// A change of level among values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelShift {
    /// Number of values, or length of time, before the change.
    pub first: u64,
    /// Mean of the values before the change.
    pub mean_before: f64,
    /// Mean of the values after the change.
    pub mean_after: f64,
}

impl TransientTest {
    /// Tests the means of successive batches, each of `width` values.
    pub fn new(means: &[f64], width: u64) -> TransientTest {
        let means_per_batch = means.len().div_ceil(BATCHES_MAX).max(1);
        let batches: Vec<f64> = means.chunks_exact(means_per_batch).map(mean).collect();
        if batches.len() < BATCHES_MIN {
            return TransientTest::TooShort;
        }
        let steps = (1..batches.len()).filter_map(|split| Step::after_batches(&batches, split));
        let (mut step_significance, mut likeliest_step) = (0.0, None::<Step>);
        for candidate in steps {
            step_significance = f64::max(step_significance, candidate.explained_squares / candidate.noise_variance);
            // The split that explains most of the variance is the likeliest point of change.
            if likeliest_step.as_ref().is_none_or(|best_step| candidate.explained_squares > best_step.explained_squares)
            {
                likeliest_step = Some(candidate);
            }
        }
        match likeliest_step.filter(|_| {
            step_significance / STEP_SIGNIFICANCE_MIN + slope_significance(&batches) / LINE_SIGNIFICANCE_MIN > 1.0
        }) {
            None => TransientTest::Steady,
            Some(Step { split, .. }) => TransientTest::Transient(LevelShift {
                first: (split * means_per_batch) as u64 * width,
                mean_before: mean(&batches[..split]),
                mean_after: mean(&batches[split..]),
            }),
        }
    }

    /// Returns whether a transient remains, or `None` if there are too few values.
    pub fn is_transient(&self) -> Option<bool> {
        match self {
            TransientTest::TooShort => None,
            TransientTest::Steady => Some(false),
            TransientTest::Transient(_) | TransientTest::Filling { .. } => Some(true),
        }
    }

    /// Returns the result in another unit, which is `unit` times the present one.
    pub fn in_units_of(self, unit: f64) -> TransientTest {
        match self {
            TransientTest::Transient(LevelShift { first, mean_before, mean_after }) => {
                TransientTest::Transient(LevelShift {
                    first,
                    mean_before: mean_before / unit,
                    mean_after: mean_after / unit,
                })
            }
            other => other,
        }
    }
}

/// A change of level between two batches.
struct Step {
    split: usize,
    /// Sum of squares that the step explains.
    explained_squares: f64,
    /// Variance of the noise.
    noise_variance: f64,
}

impl Step {
    /// Returns the step after the first `split` batches, or `None` if the step hardly changes the mean.
    fn after_batches(batches: &[f64], split: usize) -> Option<Step> {
        let (first_batches, last_batches) = batches.split_at(split);
        let difference = mean(first_batches) - mean(last_batches);
        let shorter_share = first_batches.len().min(last_batches.len()) as f64 / batches.len() as f64;
        if difference.abs() * shorter_share <= BIAS_MIN * mean(batches).abs() {
            return None;
        }
        let explained_squares =
            difference * difference * first_batches.len() as f64 * last_batches.len() as f64 / batches.len() as f64;
        let longer_part = if first_batches.len() > last_batches.len() { first_batches } else { last_batches };
        let longer_mean = mean(longer_part);
        let noise_variance_of_part = noise_variance(
            longer_part.iter().map(|batch| batch - longer_mean),
            longer_part.len(),
            PARTIAL_SUM_MEAN_SQUARES[0],
        );
        Some(Step { split, explained_squares, noise_variance: noise_variance_of_part })
    }
}

/// Returns the squared standard errors of the line through the batches; zero if the line hardly changes the mean.
fn slope_significance(batches: &[f64]) -> f64 {
    let (count, overall_mean) = (batches.len() as f64, mean(batches));
    let centred_batches =
        || batches.iter().zip(0..).map(|(batch, index)| (f64::from(index) - (count - 1.0) / 2.0, batch - overall_mean));
    let (squares, products) = centred_batches()
        .fold((0.0, 0.0), |(squares, products), (index, batch)| (squares + index * index, products + index * batch));
    let slope = products / squares;
    if slope.abs() * count / 4.0 <= BIAS_MIN * overall_mean.abs() {
        return 0.0;
    }
    slope * slope * squares
        / noise_variance(
            centred_batches().map(|(index, batch)| batch - slope * index),
            batches.len(),
            PARTIAL_SUM_MEAN_SQUARES[1],
        )
}

/// Returns the variance of the noise of `count` batches, which is the variance of their mean times their number.
/// `residuals` are the batches without their mean or line, and `mean_square` is the mean square of the partial sums of
/// many independent residuals of variance 1.
fn noise_variance(residuals: impl Iterator<Item = f64>, count: usize, mean_square: f64) -> f64 {
    let (mut partial_sum, mut squares) = (0.0, 0.0);
    for residual in residuals {
        partial_sum += residual;
        squares += partial_sum * partial_sum;
    }
    squares / mean_square / count as f64 / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng::{self, RandomStream};
    use rand::RngExt;

    /// Returns correlated noise between -1 and 1: each value contains the fraction `correlation` of the previous one.
    fn correlated_noise(random: &mut RandomStream, correlation: f64, count: usize) -> Vec<f64> {
        let mut last = 0.0;
        let mut draw = || {
            last = correlation * last + (1.0 - correlation) * random.random_range(-1.0..1.0);
            last
        };
        (0..100).for_each(|_| {
            draw();
        });
        (0..count).map(|_| draw()).collect()
    }

    /// Returns the number of series among 200 in which the test reports a transient. Value `index` of the `count`
    /// values of a series is `level(index)` plus noise of `amplitude`.
    fn count_reports(correlation: f64, amplitude: f64, count: usize, level: impl Fn(usize) -> f64) -> usize {
        let reports_transient = |seed: &u64| {
            let mut random = rng::stream(*seed, "a series with noise");
            let noise = correlated_noise(&mut random, correlation, count);
            let values: Vec<f64> =
                noise.iter().enumerate().map(|(index, noise)| level(index) + amplitude * noise).collect();
            TransientTest::new(&values, 1).is_transient().expect("the series has enough values")
        };
        (0..200).filter(reports_transient).count()
    }

    #[test]
    fn fewer_than_one_steady_series_in_twenty_is_reported_as_transient() {
        for count in [20, 50, 200, 1_000] {
            assert!(count_reports(0.0, 30.0, count, |_| 100.0) <= 2, "independent, {count}");
            assert!(count_reports(0.5, 30.0, count, |_| 100.0) < 10, "correlated, {count}");
        }
        for count in [200, 1_000] {
            assert!(count_reports(0.9, 30.0, count, |_| 100.0) < 10, "much correlated, {count}");
        }
    }

    #[test]
    fn an_initial_transient_is_found_at_its_end() {
        for (first, count) in [(20, 200), (100, 200), (160, 200), (300, 1_000)] {
            let step = |index| if index < first { 130.0 } else { 100.0 };
            assert!(count_reports(0.0, 10.0, count, step) >= 190, "{first} of {count}");
            let values: Vec<f64> = (0..count).map(step).collect();
            let TransientTest::Transient(shift) = TransientTest::new(&values, 5) else { panic!("{first} of {count}") };
            let batch_values = 5 * count.div_ceil(BATCHES_MAX) as u64;
            assert!(shift.first.abs_diff(5 * first as u64) < batch_values, "{shift:?}");
            assert!(shift.mean_before > 125.0 && shift.mean_after < 105.0, "{shift:?}");
        }
    }

    #[test]
    fn a_level_that_declines_or_is_approached_is_a_transient() {
        for length in [20.0, 100.0, 150.0, 200.0, 1_000.0] {
            let decline = |index| 100.0 + 30.0 * f64::max(0.0, 1.0 - index as f64 / length);
            assert!(count_reports(0.0, 5.0, 200, decline) >= 190, "{length}");
        }
        for constant in [10.0, 30.0, 60.0, 70.0, 100.0, 300.0] {
            let approach = |index| 100.0 - 30.0 * libm::exp(-(index as f64) / constant);
            let values: Vec<f64> = (0..200).map(approach).collect();
            assert_eq!(TransientTest::new(&values, 1).is_transient(), Some(true), "{constant}");
        }
    }

    #[test]
    fn constant_and_periodic_series_are_steady() {
        let assert_steady = |count: usize, level: &dyn Fn(usize) -> f64| {
            let values: Vec<f64> = (0..count).map(level).collect();
            assert_eq!(TransientTest::new(&values, 1), TransientTest::Steady, "{count}: {values:?}");
        };
        for count in [20, 50, 200, 999, 1_024] {
            assert_steady(count, &|_| 7.0);
            assert_steady(count, &|index| [1.0, 1.2][index % 2]);
            assert_steady(count, &|index| if index % 16 == 3 { 1.3 } else { 1.0 });
        }
        // A closed loop whose queue empties at once and fills again, three times or more.
        for (count, phase) in [(200, 0), (200, 17), (200, 40), (500, 5), (1_000, 60)] {
            assert_steady(count, &|index| 10_000.0 + 60.0 * ((index + phase) % 64) as f64);
        }
    }

    #[test]
    fn a_small_or_short_difference_is_no_transient() {
        let values: Vec<f64> = (0..200).map(|index| if index < 100 { 100.0 } else { 100.9 }).collect();
        assert_eq!(TransientTest::new(&values, 1), TransientTest::Steady);
        let short_shift: Vec<f64> = (0..1_000).map(|index| if index < 3 { 200.0 } else { 100.0 }).collect();
        assert_eq!(TransientTest::new(&short_shift, 1), TransientTest::Steady);
    }

    #[test]
    fn few_values_are_too_short_to_test() {
        assert_eq!(TransientTest::new(&[], 1).is_transient(), None);
        assert_eq!(TransientTest::new(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0], 1), TransientTest::TooShort);
    }
}
