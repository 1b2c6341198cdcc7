//! One run of one description, and its result.

use narrows_core::engine::{
    Bytes, CapturedPacket, EndId, Ledger, LedgerSums, Map, Message, Metric, Outcome, Recorder, Time, Timeline,
};
use narrows_core::host::HostMetric;
use narrows_core::machine::Machine;
use narrows_core::machine::build::{Built, Start, build, build_with};

/// What a run gave.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What is to be known of how it ended, in a sentence or two.
    pub note: Option<String>,
    /// What the workload measured.
    pub metrics: Vec<Metric>,
    /// A quantity over time that the workload kept, if it did.
    pub map: Option<Map>,
    /// The ledgers of all messages delivered that the workload tells of, summed up.
    pub ledger: LedgerSums,
    /// The first of them, and a sample of the later ones.
    pub deliveries: Vec<Delivery>,
    /// How long each resource was busy: every processor, bus, memory, engine and link.
    pub resources: Vec<ResourceUse>,
    /// The simulated time at which it ended.
    pub end: Time,
    /// How many events fired.
    pub events: u64,
    /// The spans, if they were recorded.
    pub timeline: Timeline,
    /// The packets of a known format that passed, if they were asked for.
    pub packets: Vec<CapturedPacket>,
}

/// A message that was delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Its number in the run.
    pub message: u64,
    /// The sending endpoint.
    pub source: EndId,
    /// The receiving endpoint.
    pub destination: EndId,
    /// Its payload.
    pub payload: Bytes,
    /// When it was delivered.
    pub at: Time,
    /// Where its time went.
    pub ledger: Ledger,
}

/// How long a resource was busy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceUse {
    /// Its name.
    pub name: String,
    /// What it is, without the node or link that it is of.
    pub kind: &'static str,
    /// How long it was taken.
    pub busy: Time,
    /// How long of that it did its own work, at its own pace, as far as that is told apart: what is
    /// held while it waits for another is not what binds.
    pub moving: Time,
}

/// Runs a checked description.
pub fn run(machine: &Machine, recorder: Recorder) -> RunResult {
    result(build(machine, recorder))
}

/// Runs a program on the machine of a checked description, in place of its workload.
pub fn run_with(machine: &Machine, recorder: Recorder, start: Box<Start<'_>>) -> RunResult {
    result(build_with(machine, recorder, start))
}

fn result(built: Built) -> RunResult {
    let outcome = built.run();
    let outcome = built.running.final_outcome(&built.world, outcome);
    let sim = &built.world.sim;
    RunResult {
        note: built.running.note(&built.world, &outcome),
        metrics: [built.running.metrics(&built.world, &outcome), host_metrics(&built)].concat(),
        map: built.running.map(),
        ledger: built.world.tally.ledger(),
        deliveries: deliveries(&built),
        resources: resources(&built),
        end: sim.now(),
        events: sim.events(),
        timeline: sim.recorder().take(),
        packets: sim.recorder().take_packets(),
        outcome,
    }
}

/// The messages that the workload tells of, as far as they were kept.
fn deliveries(built: &Built) -> Vec<Delivery> {
    let tally = &built.world.tally;
    let delivered = tally.delivered();
    let told = delivered.iter().filter(|(message, _)| tally.keeps_ledger_of(message.source));
    let delivery = |(message, at): &(std::rc::Rc<Message>, Time)| Delivery {
        message: message.id,
        source: message.source,
        destination: message.destination,
        payload: message.payload,
        at: *at,
        ledger: message.ledger(),
    };
    told.map(delivery).collect()
}

impl RunResult {
    /// A run that gave these metrics, and no more.
    #[cfg(test)]
    pub(crate) fn made_up(metrics: &[(&str, f64)]) -> RunResult {
        RunResult {
            outcome: Outcome::Done,
            note: None,
            metrics: metrics.iter().map(|(name, value)| Metric::new(*name, *value, "")).collect(),
            map: None,
            ledger: LedgerSums::default(),
            deliveries: Vec::new(),
            resources: Vec::new(),
            end: Time::from_us(1),
            events: 0,
            timeline: Timeline::default(),
            packets: Vec::new(),
        }
    }

    /// The value of the metric `name`, if anything was measured.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let found = self.metrics.iter().find(|metric| metric.name == name);
        found.filter(|metric| metric.is_measured()).map(|metric| metric.value)
    }

    /// The resource that did its own work for the largest part of the run, with that part.
    pub fn busiest(&self) -> Option<(&str, f64)> {
        let most = self.resources.iter().max_by_key(|resource| resource.moving)?;
        Some((&most.name, self.share(most.moving)))
    }

    /// Every resource with the part of the run for which it was busy, in the order of the machine.
    pub fn shares(&self) -> Vec<(&ResourceUse, f64)> {
        self.resources.iter().map(|resource| (resource, self.share(resource.busy))).collect()
    }

    fn share(&self, time: Time) -> f64 {
        time.as_s() / self.end.as_s().max(f64::MIN_POSITIVE)
    }
}

/// How long each resource of each node, and each link, was busy.
fn resources(built: &Built) -> Vec<ResourceUse> {
    let mut resources = Vec::new();
    for node in built.world.nodes.iter() {
        for part in node.endpoint().utilization() {
            let name = format!("{} {}", node.name, part.what);
            resources.push(ResourceUse { name, kind: part.what, busy: part.busy, moving: part.active });
        }
    }
    resources.extend(built.world.links().into_iter().map(|link| {
        let (busy, moving) = (link.held, link.moving);
        ResourceUse { name: format!("link {}", link.name), kind: "link", busy, moving }
    }));
    resources
}

/// The most nodes whose hosts' metrics are reported one by one.
const HOSTS_REPORTED: usize = 8;

/// Returns what the hosts counted: for each node, or summed over all nodes where these are many, or where the host says
/// so.
fn host_metrics(built: &Built) -> Vec<Metric> {
    let nodes = built.world.nodes.iter();
    let counted: Vec<(&str, Vec<HostMetric>)> =
        nodes.map(|node| (node.name.as_str(), node.endpoint().host().metrics())).collect();
    let hosts = counted.iter().filter(|(_, metrics)| metrics.iter().any(|metric| metric.per_node)).count();
    let is_reported_by_node = |metric: &HostMetric| metric.per_node && hosts <= HOSTS_REPORTED;
    let by_node = |(node, metrics): &(&str, Vec<HostMetric>)| {
        let metrics = metrics.iter().filter(|metric| is_reported_by_node(metric));
        let named = |of: &HostMetric| Metric::new(format!("{}.{node}.{}", of.part, of.quantity), of.value, of.unit);
        metrics.map(named).collect::<Vec<_>>()
    };
    let mut all: Vec<Metric> = counted.iter().flat_map(by_node).collect();
    let by_node = all.len();
    let summed = counted.iter().flat_map(|(_, metrics)| metrics).filter(|metric| !is_reported_by_node(metric));
    for of in summed {
        let name = format!("{}.{}", of.part, of.quantity);
        match all[by_node..].iter_mut().find(|known| known.name == name) {
            Some(known) => known.value += of.value,
            None => all.push(Metric::new(name, of.value, of.unit)),
        }
    }
    all
}
