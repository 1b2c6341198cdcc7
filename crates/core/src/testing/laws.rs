//! The laws. Each is checked on one run or on a few runs.
//!
//! | law | statement |
//! |---|---|
//! | `ends` | the run completes, without a deadlock |
//! | `conservation` | all messages and packets that were sent are delivered |
//! | `once` | no message is delivered twice |
//! | `ledger` | the stages of a message sum to its latency, and each stage is its waiting time plus its service time |
//! | `order` | messages of a planned flow arrive in order where protocol or fabric guarantees it |
//! | `names` | every metric, stage and resource of the result is documented |
//! | `determinism` | a second run with the same seed gives the same result, and so does a traced run |
//! | `monotony` | a lone message with more payload takes at least as long, apart from the phase of a poll |

use super::{DeliveredMessage, RunObservation};
use crate::engine::{Outcome, Recorder, Time};
use crate::machine::Machine;
use crate::machine::combinations::Combination;
use crate::part::{ResultKind, STATISTICS};
use crate::protocol::ProtocolEnvironment;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// A law that a run broke.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Violation {
    /// The combination of parts that ran.
    pub combination: Combination,
    /// Name of the law.
    pub law: &'static str,
    /// Description of the violation.
    pub description: String,
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Combination { host, ni, protocol, fabric, workload, .. } = &self.combination;
        write!(f, "{}: {}: {host}, {ni}, {protocol}, {fabric}, {workload}", self.law, self.description)
    }
}

/// Number of spans that a traced run keeps, which is enough for a small input.
const SPANS_MAX: usize = 1 << 14;

/// Returns the laws that a machine breaks, each with a description of the violation.
pub(super) fn broken_laws(machine: &Machine) -> Vec<(&'static str, String)> {
    let observation = RunObservation::of(machine, Recorder::off());
    let laws_of_one_run = [
        ("ends", completion_violation as Law),
        ("conservation", conservation_violation),
        ("once", duplicate_violation),
        ("ledger", ledger_violation),
    ];
    let mut violations: Vec<_> =
        laws_of_one_run.iter().filter_map(|(law, check)| Some((*law, check(&observation)?))).collect();
    violations.extend(undocumented_name(machine, &observation).map(|description| ("names", description)));
    // Programs of active messages send in two classes, each of which has an order of its own.
    let is_of_one_class = !machine.workload.flows().is_empty();
    if is_of_one_class
        && guarantees_order(machine)
        && let Some(message) = out_of_order(&observation.messages)
    {
        violations.push(("order", format!("message {} overtook one before it", message.id)));
    }
    for (mode, recorder) in [("again", Recorder::off()), ("traced", Recorder::with_spans_max(SPANS_MAX))] {
        let second_observation = RunObservation::of(machine, recorder);
        if second_observation.outcome != observation.outcome
            || second_observation.metrics != observation.metrics
            || second_observation.messages != observation.messages
        {
            violations.push(("determinism", format!("the results differ when the machine is run {mode}")));
        }
    }
    violations
}

/// A law of one run. Returns the description of the violation if the run breaks the law.
type Law = fn(&RunObservation) -> Option<String>;

fn completion_violation(observation: &RunObservation) -> Option<String> {
    (observation.outcome != Outcome::Done).then(|| format!("{:?}", observation.outcome))
}

fn conservation_violation(observation: &RunObservation) -> Option<String> {
    [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")].into_iter().find_map(
        |(sent, delivered)| {
            let counts = [sent, delivered].map(|name| observation.metric(name));
            (counts[0] != counts[1]).then(|| format!("{sent} {:?}, {delivered} {:?}", counts[0], counts[1]))
        },
    )
}

fn duplicate_violation(observation: &RunObservation) -> Option<String> {
    let mut ids = BTreeSet::new();
    let duplicate = observation.messages.iter().find(|message| !ids.insert(message.id))?;
    Some(format!("message {} is delivered twice", duplicate.id))
}

fn ledger_violation(observation: &RunObservation) -> Option<String> {
    let is_exact = |message: &&DeliveredMessage| {
        let stages = message.ledger.stages();
        let sum = stages.iter().fold(Time::ZERO, |sum, stage| sum + stage.total());
        message.ledger.start() + sum == message.delivered_at
            && stages.iter().all(|stage| stage.total() == stage.waiting + stage.service)
    };
    let inexact = observation.messages.iter().find(|message| !is_exact(message))?;
    Some(format!("the stages of message {} do not sum to its latency", inexact.id))
}

/// Returns the first name in a result that no part documents, or whose unit differs from the documented one.
fn undocumented_name(machine: &Machine, observation: &RunObservation) -> Option<String> {
    let metrics = observation.metrics.iter().map(|metric| (metric.name.clone(), metric.unit));
    let metrics =
        metrics.chain(observation.host_metrics.iter().cloned()).map(|(name, unit)| (ResultKind::Metric, name, unit));
    let stages = observation.messages.iter().flat_map(|message| message.ledger.stages()).map(|stage| stage.name);
    let stages: BTreeSet<&str> = stages.collect();
    let stages = stages.into_iter().map(|name| (ResultKind::Stage, name.to_owned(), ""));
    let resources = observation.resources.iter().map(|name| (ResultKind::Resource, (*name).to_owned(), ""));
    metrics.chain(stages).chain(resources).find_map(|(kind, name, unit)| {
        let is_statistic = |ending: &(&str, &str)| name.ends_with(ending.0);
        match machine.registry.describe_result(kind, &name) {
            None => Some(format!("the {} `{name}` is not documented: see PartInfo::results", kind.name())),
            Some(documented) if documented.unit != unit && !STATISTICS.iter().any(is_statistic) => {
                Some(format!("the metric `{name}` is documented in `{}`, and reported in `{unit}`", documented.unit))
            }
            Some(_) => None,
        }
    })
}

/// Returns whether messages of a pair of nodes arrive in the order in which they were sent.
///
/// # Panics
///
/// Panics if the machine has no interfaces.
pub fn guarantees_order(machine: &Machine) -> bool {
    let node_parts = machine.node_parts.as_ref().expect("nodes have interfaces");
    let fabric = machine.fabric.capabilities();
    let guarantees = node_parts.protocol.guarantees(&ProtocolEnvironment::new(fabric.classes, fabric.in_order));
    guarantees.in_order || fabric.in_order && !guarantees.reorders
}

/// Returns the first message of a pair of nodes that arrived after a message that was sent later.
fn out_of_order(messages: &[DeliveredMessage]) -> Option<&DeliveredMessage> {
    let mut last_ids = BTreeMap::new();
    messages.iter().find(|message| {
        let previous_id = last_ids.insert((message.source, message.destination), message.id);
        previous_id.is_some_and(|previous_id| previous_id > message.id)
    })
}

/// Payloads of lone messages in bytes, from a word to several packets of most interfaces.
pub(super) const LONE_PAYLOADS: [u64; 4] = [4, 48, 250, 1_500];

/// Fraction by which the phase of a poll may change a latency.
const POLL_PHASE: f64 = 0.03;

/// Returns a description of the violation if the latencies of lone messages with the payloads of [`LONE_PAYLOADS`]
/// break the law of monotony.
pub(super) fn monotony_violation(latencies: &[Time]) -> Option<String> {
    let falls = |pair: &[Time]| (pair[1].ps() as f64) < pair[0].ps() as f64 * (1.0 - POLL_PHASE);
    latencies.windows(2).any(falls).then(|| format!("payloads of {LONE_PAYLOADS:?} B take {latencies:?}"))
}
