//! One run of one machine description, and its result.

use narrows_core::engine::metric::name_word;
use narrows_core::engine::{
    Bytes, CapturedPacket, Distribution, EndpointId, HeatMapData, Ledger, LedgerSums, Message, Metric, Outcome,
    Recorder, Time, Timeline, current_metric_name,
};
use narrows_core::host::HostMetric;
use narrows_core::machine::Machine;
use narrows_core::machine::build::{BuiltMachine, StartProgram, build, build_with};
use narrows_core::program::WarmUpCheck;

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// An explanation of the outcome, in one or two sentences.
    pub note: Option<String>,
    /// The result of the test for an initial transient among the measured values. It is `None` if the workload measures
    /// no steady state, or the run is saturated or did not complete.
    pub warm_up: Option<WarmUpCheck>,
    /// The metrics measured by the workload and counted by the hosts. If the run did not complete, only counts have
    /// values: the counts so far.
    pub metrics: Vec<Metric>,
    /// The distributions that the workload measured. Each has at least one sample.
    pub distributions: Vec<Distribution>,
    /// A quantity over time, if the workload recorded one.
    pub map: Option<HeatMapData>,
    /// The sum of the ledgers of all delivered messages that the workload reports; empty if the run did not complete.
    pub ledger: LedgerSums,
    /// The first delivered messages, and a sample of the later ones.
    pub deliveries: Vec<Delivery>,
    /// The busy and active times of every processor, bus, memory, engine and link.
    pub resources: Vec<ResourceUse>,
    /// The simulated time at the end of the run. In a complete run, no measured message was delivered later.
    pub end: Time,
    /// The number of events fired.
    pub events: u64,
    /// The recorded spans; empty if recording was off.
    pub timeline: Timeline,
    /// The captured packets of a known format; empty unless capture was requested.
    pub packets: Vec<CapturedPacket>,
}

/// A delivered message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The number of the message in the run.
    pub message: u64,
    /// The sending endpoint.
    pub source: EndpointId,
    /// The receiving endpoint.
    pub destination: EndpointId,
    /// The size of the payload.
    pub payload: Bytes,
    /// The time of delivery.
    pub at: Time,
    /// The latency of the message by stage.
    pub ledger: Ledger,
}

/// The utilisation of one resource over a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceUse {
    /// The name of the resource, with its node or link.
    pub name: String,
    /// The kind of resource, without its node or link.
    pub kind: &'static str,
    /// The time for which the resource was held.
    pub busy: Time,
    /// The part of `busy` in which the resource moved data at its own rate, if the model distinguishes the two. A
    /// resource that is held while it waits for another is busy but not active.
    pub active: Time,
}

/// Runs the workload of a checked description.
pub fn run(machine: &Machine, recorder: Recorder) -> RunResult {
    run_built(build(machine, recorder))
}

/// Runs the program `start` on the machine of a checked description, instead of the description's workload.
pub fn run_with(machine: &Machine, recorder: Recorder, start: Box<StartProgram<'_>>) -> RunResult {
    run_built(build_with(machine, recorder, start))
}

/// Runs a machine that was built, and returns its result.
fn run_built(built: BuiltMachine) -> RunResult {
    let outcome = built.final_outcome(built.run());
    let sim = &built.world.sim;
    let is_complete = outcome.is_complete();
    let metrics = [built.workload.metrics(&built.world, &outcome), host_metrics(&built)].concat();
    let reported_metric = |metric: Metric| if is_complete { metric } else { metric.of_unfinished_run() };
    RunResult {
        note: built.workload.note(&built.world, &outcome),
        metrics: metrics.into_iter().map(reported_metric).collect(),
        distributions: if is_complete { distributions(&built, &outcome) } else { Vec::new() },
        warm_up: (outcome == Outcome::Done).then(|| built.workload.warm_up_check(&built.world)).flatten(),
        map: built.workload.heat_map(),
        ledger: if is_complete { built.world.tally.ledger_sums() } else { LedgerSums::default() },
        deliveries: deliveries(&built),
        resources: resources(&built),
        end: end_time(&built, &outcome),
        events: sim.events(),
        timeline: sim.recorder().take(),
        packets: sim.recorder().take_packets(),
        outcome,
    }
}

/// Returns the time at which the run ended. A complete run ends no earlier than its last measured delivery by the clock
/// of the receiver, whose processor may be ahead of the simulation.
fn end_time(built: &BuiltMachine, outcome: &Outcome) -> Time {
    let now = built.world.sim.now();
    if outcome.is_complete() { now.max(built.world.tally.last_delivery()) } else { now }
}

/// Returns the distributions of the workload that have samples.
fn distributions(built: &BuiltMachine, outcome: &Outcome) -> Vec<Distribution> {
    let distributions = built.workload.distributions(&built.world, outcome);
    distributions.into_iter().filter(|distribution| distribution.histogram.samples() > 0).collect()
}

/// Returns the recorded deliveries of messages that the workload reports.
fn deliveries(built: &BuiltMachine) -> Vec<Delivery> {
    let tally = &built.world.tally;
    let delivered = tally.delivered();
    let reported_messages = delivered.iter().filter(|(message, _)| tally.keeps_ledger_of(message.source));
    let delivery = |(message, time): &(std::rc::Rc<Message>, Time)| Delivery {
        message: message.id,
        source: message.source,
        destination: message.destination,
        payload: message.payload,
        at: *time,
        ledger: message.ledger(),
    };
    reported_messages.map(delivery).collect()
}

impl RunResult {
    /// Returns a result with the given metrics and nothing else.
    #[cfg(test)]
    pub(crate) fn with_metrics(metrics: &[(&str, f64)]) -> RunResult {
        RunResult {
            outcome: Outcome::Done,
            note: None,
            warm_up: None,
            metrics: metrics.iter().map(|(name, value)| Metric::new(*name, *value, "")).collect(),
            distributions: Vec::new(),
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

    /// Returns the value of the metric `name`, or `None` if there is no such metric or it was not measured. A former
    /// name is also accepted.
    pub fn metric(&self, name: &str) -> Option<f64> {
        let name = current_metric_name(name);
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        metric.filter(|metric| metric.is_measured()).map(|metric| metric.value)
    }

    /// Returns the resource with the longest active time, and the fraction of the run for which it was active.
    pub fn busiest(&self) -> Option<(&str, f64)> {
        let busiest = self.resources.iter().max_by_key(|resource| resource.active)?;
        Some((&busiest.name, self.share(busiest.active)))
    }

    /// Returns the utilisation of a resource: the fraction of the run for which it was active.
    pub fn utilisation(&self, resource: &ResourceUse) -> f64 {
        self.share(resource.active)
    }

    /// Returns every resource with the fraction of the run for which it was busy, in the order of the machine.
    pub fn shares(&self) -> Vec<(&ResourceUse, f64)> {
        self.resources.iter().map(|resource| (resource, self.share(resource.busy))).collect()
    }

    fn share(&self, time: Time) -> f64 {
        time.as_s() / self.end.as_s().max(f64::MIN_POSITIVE)
    }
}

/// Returns the utilisation of each resource of each node, and of each link.
fn resources(built: &BuiltMachine) -> Vec<ResourceUse> {
    let mut resources = Vec::new();
    for node in built.world.nodes.iter() {
        for part in node.endpoint().utilization() {
            let name = format!("{} {}", node.name, part.part_name);
            resources.push(ResourceUse { name, kind: part.part_name, busy: part.busy, active: part.active });
        }
    }
    resources.extend(built.world.links().into_iter().map(|link| {
        let (busy, active) = (link.busy, link.active);
        ResourceUse { name: format!("link {}", link.name), kind: "link", busy, active }
    }));
    resources
}

/// The largest number of nodes whose host metrics are reported per node.
const HOSTS_REPORTED_MAX: usize = 8;

/// Returns the metrics counted by the hosts. A metric that is declared per node is reported per node if at most
/// `HOSTS_REPORTED_MAX` nodes have such metrics; any other metric is the sum over all nodes.
fn host_metrics(built: &BuiltMachine) -> Vec<Metric> {
    let nodes = built.world.nodes.iter();
    let metrics_by_node: Vec<(&str, Vec<HostMetric>)> =
        nodes.map(|node| (node.name.as_str(), node.endpoint().host().metrics())).collect();
    let host_count = metrics_by_node.iter().filter(|(_, metrics)| metrics.iter().any(|metric| metric.per_node)).count();
    let is_reported_by_node = |metric: &HostMetric| metric.per_node && host_count <= HOSTS_REPORTED_MAX;
    let metrics_of_node = |(node, metrics): &(&str, Vec<HostMetric>)| {
        let metrics = metrics.iter().filter(|metric| is_reported_by_node(metric));
        let node = name_word(node);
        let node_metric =
            |metric: &HostMetric| host_metric(format!("{}.{node}.{}", metric.part, metric.quantity), metric);
        metrics.map(node_metric).collect::<Vec<_>>()
    };
    let mut all_metrics: Vec<Metric> = metrics_by_node.iter().flat_map(metrics_of_node).collect();
    let node_metric_count = all_metrics.len();
    let metrics_to_sum =
        metrics_by_node.iter().flat_map(|(_, metrics)| metrics).filter(|metric| !is_reported_by_node(metric));
    for metric in metrics_to_sum {
        let name = format!("{}.{}", metric.part, metric.quantity);
        match all_metrics[node_metric_count..].iter_mut().find(|sum| sum.name == name) {
            Some(sum) => sum.value += metric.value,
            None => all_metrics.push(host_metric(name, metric)),
        }
    }
    all_metrics
}

/// Returns a host's metric under the name `name`. A number without a unit is a count.
fn host_metric(name: String, metric: &HostMetric) -> Metric {
    match metric.unit.is_empty() {
        true => Metric::count(name, metric.value, metric.unit),
        false => Metric::new(name, metric.value, metric.unit),
    }
}
