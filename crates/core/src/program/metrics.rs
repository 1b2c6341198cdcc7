//! Metrics that several programs tell: latencies, and what became of messages.

use crate::engine::stats::Summary;
use crate::engine::{Metric, Time};
use crate::messaging::World;
use crate::ni::Driver;
use std::collections::BTreeMap;

/// Mean, percentiles and extremes of latencies, under `name`; empty of none.
pub(super) fn latency_metrics(name: &str, latencies: &Summary) -> Vec<Metric> {
    latency_metrics_in("us", 1e6, name, latencies)
}

/// The same in a unit of so many picoseconds.
pub(super) fn latency_metrics_in(unit: &'static str, unit_ps: f64, name: &str, latencies: &Summary) -> Vec<Metric> {
    let measured = |value: f64| if latencies.is_empty() { f64::NAN } else { value };
    let told = |time: Time| measured(time.ps() as f64 / unit_ps);
    let values = [
        ("", measured(latencies.mean_in(unit_ps))),
        ("_min", told(latencies.min())),
        ("_p50", told(latencies.percentile(50.0))),
        ("_p99", told(latencies.percentile(99.0))),
        ("_max", told(latencies.max())),
    ];
    values.map(|(suffix, value)| Metric::new(format!("{name}{suffix}"), value, unit)).into()
}

/// How many messages were sent, delivered and lost, and what software dropped, by why.
pub(super) fn fate_metrics(world: &World) -> Vec<Metric> {
    let (sent, delivered) = (world.tally.sent(), world.tally.arrived());
    let count = |name: &str, count: u64| Metric::new(name, count as f64, "");
    let mut metrics = vec![
        count("messages.sent", sent),
        count("messages.delivered", delivered),
        count("messages.dropped", world.tally.dropped()),
    ];
    let dropped = world.tally.dropped_packets();
    metrics.extend(counted(world));
    metrics.extend(
        dropped.iter().map(|(why, times)| count(&format!("packets.dropped.{}", why.replace(' ', "_")), *times)),
    );
    metrics
}

/// What interfaces counted beside their protocols, of all nodes; and how much cross-traffic there was.
pub(super) fn counted(world: &World) -> Vec<Metric> {
    let mut sums = BTreeMap::<&str, u64>::new();
    for (name, count) in world.nodes.iter().flat_map(|node| node.endpoint().driver().counts()) {
        *sums.entry(name).or_default() += count;
    }
    let crossed = world.fabric.as_ref().and_then(|fabric| fabric.cross_traffic());
    // In all, while the run lasted.
    let rate = crossed.map(|bytes| bytes.get() as f64 / world.sim.now().as_us());
    let counts = sums.into_iter().map(|(name, count)| Metric::new(name, count as f64, ""));
    counts.chain(rate.map(|rate| Metric::new("cross_traffic.rate", rate, "MB/s"))).collect()
}

/// A number that is known only once the program has come so far; empty before.
pub(super) fn once(is_there: bool, value: f64) -> f64 {
    if is_there { value } else { f64::NAN }
}
