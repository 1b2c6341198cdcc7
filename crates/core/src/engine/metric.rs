//! The measurements of a run: named numbers with units, in the order in which they are printed.

use serde::Serialize;
use std::borrow::Cow;

/// The kind of a metric: whether larger or smaller values are better, and whether a saturated run measures it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    /// Work done per time: more is better. A saturated run measures it, too.
    Rate,
    /// Time of a message, packet or operation: less is better. In a saturated run it grows with the length of the run,
    /// so it is not measured.
    Latency,
    /// Time or work that the program's task takes: less is better.
    Cost,
    /// A number that is true at any time of a run, such as the messages delivered so far; neither direction is better.
    Count,
    /// Any other number, such as the offered load or a confidence interval; neither direction is better.
    Fact,
}

impl MetricKind {
    /// Returns whether a larger value is better, or `None` if neither direction is.
    pub const fn more_is_better(self) -> Option<bool> {
        match self {
            MetricKind::Rate => Some(true),
            MetricKind::Latency | MetricKind::Cost => Some(false),
            MetricKind::Count | MetricKind::Fact => None,
        }
    }

    /// Returns whether a saturated run measures this kind: its value does not depend on the length of the run.
    pub const fn holds_when_saturated(self) -> bool {
        matches!(self, MetricKind::Rate)
    }
}

/// A named number. A published name does not change.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// The name, in dotted words.
    #[serde(skip)]
    pub name: String,
    /// The value; NaN if nothing was measured, which is printed as an empty field, and in JSON as null.
    pub value: f64,
    /// The unit; empty for a plain number.
    pub unit: &'static str,
    /// The kind of the metric.
    #[serde(skip)]
    pub kind: MetricKind,
}

impl Metric {
    /// Returns the metric `name` of the kind [`MetricKind::Fact`], which only a complete run measures.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { name: name.into(), value, unit, kind: MetricKind::Fact }
    }

    /// Returns the metric `name`, a count: in a run that did not complete, it is the count so far.
    pub fn count(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Count, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric `name`, a rate: more is better.
    pub fn rate(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Rate, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric `name`, a latency: less is better, and a saturated run does not measure it.
    pub fn latency(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Latency, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric `name`, the time or work that the program's task takes: less is better.
    pub fn cost(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Cost, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric as an incomplete run reports it: a count keeps its value, and any other metric is not
    /// measured.
    #[must_use]
    pub fn of_unfinished_run(self) -> Metric {
        let value = if self.kind == MetricKind::Count { self.value } else { f64::NAN };
        Metric { value, ..self }
    }

    /// Returns whether a value was measured.
    pub fn is_measured(&self) -> bool {
        !self.value.is_nan()
    }
}

/// Metrics that were renamed: the former and the current name.
const RENAMED: [(&str, &str); 3] = [
    ("dsmc.handed_over", "dsmc.migrations"),
    ("time.wait_for_others", "time.synchronization"),
    ("time.wait_for_room", "time.wait_for_capacity"),
];

/// Returns the current name of a metric that was once called `name`, or `name` if it was not renamed.
pub fn current_metric_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// Returns a name that the user chose, for use as one word of a metric's name. A name with a dot or a quote is quoted,
/// so that different lists of names give different metrics.
pub fn name_word(name: &str) -> Cow<'_, str> {
    match name.contains(['.', '"']) {
        true => Cow::Owned(format!("{name:?}")),
        false => Cow::Borrowed(name),
    }
}

/// Two metrics that were not measured are equal.
impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        let has_same_value = self.value == other.value || !self.is_measured() && !other.is_measured();
        has_same_value && self.name == other.name && self.unit == other.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dots_are_quoted_so_that_joined_names_differ() {
        let join = |names: [&str; 2]| names.map(|name| name_word(name).into_owned()).join(".");
        assert_eq!(join(["sender", "n1"]), "sender.n1");
        assert_eq!(join(["a.b", "c"]), "\"a.b\".c");
        assert_ne!(join(["a.b", "c"]), join(["a", "b.c"]));
    }

    #[test]
    fn only_counts_survive_a_run_that_did_not_complete() {
        let [latency, packets] = [Metric::new("latency", 1.5, "us"), Metric::count("packets", 3.0, "")];
        assert!(!latency.of_unfinished_run().is_measured());
        assert_eq!(packets.of_unfinished_run().value, 3.0);
    }
}
