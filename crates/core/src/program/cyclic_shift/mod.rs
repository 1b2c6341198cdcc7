//! Cyclic shift: each node sends to all others in turn (Brewer and Kuszmaul 1994; Callahan and Goldstein 1995, §4.3).
//!
//! "The C-shift communication pattern consists of P-1 phases … in phase p, processor i sends to processor (i+p) mod P."
//! A node that has finished a phase continues with the next one; with `barriers` it first waits until it has sent and
//! received all words of the phase, and then for all other nodes. A packet is pending from the time when the sender
//! hands it to its interface until the receiver's processor accepts it. The number of pending packets for each receiver
//! is sampled for the congestion map of Callahan and Goldstein 1995, Figure 5. Other orders of destinations are not
//! modelled.

use super::{RunningWorkload, parallel};
use crate::engine::{HeatMapData, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::part::{Part, PartInfo, ResultName};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the cyclic shift.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct CyclicShift {
    /// Words of 4 bytes that each node sends to each other node.
    #[param(min = 1, max = 1_000_000, default = 512)]
    pub words: u64,
    /// Whether all nodes wait for each other after each phase.
    #[param(default = false)]
    pub barriers: bool,
    /// Cycles between two samples of the pending packets.
    #[param(key = "sample", min = 1, max = 1_000_000_000, default = 1000)]
    pub sample_interval: u64,
}

struct Measurements {
    parameters: CyclicShift,
    nodes: usize,
    /// Whether each receiver has received the words of each sender.
    has_received: Vec<RefCell<Vec<bool>>>,
    /// Cycle in which the last node had received all words.
    end_cycle: Cell<u64>,
    pending_samples: RefCell<PendingSamples>,
}

/// Maximum number of samples. When there are more, every second one is dropped and the interval is doubled, so that the
/// memory of a run is bounded.
const SAMPLES_MAX: usize = 1 << 14;

/// Packets pending for each receiver, in samples at equal intervals.
#[derive(Default)]
struct PendingSamples {
    nodes: usize,
    /// The samples, one after the other. Each has a value for each receiver.
    values: Vec<u32>,
    /// Binary logarithm of the interval between samples, in multiples of the parameter `sample`.
    interval_log2: u32,
    /// Largest number of packets pending for a receiver in any sample, kept or dropped.
    pending_max: u32,
}

impl PendingSamples {
    /// Adds the sample at the end of interval number `interval`, counted from 1, if it is to be kept.
    fn add(&mut self, interval: u64, pending: impl Iterator<Item = u32>) {
        let start = self.values.len();
        self.values.extend(pending);
        self.pending_max = self.pending_max.max(self.values[start..].iter().copied().max().unwrap_or(0));
        if !interval.is_multiple_of(1 << self.interval_log2) {
            self.values.truncate(start);
        }
        if self.values.len() > SAMPLES_MAX * self.nodes {
            self.drop_every_second_sample();
        }
    }

    /// Drops every second sample.
    fn drop_every_second_sample(&mut self) {
        let samples = self.values.chunks_exact(self.nodes);
        self.values = samples.skip(1).step_by(2).flatten().copied().collect();
        self.interval_log2 += 1;
    }
}

impl CyclicShift {
    async fn run(self, endpoint: Rc<ActiveEndpoint>, measurements: Rc<Measurements>) {
        let (node, nodes) = (endpoint.id().index(), endpoint.endpoint_count());
        for phase in 1..nodes {
            let (to, from) = ((node + phase) % nodes, (node + nodes - phase) % nodes);
            endpoint.transfer(parallel::endpoint_id(to), 0, &self.payload_words(node, to)).await;
            if self.barriers {
                endpoint.wait_until(|| measurements.has_received[node].borrow()[from]).await;
                endpoint.barrier().await;
            }
        }
        endpoint.wait_until(|| measurements.received_sender_count(node) == nodes - 1).await;
        measurements.end_cycle.set(measurements.end_cycle.get().max(endpoint.cycle()));
    }

    /// Returns the words that node `from` sends to node `to`.
    fn payload_words(&self, from: usize, to: usize) -> Vec<u32> {
        (0..self.words as usize).map(|index| parallel::payload_word(from, to, 0, index)).collect()
    }

    async fn record_samples(self, world: World, measurements: Rc<Measurements>) {
        let endpoints: Vec<_> = (0..world.endpoint_map.len()).map(|node| parallel::endpoint(&world, node)).collect();
        for interval in 1.. {
            world.sim.until(endpoints[0].clock().end_of_cycle(interval * self.sample_interval)).await;
            measurements
                .pending_samples
                .borrow_mut()
                .add(interval, endpoints.iter().map(|endpoint| endpoint.pending_packets() as u32));
        }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("shift.cycles", "cycles", "Length of the whole exchange"),
    ResultName::metric("shift.words_per_cycle", "words/cycle/node", "Words that each node sent per time"),
    ResultName::metric("shift.pending_max", "packets", "Largest number of packets that were in flight to one node"),
];

impl Part for CyclicShift {
    const INFO: PartInfo = PartInfo::new("cyclic-shift", "Each node sends to all others in turn")
        .results(RESULTS)
        .small_input("words = 12");
}

impl WorkloadSpec for CyclicShift {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::active_messages()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::maximize("shift.words_per_cycle")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.endpoint_map.len();
        let measurements = Rc::new(Measurements {
            parameters: self.clone(),
            nodes,
            has_received: (0..nodes).map(|_| RefCell::new(vec![false; nodes])).collect(),
            end_cycle: Cell::new(0),
            pending_samples: RefCell::new(PendingSamples { nodes, ..PendingSamples::default() }),
        });
        parallel::start(world, |endpoint| {
            let (node, handler_measurements) = (endpoint.id().index(), measurements.clone());
            endpoint.on_transfer(move |from, _, words| handler_measurements.record(node, from.index(), &words));
            self.clone().run(endpoint, measurements.clone())
        });
        world.sim.spawn_server("samples", self.clone().record_samples(world.clone(), measurements.clone()));
        measurements
    }
}

impl Measurements {
    /// Returns the number of nodes whose words `node` has received.
    fn received_sender_count(&self, node: usize) -> usize {
        self.has_received[node].borrow().iter().filter(|has_words| **has_words).count()
    }

    /// Records a transfer from `from` to `node`. Panics if a model changed its bytes or delivered it twice.
    fn record(&self, node: usize, from: usize, words: &[u32]) {
        assert!(words == self.parameters.payload_words(from, node), "a transfer arrived with wrong bytes");
        let is_duplicate = std::mem::replace(&mut self.has_received[node].borrow_mut()[from], true);
        assert!(!is_duplicate, "a transfer arrived twice");
        let phase = (node + self.nodes - from) % self.nodes;
        let is_current_phase = self.received_sender_count(node) == phase;
        assert!(!self.parameters.barriers || is_current_phase, "a phase started before the last one had ended");
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let cycles = super::value_if(outcome.is_complete(), self.end_cycle.get() as f64);
        let words = (self.nodes as u64 - 1) * self.parameters.words;
        let pending_max = self.pending_samples.borrow().pending_max;
        let workload_metrics = [
            Metric::cost("shift.cycles", cycles, "cycles"),
            Metric::rate("shift.words_per_cycle", words as f64 / cycles, "words/cycle/node"),
            Metric::count("shift.pending_max", pending_max.into(), "packets"),
        ];
        parallel::metrics(world, workload_metrics)
    }

    fn heat_map(&self) -> Option<HeatMapData> {
        let (rows, pending) = (self.nodes, self.pending_samples.borrow());
        let columns = pending.values.len() / rows;
        let values = (0..rows).flat_map(|row| pending.values.iter().skip(row).step_by(rows).copied());
        Some(HeatMapData {
            name: "shift.pending",
            unit: "packets",
            rows,
            columns,
            every_cycles: self.parameters.sample_interval << pending.interval_log2,
            values: values.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_thinned_out_and_stay_at_equal_intervals() {
        let mut samples = PendingSamples { nodes: 2, ..PendingSamples::default() };
        let intervals = 5 * SAMPLES_MAX as u64;
        for interval in 1..=intervals {
            samples.add(interval, [interval as u32, if interval == 7 { u32::MAX } else { 0 }].into_iter());
        }
        assert!(samples.values.len() <= SAMPLES_MAX * 2);
        let kept_values: Vec<u64> = samples.values.iter().step_by(2).map(|value| u64::from(*value)).collect();
        let step = 1 << samples.interval_log2;
        assert_eq!(kept_values, (1..=intervals / step).map(|number| number * step).collect::<Vec<_>>());
        assert_eq!(samples.pending_max, u32::MAX, "the largest value counts, whether its sample was kept or not");
    }
}
