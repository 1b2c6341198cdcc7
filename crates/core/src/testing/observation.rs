//! The observation of a run: deliveries, counts and outcome.

use crate::engine::{Ledger, Message, Metric, Outcome, Recorder, Time};
use crate::fabric::PacketCounts;
use crate::machine::Machine;
use crate::machine::build::{BuiltMachine, build};
use crate::ni::Driver;
use crate::protocol::Statistics;
use std::collections::BTreeSet;

/// A message that reached its program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeliveredMessage {
    /// Number of the message, in the order of sending.
    pub id: u64,
    /// Number of the sending endpoint.
    pub source: usize,
    /// Number of the receiving endpoint.
    pub destination: usize,
    /// Payload in bytes.
    pub payload: u64,
    /// Ledger of the message's latency.
    pub ledger: Ledger,
    /// Instant of its delivery.
    pub delivered_at: Time,
}

impl DeliveredMessage {
    /// Returns a message of a run's tally, delivered at `delivered_at`.
    pub fn new(message: &Message, delivered_at: Time) -> DeliveredMessage {
        DeliveredMessage {
            id: message.id,
            source: message.source.index(),
            destination: message.destination.index(),
            payload: message.payload.get(),
            ledger: message.ledger(),
            delivered_at,
        }
    }

    /// Returns the time from the call of the sending program to the delivery to the receiving program, without use of
    /// the stages of the ledger.
    pub fn latency(&self) -> Time {
        self.delivered_at - self.ledger.start()
    }
}

/// The properties of a run that a test can examine, whatever the run's parts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunObservation {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// Messages in the order of their delivery.
    pub messages: Vec<DeliveredMessage>,
    /// Metrics in the order in which they are reported.
    pub metrics: Vec<Metric>,
    /// Metrics of the hosts, each with the name `PART.QUANTITY`.
    pub host_metrics: Vec<(String, &'static str)>,
    /// Names of the resources whose utilisation is reported, without their nodes.
    pub resources: BTreeSet<&'static str>,
    /// Counts of whole packets on the fabric.
    pub packets: PacketCounts,
    /// Counts of the protocol of each node that has one.
    pub protocols: Vec<Statistics>,
}

impl RunObservation {
    /// Runs a machine to its end.
    ///
    /// # Panics
    ///
    /// Panics if the machine has no fabric between nodes, which is so if its workload drives routers alone, or if a
    /// part of it remains in memory after the run.
    pub fn of(machine: &Machine, recorder: Recorder) -> RunObservation {
        let built = build(machine, recorder.with_messages());
        let observation = RunObservation::new(&built, built.run());
        built.assert_released();
        observation
    }

    /// Returns the results of a machine whose run ended with `outcome`.
    fn new(built: &BuiltMachine, outcome: Outcome) -> RunObservation {
        let world = &built.world;
        let delivered = world.tally.delivered();
        let accounts = world.nodes.iter().filter_map(|node| node.endpoint().driver().accounts());
        let nodes = || world.nodes.iter();
        let host_metrics: Vec<_> = nodes().flat_map(|node| node.endpoint().host().metrics()).collect();
        RunObservation {
            metrics: built.workload.metrics(world, &outcome),
            outcome,
            messages: delivered
                .iter()
                .map(|(message, delivered_at)| DeliveredMessage::new(message, *delivered_at))
                .collect(),
            host_metrics: host_metrics
                .iter()
                .map(|metric| (format!("{}.{}", metric.part, metric.quantity), metric.unit))
                .collect(),
            resources: nodes().flat_map(|node| node.endpoint().utilization()).map(|part| part.part_name).collect(),
            packets: world.fabric.as_ref().expect("a fabric joins the nodes").packet_counts(),
            protocols: accounts.map(|(statistics, _)| statistics).collect(),
        }
    }

    /// Returns the value of the metric `name`, if the run reported it.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value)
    }

    /// Returns the sum of a count over the protocols of all nodes.
    pub fn sum(&self, count: fn(&Statistics) -> u64) -> u64 {
        self.protocols.iter().map(count).sum()
    }
}
