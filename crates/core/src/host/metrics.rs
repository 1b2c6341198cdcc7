//! Quantities that a host counts during a run.
//!
//! The times for which the parts of a host are busy are not included; they are in [`Utilization`](super::Utilization).

/// A quantity that a host counted during a run.
///
/// The metric is named `PART.QUANTITY`, or `PART.NODE.QUANTITY` if nodes are reported one by one.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct HostMetric {
    /// Part of the host that counted the quantity.
    pub part: &'static str,
    /// Name of the quantity within the part, in dotted words.
    pub quantity: &'static str,
    /// Value since the start of the run, including the warm-up; values of several hosts can be added.
    pub value: f64,
    /// Unit; empty for a count.
    pub unit: &'static str,
    /// Whether the quantity may be reported for each node; otherwise it is reported as the sum over all nodes.
    pub per_node: bool,
}

impl HostMetric {
    /// Returns a count of `part`, reported as the sum over all nodes.
    pub const fn count(part: &'static str, quantity: &'static str, value: f64) -> HostMetric {
        HostMetric { part, quantity, value, unit: "", per_node: false }
    }
}
