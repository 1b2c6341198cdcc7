//! An open loop: packets generated at random at an offered load, whatever the fabric takes.
//!
//! Each node generates a packet in a cycle with probability load ÷ length (a Bernoulli process,
//! drawn as geometric gaps); packets wait at their source without limit. After `warm-up` cycles,
//! those generated in the next `cycles` are measured, until all of them have arrived or `drain`
//! further cycles have passed. A fabric whose sources' queues only grow is saturated (`program/backlog.rs`):
//! the run ends then, and its rates are of the cycles measured until then. How sure the means are, and
//! where the warm-up ends by itself, is told beside them (`TimeSeries`).

use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::rng::{self, RandomStream};
use crate::engine::time_series::{TimeSeries, WarmUp};
use crate::engine::{Metric, Outcome};
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::RunningWorkload;
use crate::program::backlog::Backlog;
use crate::program::destinations::Pattern;
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use rand::RngExt;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

/// Cycles between two samples of the backlog.
const WINDOW: u64 = 1_000;
/// Windows in a row in which the backlog of a saturated fabric grows.
const GROWING: u64 = 10;

/// The parameters of an open loop.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Offered {
    /// Whom a node sends to.
    #[param(flatten)]
    pub pattern: Pattern,
    /// Offered load, in flits per node and cycle.
    #[param(min = 0.0, max = 64.0)]
    pub load: f64,
    /// Length of every packet, in flits.
    #[param(min = 1, max = 4096, default = 1)]
    pub packet_flits: u16,
    /// Cycles before anything is measured.
    #[param(max = 1_000_000_000, default = 10_000)]
    pub warm_up: u64,
    /// Cycles whose packets are measured.
    #[param(min = 1, max = 1_000_000_000, default = 30_000)]
    pub cycles: u64,
    /// Cycles that their arrivals are waited for.
    #[param(max = 1_000_000_000, default = 100_000)]
    pub drain: u64,
}

/// A packet under way.
#[derive(Clone, Copy)]
struct Generated {
    cycle: u64,
    measured: bool,
}

/// An open loop in progress.
struct Offering {
    parameters: Offered,
    sources: Vec<RandomStream>,
    nodes: u32,
    /// The next packet of each node: its cycle and the node.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    packets: Vec<Generated>,
    free: Vec<u32>,
    measured: Measured,
    backlog: Backlog,
    /// The cycle in which the run ended, if it was not for want of anything to do.
    stopped: Option<u64>,
}

/// What is counted.
#[derive(Clone)]
struct Measured {
    generated: u64,
    arrived: u64,
    latencies: Latencies,
    /// Flits that arrived in the measured cycles, whenever generated.
    flits: u64,
    end: u64,
    /// Latencies by the cycle of generation, from cycle 0 on.
    course: TimeSeries,
    /// Arrivals, from the warm-up on.
    arrivals: TimeSeries,
}

impl Offered {
    /// The first cycle after those that are measured.
    fn end(&self) -> u64 {
        self.warm_up + self.cycles
    }

    /// The first cycle in which a run that is saturated may end: rates are measured for a while before.
    fn saturated_end(&self) -> u64 {
        self.end().min(self.warm_up + GROWING * WINDOW)
    }
}

impl Part for Offered {
    const INFO: PartInfo =
        PartInfo::new("offered", "Packets at an offered load, through the fabric alone").example("load = 0.1");
}

impl WorkloadSpec for Offered {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits)
    }

    fn check_routers(&self, nodes: u32, most: f64) -> Vec<ParameterError> {
        let mut wrong = Vec::new();
        if self.load > most {
            let message =
                format!("a load of {} is more than the {most} flits that a node can inject in a cycle", self.load);
            wrong.push(ParameterError::new("load", message).help("offer less, or make fabric.router.link-bits larger"));
        }
        wrong.extend(self.pattern.check(nodes as usize).err().map(ParameterError::from));
        wrong
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("offered.latency")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        let nodes = fabric.nodes();
        let sources = (0..nodes).map(|node| rng::stream(world.seed, &format!("offered by node {node}"))).collect();
        let mut offering = Offering {
            parameters: self.clone(),
            sources,
            nodes,
            due: BinaryHeap::new(),
            packets: Vec::new(),
            free: Vec::new(),
            measured: Measured::after(self.warm_up),
            backlog: Backlog::new(WINDOW, GROWING, 1.0),
            stopped: None,
        };
        (0..nodes).for_each(|node| offering.schedule(node, 0));
        let offering = Rc::new(RefCell::new(offering));
        world.sim.spawn("offered load", drive(world.sim.clone(), fabric, offering.clone()));
        Rc::new(Finished(offering))
    }
}

impl Measured {
    fn after(warm_up: u64) -> Measured {
        Measured {
            generated: 0,
            arrived: 0,
            latencies: Latencies::default(),
            flits: 0,
            end: 0,
            course: TimeSeries::default(),
            arrivals: TimeSeries::since(warm_up),
        }
    }
}

impl Offering {
    /// Draws the cycle of a node's next packet, from `cycle` on.
    fn schedule(&mut self, node: u32, cycle: u64) {
        let chance = self.parameters.load / f64::from(self.parameters.packet_flits);
        if chance <= 0.0 {
            return;
        }
        let uniform: f64 = self.sources[node as usize].random();
        // Failures before the first success: ⌊ln u ÷ ln(1 - p)⌋, u in (0, 1].
        let gap = if chance >= 1.0 { 0.0 } else { libm::floor(libm::log(1.0 - uniform) / libm::log1p(-chance)) };
        let next = cycle.saturating_add(gap as u64);
        if next < self.parameters.end() + self.parameters.drain {
            self.due.push(Reverse((next, node)));
        }
    }

    fn tag(&mut self, generated: Generated) -> u32 {
        match self.free.pop() {
            Some(tag) => {
                self.packets[tag as usize] = generated;
                tag
            }
            None => {
                self.packets.push(generated);
                self.packets.len() as u32 - 1
            }
        }
    }

    fn generate(&mut self, node: u32, network: &mut Network) {
        let cycle = network.cycle();
        let random = &mut self.sources[node as usize];
        let destination = self.parameters.pattern.destination(node as usize, self.nodes as usize, random) as u32;
        let measured = (self.parameters.warm_up..self.parameters.end()).contains(&cycle);
        self.measured.generated += u64::from(measured);
        let tag = self.tag(Generated { cycle, measured });
        let flits = self.parameters.packet_flits;
        network.offer(Injection::whole(node, destination, flits, tag));
        self.schedule(node, cycle + 1);
    }
}

impl Traffic for Offering {
    fn next(&self, _: u64) -> Option<u64> {
        self.due.peek().map(|Reverse((cycle, _))| *cycle)
    }

    fn offer(&mut self, network: &mut Network) {
        let cycle = network.cycle();
        while let Some(&Reverse((due, node))) = self.due.peek().filter(|Reverse((due, _))| *due <= cycle) {
            debug_assert_eq!(due, cycle, "no cycle with a packet due is skipped");
            self.due.pop();
            self.generate(node, network);
        }
    }

    fn hear(&mut self, event: &PacketEvent) {
        if event.kind != EventKind::Delivered {
            return;
        }
        let Generated { cycle, measured } = self.packets[event.tag as usize];
        self.free.push(event.tag);
        let counted = &mut self.measured;
        if (self.parameters.warm_up..self.parameters.end()).contains(&event.cycle) {
            counted.flits += u64::from(self.parameters.packet_flits);
            counted.arrivals.add(event.cycle, 1);
        }
        counted.course.add(cycle, event.cycle - cycle);
        counted.end = event.cycle;
        if measured {
            counted.arrived += 1;
            counted.latencies.add(event.cycle - cycle);
        }
    }

    fn over(&mut self, network: &Network) -> bool {
        let (cycle, parameters) = (network.cycle(), &self.parameters);
        let counts = network.counts();
        self.backlog.sample(cycle, counts.offered - counts.injected, counts.offered);
        let all = self.measured.arrived == self.measured.generated && cycle >= parameters.end();
        let saturated = self.backlog.only_grows() && cycle >= parameters.saturated_end();
        let over = all || saturated || cycle >= parameters.end() + parameters.drain;
        self.stopped = over.then_some(cycle);
        over
    }
}

/// An open loop's results.
struct Finished(Rc<RefCell<Offering>>);

impl Offering {
    /// Returns how it is known that the fabric is saturated.
    fn saturation(&self) -> String {
        let (more, waiting) = self.backlog.growth();
        format!(
            "the queues of its sources grew in each of the last {GROWING} windows of {WINDOW} cycles, by {more} packets \
             to {waiting}"
        )
    }

    /// The cycles that were measured, once the run has ended.
    fn span(&self) -> Range<u64> {
        let end = self.parameters.end();
        self.parameters.warm_up..self.stopped.unwrap_or(end).min(end)
    }

    /// Half the widths of the 95 % intervals of latency and accepted load, and where the warm-up ends.
    /// Without a steady state a latency has no mean to be sure of.
    fn sureness(&self, outcome: &Outcome) -> Vec<Metric> {
        let (Range { start: from, end: to }, measured) = (self.span(), &self.measured);
        let is_steady = *outcome == Outcome::Done;
        let latency = measured.course.mean_half_width(from, to).filter(|_| is_steady);
        let rate = measured.arrivals.rate_half_width(from, to).filter(|_| outcome.is_complete());
        let flits = f64::from(self.parameters.packet_flits) / f64::from(self.nodes);
        let warm_up = if is_steady { measured.course.warm_up(to) } else { WarmUp::Unknown };
        let none = f64::NAN;
        vec![
            Metric::new("offered.latency_ci95", latency.unwrap_or(none), "cycles"),
            Metric::new("offered.accepted_ci95", rate.map_or(none, |rate| rate * flits), "flits/node/cycle"),
            Metric::new("offered.warm_up_found", warm_up.at().map_or(none, |cycle| cycle as f64), "cycles"),
        ]
    }
}

impl RunningWorkload for Finished {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let offering = self.0.borrow();
        let (Range { start: from, end: to }, flits_each) =
            (offering.span(), f64::from(offering.parameters.packet_flits));
        let Measured { generated, arrived, latencies, flits, end, .. } = &offering.measured;
        // Of a run that is stuck no rate is told: it never came to the end of the cycles measured.
        let node_cycles = match outcome.is_complete() && from < to {
            true => (to - from) as f64 * f64::from(offering.nodes),
            false => f64::NAN,
        };
        let load = *generated as f64 * flits_each / node_cycles;
        let mut metrics = vec![
            Metric::new("offered.load", load, "flits/node/cycle"),
            Metric::new("offered.accepted", *flits as f64 / node_cycles, "flits/node/cycle"),
        ];
        metrics.extend(latencies.metrics("offered.latency"));
        metrics.push(Metric::new("offered.packets", *arrived as f64, ""));
        metrics.push(Metric::new("offered.unfinished", (generated - arrived) as f64, ""));
        metrics.push(Metric::new("cycles", *end as f64, "cycles"));
        metrics.extend(offering.sureness(outcome));
        metrics.extend(link_metrics(world));
        metrics
    }

    fn ended(&self, _: &World, outcome: Outcome) -> Outcome {
        let offering = self.0.borrow();
        match outcome {
            Outcome::Done if offering.backlog.only_grows() => Outcome::Saturated(offering.saturation()),
            other => other,
        }
    }

    fn note(&self, _: &World, outcome: &Outcome) -> Option<String> {
        let offering = self.0.borrow();
        let (measured, warm_up) = (&offering.measured, offering.parameters.warm_up);
        let Range { start: from, end: to } = offering.span();
        if *outcome != Outcome::Done || measured.latencies.is_empty() || from >= to {
            return None;
        }
        let unfinished = measured.generated - measured.arrived;
        if unfinished > 0 {
            let drain = offering.parameters.drain;
            return Some(format!(
                "{unfinished} of the packets measured had not arrived after `workload.offered.drain`, {drain} cycles, \
                 and are in no latency."
            ));
        }
        match measured.course.warm_up(to) {
            WarmUp::At(found) if found > warm_up => Some(format!(
                "The latency settles from cycle {found} on, later than `workload.offered.warm-up`, {warm_up}: the mean \
                 is not yet of a steady state."
            )),
            WarmUp::Never => Some(format!(
                "The latency has not settled by half of {to} cycles: make `workload.offered.cycles` larger."
            )),
            WarmUp::At(_) | WarmUp::Unknown => None,
        }
    }
}
