//! Bisection for the value of a key at which a metric crosses a threshold, or another machine's metric.
//!
//! The search assumes a single crossing; if there are several, it finds one of them. A range without steps is halved
//! until its ends are adjacent or within a thousandth of each other.
//!
//! A run that did not complete measured nothing, so the search stops at that point: it reports the run, and keeps the
//! interval that it has reached. The latency of a saturated run grows with the length of the run, so it counts as
//! larger than every threshold.

mod condition;
mod longer_run;
mod query;
mod search_range;

pub use condition::Condition;
pub use longer_run::LongerRun;
pub use query::{FindQuery, FoundRow, PointValues, SearchContext, undecided_reason};
pub use search_range::SearchRange;

use super::inputs::RunInputs;
use super::points::PointStore;
use super::reader::Reader;
use super::record;
use super::result_row::ResultRow;
use super::sweep::{SweepEvent, run::find_or_run, settings};
use narrows_core::engine::current_metric_name;
use narrows_core::engine::histogram::{PERCENTILES, samples_needed};
use narrows_core::text::Problems;
use std::io;
use std::sync::Arc;

/// The comparison whose result changes at the crossing.
#[derive(Clone, Copy)]
pub enum Comparison<'a> {
    /// The metric is compared with a constant.
    WithValue(&'a Condition),
    /// The metric of this name is compared with the same metric of another description.
    WithMachine(&'a str, Reader<'a>),
}

/// The search at one point of a sweep.
pub struct Search<'a> {
    /// The reader of the description.
    pub reader: Reader<'a>,
    /// The keys and values of the point.
    pub values: &'a [(String, String)],
    /// The key that is searched over, and its range.
    pub range: &'a SearchRange,
    /// The comparison whose change is searched for.
    pub comparison: Comparison<'a>,
    /// The store of finished runs.
    pub store: Option<&'a PointStore>,
    /// The function that is called for each run.
    pub on_event: &'a (dyn Fn(SweepEvent) + Sync),
}

/// The comparison at one value of the key.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The value of the key.
    pub value: String,
    /// The metric; `None` if it was not measured, or grows with the length of the run.
    pub metric: Option<f64>,
    /// The metric of the other description.
    pub other: Option<f64>,
    /// Whether the condition holds; if two descriptions are compared, whether the metric of the first is less than that
    /// of the second.
    pub holds: bool,
    /// Whether the comparison has a result.
    pub is_decided: bool,
    /// The outcome of the run.
    pub outcome: String,
    /// The outcome of the run of the other description.
    pub other_outcome: Option<String>,
    /// The reason for which the comparison has no result.
    pub reason: Option<String>,
    /// Whether the run, or that of the other description, has an initial transient; `None` if neither was tested.
    pub is_transient: Option<bool>,
    /// The sentences that describe the initial transients of these runs.
    pub transient_findings: Vec<String>,
}

/// The result of a search: the last interval, or the whole range if the comparison has the same result at both ends.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct MetricCrossing {
    /// The probe at the lower end.
    pub low_probe: Probe,
    /// The probe at the upper end.
    pub high_probe: Probe,
    /// The probe at which the search stopped because its comparison has no result.
    pub stopped_at: Option<Probe>,
    /// The number of values that were run.
    pub probes: usize,
    /// The run at the found value with four times the messages, if the loop is open and has a number of messages.
    pub longer_run: Option<LongerRun>,
}

/// The reason why a search failed.
pub enum FindError {
    /// The description is invalid with these values.
    Invalid(Vec<(String, String)>, Problems),
    /// A result could not be stored.
    Store(io::Error),
}

impl MetricCrossing {
    /// Returns whether the comparison changes between `low_probe` and `high_probe`.
    pub fn is_between(&self) -> bool {
        self.is_decided() && self.low_probe.holds != self.high_probe.holds
    }

    /// Returns whether the comparison has a result at both ends.
    pub fn is_decided(&self) -> bool {
        self.low_probe.is_decided && self.high_probe.is_decided
    }

    /// Returns those probes at the ends of the interval whose runs have an initial transient. Their metrics are not
    /// those of a steady state, so the crossing depends on the length of the runs.
    pub fn transients(&self) -> impl Iterator<Item = &Probe> {
        [&self.low_probe, &self.high_probe].into_iter().filter(|probe| probe.is_transient == Some(true))
    }

    /// Returns the probes whose comparison has no result.
    pub fn undecided(&self) -> impl Iterator<Item = &Probe> {
        [&self.low_probe, &self.high_probe].into_iter().chain(&self.stopped_at).filter(|probe| !probe.is_decided)
    }
}

/// Returns the reason for which a percentile has no value, if it has too few samples.
fn missing_samples_reason(row: &ResultRow, name: &str) -> Option<String> {
    let name = current_metric_name(name);
    let (base, percent) =
        PERCENTILES.iter().find_map(|(suffix, percent)| Some((name.strip_suffix(suffix)?, *percent)))?;
    let samples = row.metric(&format!("{base}_samples"))?.0 as u64;
    let needed = samples_needed(percent);
    let missing = needed.checked_sub(samples).filter(|missing| *missing > 0)?;
    Some(format!("`{name}` has no value with fewer than {needed} samples: the run has {samples}, {missing} too few"))
}

/// A metric of one run, in the form in which the search compares it.
struct Measurement {
    outcome: String,
    /// The metric; infinite if it grows with the length of the run, `None` if it was not measured.
    value: Option<f64>,
    /// The reason for which the metric was not measured.
    reason: Option<String>,
    /// Whether the run has an initial transient, or `None` if it was not tested.
    is_transient: Option<bool>,
    /// The sentences that describe the initial transient.
    transient_finding: Option<String>,
}

impl Measurement {
    fn new(row: &ResultRow, name: &str) -> Measurement {
        let measured = row.metric(name).map(|(value, _)| value).filter(|value| !value.is_nan());
        let value = match (row.is_complete(), record::is_comparable(&row.outcome, name)) {
            (false, _) => None,
            (true, false) => Some(f64::INFINITY),
            (true, true) => measured,
        };
        let unmeasured = || match row.is_complete() {
            true => missing_samples_reason(row, name).unwrap_or_else(|| format!("no value of `{name}` was measured")),
            false => row.verdict(),
        };
        Measurement {
            outcome: row.outcome.to_string(),
            reason: value.is_none().then(unmeasured),
            value,
            is_transient: row.is_transient(),
            transient_finding: row.transient_finding.as_deref().map(str::to_owned),
        }
    }

    /// Returns the metric, if it is bounded.
    fn bounded_value(&self) -> Option<f64> {
        self.value.filter(|value| value.is_finite())
    }
}

impl Search<'_> {
    /// Runs the bisection.
    pub fn run(&self) -> Result<MetricCrossing, FindError> {
        let (mut low, mut high) = self.range.first_and_last();
        let probe_at = |position| self.probe(self.range.value(position), &[]);
        let (low_probe, high_probe) = rayon::join(|| probe_at(low), || probe_at(high));
        let (low_probe, high_probe) = (low_probe?, high_probe?);
        let mut crossing = MetricCrossing { low_probe, high_probe, stopped_at: None, probes: 2, longer_run: None };
        while crossing.is_between()
            && let Some(middle) = self.range.position_between(low, high)
        {
            let probe = probe_at(middle)?;
            crossing.probes += 1;
            if !probe.is_decided {
                crossing.stopped_at = Some(probe);
                break;
            }
            match probe.holds == crossing.low_probe.holds {
                true => (low, crossing.low_probe) = (middle, probe),
                false => (high, crossing.high_probe) = (middle, probe),
            }
        }
        crossing.longer_run = self.longer_run(&crossing)?;
        Ok(crossing)
    }

    /// Compares at a value of the key, with the settings `more`.
    fn probe(&self, value: String, more: &[(String, String)]) -> Result<Probe, FindError> {
        let values = [self.values, more, &[(self.range.key.clone(), value.clone())]].concat();
        let name = match self.comparison {
            Comparison::WithValue(condition) => condition.metric.as_str(),
            Comparison::WithMachine(name, _) => name,
        };
        let measurement = Measurement::new(&*self.result(self.reader, &values)?, name);
        let other_measurement = match self.comparison {
            Comparison::WithValue(_) => None,
            Comparison::WithMachine(_, other) => Some(Measurement::new(&*self.result(other, &values)?, name)),
        };
        let holds = match (self.comparison, measurement.value, other_measurement.as_ref().and_then(|other| other.value))
        {
            (Comparison::WithValue(condition), Some(metric), _) => Some(condition.holds(metric)),
            (Comparison::WithMachine(..), Some(metric), Some(other_metric))
                if metric.is_finite() || other_metric.is_finite() =>
            {
                Some(metric < other_metric)
            }
            _ => None,
        };
        let reason =
            measurement.reason.clone().or_else(|| other_measurement.as_ref().and_then(|other| other.reason.clone()));
        let reason =
            reason.or_else(|| holds.is_none().then(|| format!("`{name}` grows in both runs: they are saturated")));
        let measurements = || [Some(&measurement), other_measurement.as_ref()].into_iter().flatten();
        Ok(Probe {
            value,
            is_transient: measurements().filter_map(|run| run.is_transient).reduce(|first, second| first || second),
            transient_findings: measurements().filter_map(|run| run.transient_finding.clone()).collect(),
            metric: measurement.bounded_value(),
            other: other_measurement.as_ref().and_then(Measurement::bounded_value),
            holds: holds.unwrap_or(false),
            is_decided: holds.is_some(),
            outcome: measurement.outcome,
            other_outcome: other_measurement.map(|other| other.outcome),
            reason,
        })
    }

    fn result(&self, reader: Reader<'_>, values: &[(String, String)]) -> Result<Arc<ResultRow>, FindError> {
        let description =
            reader(&settings(values)).map_err(|problems| FindError::Invalid(values.to_vec(), problems))?;
        let inputs = RunInputs::new(description);
        let result = find_or_run(&inputs.hash(), self.store, self.on_event, || Ok(inputs)).map_err(FindError::Store)?;
        Ok(result.expect("the inputs are unchanged since they were hashed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Record;
    use crate::experiment::loaded_description::LoadedDescription;
    use narrows_core::engine::Recorder;
    use narrows_core::machine::Registry;

    #[test]
    fn percentile_without_a_value_names_the_missing_samples() {
        let description = LoadedDescription::example(Registry::shared(), "ping-pong").expect("the example exists");
        let overrides = ["workload.ping-pong.messages=20", "workload.ping-pong.warm-up=0"].map(str::to_owned);
        let read = description.read(&overrides).expect("the description is valid");
        let row = ResultRow::new(&Record::new(&read, &crate::experiment::run(&read.value, Recorder::off())));
        let measurement = Measurement::new(&row, "message.latency_one_way_p99");
        let reason = measurement.reason.expect("the percentile has no value");
        assert!(reason.contains("fewer than 1000 samples") && reason.ends_with(" too few"), "{reason}");
        assert_eq!(Measurement::new(&row, "message.latency_one_way").reason, None);
    }
}
