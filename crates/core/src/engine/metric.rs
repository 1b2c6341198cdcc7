//! The measurements of a run: named numbers with units, in the order in which they are printed.

use serde::Serialize;

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
}

impl Metric {
    /// The metric `name`.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { name: name.into(), value, unit }
    }

    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        !self.value.is_nan()
    }
}

/// Metrics that were renamed: the former name and today's.
const RENAMED: [(&str, &str); 3] = [
    ("dsmc.handed_over", "dsmc.migrations"),
    ("time.wait_for_others", "time.synchronization"),
    ("time.wait_for_room", "time.wait_for_capacity"),
];

/// Returns today's name of a metric that was once called `name`, or `name` if it was not renamed.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::engine::current_metric_name;
///
/// assert_eq!(current_metric_name("dsmc.handed_over"), "dsmc.migrations");
/// assert_eq!(current_metric_name("message.latency_one_way"), "message.latency_one_way");
/// ```
pub fn current_metric_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// Two that measured nothing say the same.
impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        let same = self.value == other.value || !self.is_measured() && !other.is_measured();
        same && self.name == other.name && self.unit == other.unit
    }
}
