//! The warm-up of workloads that measure a steady state: its default, and the test of the values that are measured
//! after it.
//!
//! A workload that measures a steady state leaves out its first messages, faults, transfers or cycles; their number is
//! that of the key `warm-up`. The default is [`WARM_UP`]. The values that are measured after them are tested for an
//! initial transient ([`TransientTest`]); the result of a run reports a transient and names the key. Programs that run
//! once to their end (em3d, a replay, single costs) have no steady state and no warm-up.

use crate::engine::Time;
use crate::engine::flow_series::FlowSeries;
use crate::engine::transient::{LevelShift, TransientTest};
use crate::messaging::{Node, World};

/// Messages, faults, transfers or packets before anything is measured, if a description does not state another number.
///
/// Chosen: two nodes with the shipped interfaces have used every slot of their queues once after 220 messages of 64 B
/// or 280 messages of 248 B, so no later access is the first to its block. The ring of Trapeze is full after 64
/// messages.
pub const WARM_UP: u64 = 300;

/// The result of the test for an initial transient among the values that a workload measured.
#[derive(Clone, PartialEq, Debug)]
pub struct WarmUpCheck {
    /// Key of the warm-up, such as `workload.ping-pong.warm-up`.
    pub key: &'static str,
    /// Value of the key.
    pub value: u64,
    /// Items that the key counts, such as `messages`.
    pub items: &'static str,
    /// Metric whose values are tested.
    pub metric: &'static str,
    /// Unit of the metric.
    pub unit: &'static str,
    /// Result of the test, in the unit of the metric.
    pub test: TransientTest,
    /// The offered and the accepted load of an open loop in MB/s, and the key and value of its number of messages.
    pub load: Option<LoadCheck>,
}

/// The load of an open loop, and the key that determines the length of the run.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadCheck {
    /// Offered load in MB/s.
    pub offered: f64,
    /// Accepted load in MB/s.
    pub accepted: f64,
    /// Key of the number of messages.
    pub key: &'static str,
    /// Value of the key.
    pub value: u64,
}

/// Fraction of the offered load below which an accepted load counts as smaller (chosen).
const ACCEPTED_MIN: f64 = 0.995;

impl WarmUpCheck {
    /// Tests the latencies of flows for a transient, and whether caches are still being filled. `(key, value, items)`
    /// describes the warm-up, and `(metric, unit)` the metric, whose unit is `unit_ps` picoseconds.
    pub(super) fn for_flows(
        world: &World,
        series: &FlowSeries,
        (key, value, items): (&'static str, u64, &'static str),
        (metric, unit, unit_ps): (&'static str, &'static str, f64),
    ) -> WarmUpCheck {
        let test = match (series.transient_in(unit_ps), detect_cache_filling(world, series)) {
            (TransientTest::Steady, Some(filling)) => filling,
            (test, _) => test,
        };
        WarmUpCheck { key, value, items, metric, unit, test, load: None }
    }

    /// Returns the finding in one or two sentences, or `None` if no transient is detected.
    pub fn finding(&self) -> Option<String> {
        let finding = match self.test {
            TransientTest::TooShort | TransientTest::Steady => return None,
            TransientTest::Transient(shift) if self.load_is_high(shift) => return Some(self.describe_high_load(shift)),
            TransientTest::Transient(shift) => self.describe_levels(shift),
            TransientTest::Filling { blocks, values } => format!(
                "caches are still being filled, by {blocks} blocks during the last {values} measured {}",
                self.items
            ),
        };
        Some(format!("Initial transient: {finding}. Increase `{}` (now {}).", self.key, self.value))
    }

    /// Returns whether latencies rise while less than the offered load is accepted. A longer warm-up then hardly helps.
    fn load_is_high(&self, LevelShift { mean_before, mean_after, .. }: LevelShift) -> bool {
        mean_after > mean_before && self.load.as_ref().is_some_and(|load| load.accepted < ACCEPTED_MIN * load.offered)
    }

    fn describe_high_load(&self, shift: LevelShift) -> String {
        let LoadCheck { offered, accepted, key, value } =
            self.load.as_ref().expect("only an open loop has a high load");
        format!(
            "Initial transient: {}, and the accepted load, {accepted:.3} MB/s, is {:.1} % below the offered load. The load is \
             near saturation or above it: decrease it, or increase `{key}` (now {value}).",
            self.describe_levels(shift),
            100.0 * (1.0 - accepted / offered),
        )
    }

    /// Describes the two levels of the metric.
    fn describe_levels(&self, LevelShift { first, mean_before: before, mean_after: after }: LevelShift) -> String {
        let change = 100.0 * (before / after - 1.0);
        let relation = if change > 0.0 { "above" } else { "below" };
        let WarmUpCheck { items, metric, unit, .. } = self;
        let unit = if *unit == "us" { "µs" } else { unit };
        format!(
            "{metric} of the first {first} measured {items} is {:.1} % {relation} that of the rest, {before:.3} and {after:.3} \
             {unit}",
            change.abs(),
        )
    }
}

/// Least number of cache fills per value with which caches count as still being filled (chosen: one fill for two
/// messages).
const FILLS_MIN: (u64, u64) = (1, 2);

/// Returns the number of blocks that were fetched into cache frames for the first time while the second half of the
/// latencies was measured, if this number is large.
fn detect_cache_filling(world: &World, series: &FlowSeries) -> Option<TransientTest> {
    let (first, last) = series.span()?;
    let middle = first + Time::from_ps((last - first).ps() / 2);
    let fills = |node: &Node| node.endpoint().host().cold_fills(middle, last);
    let (blocks, values) = (world.nodes.iter().map(fills).sum(), series.count() / 2);
    (values > 0 && blocks * FILLS_MIN.1 >= values * FILLS_MIN.0).then_some(TransientTest::Filling { blocks, values })
}
