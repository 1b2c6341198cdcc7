//! A quantity of several rows, such as receivers, over time, for a heat map.

use serde::Serialize;

/// Samples of a quantity for several rows, taken at equal intervals.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeatMapData {
    /// The name of the values, in dotted words.
    pub name: &'static str,
    /// The unit of the values; empty for a count.
    pub unit: &'static str,
    /// The number of rows, such as receivers.
    pub rows: usize,
    /// The number of samples in each row.
    pub columns: usize,
    /// The number of cycles from one sample to the next, and from time 0 to the first.
    pub every_cycles: u64,
    /// The samples, row after row.
    pub values: Vec<u32>,
}

impl HeatMapData {
    /// Returns the samples of row `row`.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}
