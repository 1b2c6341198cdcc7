//! The measurements of a run: named numbers with units, in the order in which they are printed.

use serde::Serialize;
use std::borrow::Cow;

/// A named number. Names, once published, stay.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// The name, in dotted words.
    #[serde(skip)]
    pub name: String,
    /// The value; NaN if nothing was measured, which is printed as empty, in JSON as null.
    pub value: f64,
    /// The unit; empty for a plain number.
    pub unit: &'static str,
    /// Whether the value is a count, which is true at any time of a run. Any other value holds for a complete run only.
    #[serde(skip)]
    pub is_count: bool,
}

impl Metric {
    /// Returns the measurement `name`, which holds for a complete run only.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { name: name.into(), value, unit, is_count: false }
    }

    /// Returns the count `name`, which is true at any time of a run: in one that did not complete, it is the count so far.
    pub fn count(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { is_count: true, ..Metric::new(name, value, unit) }
    }

    /// Returns the metric as a run reports it that did not complete: a count keeps its value, anything else was not
    /// measured.
    #[must_use]
    pub fn of_unfinished_run(self) -> Metric {
        let value = if self.is_count { self.value } else { f64::NAN };
        Metric { value, ..self }
    }

    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        !self.value.is_nan()
    }
}

/// Returns a name that the user chose as a word of a metric's name: in quotes if it has a dot or a quote itself, so that
/// no two lists of names give the same metric.
pub fn name_word(name: &str) -> Cow<'_, str> {
    match name.contains(['.', '"']) {
        true => Cow::Owned(format!("{name:?}")),
        false => Cow::Borrowed(name),
    }
}

/// Two metrics that were not measured are equal.
impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        let same = self.value == other.value || !self.is_measured() && !other.is_measured();
        same && self.name == other.name && self.unit == other.unit
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
