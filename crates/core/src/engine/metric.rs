//! The measurements of a run: named numbers with units, in the order in which they are printed.

use serde::Serialize;

/// The meaning of a metric: the direction in which it is better, and whether a saturated run has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    /// Work done per time: more is better. A saturated run has it, too.
    Rate,
    /// Time of a message, packet or operation: less is better. In a saturated run it grows with the length of the run.
    Latency,
    /// Time or work that the program's task takes: less is better.
    Cost,
    /// Neither: a count, a load that was offered, a confidence interval.
    Fact,
}

impl MetricKind {
    /// Returns whether a larger value is better, or `None` if neither direction is.
    pub const fn more_is_better(self) -> Option<bool> {
        match self {
            MetricKind::Rate => Some(true),
            MetricKind::Latency | MetricKind::Cost => Some(false),
            MetricKind::Fact => None,
        }
    }

    /// Returns whether a saturated run measures it: its value does not depend on the length of the run.
    pub const fn holds_when_saturated(self) -> bool {
        matches!(self, MetricKind::Rate)
    }
}

/// A named number. Names, once published, stay.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// The name, in dotted words.
    #[serde(skip)]
    pub name: String,
    /// The value; NaN if nothing was measured, which is printed as empty, in JSON as null.
    pub value: f64,
    /// The unit; empty for a count.
    pub unit: &'static str,
    /// The meaning.
    #[serde(skip)]
    pub kind: MetricKind,
}

impl Metric {
    /// Returns the metric `name`, of which neither more nor less is better.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { name: name.into(), value, unit, kind: MetricKind::Fact }
    }

    /// Returns the metric `name`, a rate: more is better.
    pub fn rate(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Rate, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric `name`, a latency: less is better, and a saturated run has none.
    pub fn latency(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Latency, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric `name`, what the program's task takes: less is better.
    pub fn cost(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { kind: MetricKind::Cost, ..Metric::new(name, value, unit) }
    }

    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        !self.value.is_nan()
    }
}

/// Two that measured nothing say the same.
impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        let same = self.value == other.value || !self.is_measured() && !other.is_measured();
        same && self.name == other.name && self.unit == other.unit
    }
}
