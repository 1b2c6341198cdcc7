//! The quantities that a host counts during a run: bus transactions by kind, and the blocks that its processor fetched.
//!
//! Leaves out the times for which its parts were busy, which [`Host::uses`] returns.

use super::Host;
use super::memory_bus::TransactionKind;

/// A quantity that a host counted during a run.
///
/// Its metric is named `PART.QUANTITY`, or `PART.NODE.QUANTITY` where nodes are reported one by one.
#[derive(Clone, PartialEq, Debug)]
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

impl Host {
    /// Returns what the host counted, in the order of its metrics; those reported for each node come first.
    pub fn metrics(&self) -> Vec<HostMetric> {
        let Some(node) = self.coherent() else { return Vec::new() };
        let count = |per_node| {
            move |(quantity, count): (&'static str, u64)| HostMetric {
                part: "bus",
                quantity,
                value: count as f64,
                unit: "",
                per_node,
            }
        };
        let transactions = TransactionKind::ALL.iter().map(|kind| kind.name()).zip(node.bus.counts());
        let fetched = ["fetched.memory", "fetched.interface"].into_iter().zip(node.fetched());
        transactions.map(count(true)).chain(fetched.map(count(false))).collect()
    }
}
