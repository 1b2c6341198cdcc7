//! Replications of a run with several seeds: the mean of each metric and its 95 % confidence interval.
//!
//! Runs with different seeds are independent, so the interval is Student's t over one value per run (independent
//! replications). The intervals that a metric has within one run are not used.

use super::reader::Reader;
use super::sweep::POINTS_MAX;
use super::vary::{self, Dimension, Vary};
use super::{ResultRow, record};
use narrows_core::engine::interval;
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
    /// The mean; NaN if no run measured the metric.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval, if at least two runs measured the metric.
    pub half_width: Option<f64>,
    /// The number of runs that measured the metric.
    pub runs: usize,
}

/// Returns the statistics of all metrics of the runs, in the order in which the metrics first appear.
///
/// They are over the runs that measured the metric. Runs that did not complete measured none; their counts are left out,
/// too. Where only some runs are saturated, their latencies are left out, since these grow with the length of the run.
pub fn metrics(results: &[&ResultRow]) -> Vec<Replicated> {
    let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    let are_alike = results.iter().all(|result| result.outcome == results[0].outcome);
    let pairs = results.iter().flat_map(|&result| result.metrics.iter().map(move |metric| (result, metric)));
    for (result, (name, value, unit)) in pairs {
        let is_counted = are_alike || record::is_comparable(&result.outcome, name);
        let at = all.iter().position(|(known, ..)| *known == &**name).unwrap_or_else(|| {
            all.push((name, unit, Vec::new()));
            all.len() - 1
        });
        all[at].2.extend(Some(*value).filter(|value| is_counted && !value.is_nan()));
    }
    let replicated = |(name, unit, values): (&str, &str, Vec<f64>)| Replicated {
        name: name.to_owned(),
        unit: unit.to_owned(),
        mean: interval::mean(&values),
        half_width: interval::half_width(&values),
        runs: values.len(),
    };
    all.into_iter().map(replicated).collect()
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

/// Returns the metrics as JSON: by name, `value` (the mean), `ci95` (half the width of the interval), `unit` and
/// `runs`.
pub fn json(metrics: &[Replicated]) -> Json {
    let one = |metric: &Replicated| {
        let Replicated { name, unit, mean, half_width, runs } = metric;
        (name.clone(), json!({ "value": mean, "ci95": half_width, "unit": unit, "runs": runs }))
    };
    Json::Object(metrics.iter().map(one).collect::<Map<_, _>>())
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
        ResultRow::of(&Record::parse(&record.to_string()).expect("a record"))
    }

    fn runs(rows: &[ResultRow], name: &str) -> (usize, f64) {
        let all = metrics(&rows.iter().collect::<Vec<_>>());
        let metric = all.iter().find(|metric| metric.name == name).expect("a metric");
        (metric.runs, metric.mean)
    }

    #[test]
    fn means_are_over_runs_that_can_be_compared() {
        let mixed = [row("done", Some(1.0)), row("saturated", Some(100.0)), row("deadlock", None)];
        assert_eq!(runs(&mixed, "x.latency"), (1, 1.0), "the latency of a saturated run grows with its length");
        assert_eq!(runs(&mixed, "x.accepted"), (2, 2.0), "its rate is a result");
        assert_eq!(runs(&mixed, "x.packets").0, 2, "counts so far are no counts of whole runs");
        assert_eq!(runs(&[row("saturated", Some(10.0)), row("saturated", Some(30.0))], "x.latency"), (2, 20.0));
    }
}
