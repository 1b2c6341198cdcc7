//! Workloads that drive a routed fabric alone: no host, no interface.
//!
//! | file | traffic |
//! |---|---|
//! | `replay.rs` | the packets of a trace, each arrival held against the trace's |
//! | `trace.rs` | the file of a trace |
//! | `offered.rs` | an open loop: packets at random, at an offered load |
//! | `zero_load.rs` | one packet at a time between all pairs, by distance |
//!
//! The routers are stepped here, without an event a cycle; the simulation's clock follows.

pub mod offered;
pub mod replay;
pub mod trace;
pub mod zero_load;

use super::latency_metrics_in;
use crate::engine::stats::Summary;
use crate::engine::{Metric, Signal, Sim, Time};
use crate::fabric::routed::FabricOnly;
use crate::fabric::router::{Network, PacketEvent};
use crate::messaging::World;
use std::cell::RefCell;
use std::rc::Rc;

/// What offers packets to a network and hears of them.
trait Traffic {
    /// The next cycle in which it has something to offer, at or after `cycle`.
    fn next(&self, cycle: u64) -> Option<u64>;

    /// Offers what is due in the network's present cycle.
    fn offer(&mut self, network: &mut Network);

    /// Hears of an event.
    fn hear(&mut self, event: &PacketEvent);

    /// Whether it asks for nothing more, even if packets are under way.
    fn over(&mut self, _network: &Network) -> bool {
        false
    }
}

/// Returns the fabric that the workload drives.
fn fabric_only(world: &World) -> Rc<FabricOnly> {
    world.fabric_only.clone().expect("a checked description gives a routed fabric to a workload that drives it alone")
}

/// Latencies in cycles: a summary is of whole picoseconds, which stand for them here.
#[derive(Clone, Default)]
struct Latencies(Summary);

impl Latencies {
    fn add(&mut self, cycles: u64) {
        self.0.add(Time::from_ps(cycles));
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn metrics(&self, name: &str) -> Vec<Metric> {
        latency_metrics_in("cycles", 1.0, name, &self.0)
    }
}

/// Which part of the run links moved flits: the mean of all, and of the hottest.
fn link_metrics(world: &World) -> Vec<Metric> {
    let parts = fabric_only(world).utilisations();
    let mean = parts.iter().sum::<f64>() / parts.len() as f64;
    let most = parts.iter().copied().fold(f64::NAN, f64::max);
    vec![Metric::new("links.utilisation", mean, ""), Metric::new("links.utilisation_max", most, "")]
}

/// How many cycles are stepped before the simulation's clock follows.
const CYCLES_AT_ONCE: u64 = 4096;

/// Steps the network until the traffic is over or nothing can move any more.
async fn drive<T: Traffic>(sim: Sim, fabric: Rc<FabricOnly>, traffic: Rc<RefCell<T>>) {
    let mut events = Vec::new();
    loop {
        let work = run(&sim, &fabric, &mut *traffic.borrow_mut(), &mut events);
        sim.until(fabric.time()).await;
        match work {
            Work::More => sim.progress(),
            Work::Over => return,
            Work::Stuck => stuck(&sim, &fabric).await,
        }
    }
}

/// How a stretch of cycles ended.
enum Work {
    More,
    Over,
    Stuck,
}

fn run<T: Traffic>(sim: &Sim, fabric: &FabricOnly, traffic: &mut T, events: &mut Vec<PacketEvent>) -> Work {
    let mut network = fabric.network();
    let limit = network.cycle() + CYCLES_AT_ONCE;
    while network.cycle() < limit {
        let cycle = network.cycle();
        if traffic.over(&network) {
            return Work::Over;
        }
        let due = traffic.next(cycle);
        let Some(next) = [network.next_work(), due].into_iter().flatten().min() else {
            return if network.counts().in_flight() == 0 { Work::Over } else { Work::Stuck };
        };
        network.skip_to(next);
        if due == Some(next) {
            traffic.offer(&mut network);
        }
        fabric.step(&mut network, sim.recorder(), events, |event| traffic.hear(event));
    }
    Work::More
}

/// Waits for ever for what blocks the packets, so that the run tells of it.
async fn stuck(sim: &Sim, fabric: &FabricOnly) {
    let under_way = fabric.in_flight();
    let name = format!("a free channel: {under_way} packets in the fabric wait for one another");
    Signal::new(sim, name).wait().await;
}
