//! Metrics that several programs report: counts of messages and packets.

use crate::engine::Metric;
use crate::messaging::World;
use crate::ni::Driver;
use std::collections::BTreeMap;

/// Returns the numbers of messages sent, delivered and dropped, and of packets that software dropped by reason.
pub(super) fn delivery_metrics(world: &World) -> Vec<Metric> {
    let (sent_messages, delivered_messages) = (world.tally.sent_count(), world.tally.delivered_count());
    let count = |name: &str, count: u64| Metric::count(name, count as f64, "");
    let mut metrics = vec![
        count("messages.sent", sent_messages),
        count("messages.delivered", delivered_messages),
        count("messages.dropped", world.tally.lost_count()),
    ];
    let dropped_packets = world.tally.dropped_packets();
    metrics.extend(interface_metrics(world));
    metrics.extend(
        dropped_packets
            .iter()
            .map(|(reason, times)| count(&format!("packets.dropped.{}", reason.replace(' ', "_")), *times)),
    );
    metrics
}

/// Returns the counters that interfaces keep in addition to those of their protocols, summed over all nodes, and the
/// rate of cross-traffic.
pub(super) fn interface_metrics(world: &World) -> Vec<Metric> {
    let mut counter_sums = BTreeMap::<&str, u64>::new();
    for (name, count) in world.nodes.iter().flat_map(|node| node.endpoint().driver().counts()) {
        *counter_sums.entry(name).or_default() += count;
    }
    let cross_bytes = world.fabric.as_ref().and_then(|fabric| fabric.cross_traffic());
    // The rate is the mean over the whole run.
    let rate = cross_bytes.map(|bytes| bytes.get() as f64 / world.sim.now().as_us());
    let counts = counter_sums.into_iter().map(|(name, count)| Metric::count(name, count as f64, ""));
    counts.chain(rate.map(|rate| Metric::new("cross_traffic.rate", rate, "MB/s"))).collect()
}

/// Returns `value` if it is known, otherwise NaN, which reports print as empty.
pub(super) fn value_if(is_known: bool, value: f64) -> f64 {
    if is_known { value } else { f64::NAN }
}
