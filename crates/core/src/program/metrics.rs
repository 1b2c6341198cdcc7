//! Metrics that several programs report: latencies, and counts of messages.

use crate::engine::stats::Summary;
use crate::engine::{Metric, Time};
use crate::messaging::World;
use crate::ni::Driver;
use std::collections::BTreeMap;

/// Returns mean, percentiles and extremes of latencies in microseconds, under `name`; NaN if there are none.
pub(super) fn latency_metrics(name: &str, latencies: &Summary) -> Vec<Metric> {
    latency_metrics_in("us", 1e6, name, latencies)
}

/// Returns the same in a unit of `unit_ps` picoseconds.
pub(super) fn latency_metrics_in(unit: &'static str, unit_ps: f64, name: &str, latencies: &Summary) -> Vec<Metric> {
    let measured = |value: f64| if latencies.is_empty() { f64::NAN } else { value };
    let in_unit = |time: Time| measured(time.ps() as f64 / unit_ps);
    let values = [
        ("", measured(latencies.mean_in(unit_ps))),
        ("_min", in_unit(latencies.min())),
        ("_p50", in_unit(latencies.percentile(50.0))),
        ("_p99", in_unit(latencies.percentile(99.0))),
        ("_max", in_unit(latencies.max())),
    ];
    values.map(|(suffix, value)| Metric::latency(format!("{name}{suffix}"), value, unit)).into()
}

/// Returns the numbers of messages sent, delivered and dropped, and of packets that software dropped by reason.
pub(super) fn delivery_metrics(world: &World) -> Vec<Metric> {
    let (sent, delivered) = (world.tally.sent(), world.tally.arrived());
    let count = |name: &str, count: u64| Metric::new(name, count as f64, "");
    let mut metrics = vec![
        count("messages.sent", sent),
        count("messages.delivered", delivered),
        count("messages.dropped", world.tally.dropped()),
    ];
    let dropped = world.tally.dropped_packets();
    metrics.extend(interface_metrics(world));
    metrics.extend(
        dropped.iter().map(|(reason, times)| count(&format!("packets.dropped.{}", reason.replace(' ', "_")), *times)),
    );
    metrics
}

/// Returns the counters that interfaces keep apart from their protocols, summed over all nodes, and the rate of
/// cross-traffic.
pub(super) fn interface_metrics(world: &World) -> Vec<Metric> {
    let mut sums = BTreeMap::<&str, u64>::new();
    for (name, count) in world.nodes.iter().flat_map(|node| node.endpoint().driver().counts()) {
        *sums.entry(name).or_default() += count;
    }
    let cross_bytes = world.fabric.as_ref().and_then(|fabric| fabric.cross_traffic());
    // The mean over the whole run.
    let rate = cross_bytes.map(|bytes| bytes.get() as f64 / world.sim.now().as_us());
    let counts = sums.into_iter().map(|(name, count)| Metric::new(name, count as f64, ""));
    counts.chain(rate.map(|rate| Metric::new("cross_traffic.rate", rate, "MB/s"))).collect()
}

/// Returns `value` if it is known, else NaN, which reports print as empty.
pub(super) fn value_if(is_known: bool, value: f64) -> f64 {
    if is_known { value } else { f64::NAN }
}
