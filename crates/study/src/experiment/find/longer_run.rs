//! The repetition of a found value with more messages. In an open loop a queue may grow so slowly that a short run does
//! not show it, so that a condition holds with some messages and fails with more.

use super::{Comparison, FindError, MetricCrossing, Probe, Search};
use crate::experiment::constants;
use crate::experiment::sweep::settings;
use narrows_core::text::Meaning;

/// The factor by which the run is longer (chosen: the mean waiting time of a queue that grows without bound is then
/// about four times as long).
const LENGTH_FACTOR: u64 = 4;

/// The largest relative difference of the metric at which the answer counts as independent of the length (chosen: a
/// 99th percentile of 10 000 messages differs by a tenth between seeds, and a queue that grows without bound adds a
/// multiple).
const STABLE_DIFFERENCE_MAX: f64 = 0.25;

/// The run at the found value with more messages.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LongerRun {
    /// The key of the number of messages, or of cycles.
    pub key: String,
    /// The value of the key in this run: four times that of the search.
    pub value: String,
    /// The metric in the run of the search.
    pub found_metric: Option<f64>,
    /// The comparison in this run.
    pub probe: Probe,
}

impl LongerRun {
    /// Returns `yes` or `no`, as the condition holds in the longer run or not, or `unknown` without a result.
    pub fn verdict(&self) -> &'static str {
        match (self.probe.is_decided, self.probe.holds) {
            (false, _) => "unknown",
            (true, true) => "yes",
            (true, false) => "no",
        }
    }

    /// Returns whether the metric differs little from that of the search. At a boundary, chance alone decides whether a
    /// condition holds; a metric that differs much shows that the boundary depends on the length of the run.
    pub fn is_stable(&self) -> bool {
        let difference = |(metric, found): (f64, f64)| (metric / found - 1.0).abs();
        self.probe.metric.zip(self.found_metric).is_some_and(|pair| difference(pair) <= STABLE_DIFFERENCE_MAX)
    }
}

impl Search<'_> {
    /// Repeats the run at the end of the interval at which the condition holds, with four times the messages. Returns
    /// `None` if the loop is closed, the workload has no number of messages, the longer run would be invalid, the
    /// condition does not change in the range, or two descriptions are compared.
    pub(super) fn longer_run(&self, crossing: &MetricCrossing) -> Result<Option<LongerRun>, FindError> {
        if !crossing.is_between() || matches!(self.comparison, Comparison::WithMachine(..)) {
            return Ok(None);
        }
        let found = if crossing.high_probe.holds { &crossing.high_probe } else { &crossing.low_probe };
        let values = [self.values, &[(self.range.key.clone(), found.value.clone())]].concat();
        let Ok(description) = (self.reader)(&settings(&values)) else { return Ok(None) };
        let is_open =
            description.value.workload.objective().is_some_and(|objective| objective.when_saturated.is_some());
        let numbers = constants::all_numbers(&description);
        let length = numbers.iter().find(|number| number.declaration.meaning == Some(Meaning::Repetitions));
        let Some(length) = length.filter(|number| is_open && number.key != self.range.key) else { return Ok(None) };
        let Some((value, _)) = length.scaled_by(LENGTH_FACTOR as f64) else { return Ok(None) };
        let longer = [(length.key.clone(), value.clone())];
        match self.probe(found.value.clone(), &longer) {
            Ok(probe) => Ok(Some(LongerRun { key: length.key.clone(), value, found_metric: found.metric, probe })),
            Err(FindError::Invalid(..)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
