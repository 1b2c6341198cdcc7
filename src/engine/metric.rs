//! What a run measured: named numbers with units, in the order in which they are told.

use serde::Serialize;

/// A named number. Names, once published, stay.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Metric {
    /// Its name, in dotted words.
    #[serde(skip)]
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its unit; empty for a count.
    pub unit: &'static str,
}

impl Metric {
    /// The metric `name`.
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Metric {
        Metric { name: name.into(), value, unit }
    }
}
