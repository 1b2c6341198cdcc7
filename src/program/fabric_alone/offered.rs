//! An open loop: packets generated at random at an offered load, whatever the fabric takes.
//!
//! Each node generates a packet in a cycle with probability load ÷ length (a Bernoulli process,
//! drawn as geometric gaps); packets wait at their source without limit. After `warm-up` cycles,
//! those generated in the next `cycles` are measured, until all of them have arrived or `drain`
//! further cycles have passed. A saturated fabric leaves some unfinished, and their number is told.

use super::{Latencies, Traffic, alone, drive};
use crate::engine::rng::{self, Stream};
use crate::engine::{Metric, Outcome};
use crate::fabric::router::{Event, EventKind, Injection, Network};
use crate::messaging::World;
use crate::program::Running;
use crate::program::destinations::Pattern;
use crate::text::Table;
use rand::RngExt;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// The parameters of an open loop.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// The offered load, in flits per node and cycle.
    pub load: f64,
    /// The length of every packet, in flits.
    pub packet_flits: u16,
    /// Cycles before anything is measured.
    pub warm_up: u64,
    /// Cycles whose packets are measured.
    pub cycles: u64,
    /// Cycles that are waited for them.
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
    sources: Vec<Stream>,
    nodes: u32,
    /// The next packet of each node: its cycle and the node.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    packets: Vec<Generated>,
    free: Vec<u32>,
    measured: Measured,
}

/// What is counted.
#[derive(Clone, Default)]
struct Measured {
    generated: u64,
    arrived: u64,
    latencies: Latencies,
    /// Flits that arrived in the measured cycles, whenever generated.
    flits: u64,
    end: u64,
}

impl Offered {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Offered {
        Offered {
            pattern: Pattern::read(t),
            load: t.number("load", "Offered load, in flits per node and cycle").range(0.0, 64.0).required(),
            packet_flits: t.count("packet-flits", "Length of every packet, in flits").range(1, 4096).or(1) as u16,
            warm_up: t.count("warm-up", "Cycles before anything is measured").max(1_000_000_000).or(10_000),
            cycles: t.count("cycles", "Cycles whose packets are measured").range(1, 1_000_000_000).or(30_000),
            drain: t.count("drain", "Cycles that their arrivals are waited for").max(1_000_000_000).or(100_000),
        }
    }

    pub(in crate::program) fn start(&self, world: &World) -> Rc<dyn Running> {
        let alone = alone(world);
        let nodes = alone.nodes;
        let sources = (0..nodes).map(|node| rng::stream(world.seed, &format!("offered by node {node}"))).collect();
        let mut offering = Offering {
            parameters: self.clone(),
            sources,
            nodes,
            due: BinaryHeap::new(),
            packets: Vec::new(),
            free: Vec::new(),
            measured: Measured::default(),
        };
        (0..nodes).for_each(|node| offering.schedule(node, 0));
        let offering = Rc::new(RefCell::new(offering));
        world.sim.spawn("offered load", drive(world.sim.clone(), alone, offering.clone()));
        Rc::new(Finished(offering))
    }

    /// The first cycle after those that are measured.
    fn end(&self) -> u64 {
        self.warm_up + self.cycles
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

    fn hear(&mut self, event: &Event) {
        if event.kind != EventKind::Delivered {
            return;
        }
        let Generated { cycle, measured } = self.packets[event.tag as usize];
        self.free.push(event.tag);
        let counted = &mut self.measured;
        if (self.parameters.warm_up..self.parameters.end()).contains(&event.cycle) {
            counted.flits += u64::from(self.parameters.packet_flits);
        }
        counted.end = event.cycle;
        if measured {
            counted.arrived += 1;
            counted.latencies.add(event.cycle - cycle);
        }
    }

    fn over(&self, network: &Network) -> bool {
        let cycle = network.cycle();
        let all = self.measured.arrived == self.measured.generated;
        (all && cycle >= self.parameters.end()) || cycle >= self.parameters.end() + self.parameters.drain
    }
}

/// An open loop's results.
struct Finished(Rc<RefCell<Offering>>);

impl Running for Finished {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let offering = self.0.borrow();
        let Measured { generated, arrived, latencies, flits, end } = &offering.measured;
        let node_cycles = offering.parameters.cycles as f64 * f64::from(offering.nodes);
        let load = *generated as f64 * f64::from(offering.parameters.packet_flits) / node_cycles;
        let mut metrics = vec![
            Metric::new("offered.load", load, "flits/node/cycle"),
            Metric::new("offered.accepted", *flits as f64 / node_cycles, "flits/node/cycle"),
        ];
        metrics.extend(latencies.metrics("offered.latency"));
        metrics.push(Metric::new("offered.packets", *arrived as f64, ""));
        metrics.push(Metric::new("offered.unfinished", (generated - arrived) as f64, ""));
        metrics.push(Metric::new("cycles", *end as f64, "cycles"));
        metrics
    }
}
