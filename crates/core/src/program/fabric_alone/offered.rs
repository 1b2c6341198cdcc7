//! An open loop: packets are generated at random at an offered load, independent of the load that the fabric accepts.
//!
//! Each node generates a packet in a cycle with probability load ÷ length (a Bernoulli process, drawn as geometric
//! gaps). The queue of a source is unlimited. After `warm-up` cycles, the packets generated in the next `cycles` cycles
//! are measured, until all of them have arrived or `drain` further cycles have passed. A fabric whose source queues
//! only grow is saturated (`program/backlog.rs`). The run then ends early, and its rates are those of the cycles
//! measured until then. The program also reports confidence intervals of the means, the detected end of the warm-up
//! (`TimeSeries`), and whether an initial transient remains among the measured latencies.

use super::arrival_ring::ArrivalRing;
use super::gaps::GapDistribution;
use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::rng::{self, RandomStream};
use crate::engine::time_series::{TimeSeries, WarmUp};
use crate::engine::transient::TransientTest;
use crate::engine::{Distribution, Metric, Outcome};
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::backlog::Backlog;
use crate::program::destinations::Pattern;
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::program::{RunningWorkload, WarmUpCheck};
use crate::text::Parameters;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Cycles between two samples of the backlog.
const WINDOW_CYCLES: u64 = 1_000;
/// Number of consecutive windows in which the backlog of a saturated fabric grows.
const GROWING_WINDOWS: u64 = 10;
/// The name of the metric of a packet's latency, from its generation to the arrival of its tail.
const LATENCY: &str = "offered.latency";

/// The parameters of an open loop.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Offered {
    /// Traffic pattern.
    #[param(flatten)]
    pub pattern: Pattern,
    /// Offered load in flits per node and cycle.
    #[param(min = 0.0, max = 64.0, check = zero_load_error)]
    pub load: f64,
    /// Length of every packet in flits.
    #[param(min = 1, max = 4096, default = 1)]
    pub packet_flits: u16,
    /// Cycles before the measurement window.
    #[param(max = 1_000_000_000, default = 10_000)]
    pub warm_up: u64,
    /// Length of the measurement window: the cycles whose packets are measured.
    #[param(min = 1, max = 1_000_000_000, default = 30_000, meaning = Repetitions)]
    pub cycles: u64,
    /// Largest number of cycles after the measurement window in which the run waits for the measured packets.
    #[param(max = 1_000_000_000, default = 100_000)]
    pub drain: u64,
}

fn zero_load_error(load: &f64) -> Option<(String, &'static str)> {
    (*load <= 0.0).then(|| ("no node would ever send".to_owned(), "choose a load above 0"))
}

/// The state of an open loop.
struct OpenLoop {
    parameters: Offered,
    source_randoms: Vec<RandomStream>,
    nodes: u32,
    /// Distribution of the cycles between two packets of a node.
    gaps: GapDistribution,
    /// Next packet of each node.
    next_packets: ArrivalRing,
    counts: OpenLoopCounts,
    backlog: Backlog,
    /// Cycle in which the run ended; `None` if it ended because no work was left.
    end_cycle: Option<u64>,
}

/// The counts of an open loop.
#[derive(Clone)]
struct OpenLoopCounts {
    /// Measured packets that were generated.
    generated_packets: u64,
    /// Measured packets that arrived.
    arrived_packets: u64,
    latencies: Latencies,
    /// Flits that arrived in the measurement window, whatever the cycle of their generation.
    arrived_flits: u64,
    /// Cycle in which the last packet arrived.
    last_arrival_cycle: u64,
    /// Latencies of packets by the cycle of generation, from cycle 0 on.
    latency_series: TimeSeries,
    /// Arrivals after the warm-up.
    arrival_series: TimeSeries,
}

impl Offered {
    /// Returns the first cycle after the measurement window.
    fn window_end(&self) -> u64 {
        self.warm_up + self.cycles
    }

    /// Returns whether a cycle is in the measurement window.
    #[inline]
    fn is_measured(&self, cycle: u64) -> bool {
        cycle.wrapping_sub(self.warm_up) < self.cycles
    }

    /// Returns the first cycle in which a saturated run may end, so that its rates are measured over some windows.
    fn saturated_end(&self) -> u64 {
        self.window_end().min(self.warm_up + GROWING_WINDOWS * WINDOW_CYCLES)
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("offered.load", "flits/node/cycle", "Flits that were generated in the measured cycles"),
    ResultName::metric("offered.accepted", "flits/node/cycle", "Flits that arrived in the measured cycles"),
    ResultName::metric(
        "offered.latency",
        "cycles",
        "Latency of a packet, from its generation until its tail arrived; the mean over the measured packets",
    ),
    ResultName::metric("offered.warm_up_found", "cycles", "End of the warm-up as MSER estimates it"),
    ResultName::metric("offered.packets", "", "Measured packets that arrived"),
    ResultName::metric("offered.unfinished", "", "Measured packets that had not arrived when the run ended"),
];

impl Part for Offered {
    const INFO: PartInfo = PartInfo::new("offered", "Random packets at an offered load through the fabric alone")
        .results(RESULTS)
        .example("load = 0.1");
}

impl WorkloadSpec for Offered {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits)
    }

    fn check_routers(&self, nodes: u32, injection_max: f64) -> Vec<ParameterError> {
        let mut errors = Vec::new();
        if self.load > injection_max {
            let message =
                format!("a load of {} exceeds the {injection_max} flits that a node can inject per cycle", self.load);
            errors.push(
                ParameterError::new("load", message).help("reduce the load, or increase fabric.router.link-bits"),
            );
        }
        errors.extend(self.pattern.check(nodes as usize).err().map(ParameterError::from));
        errors
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize(LATENCY).map(|latency| latency.when_saturated("offered.accepted"))
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        fabric.network().report_deliveries_only();
        let nodes = fabric.nodes();
        let source_randoms =
            (0..nodes).map(|node| rng::stream(world.seed, &format!("offered by node {node}"))).collect();
        let mut open_loop = OpenLoop {
            parameters: self.clone(),
            source_randoms,
            nodes,
            gaps: GapDistribution::new(self.load / f64::from(self.packet_flits)),
            next_packets: ArrivalRing::new(nodes),
            counts: OpenLoopCounts::with_warm_up(self.warm_up),
            backlog: Backlog::new(WINDOW_CYCLES, GROWING_WINDOWS, 1.0),
            end_cycle: None,
        };
        (0..nodes).for_each(|node| open_loop.schedule(node, 0));
        let open_loop = Rc::new(RefCell::new(open_loop));
        world.sim.spawn("offered load", drive(world.sim.clone(), fabric, open_loop.clone()));
        Rc::new(OpenLoopRun(open_loop))
    }
}

impl OpenLoopCounts {
    fn with_warm_up(warm_up: u64) -> OpenLoopCounts {
        OpenLoopCounts {
            generated_packets: 0,
            arrived_packets: 0,
            latencies: Latencies::default(),
            arrived_flits: 0,
            last_arrival_cycle: 0,
            latency_series: TimeSeries::default(),
            arrival_series: TimeSeries::starting_at(warm_up),
        }
    }
}

impl OpenLoop {
    /// Draws the cycle of a node's next packet, at or after `cycle`.
    fn schedule(&mut self, node: u32, cycle: u64) {
        let gap = self.gaps.draw(&mut self.source_randoms[node as usize]);
        let next = cycle.saturating_add(gap);
        if next < self.parameters.window_end() + self.parameters.drain {
            self.next_packets.insert(next, node);
        }
    }

    /// Generates a packet of a node. The tag of a packet is the cycle of its generation, which has 32 bits by the limits
    /// of the parameters.
    #[inline]
    fn generate_packet(&mut self, node: u32, cycle: u64, network: &mut Network) {
        let random = &mut self.source_randoms[node as usize];
        let destination = self.parameters.pattern.destination(node as usize, self.nodes as usize, random) as u32;
        self.counts.generated_packets += u64::from(self.parameters.is_measured(cycle));
        let flits = self.parameters.packet_flits;
        network.offer(Injection::whole(node, destination, flits, cycle as u32));
        self.schedule(node, cycle + 1);
    }
}

impl Traffic for OpenLoop {
    #[inline]
    fn next_offer_cycle(&self, _: u64) -> Option<u64> {
        self.next_packets.next_cycle()
    }

    fn offer_packets(&mut self, cycle: u64, network: &mut Network) {
        self.next_packets.advance_to(cycle);
        while let Some(node) = self.next_packets.pop() {
            self.generate_packet(node, cycle, network);
        }
    }

    fn handle(&mut self, event: &PacketEvent) {
        debug_assert_eq!(event.kind, EventKind::Delivered, "the network reports deliveries only");
        let generation_cycle = u64::from(event.tag);
        let counts = &mut self.counts;
        if self.parameters.is_measured(event.cycle) {
            counts.arrived_flits += u64::from(self.parameters.packet_flits);
            counts.arrival_series.add(event.cycle, 1);
        }
        counts.latency_series.add(generation_cycle, event.cycle - generation_cycle);
        counts.last_arrival_cycle = event.cycle;
        if self.parameters.is_measured(generation_cycle) {
            counts.arrived_packets += 1;
            counts.latencies.add(event.cycle - generation_cycle);
        }
    }

    fn is_finished(&mut self, cycle: u64, network: &Network) -> bool {
        let parameters = &self.parameters;
        if self.backlog.is_due(cycle) {
            let counts = network.counts();
            self.backlog.sample(cycle, counts.offered - counts.injected, counts.offered);
        }
        let have_all_arrived =
            self.counts.arrived_packets == self.counts.generated_packets && cycle >= parameters.window_end();
        let is_saturated = self.backlog.is_growing() && cycle >= parameters.saturated_end();
        let is_finished = have_all_arrived || is_saturated || cycle >= parameters.window_end() + parameters.drain;
        self.end_cycle = is_finished.then_some(cycle);
        is_finished
    }
}

/// A running or finished open loop.
struct OpenLoopRun(Rc<RefCell<OpenLoop>>);

impl OpenLoop {
    /// Returns the evidence that the fabric is saturated.
    fn saturation_evidence(&self) -> String {
        let (growth, waiting) = self.backlog.growth_and_size();
        format!(
            "the queues of its sources grew in each of the last {GROWING_WINDOWS} windows of {WINDOW_CYCLES} cycles, by {growth} packets \
             to {waiting}"
        )
    }

    /// Returns the part of the measurement window that was simulated, after the run has ended.
    fn window(&self) -> Range<u64> {
        let end = self.parameters.window_end();
        self.parameters.warm_up..self.end_cycle.unwrap_or(end).min(end)
    }

    /// Returns whether the run ended before all measured packets had arrived, although the fabric is not saturated. The
    /// mean latency of the packets that did arrive would then be that of the fast ones.
    fn is_undrained(&self, outcome: &Outcome) -> bool {
        *outcome == Outcome::Done && self.counts.arrived_packets < self.counts.generated_packets
    }

    /// Returns the half widths of the 95 % confidence intervals of latency and accepted load, and the detected end of
    /// the warm-up. Without a steady state, the mean latency has no confidence interval.
    fn confidence_metrics(&self, outcome: &Outcome) -> Vec<Metric> {
        let (Range { start: from, end: to }, counts) = (self.window(), &self.counts);
        let is_steady = *outcome == Outcome::Done && !self.is_undrained(outcome);
        let latency = counts.latency_series.mean_half_width(from, to).filter(|_| is_steady);
        let rate = counts.arrival_series.rate_half_width(from, to).filter(|_| outcome.is_complete());
        let flits_per_node = f64::from(self.parameters.packet_flits) / f64::from(self.nodes);
        let warm_up = if is_steady { counts.latency_series.warm_up(to) } else { WarmUp::Unknown };
        let unknown = f64::NAN;
        vec![
            Metric::new("offered.latency_ci95", latency.unwrap_or(unknown), "cycles"),
            Metric::new(
                "offered.accepted_ci95",
                rate.map_or(unknown, |rate| rate * flits_per_node),
                "flits/node/cycle",
            ),
            Metric::new("offered.warm_up_found", warm_up.end_time().map_or(unknown, |cycle| cycle as f64), "cycles"),
        ]
    }
}

impl RunningWorkload for OpenLoopRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let open_loop = self.0.borrow();
        let (Range { start: from, end: to }, flits_per_packet) =
            (open_loop.window(), f64::from(open_loop.parameters.packet_flits));
        let OpenLoopCounts { generated_packets, arrived_packets, latencies, arrived_flits, last_arrival_cycle, .. } =
            &open_loop.counts;
        // A deadlocked run has no rates, since it did not reach the end of the measurement window.
        let node_cycles = match outcome.is_complete() && from < to {
            true => (to - from) as f64 * f64::from(open_loop.nodes),
            false => f64::NAN,
        };
        let load = *generated_packets as f64 * flits_per_packet / node_cycles;
        let mut metrics = vec![
            Metric::new("offered.load", load, "flits/node/cycle"),
            Metric::rate("offered.accepted", *arrived_flits as f64 / node_cycles, "flits/node/cycle"),
        ];
        match open_loop.is_undrained(outcome) {
            true => metrics.extend(Latencies::default().metrics(LATENCY)),
            false => metrics.extend(latencies.metrics(LATENCY)),
        }
        metrics.push(Metric::count("offered.packets", *arrived_packets as f64, ""));
        metrics.push(Metric::count("offered.unfinished", (generated_packets - arrived_packets) as f64, ""));
        metrics.push(Metric::new("cycles", *last_arrival_cycle as f64, "cycles"));
        metrics.extend(open_loop.confidence_metrics(outcome));
        metrics.extend(link_metrics(world));
        metrics
    }

    fn distributions(&self, _: &World, outcome: &Outcome) -> Vec<Distribution> {
        let open_loop = self.0.borrow();
        match open_loop.is_undrained(outcome) {
            true => Vec::new(),
            false => open_loop.counts.latencies.distributions(LATENCY),
        }
    }

    fn final_outcome(&self, _: &World, outcome: Outcome) -> Outcome {
        let open_loop = self.0.borrow();
        match outcome {
            Outcome::Done if open_loop.backlog.is_growing() => Outcome::Saturated(open_loop.saturation_evidence()),
            other => other,
        }
    }

    fn note(&self, _: &World, outcome: &Outcome) -> Option<String> {
        let open_loop = self.0.borrow();
        let (counts, drain) = (&open_loop.counts, open_loop.parameters.drain);
        let unfinished = counts.generated_packets - counts.arrived_packets;
        (open_loop.is_undrained(outcome) && !counts.latencies.is_empty()).then(|| {
            format!(
                "{unfinished} of the measured packets had not arrived within `workload.offered.drain`, {drain} cycles: \
                 the mean latency is not reported, because their latencies are unknown."
            )
        })
    }

    fn warm_up_check(&self, _: &World) -> Option<WarmUpCheck> {
        let open_loop = self.0.borrow();
        let Range { start: from, end: to } = open_loop.window();
        let (means, width) = open_loop.counts.latency_series.window_means(from, to);
        Some(WarmUpCheck {
            key: "workload.offered.warm-up",
            value: open_loop.parameters.warm_up,
            items: "cycles",
            metric: LATENCY,
            unit: "cycles",
            test: TransientTest::new(&means, width),
            load: None,
        })
    }
}
