//! A quantity that a host counts during a run.
//!
//! Leaves out the times for which its parts were busy, which are a [`Utilization`](super::Utilization).

/// A quantity that a host counted during a run.
///
/// Its metric is named `PART.QUANTITY`, or `PART.NODE.QUANTITY` where nodes are reported one by one.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct HostMetric {
    /// The part of the host that counted it.
    pub part: &'static str,
    /// Its name within that part, in dotted words.
    pub quantity: &'static str,
    /// Its value since the start of the run, warm-up included; values of several hosts can be added.
    pub value: f64,
    /// Its unit; empty for a count.
    pub unit: &'static str,
    /// Whether it may be reported for each node; otherwise it is reported as the sum over all nodes.
    pub per_node: bool,
}

impl HostMetric {
    /// Returns a count of `part`, reported as the sum over all nodes.
    pub const fn count(part: &'static str, quantity: &'static str, value: f64) -> HostMetric {
        HostMetric { part, quantity, value, unit: "", per_node: false }
    }
}
