//! Bursts of pseudo-random traffic in phases, with a barrier after each (Callahan and Goldstein 1995,
//! §3 and §4.1): "a node that is sending during a phase will attempt to send its packets (typically
//! 100 to 300 of them) as quickly as possible", and no node starts the next phase before all have sent what is theirs.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the program of a node, and what it measures |
//! | `parameters.rs` | what may be stated of the traffic |
//! | `draws.rs` | what a node sends and when it ignores the network: drawn from streams of its own |
//! | `receipts.rs` | each packet comes once, with the words that were sent |
//!
//! The same bursts are drawn whatever the network, the interface and the timing. A node polls after
//! each packet (`poll-every`); one whose burst is over goes on receiving until the barrier. A message
//! that a pattern has a node send to itself is left out, and a phase in which nobody sends anything
//! takes a cycle, however fast the barrier is. Periods in which a node ignores the network
//! lie at fixed cycles; they are noticed between packets, and in a barrier at once.
//!
//! A node sends no more than the network takes, so its queues do not grow without end: throughput is what
//! is measured, after the warm-up that is found (`TimeSeries`), with how sure it is.

mod draws;
mod parameters;
mod receipts;

#[cfg(test)]
mod tests;

pub use parameters::Bursts;

use super::{RunningWorkload, parallel};
use crate::engine::{EndId, Metric, Outcome, Signal, Time};
use crate::messaging::World;
use crate::messaging::active::{Active, ActiveMessage};
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use draws::{Draws, Silences};
use receipts::Receipts;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where packets wait and none was accepted for so many cycles, the run does not end with its cycles.
const QUIET_CYCLES: u64 = 100_000;

/// The most words of a packet.
const WORDS_MAX: usize = 8;

struct Measured {
    receipts: Receipts,
    messages: Cell<u64>,
    sent: Cell<u64>,
    /// Barriers passed by all nodes.
    phases: Cell<u64>,
    /// Nodes that have no phase left.
    ended: Cell<usize>,
    /// When a packet was last accepted.
    accepted_cycle: Cell<u64>,
    /// Whether the cycles are over and the run ends with the next packet accepted.
    is_late: Cell<bool>,
    /// Whether the cycles were over before all was received.
    is_cut: Cell<bool>,
    change: Signal,
}

impl Bursts {
    /// Ends the run after its cycles, or when all that was to be sent has been received. A run in
    /// which nothing was accepted for long goes on until something is: it may be slow, or stuck.
    async fn watch(self, world: World, end: Rc<Active>, measured: Rc<Measured>) {
        let is_over = measured.change.wait_until(end.clock().end_of_cycle(self.cycles)).await;
        measured.is_cut.set(!is_over);
        let waiting = measured.sent.get() > measured.receipts.count();
        if !is_over && waiting && self.cycles >= measured.accepted_cycle.get() + QUIET_CYCLES {
            measured.is_late.set(true);
            let long = world.sim.point("packets to be accepted: none was for long");
            measured.change.wait_for(long, Time::MAX).await;
        }
    }

    async fn run(self, end: Rc<Active>, draws: (Draws, Silences), measured: Rc<Measured>) {
        let (mut draws, mut silences) = draws;
        let (node, nodes) = (end.id().index(), end.ends());
        if self.deaf.contains(&(node as u64)) {
            return;
        }
        // By destination; a row for all of them would grow with the square of the machine.
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        let mut since_poll = 0;
        for phase in 1.. {
            let begin = end.now();
            for (to, packets) in draws.burst() {
                if to == node {
                    continue;
                }
                measured.messages.set(measured.messages.get() + 1);
                for number in 0..packets {
                    silences.keep(&end).await;
                    measured.sent.set(measured.sent.get() + 1);
                    let next = numbers.entry(to).or_default();
                    end.send(self.packet(&end, to, *next, (number, packets))).await;
                    *next += 1;
                    since_poll += 1;
                    if since_poll == self.poll_every {
                        end.poll().await;
                        since_poll = 0;
                    }
                }
            }
            let barrier = end.enter_barrier().await;
            silences.wait_until(&end, || end.has_passed(barrier)).await;
            if end.now() == begin {
                end.wait_until_cycle(end.cycle() + 1, || false).await;
            }
            measured.phases.set(phase);
            if phase == self.phases {
                break;
            }
        }
        measured.ended.set(measured.ended.get() + 1);
        measured.tell_if_over(nodes);
        silences.wait_until(&end, || false).await;
    }

    /// Packet `number` from here to `to`, and its place in its message.
    fn packet(&self, end: &Active, to: usize, number: u32, (place, packets): (u64, u64)) -> ActiveMessage {
        let from = end.id().index();
        let mut words = [number; WORDS_MAX];
        let words = &mut words[..end.words_max().min(WORDS_MAX)];
        for (at, word) in words.iter_mut().enumerate().skip(1) {
            *word = parallel::word(from, to, number, at);
        }
        let bulk = packets >= self.bulk_min;
        let last = bulk && place + 1 == packets;
        ActiveMessage { bulk, last, ..ActiveMessage::new(parallel::id(to), 0, words) }
    }
}

impl Part for Bursts {
    const INFO: PartInfo = PartInfo::new("bursts", "Pseudo-random traffic in phases, on all nodes")
        .small_input("phases = 1\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]");
}

impl WorkloadSpec for Bursts {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn check_endpoints(&self, nodes: usize) -> Vec<ParameterError> {
        self.check_nodes(nodes).into_iter().map(ParameterError::from).collect()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::maximize("bursts.throughput")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.addresses.len();
        assert!(self.check_nodes(nodes).is_empty(), "a checked description fits its nodes");
        let measured = Rc::new(Measured {
            receipts: Receipts::new(nodes),
            messages: Cell::new(0),
            sent: Cell::new(0),
            phases: Cell::new(0),
            ended: Cell::new(0),
            accepted_cycle: Cell::new(0),
            is_late: Cell::new(false),
            is_cut: Cell::new(false),
            change: Signal::new(&world.sim, "packets to be accepted"),
        });
        for node in 0..nodes {
            let end = parallel::end(world, node);
            let (receipts, clock, sim) = (measured.clone(), end.clock(), world.sim.clone());
            end.on_message(move |received| {
                receipts.receipts.take(node, received);
                receipts.accepted_cycle.set(clock.cycle_at(sim.now()));
                receipts.tell_if_over(nodes);
            });
            let draws = (Draws::new(self, world.seed, node, nodes), Silences::new(self, world.seed, node));
            let program = self.clone().run(end, draws, measured.clone());
            world.sim.spawn_server(format!("{} program", world.end(EndId(node as u32)).name()), program);
        }
        let end = parallel::end(world, 0);
        world.sim.spawn("the bursts", self.clone().watch(world.clone(), end, measured.clone()));
        measured
    }
}

impl Measured {
    fn tell_if_over(&self, nodes: usize) {
        if self.is_late.get() || self.ended.get() == nodes && self.sent.get() == self.receipts.count() {
            self.change.notify();
        }
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let count = |name: &str, count: u64| Metric::new(name, count as f64, "");
        let own = [
            count("bursts.phases", self.phases.get()),
            count("bursts.messages", self.messages.get()),
            count("bursts.out_of_order", self.receipts.out_of_order()),
        ];
        let mut metrics = parallel::metrics(world, own);
        metrics.extend(steady_metrics(world));
        metrics
    }

    fn note(&self, world: &World, outcome: &Outcome) -> Option<String> {
        let unreceived = self.sent.get() - self.receipts.count();
        let cycles = parallel::end(world, 0).clock().cycle_before(world.sim.now());
        (self.is_cut.get() && outcome.is_complete()).then(|| {
            format!(
                "The run was cut off by `workload.bursts.cycles`, after {cycles} cycles, in phase {}, with {unreceived} \
                 packets begun and not received.",
                self.phases.get() + 1
            )
        })
    }
}

/// What the network carries once it is warm, how sure that and the mean latency are, and where the warm-up
/// ends.
fn steady_metrics(world: &World) -> Vec<Metric> {
    let (course, end) = (world.tally.course(), world.sim.now().ps());
    let clock = parallel::end(world, 0).clock();
    let from = course.warm_up(end).at();
    let none = f64::NAN;
    // Packets a node and cycle, of packets a picosecond.
    let each = 1e12 / clock.0 as f64 / world.nodes.len() as f64;
    let rate = |rate: Option<f64>| rate.map_or(none, |rate| rate * each);
    let latency = from.and_then(|from| course.mean_half_width(from, end));
    let warm_up = from.map_or(none, |from| clock.cycle_before(Time::from_ps(from)) as f64);
    vec![
        Metric::new("message.latency_one_way_ci95", latency.map_or(none, |half| half / 1e6), "us"),
        Metric::new("bursts.throughput", rate(from.and_then(|from| course.rate(from, end))), "packets/node/cycle"),
        Metric::new(
            "bursts.throughput_ci95",
            rate(from.and_then(|from| course.rate_half_width(from, end))),
            "packets/node/cycle",
        ),
        Metric::new("bursts.warm_up_found", warm_up, "cycles"),
    ]
}
