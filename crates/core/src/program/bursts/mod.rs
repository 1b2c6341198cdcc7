//! Bursts of pseudo-random traffic in phases, with a barrier after each (Callahan and Goldstein 1995, §3 and §4.1): "a
//! node that is sending during a phase will attempt to send its packets (typically 100 to 300 of them) as quickly as
//! possible". No node starts the next phase before all nodes have sent the packets of this one.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the program of a node, and its metrics |
//! | `parameters.rs` | the parameters of the traffic |
//! | `draws.rs` | the random messages of a node, and the periods in which it ignores the network |
//! | `receipts.rs` | the check that each packet arrives once, with the words that were sent |
//!
//! The bursts that are drawn do not depend on the network, the interface or the timing. A node polls after each packet
//! (`poll-every`), and after its burst it receives until the barrier. If a pattern selects the sending node itself, the
//! message is left out. A phase in which no node sends takes one cycle, however fast the barrier is. The periods in
//! which a node ignores the network are at fixed cycles; a node checks for them between packets, and during a barrier.
//!
//! A node sends no more than the network accepts, so its queues do not grow without bound. The metric is therefore the
//! throughput after the warm-up, which is detected (`TimeSeries`), with its confidence interval.

mod draws;
mod parameters;
mod receipts;

#[cfg(test)]
mod tests;

pub use parameters::Bursts;

use super::{RunningWorkload, WarmUpCheck, parallel};
use crate::engine::transient::TransientTest;
use crate::engine::{EndpointId, Metric, Outcome, Signal, Time};
use crate::messaging::World;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use draws::{BurstDraws, QuietPeriods};
use receipts::Receipts;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A run that has accepted no packet for this number of cycles, while packets are waiting, does not end at its last
/// cycle.
const QUIET_CYCLES: u64 = 100_000;

/// Largest number of words of a packet.
const WORDS_MAX: usize = 8;

struct Measurements {
    receipts: Receipts,
    message_count: Cell<u64>,
    sent_packets: Cell<u64>,
    /// Number of barriers passed by all nodes.
    ended_phases: Cell<u64>,
    /// Number of nodes that have no phase left.
    finished_nodes: Cell<usize>,
    /// Cycle in which a packet was last accepted.
    last_accepted_cycle: Cell<u64>,
    /// Whether the stated cycles of the run have passed, so that the run ends with the next accepted packet.
    is_overtime: Cell<bool>,
    /// Whether the cycles of the run passed before all packets were received.
    is_truncated: Cell<bool>,
    /// Length of the run in cycles, as stated.
    cycles: u64,
    acceptance_signal: Signal,
}

impl Bursts {
    /// Ends the run after its cycles, or when all packets have been received. A run that has not accepted a packet for
    /// a long time continues until it accepts one, because it may be slow or deadlocked.
    async fn end_run(self, world: World, endpoint: Rc<ActiveEndpoint>, measurements: Rc<Measurements>) {
        let received_all = measurements.acceptance_signal.wait_until(endpoint.clock().end_of_cycle(self.cycles)).await;
        measurements.is_truncated.set(!received_all);
        let has_pending_packets = measurements.sent_packets.get() > measurements.receipts.count();
        if !received_all && has_pending_packets && self.cycles >= measurements.last_accepted_cycle.get() + QUIET_CYCLES
        {
            measurements.is_overtime.set(true);
            let wait_reason = world.sim.register_wait_reason("an accepted packet, after a long time without one");
            measurements.acceptance_signal.wait_for(wait_reason, Time::MAX).await;
        }
    }

    async fn run(
        self,
        endpoint: Rc<ActiveEndpoint>,
        draws_and_periods: (BurstDraws, QuietPeriods),
        measurements: Rc<Measurements>,
    ) {
        let (mut draws, mut quiet_periods) = draws_and_periods;
        let (node, nodes) = (endpoint.id().index(), endpoint.endpoint_count());
        if self.unresponsive_nodes.contains(&(node as u64)) {
            return;
        }
        // The next packet number for each destination. An array over all nodes would need memory that grows with the
        // square of their number.
        let mut next_numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut packets_since_poll = 0;
        for phase in 1.. {
            let start = endpoint.now();
            for (to, packets) in draws.draw_burst() {
                if to == node {
                    continue;
                }
                measurements.message_count.set(measurements.message_count.get() + 1);
                for index_in_message in 0..packets {
                    quiet_periods.pause(&endpoint).await;
                    measurements.sent_packets.set(measurements.sent_packets.get() + 1);
                    let next_number = next_numbers.entry(to).or_default();
                    endpoint.send(self.packet(&endpoint, to, *next_number, (index_in_message, packets))).await;
                    *next_number += 1;
                    packets_since_poll += 1;
                    if packets_since_poll == self.poll_every {
                        endpoint.poll().await;
                        packets_since_poll = 0;
                    }
                }
            }
            let barrier = endpoint.enter_barrier().await;
            quiet_periods.wait_until(&endpoint, || endpoint.is_barrier_open(barrier)).await;
            if endpoint.now() == start {
                endpoint.wait_until_cycle(endpoint.cycle() + 1, || false).await;
            }
            measurements.ended_phases.set(phase);
            if phase == self.phases {
                break;
            }
        }
        measurements.finished_nodes.set(measurements.finished_nodes.get() + 1);
        measurements.notify_if_done(nodes);
        quiet_periods.wait_until(&endpoint, || false).await;
    }

    /// Returns packet `number` from this node to `to`; `index` and `packets` are the packet's index in its message and
    /// the length of the message.
    fn packet(&self, endpoint: &ActiveEndpoint, to: usize, number: u32, (index, packets): (u64, u64)) -> ActiveMessage {
        let from = endpoint.id().index();
        let mut words = [number; WORDS_MAX];
        let words = &mut words[..endpoint.words_max().min(WORDS_MAX)];
        for (index_in_packet, word) in words.iter_mut().enumerate().skip(1) {
            *word = parallel::payload_word(from, to, number, index_in_packet);
        }
        let is_bulk = packets >= self.bulk_min;
        let is_last = is_bulk && index + 1 == packets;
        ActiveMessage { is_bulk, is_last, ..ActiveMessage::new(parallel::endpoint_id(to), 0, words) }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("bursts.phases", "", "Phases of traffic that ended"),
    ResultName::metric("bursts.messages", "", "Messages that the bursts sent"),
    ResultName::metric("bursts.out_of_order", "", "Packets that arrived after a packet which was sent later"),
    ResultName::metric(
        "bursts.throughput",
        "packets/node/cycle",
        "Packets that processors accepted per time, after the detected warm-up",
    ),
    ResultName::metric("bursts.warm_up_found", "cycles", "End of the warm-up as MSER estimates it"),
];

impl Part for Bursts {
    const INFO: PartInfo = PartInfo::new("bursts", "Pseudo-random traffic in phases, on all nodes")
        .results(RESULTS)
        .small_input("phases = 1\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]");
}

impl WorkloadSpec for Bursts {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { packet_words: 1, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        self.check_nodes(nodes).into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::maximize("bursts.throughput")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.endpoint_map.len();
        assert!(self.check_nodes(nodes).is_empty(), "a checked description fits its nodes");
        let measurements = Rc::new(Measurements {
            receipts: Receipts::new(nodes),
            message_count: Cell::new(0),
            sent_packets: Cell::new(0),
            ended_phases: Cell::new(0),
            finished_nodes: Cell::new(0),
            last_accepted_cycle: Cell::new(0),
            is_overtime: Cell::new(false),
            is_truncated: Cell::new(false),
            cycles: self.cycles,
            acceptance_signal: Signal::new(&world.sim, "packets to be accepted"),
        });
        for node in 0..nodes {
            let endpoint = parallel::endpoint(world, node);
            let (handler_measurements, clock, sim) = (measurements.clone(), endpoint.clock(), world.sim.clone());
            endpoint.on_message(move |received| {
                handler_measurements.receipts.record(node, received);
                handler_measurements.last_accepted_cycle.set(clock.cycle_at(sim.now()));
                handler_measurements.notify_if_done(nodes);
            });
            let draws = (BurstDraws::new(self, world.seed, node, nodes), QuietPeriods::new(self, world.seed, node));
            let program = self.clone().run(endpoint, draws, measurements.clone());
            world.sim.spawn_server(format!("{} program", world.endpoint(EndpointId(node as u32)).name()), program);
        }
        let endpoint = parallel::endpoint(world, 0);
        world.sim.spawn("the bursts", self.clone().end_run(world.clone(), endpoint, measurements.clone()));
        measurements
    }
}

impl Measurements {
    fn notify_if_done(&self, nodes: usize) {
        if self.is_overtime.get()
            || self.finished_nodes.get() == nodes && self.sent_packets.get() == self.receipts.count()
        {
            self.acceptance_signal.notify();
        }
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let count = |name: &str, count: u64| Metric::count(name, count as f64, "");
        let workload_metrics = [
            count("bursts.phases", self.ended_phases.get()),
            count("bursts.messages", self.message_count.get()),
            count("bursts.out_of_order", self.receipts.out_of_order()),
        ];
        let mut metrics = parallel::metrics(world, workload_metrics);
        metrics.extend(steady_metrics(world));
        metrics
    }

    /// Returns the latencies after the warm-up that was detected, or all latencies if none was detected.
    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, end) = (world.tally.latency_series(), world.sim.now().ps());
        let (means, width) = series.window_means(series.warm_up(end).end_time().unwrap_or(0), end);
        let width = parallel::endpoint(world, 0).clock().cycle_before(Time::from_ps(width)).max(1);
        Some(WarmUpCheck {
            key: "workload.bursts.cycles",
            value: self.cycles,
            items: "cycles",
            metric: super::MESSAGE_LATENCY,
            unit: "us",
            test: TransientTest::new(&means, width).in_units_of(1e6),
            load: None,
        })
    }

    fn note(&self, world: &World, outcome: &Outcome) -> Option<String> {
        let unreceived = self.sent_packets.get() - self.receipts.count();
        let cycles = parallel::endpoint(world, 0).clock().cycle_before(world.sim.now());
        (self.is_truncated.get() && outcome.is_complete()).then(|| {
            format!(
                "The run ended at `workload.bursts.cycles`, after {cycles} cycles, in phase {}, with {unreceived} packets \
                 sent and not received.",
                self.ended_phases.get() + 1
            )
        })
    }
}

/// Returns the throughput of the network after the warm-up, the confidence intervals of the throughput and of the mean
/// latency, and the end of the warm-up.
fn steady_metrics(world: &World) -> Vec<Metric> {
    let (series, end) = (world.tally.latency_series(), world.sim.now().ps());
    let clock = parallel::endpoint(world, 0).clock();
    let warm_up_end = series.warm_up(end).end_time();
    let unknown = f64::NAN;
    // Converts packets per picosecond to packets per node and cycle.
    let factor = 1e12 / clock.0 as f64 / world.nodes.len() as f64;
    let rate_per_node = |rate: Option<f64>| rate.map_or(unknown, |rate| rate * factor);
    let latency_half_width = warm_up_end.and_then(|warm_up_end| series.mean_half_width(warm_up_end, end));
    let warm_up = warm_up_end.map_or(unknown, |warm_up_end| clock.cycle_before(Time::from_ps(warm_up_end)) as f64);
    vec![
        Metric::new("message.latency_one_way_ci95", latency_half_width.map_or(unknown, |half| half / 1e6), "us"),
        Metric::rate(
            "bursts.throughput",
            rate_per_node(warm_up_end.and_then(|warm_up_end| series.rate(warm_up_end, end))),
            "packets/node/cycle",
        ),
        Metric::new(
            "bursts.throughput_ci95",
            rate_per_node(warm_up_end.and_then(|warm_up_end| series.rate_half_width(warm_up_end, end))),
            "packets/node/cycle",
        ),
        Metric::new("bursts.warm_up_found", warm_up, "cycles"),
    ]
}
