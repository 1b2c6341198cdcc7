//! One run of one description, and its result.

use crate::engine::{Ledger, Map, Metric, Outcome, Recorder, Time, Timeline};
use crate::host::memory_bus::Kind;
use crate::machine::Machine;
use crate::machine::build::{Built, build};
use crate::messaging::Endpoint;

/// What a run gave.
#[derive(Debug)]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What the workload measured.
    pub metrics: Vec<Metric>,
    /// A quantity over time that the workload kept, if it did.
    pub map: Option<Map>,
    /// The ledgers of the messages delivered.
    pub ledgers: Vec<Ledger>,
    /// How long each resource was busy.
    pub resources: Vec<ResourceUse>,
    /// The simulated time at which it ended.
    pub end: Time,
    /// How many events fired.
    pub events: u64,
    /// The spans, if they were recorded.
    pub timeline: Timeline,
}

/// How long a resource was busy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceUse {
    /// Its name.
    pub name: String,
    /// How long.
    pub busy: Time,
}

/// Runs a checked description.
pub fn run(machine: &Machine, recorder: Recorder) -> RunResult {
    let built = build(machine, recorder);
    let outcome = built.run();
    let sim = &built.world.sim;
    RunResult {
        metrics: [built.running.metrics(&built.world, &outcome), bus_metrics(&built)].concat(),
        map: built.running.map(),
        ledgers: ledgers(&built),
        resources: resources(&built),
        end: sim.now(),
        events: sim.events(),
        timeline: sim.recorder().take(),
        outcome,
    }
}

/// The ledgers of the messages that the workload tells of.
fn ledgers(built: &Built) -> Vec<Ledger> {
    let delivered = built.world.tally.delivered();
    let told = delivered.iter().filter(|(message, _)| built.running.tells_of(message.source));
    told.map(|(message, _)| message.ledger()).collect()
}

impl RunResult {
    /// A run that gave these metrics, and no more.
    #[cfg(test)]
    pub(super) fn made_up(metrics: &[(&str, f64)]) -> RunResult {
        RunResult {
            outcome: Outcome::Done,
            metrics: metrics.iter().map(|(name, value)| Metric::new(*name, *value, "")).collect(),
            map: None,
            ledgers: Vec::new(),
            resources: Vec::new(),
            end: Time::from_us(1),
            events: 0,
            timeline: Timeline::default(),
        }
    }

    /// The value of the metric `name`.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value)
    }

    /// The resource that was busy for the largest part of the run, with that part.
    pub fn busiest(&self) -> Option<(&str, f64)> {
        let most = self.resources.iter().max_by_key(|resource| resource.busy)?;
        Some((&most.name, self.share(most)))
    }

    /// Every resource with the part of the run for which it was busy, in the order of the machine.
    pub fn shares(&self) -> Vec<(&ResourceUse, f64)> {
        self.resources.iter().map(|resource| (resource, self.share(resource))).collect()
    }

    fn share(&self, resource: &ResourceUse) -> f64 {
        resource.busy.as_s() / self.end.as_s().max(f64::MIN_POSITIVE)
    }
}

/// How long each resource of each node, and each link, was busy.
fn resources(built: &Built) -> Vec<ResourceUse> {
    let mut resources = Vec::new();
    for node in built.world.nodes.iter() {
        let mut add = |what: &str, busy| resources.push(ResourceUse { name: format!("{} {what}", node.name), busy });
        match &node.endpoint {
            Endpoint::Trapeze(trapeze) => {
                add("processor", trapeze.host.processor.time().held_total());
                add("memory", trapeze.host.memory.port().held_total());
                add("PCI", trapeze.host.pci.bus().held_total());
                add("host DMA", trapeze.chip.host_dma.busy_total());
                add("firmware", trapeze.chip.worked());
                add("netTx", trapeze.chip.transmit.busy_total());
                add("netRcv", trapeze.chip.receive.busy_total());
            }
            Endpoint::Polled(end) => add("memory bus", end.node().bus.held_total()),
            Endpoint::Active(end) => add("processor", end.busy()),
        }
    }
    let links = built.myrinet.iter().flat_map(|fabric| fabric.link_use());
    resources.extend(links.map(|(name, busy)| ResourceUse { name: format!("link {name}"), busy }));
    resources
}

/// The transactions of each memory bus, by kind; those of warm-up messages count.
fn bus_metrics(built: &Built) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for node in built.world.nodes.iter() {
        let Endpoint::Polled(end) = &node.endpoint else { continue };
        for (kind, count) in Kind::ALL.iter().zip(end.node().bus.counts()) {
            metrics.push(Metric::new(format!("bus.{}.{}", node.name, kind.name()), count as f64, ""));
        }
    }
    metrics
}
