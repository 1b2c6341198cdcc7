//! Replications of a run with several seeds: the mean of each metric and its 95 % confidence interval.
//!
//! Runs with different seeds are independent. The interval is therefore computed by Student's t distribution over one
//! value per run (independent replications). The intervals of a metric within one run are not used.
//!
//! Extremes, percentiles and numbers of samples are those of the samples of all runs together, from merged histograms.
//! The interval of a percentile is computed from the percentiles of single runs, about the percentile of all samples,
//! if each run has such a percentile (sectioning; Nakayama, "Confidence Intervals for Quantiles Using Sectioning When
//! Applying Variance-Reduction Techniques", ACM TOMACS 24(4), 2014); extremes and counts have no interval.

use super::distribution::merge_by_name;
use super::reader::Reader;
use super::sweep::{self, POINTS_MAX};
use super::vary::{self, Dimension, Vary};
use super::{ResultRow, record};
use crate::report::grouped;
use narrows_core::engine::histogram::PERCENTILES;
use narrows_core::engine::{Distribution, interval};
use narrows_core::text::Problem;
use serde_json::{Map, Value as Json, json};

/// The largest number of seeds.
pub const SEEDS_MAX: u64 = 10_000;

/// The key that is varied.
pub const SEED_KEY: &str = "run.seed";

/// Returns the key of the seed with `count` consecutive values, from `first` on.
pub fn seed_values(first: u64, count: u64) -> Vary {
    let values = (0..count).map(|seed| first.wrapping_add(seed).to_string()).collect();
    Vary { key: SEED_KEY.to_owned(), values }
}

/// Returns the seeds as one more dimension of a sweep. They start with the seed of the sweep's first point.
///
/// # Errors
///
/// Reports a sweep that itself varies the seed, or has more than `POINTS_MAX` runs.
pub fn dimension(reader: Reader<'_>, dimensions: &[Dimension], count: u64) -> Result<Dimension, Problem> {
    let key_names = |key: &str| vary::key_names(&format!("{key}=0")).ok();
    let mut varies = dimensions.iter().flat_map(|dimension| &dimension.varies);
    if varies.any(|vary| key_names(&vary.key) == key_names(SEED_KEY)) {
        let problem = Problem::new("both --vary and --seeds vary `run.seed`");
        return Err(problem.help("leave out one of the two"));
    }
    let point_count: usize = dimensions.iter().map(Dimension::len).product();
    if point_count.saturating_mul(count as usize) > POINTS_MAX {
        let problem = Problem::new(format!("the sweep has more than {POINTS_MAX} runs"));
        return Err(problem.help("vary fewer values, or take fewer seeds"));
    }
    let first_point = sweep::settings(&sweep::values_of(dimensions, 0));
    // The problems of the first point are reported together with those of all points.
    let seed = reader(&first_point).map_or(0, |description| description.value.run.seed);
    Ok(seed_values(seed, count).into())
}

/// The statistics of a metric over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplicatedMetric {
    /// The name of the metric.
    pub name: String,
    /// The unit of the metric.
    pub unit: String,
    /// The mean of the metric, or the statistic of all samples; NaN if it was not measured.
    pub value: f64,
    /// Half the width of the 95 % confidence interval, if at least two runs measured the metric.
    pub half_width: Option<f64>,
    /// The number of runs that measured the metric.
    pub runs: usize,
}

/// Returns the distributions of all samples of those runs whose latencies can be compared.
pub fn distributions(results: &[&ResultRow]) -> Vec<Distribution> {
    let have_same_outcome = have_same_outcome(results);
    let is_pooled =
        |result: &&ResultRow, distribution: &&Distribution| is_counted(result, have_same_outcome, &distribution.name);
    merge_by_name(
        results
            .iter()
            .flat_map(|result| result.distributions.iter().filter(move |distribution| is_pooled(result, distribution))),
    )
}

/// Returns whether all runs have the same outcome.
fn have_same_outcome(results: &[&ResultRow]) -> bool {
    results.windows(2).all(|pair| pair[0].outcome == pair[1].outcome)
}

/// Returns whether the metric or distribution `name` of a run is included in the statistics over all runs. If only some
/// runs are saturated, their latencies are left out, since these grow with the length of the run.
fn is_counted(result: &ResultRow, have_same_outcome: bool, name: &str) -> bool {
    have_same_outcome || record::is_comparable(&result.outcome, name)
}

/// Returns the statistics of all metrics of the runs, in the order in which the metrics first appear. `distributions`
/// are those of all samples of the runs.
///
/// A statistic is computed over the runs that measured the metric. Runs that did not complete are left out, including
/// their counts. If only some runs are saturated, their latencies are left out, since these grow with the length of the
/// run.
pub fn metrics(results: &[&ResultRow], distributions: &[Distribution]) -> Vec<ReplicatedMetric> {
    let have_same_outcome = have_same_outcome(results);
    let pooled_statistics: Vec<PooledStatistic> = distributions
        .iter()
        .flat_map(|distribution| PooledStatistic::statistics(distribution, results, have_same_outcome))
        .collect();
    let measurements = results.iter().flat_map(|result| {
        let measurement = |(name, value, unit): (_, f64, _)| {
            let is_counted = is_counted(result, have_same_outcome, name) && !value.is_nan();
            (name, (unit, is_counted.then_some(value)))
        };
        result.metrics().map(measurement)
    });
    let replicated_metric = |(name, measurements): (&str, Vec<(&str, Option<f64>)>)| {
        let unit = measurements[0].0;
        let values: Vec<f64> = measurements.into_iter().filter_map(|(_, value)| value).collect();
        let (value, half_width, runs) = match pooled_statistics.iter().find(|statistic| statistic.name == name) {
            Some(statistic) => (statistic.value, statistic.half_width(&values), statistic.runs),
            None => (interval::mean(&values), interval::half_width(&values), values.len()),
        };
        ReplicatedMetric { name: name.to_owned(), unit: unit.to_owned(), value, half_width, runs }
    };
    grouped(measurements).into_iter().map(replicated_metric).collect()
}

/// A statistic over the samples of several runs.
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
    fn statistics(
        distribution: &Distribution,
        results: &[&ResultRow],
        have_same_outcome: bool,
    ) -> Vec<PooledStatistic> {
        let has_samples = |result: &&&ResultRow| {
            let has_distribution = result.distributions.iter().any(|candidate| candidate.name == distribution.name);
            has_distribution && is_counted(result, have_same_outcome, &distribution.name)
        };
        let runs_with_samples = results.iter().filter(has_samples).count();
        let statistic = |(suffix, value): (&str, f64)| PooledStatistic {
            name: format!("{}{suffix}", distribution.name),
            value,
            is_percentile: PERCENTILES.iter().any(|(percentile, _)| *percentile == suffix),
            runs: if value.is_nan() { 0 } else { runs_with_samples },
        };
        distribution.statistics().into_iter().map(statistic).collect()
    }

    /// Returns half the width of the 95 % confidence interval, from the values of single runs.
    fn half_width(&self, values: &[f64]) -> Option<f64> {
        let all_runs_measured_it = self.is_percentile && values.len() == self.runs;
        interval::half_width_about(self.value, values).filter(|_| all_runs_measured_it)
    }
}

/// Returns the common outcome of the runs, or the number of runs with each outcome.
pub fn outcomes(results: &[&ResultRow]) -> String {
    let counts = outcome_counts(results);
    match &counts[..] {
        [(outcome, _)] => outcome.clone(),
        several => several.iter().map(|(outcome, runs)| format!("{outcome} {runs}")).collect::<Vec<_>>().join(", "),
    }
}

/// Returns each outcome and the number of runs that had it, in the order in which they first appear.
pub fn outcome_counts(results: &[&ResultRow]) -> Vec<(String, usize)> {
    let runs_by_outcome = grouped(results.iter().map(|result| (&*result.outcome, ())));
    runs_by_outcome.into_iter().map(|(outcome, runs)| (outcome.to_owned(), runs.len())).collect()
}

/// Returns the metrics as JSON: by name, `value` (the mean, or the statistic of all samples), `ci95` (half the width
/// of the interval), `unit` and `runs`.
pub fn json(metrics: &[ReplicatedMetric]) -> Json {
    let json_entry = |metric: &ReplicatedMetric| {
        let ReplicatedMetric { name, unit, value, half_width, runs } = metric;
        (name.clone(), json!({ "value": value, "ci95": half_width, "unit": unit, "runs": runs }))
    };
    Json::Object(metrics.iter().map(json_entry).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Record;

    fn row(outcome: &str, latency: Option<f64>) -> ResultRow {
        let metrics = json!({
            "x.latency": { "value": latency, "unit": "us" },
            "x.accepted": { "value": 2.0, "unit": "MB/s" },
            "x.packets": { "value": 7.0, "unit": "" },
        });
        let record = json!({
            "outcome": outcome, "metrics": metrics, "ledger": {}, "machine": {}, "seed": 1, "version": "", "hash": "",
        });
        ResultRow::new(&Record::parse(&record.to_string()).expect("the record is complete"))
    }

    fn runs_and_value(rows: &[ResultRow], name: &str) -> (usize, f64) {
        let metrics_of_rows = metrics(&rows.iter().collect::<Vec<_>>(), &[]);
        let metric = metrics_of_rows.iter().find(|metric| metric.name == name).expect("the metric exists");
        (metric.runs, metric.value)
    }

    #[test]
    fn means_are_over_runs_that_can_be_compared() {
        let mixed = [row("done", Some(1.0)), row("saturated", Some(100.0)), row("deadlock", None)];
        assert_eq!(
            runs_and_value(&mixed, "x.latency"),
            (1, 1.0),
            "the latency of a saturated run grows with its length"
        );
        assert_eq!(runs_and_value(&mixed, "x.accepted"), (2, 2.0), "the rate of a saturated run is compared");
        assert_eq!(runs_and_value(&mixed, "x.packets").0, 2, "the counts of an incomplete run are left out");
        assert_eq!(
            runs_and_value(&[row("saturated", Some(10.0)), row("saturated", Some(30.0))], "x.latency"),
            (2, 20.0)
        );
    }
}
