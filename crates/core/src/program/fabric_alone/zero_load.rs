//! Zero load: one packet at a time, between all pairs of nodes, told by their distance.
//!
//! The latency is counted from the cycle in which the header leaves the interface to the one in
//! which it (or, with store-and-forward, the tail) is at the other: T_lat(d) of Callahan and
//! Goldstein (1995), Table 3. Distances are counted as the shape counts them.

use super::{Latencies, Traffic, drive, fabric_only, link_metrics};
use crate::engine::{Metric, Outcome};
use crate::fabric::routed::FabricOnly;
use crate::fabric::router::{EventKind, Injection, Network, PacketEvent};
use crate::messaging::World;
use crate::part::{Part, PartInfo};
use crate::program::RunningWorkload;
use crate::program::{WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The parameters of zero load.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct ZeroLoad {
    /// Length of a packet, in flits.
    #[param(min = 1, max = 4096, default = 8)]
    pub packet_flits: u16,
    /// How many nodes send, spread over all; each sends to every other.
    #[param(min = 1, max = 1 << 20, default = 64)]
    pub sources: u32,
}

/// The least and the largest latency of some packets.
#[derive(Clone, Copy)]
struct Range {
    least: u64,
    most: u64,
}

/// Zero load in progress.
struct Probing {
    parameters: ZeroLoad,
    nodes: u32,
    fabric: Rc<FabricOnly>,
    /// Which pair is next.
    next: u64,
    begun: u64,
    distance: u32,
    /// Whether a packet is under way.
    busy: bool,
    header: BTreeMap<u32, Range>,
    tail: BTreeMap<u32, Range>,
    packets: u64,
    /// As the machine counts: until the header is there, or with store-and-forward the tail.
    latencies: Latencies,
}

impl Part for ZeroLoad {
    const INFO: PartInfo =
        PartInfo::new("zero-load", "One packet at a time between all pairs, through the fabric alone");
}

impl WorkloadSpec for ZeroLoad {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::fabric_only(self.packet_flits)
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let fabric = fabric_only(world);
        let probing = Probing {
            parameters: self.clone(),
            nodes: fabric.nodes(),
            fabric: fabric.clone(),
            next: 0,
            begun: 0,
            distance: 0,
            busy: false,
            header: BTreeMap::new(),
            tail: BTreeMap::new(),
            packets: 0,
            latencies: Latencies::default(),
        };
        let probing = Rc::new(RefCell::new(probing));
        world.sim.spawn("zero load", drive(world.sim.clone(), fabric, probing.clone()));
        Rc::new(Probed(probing))
    }
}

impl Probing {
    /// The pair of this number; none after the last.
    fn pair(&self, number: u64) -> Option<(u32, u32)> {
        let (nodes, sources) = (u64::from(self.nodes), u64::from(self.parameters.sources.min(self.nodes)));
        let (source, other) = (number / (nodes - 1).max(1), number % (nodes - 1).max(1));
        let source = (source < sources).then(|| source * nodes / sources)?;
        let destination = if other < source { other } else { other + 1 };
        (destination < nodes).then_some((source as u32, destination as u32))
    }
}

impl Range {
    fn add(ranges: &mut BTreeMap<u32, Range>, distance: u32, latency: u64) {
        let range = ranges.entry(distance).or_insert(Range { least: latency, most: latency });
        range.least = range.least.min(latency);
        range.most = range.most.max(latency);
    }
}

impl Traffic for Probing {
    fn next(&self, cycle: u64) -> Option<u64> {
        (!self.busy && self.pair(self.next).is_some()).then_some(cycle)
    }

    fn offer(&mut self, network: &mut Network) {
        let (source, destination) = self.pair(self.next).expect("only while a pair is left");
        let (flits, begun) = (self.parameters.packet_flits, network.cycle());
        self.distance = self.fabric.distance(source, destination);
        network.offer(Injection::whole(source, destination, flits, 0));
        (self.begun, self.busy, self.next) = (begun, true, self.next + 1);
    }

    fn hear(&mut self, event: &PacketEvent) {
        let latency = event.cycle - self.begun;
        match event.kind {
            EventKind::Left(_) | EventKind::Entered | EventKind::Came(_) => {}
            EventKind::Header => {
                Range::add(&mut self.header, self.distance, latency);
                if !self.fabric.is_store_and_forward() {
                    self.latencies.add(latency);
                }
            }
            EventKind::Delivered => {
                if self.fabric.is_store_and_forward() {
                    self.latencies.add(latency);
                }
                Range::add(&mut self.tail, self.distance, latency);
                self.busy = false;
                self.packets += 1;
            }
        }
    }
}

/// The latencies found.
struct Probed(Rc<RefCell<Probing>>);

impl RunningWorkload for Probed {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let probing = self.0.borrow();
        let mut metrics = vec![Metric::new("packets.delivered", probing.packets as f64, "")];
        let told = if probing.fabric.is_store_and_forward() { &probing.tail } else { &probing.header };
        for (what, ranges) in [("latency", told), ("header", &probing.header), ("tail", &probing.tail)] {
            for (distance, Range { least, most }) in ranges {
                for (end, value) in [("min", least), ("max", most)] {
                    metrics.push(Metric::new(format!("zero_load.d{distance}.{what}_{end}"), *value as f64, "cycles"));
                }
            }
        }
        metrics.extend(probing.latencies.metrics("zero_load.latency"));
        metrics.extend(link_metrics(world));
        metrics
    }
}
