//! Replications of a run with several seeds: the mean of each metric and its 95 % confidence interval.
//!
//! Runs with different seeds are independent, so the interval is Student's t over one value per run (independent
//! replications). The intervals that a metric has within one run are not used.
//!
//! Extremes, percentiles and numbers of samples are those of the samples of all runs together, from merged
//! histograms. The interval of a percentile is that of the runs' own percentiles about the one of all samples, if
//! each run has one (sectioning; Nakayama, "Confidence Intervals for Quantiles Using Sectioning When Applying
//! Variance-Reduction Techniques", ACM TOMACS 24(4), 2014); extremes and counts have none.

use super::ResultRow;
use super::distribution::merged;
use super::reader::Reader;
use super::sweep::POINTS_MAX;
use super::vary::{self, Dimension, Vary};
use narrows_core::engine::histogram::PERCENTILES;
use narrows_core::engine::{Distribution, interval};
use narrows_core::text::Problem;
use serde_json::{Map, Value as Json, json};

/// The largest number of seeds.
pub const SEEDS_MAX: u64 = 10_000;

/// The key that is varied.
pub const KEY: &str = "run.seed";

/// Returns consecutive values of the seed, from `first` on.
pub fn seed_values(first: u64, seeds: u64) -> Vary {
    let values = (0..seeds).map(|seed| first.wrapping_add(seed).to_string()).collect();
    Vary { key: KEY.to_owned(), values }
}

/// Returns the seeds as one more dimension of a sweep, from the seed of its first point on.
///
/// # Errors
///
/// Reports a sweep that varies the seed itself, or has more than `POINTS_MAX` runs.
pub fn dimension(reader: Reader<'_>, dimensions: &[Dimension], count: u64) -> Result<Dimension, Problem> {
    let names = |key: &str| vary::names(&format!("{key}=0")).ok();
    let varies = dimensions.iter().flat_map(|dimension| &dimension.varies);
    if varies.clone().any(|vary| names(&vary.key) == names(KEY)) {
        let problem = Problem::new("both --vary and --seeds vary `run.seed`");
        return Err(problem.help("leave out one of the two"));
    }
    let points: usize = dimensions.iter().map(Dimension::len).product();
    if points.saturating_mul(count as usize) > POINTS_MAX {
        let problem = Problem::new(format!("the sweep has more than {POINTS_MAX} runs"));
        return Err(problem.help("vary fewer values, or take fewer seeds"));
    }
    let first: Vec<String> = varies.map(|vary| format!("{}={}", vary.key, vary.values[0])).collect();
    // The problems of the first point are reported together with those of all points.
    let seed = reader(&first).map_or(0, |read| read.value.run.seed);
    Ok(seed_values(seed, count).into())
}

/// The statistics of a metric over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Replicated {
    /// The name of the metric.
    pub name: String,
    /// The unit of the metric.
    pub unit: String,
    /// The mean, or the statistic of all samples; NaN if it was not measured.
    pub value: f64,
    /// Half the width of the 95 % confidence interval, if at least two runs measured the metric.
    pub half_width: Option<f64>,
    /// The number of runs that measured the metric.
    pub runs: usize,
}

/// Returns the distributions of all samples of the runs.
pub fn distributions(results: &[&ResultRow]) -> Vec<Distribution> {
    merged(results.iter().flat_map(|result| &result.distributions))
}

/// Returns the statistics of all metrics of the runs, in the order in which the metrics first appear; `distributions`
/// are those of all samples of the runs.
pub fn metrics(results: &[&ResultRow], distributions: &[Distribution]) -> Vec<Replicated> {
    let pooled: Vec<PooledStatistic> =
        distributions.iter().flat_map(|one| PooledStatistic::all(one, results)).collect();
    let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    for (name, value, unit) in results.iter().flat_map(|result| &result.metrics) {
        let at = all.iter().position(|(known, ..)| *known == &**name).unwrap_or_else(|| {
            all.push((name, unit, Vec::new()));
            all.len() - 1
        });
        all[at].2.extend(Some(*value).filter(|value| !value.is_nan()));
    }
    let replicated = |(name, unit, values): (&str, &str, Vec<f64>)| {
        let (value, half_width, runs) = match pooled.iter().find(|statistic| statistic.name == name) {
            Some(statistic) => (statistic.value, statistic.half_width(&values), statistic.runs),
            None => (interval::mean(&values), interval::half_width(&values), values.len()),
        };
        Replicated { name: name.to_owned(), unit: unit.to_owned(), value, half_width, runs }
    };
    all.into_iter().map(replicated).collect()
}

/// A statistic of the samples of several runs.
struct PooledStatistic {
    /// The name of the metric.
    name: String,
    value: f64,
    is_percentile: bool,
    /// The number of runs with samples, or 0 if the statistic is not known.
    runs: usize,
}

impl PooledStatistic {
    /// Returns the statistics of a distribution that was merged from `results`.
    fn all(distribution: &Distribution, results: &[&ResultRow]) -> Vec<PooledStatistic> {
        let has_samples = |result: &&&ResultRow| result.distributions.iter().any(|one| one.name == distribution.name);
        let with_samples = results.iter().filter(has_samples).count();
        let statistic = |(suffix, value): (&str, f64)| PooledStatistic {
            name: format!("{}{suffix}", distribution.name),
            value,
            is_percentile: PERCENTILES.iter().any(|(percentile, _)| *percentile == suffix),
            runs: if value.is_nan() { 0 } else { with_samples },
        };
        distribution.statistics().into_iter().map(statistic).collect()
    }

    /// Returns half the width of the 95 % confidence interval, from the values of single runs.
    fn half_width(&self, values: &[f64]) -> Option<f64> {
        let is_in_all = self.is_percentile && values.len() == self.runs;
        interval::half_width_about(self.value, values).filter(|_| is_in_all)
    }
}

/// Returns the common outcome of the runs, or the number of runs with each outcome.
pub fn outcomes(results: &[&ResultRow]) -> String {
    let counts = counts(results);
    match &counts[..] {
        [(outcome, _)] => outcome.clone(),
        several => several.iter().map(|(outcome, runs)| format!("{outcome} {runs}")).collect::<Vec<_>>().join(", "),
    }
}

/// Returns each outcome and the number of runs that had it, in the order in which they first appear.
pub fn counts(results: &[&ResultRow]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for outcome in results.iter().map(|result| &*result.outcome) {
        match counts.iter_mut().find(|(known, _)| known == outcome) {
            Some((_, runs)) => *runs += 1,
            None => counts.push((outcome.to_owned(), 1)),
        }
    }
    counts
}

/// Returns the metrics as JSON: by name, `value` (the mean, or the statistic of all samples), `ci95` (half the width
/// of the interval), `unit` and `runs`.
pub fn json(metrics: &[Replicated]) -> Json {
    let one = |metric: &Replicated| {
        let Replicated { name, unit, value, half_width, runs } = metric;
        (name.clone(), json!({ "value": value, "ci95": half_width, "unit": unit, "runs": runs }))
    };
    Json::Object(metrics.iter().map(one).collect::<Map<_, _>>())
}
