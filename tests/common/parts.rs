//! Machines of compatible shipped parts: the list of combinations, their descriptions, and the results of their runs,
//! in one form for all interfaces, protocols and fabrics.
//!
//! Tests of laws that hold for every part use these machines. They set the constants from which a law is computed, or
//! read them from the described machine.

use super::DeliveredMessage;
use narrows::engine::{Metric, Outcome, Recorder, Time};
use narrows::fabric::PacketCounts;
use narrows::host::io_bus::IoBusParameters;
use narrows::host::memory_bus::NodeParameters;
use narrows::host::pcie::PcieParameters;
use narrows::machine::Registry;
use narrows::machine::build::{BuiltMachine, build};
use narrows::machine::combinations::Combination;
use narrows::machine::{self, Machine};
use narrows::ni::Driver;
use narrows::protocol::Statistics;
pub use narrows::testing::{HOSTS, guarantees_order as keeps_order};
use narrows::text::Document;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the accepted combinations with the program `workload`, in the order of host, interface, protocol and fabric.
pub fn accepted(workload: &str) -> Vec<Combination> {
    let is_wanted = |combination: &Combination| {
        combination.workload == workload && combination.refusal_reasons.is_empty() && HOSTS.contains(&combination.host)
    };
    Registry::shared().combinations().into_iter().filter(is_wanted).collect()
}

/// Returns a small set of accepted combinations in which every two compatible parts occur together.
pub fn pairwise_combinations(workload: &str) -> Vec<Combination> {
    let mut covered_pairs = BTreeSet::new();
    let mut combinations = accepted(workload);
    // A hash of the names puts combinations in an order in which neighbours share few parts; the order decides the
    // choice.
    combinations.sort_by_cached_key(|combination| part_names(combination).concat().bytes().fold(7u32, mix_hash));
    let is_new = |combination: &Combination| {
        let parts = part_names(combination);
        let pairs = (0..4).flat_map(|first| (first + 1..4).map(move |second| (first, second)));
        pairs.fold(false, |new, (first, second)| covered_pairs.insert((parts[first], parts[second])) || new)
    };
    let mut selected: Vec<Combination> = combinations.into_iter().filter(is_new).collect();
    selected.sort_by_key(part_names);
    selected
}

fn mix_hash(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// Returns the names of a combination's parts: host, interface, protocol, fabric.
pub fn part_names(combination: &Combination) -> [&'static str; 4] {
    [combination.host, combination.ni, combination.protocol, combination.fabric]
}

/// Returns a part's name without its folder, as in the tables of a description.
pub fn name_without_folder(part: &str) -> &str {
    part.rsplit('/').next().unwrap_or(part)
}

/// Returns the description of a combination with the nodes `n0`, `n1`, … and a program in the form
/// `workload.NAME = { … }`.
pub fn text(combination: &Combination, nodes: usize, program: &str) -> String {
    let nodes: String = (0..nodes)
        .map(|node| format!("[nodes.n{node}]\nhost = \"{}\"\n", name_without_folder(combination.host)))
        .collect();
    format!("parts = {:?}\n{program}\n{nodes}", part_names(combination))
}

/// Reads and checks a description with these settings.
pub fn read(text: &str, overrides: &[String]) -> Result<Machine, String> {
    let read = machine::read(Document::Text("combination.toml", text, None), overrides);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

/// Reads a description that must be valid.
#[track_caller]
pub fn read_valid(text: &str, overrides: &[String]) -> Machine {
    read(text, overrides).unwrap_or_else(|problems| panic!("{problems}\n{text}\n{overrides:?}"))
}

/// The results of a run: messages, metrics, and counts of packets.
pub struct RunObservation {
    pub outcome: Outcome,
    pub messages: Vec<DeliveredMessage>,
    pub metrics: Vec<Metric>,
    pub packets: PacketCounts,
    pub protocols: Vec<Statistics>,
}

impl RunObservation {
    pub fn metric(&self, name: &str) -> f64 {
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        metric.unwrap_or_else(|| panic!("no metric {name} in {:?}", self.metrics)).value
    }

    /// Returns the sum of a count over all endpoints of the protocol.
    pub fn sum(&self, count: fn(&Statistics) -> u64) -> u64 {
        self.protocols.iter().map(count).sum()
    }
}

/// Runs a machine, and asserts that each message arrives once, that its ledger is exact to the picosecond, and that no
/// simulated state stays allocated after the run.
pub fn run_and_check(machine: &Machine) -> RunObservation {
    let built = build(machine, Recorder::off().with_messages());
    let observation = observation(&built, built.run());
    built.assert_released();
    observation
}

fn observation(built: &BuiltMachine, outcome: Outcome) -> RunObservation {
    let world = &built.world;
    let delivered = world.tally.delivered();
    let messages: Vec<DeliveredMessage> =
        delivered.iter().map(|(message, at)| DeliveredMessage::new(message, *at)).collect();
    messages.iter().for_each(assert_exact_ledger);
    let distinct: BTreeSet<u64> = messages.iter().map(|message| message.id).collect();
    assert_eq!(distinct.len(), messages.len(), "no message is delivered twice");
    let accounts = world.nodes.iter().filter_map(|node| node.endpoint().driver().accounts());
    RunObservation {
        metrics: built.workload.metrics(world, &outcome),
        outcome,
        messages,
        packets: world.fabric.as_ref().expect("the machine has a fabric").packet_counts(),
        protocols: accounts.map(|(statistics, _)| statistics).collect(),
    }
}

/// Runs a machine, and asserts that the run completes and loses nothing.
#[track_caller]
pub fn run_to_completion(machine: &Machine, combination: &Combination) -> RunObservation {
    let observation = run_and_check(machine);
    assert_eq!(observation.outcome, Outcome::Done, "{combination:?}");
    for (sent_name, delivered) in [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")] {
        let [sent_metric, delivered] =
            [sent_name, delivered].map(|name| observation.metrics.iter().find(|metric| metric.name == name));
        assert_eq!(sent_metric.map(|sent| sent.value), delivered.map(|delivered| delivered.value), "{combination:?}");
    }
    observation
}

/// Asserts that the stages of a message follow one another from the call to the delivery, each with a service time no
/// longer than the stage.
fn assert_exact_ledger(message: &DeliveredMessage) {
    let stages = message.ledger.stages();
    assert!(stages.iter().all(|stage| stage.total() == stage.waiting + stage.service), "{message:?}");
    let sum = stages.iter().fold(Time::ZERO, |sum, stage| sum + stage.total());
    assert_eq!(message.ledger.start() + sum, message.at, "stages sum to the latency: {message:?}");
}

/// Returns the first message that arrived after a message of the same pair that was sent later.
pub fn first_out_of_order(messages: &[DeliveredMessage]) -> Option<&DeliveredMessage> {
    let mut last_ids = BTreeMap::new();
    messages.iter().find(|message| {
        let previous = last_ids.insert((message.source, message.destination), message.id);
        previous.is_some_and(|previous_id| previous_id > message.id)
    })
}

/// Returns the shortest time of `bytes` on a node's link, in one direction.
pub fn link_time(machine: &Machine, bytes: u64) -> Time {
    machine.fabric.capabilities().link_rate.time_for(narrows::engine::Bytes(bytes))
}

/// Returns the shortest time of `bytes` on a host's bus or PCIe link, or zero if it has neither.
pub fn bus_time(machine: &Machine, bytes: u64) -> Time {
    let host = &machine.hosts[0].1;
    let pci = host.of::<IoBusParameters>().map(|host| (host.pci.clock, host.pci.width));
    let bus = host.of::<NodeParameters>().map(|host| (host.bus.clock, host.bus.width));
    let link = host.of::<PcieParameters>().map(|host| host.link.rate().time_for(narrows::engine::Bytes(bytes)));
    let bus = pci.or(bus).map(|(clock, width)| clock.cycles(bytes / width.get()));
    bus.or(link).unwrap_or(Time::ZERO)
}
