//! Workloads that drive a routed fabric without hosts and interfaces.
//!
//! | file | traffic |
//! |---|---|
//! | `replay.rs` | the packets of a trace, with arrivals compared to the trace's |
//! | `trace.rs` | the file of a trace |
//! | `offered.rs` | an open loop: random packets at an offered load |
//! | `arrival_ring.rs` | the next packet of each node of an open loop |
//! | `gaps.rs` | the gaps between the packets of a node |
//! | `zero_load.rs` | one packet at a time between all pairs of nodes |
//!
//! The network is stepped here without an event for each cycle, and the simulation's clock follows in larger steps.

mod arrival_ring;
mod gaps;
pub mod offered;
pub mod replay;
pub mod trace;
pub mod zero_load;

use crate::engine::stats::Summary;
use crate::engine::{Distribution, Metric, SampleUnit, Signal, Sim, Time};
use crate::fabric::routed::FabricOnly;
use crate::fabric::router::{Network, PacketEvent};
use crate::messaging::World;
use std::cell::RefCell;
use std::rc::Rc;

/// A source of packets for a network, which is notified of the events of its packets.
trait Traffic {
    /// Returns the next cycle, at or after `cycle`, in which the source offers a packet.
    fn next_offer_cycle(&self, cycle: u64) -> Option<u64>;

    /// Offers the packets that are due in `cycle`, the network's present one.
    fn offer_packets(&mut self, cycle: u64, network: &mut Network);

    /// Handles an event of a packet.
    fn handle(&mut self, event: &PacketEvent);

    /// Returns whether the run may end in `cycle`, the network's present one, even if packets are in flight.
    fn is_finished(&mut self, _cycle: u64, _network: &Network) -> bool {
        false
    }
}

/// Returns the fabric that the workload drives.
fn fabric_only(world: &World) -> Rc<FabricOnly> {
    world.fabric_only.clone().expect("a checked description gives a routed fabric to a workload that drives it alone")
}

/// Latencies in cycles. In the summary, one picosecond represents one cycle.
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
        Distribution::metrics(name, SampleUnit::Cycles, &self.0)
    }

    fn distributions(&self, name: &str) -> Vec<Distribution> {
        vec![Distribution::new(name, SampleUnit::Cycles, &self.0)]
    }
}

/// Returns the fraction of the run in which links moved flits: the mean over all links, and the largest.
fn link_metrics(world: &World) -> Vec<Metric> {
    let utilisations = fabric_only(world).utilisations();
    let mean = utilisations.iter().sum::<f64>() / utilisations.len() as f64;
    let max = utilisations.iter().copied().fold(f64::NAN, f64::max);
    vec![Metric::new("links.utilisation", mean, ""), Metric::new("links.utilisation_max", max, "")]
}

/// Number of cycles that are stepped before the simulation's clock follows.
const CYCLES_AT_ONCE: u64 = 4096;

/// Steps the network until the traffic is finished or no packet can move any more.
async fn drive<T: Traffic>(sim: Sim, fabric: Rc<FabricOnly>, traffic: Rc<RefCell<T>>) {
    let mut events = Vec::new();
    loop {
        let progress = step_cycles(&sim, &fabric, &mut *traffic.borrow_mut(), &mut events);
        sim.until(fabric.time()).await;
        match progress {
            Progress::Running => sim.progress(),
            Progress::Finished => return,
            Progress::Deadlocked => report_deadlock(&sim, &fabric).await,
        }
    }
}

/// The state of the network after a number of cycles.
enum Progress {
    Running,
    Finished,
    Deadlocked,
}

fn step_cycles<T: Traffic>(sim: &Sim, fabric: &FabricOnly, traffic: &mut T, events: &mut Vec<PacketEvent>) -> Progress {
    let mut network = fabric.network();
    let mut cycle = network.cycle();
    let end_cycle = cycle + CYCLES_AT_ONCE;
    while cycle < end_cycle {
        if traffic.is_finished(cycle, &network) {
            return Progress::Finished;
        }
        let offer_cycle = traffic.next_offer_cycle(cycle);
        let Some(next_cycle) = [network.next_work(), offer_cycle].into_iter().flatten().min() else {
            return if network.counts().in_flight() == 0 { Progress::Finished } else { Progress::Deadlocked };
        };
        network.skip_to(next_cycle);
        if offer_cycle == Some(next_cycle) {
            traffic.offer_packets(next_cycle, &mut network);
        }
        fabric.step(&mut network, sim.recorder(), events, |event| traffic.handle(event));
        cycle = next_cycle + 1;
    }
    Progress::Running
}

/// Waits for ever for a free channel, so that the run ends with a report of the deadlock.
async fn report_deadlock(sim: &Sim, fabric: &FabricOnly) {
    let in_flight = fabric.in_flight();
    let name = format!("a free channel: {in_flight} packets in the fabric wait for one another");
    Signal::new(sim, name).wait().await;
}
