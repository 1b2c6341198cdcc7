//! Combinations of parts, run on small inputs in parallel.

use super::laws::{self, LONE_PAYLOADS, Violation};
use super::{DeliveredMessage, RunObservation};
use crate::engine::{Recorder, Time};
use crate::machine::combinations::{Combination, part_lines};
use crate::machine::{Machine, Registry};
use crate::text::Document;
use std::fmt::{self, Display, Formatter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A host of each kind that ships; hosts of the same kind differ only in numbers.
pub const HOSTS: [&str; 5] =
    ["hosts/p6-natoma", "hosts/memory-bus-1998", "hosts/cm-5", "hosts/alewife", "hosts/pcie-gen3-x8"];

/// The combinations to run: all, or those with certain parts. If no host is chosen, shipped hosts that are not in
/// [`HOSTS`] are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Selection<'a> {
    /// The host, by the name that `list combinations` prints.
    pub host: Option<&'a str>,
    /// The interface.
    pub ni: Option<&'a str>,
    /// The protocol.
    pub protocol: Option<&'a str>,
    /// The fabric.
    pub fabric: Option<&'a str>,
    /// Key of the workload.
    pub workload: Option<&'a str>,
}

impl Selection<'_> {
    /// All combinations, with one host of each kind ([`HOSTS`]).
    pub const ALL: Selection<'static> =
        Selection { host: None, ni: None, protocol: None, fabric: None, workload: None };

    fn includes(&self, combination: &Combination) -> bool {
        let parts = [
            (self.host, combination.host),
            (self.ni, combination.ni),
            (self.protocol, combination.protocol),
            (self.fabric, combination.fabric),
            (self.workload, combination.workload),
        ];
        let is_skipped_host =
            self.host.is_none() && combination.host.starts_with("hosts/") && !HOSTS.contains(&combination.host);
        !is_skipped_host && parts.iter().all(|(selected, part)| selected.is_none_or(|selected| selected == *part))
    }
}

/// Result of a matrix of runs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MatrixReport {
    /// Number of combinations that were run.
    pub runs: usize,
    /// Violations of laws, in the order of the combinations.
    pub violations: Vec<Violation>,
}

/// Largest number of violations that a report prints.
const PRINTED_MAX: usize = 60;

impl Display for MatrixReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} violations in {} runs", self.violations.len(), self.runs)?;
        self.violations.iter().take(PRINTED_MAX).try_for_each(|violation| writeln!(f, "{violation}"))
    }
}

/// Returns the description of a combination with `nodes` nodes of `endpoints` endpoints and the workload's small input.
pub fn small_description(registry: &Registry, combination: &Combination, nodes: u32, endpoints: u32) -> String {
    let info =
        registry.workloads().get(combination.workload).expect("a combination names a workload of the registry").info;
    let input = if info.small_input.is_empty() { info.example } else { info.small_input };
    description_with(
        registry,
        combination,
        nodes,
        endpoints,
        &format!("[workload.{}]\n{input}\n", combination.workload),
    )
}

pub(super) fn description_with(
    registry: &Registry,
    combination: &Combination,
    nodes: u32,
    endpoints: u32,
    workload: &str,
) -> String {
    let host = combination.host.rsplit('/').next().unwrap_or(combination.host);
    let node_text = |node| format!("[nodes.n{node}]\nhost = \"{host}\"\nendpoints = {endpoints}\n");
    let nodes: String = (0..nodes).map(node_text).collect();
    format!(
        "{}{nodes}{workload}",
        part_lines(registry, &[combination.host, combination.ni, combination.protocol, combination.fabric])
    )
}

pub(super) fn read(registry: &Arc<Registry>, text: &str) -> Result<Machine, String> {
    let read = registry.read(Document::Text("combination.toml", text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

/// Runs every valid combination of `selection` on a small input, and reports those that break a law.
pub fn matrix(registry: &Arc<Registry>, selection: &Selection<'_>) -> MatrixReport {
    let combinations: Vec<Combination> =
        registry.combinations().into_iter().filter(|combination| selection.includes(combination)).collect();
    let next_index = AtomicUsize::new(0);
    let run_combinations = || {
        let mut violations_by_number = Vec::new();
        while let Some((number, combination)) = next_combination(&combinations, &next_index) {
            violations_by_number.extend(violations_of(registry, combination).map(|violations| (number, violations)));
        }
        violations_by_number
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut violations_by_number: Vec<(usize, Vec<Violation>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run_combinations)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("panics of a run are caught")).collect()
    });
    violations_by_number.sort_by_key(|(number, _)| *number);
    MatrixReport {
        runs: violations_by_number.len(),
        violations: violations_by_number.into_iter().flat_map(|(_, violations)| violations).collect(),
    }
}

fn next_combination<'a>(combinations: &'a [Combination], next_index: &AtomicUsize) -> Option<(usize, &'a Combination)> {
    let number = next_index.fetch_add(1, Ordering::Relaxed);
    Some((number, combinations.get(number)?))
}

/// Returns the laws that a combination breaks, or `None` if the combination is rightly refused.
fn violations_of(registry: &Arc<Registry>, combination: &Combination) -> Option<Vec<Violation>> {
    let violation = |(law, description)| Violation { combination: combination.clone(), law, description };
    let machine = match read(registry, &small_description(registry, combination, 4, 1)) {
        // A combination that is refused with its example input, for instance because the input is too large, may be
        // accepted with the small input. The combination is rightly refused only if both inputs are refused.
        Err(_) if !combination.refusal_reasons.is_empty() => return None,
        Err(problems) => return Some(vec![violation(("accepted", format!("refused with a small input: {problems}")))]),
        Ok(machine) => machine,
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        let latencies = if combination.workload == LONE_MESSAGE_WORKLOAD {
            single_message_latencies(registry, combination)
        } else {
            None
        };
        let monotony = latencies.and_then(|latencies| Some(("monotony", laws::monotony_violation(&latencies)?)));
        laws::broken_laws(&machine).into_iter().chain(monotony).collect::<Vec<_>>()
    }));
    let broken_laws = result.unwrap_or_else(|_| vec![("ends", "the run panicked".to_owned())]);
    Some(broken_laws.into_iter().map(violation).collect())
}

/// The workload that sends lone messages.
const LONE_MESSAGE_WORKLOAD: &str = "ping-pong";

/// Returns the mean latency of messages of which one is in flight at a time, for each of several payloads; `None` if
/// one of the payloads is not accepted.
fn single_message_latencies(registry: &Arc<Registry>, combination: &Combination) -> Option<Vec<Time>> {
    let latency = |payload: &u64| {
        let workload = format!("[workload.{LONE_MESSAGE_WORKLOAD}]\npayload = \"{payload} B\"\nmessages = 4\n");
        let machine = read(registry, &description_with(registry, combination, 2, 1, &workload)).ok()?;
        let messages = RunObservation::of(&machine, Recorder::off()).messages;
        let sum: u64 = messages.iter().map(DeliveredMessage::latency).map(Time::ps).sum();
        Some(Time::from_ps(sum / messages.len().max(1) as u64))
    };
    LONE_PAYLOADS.iter().map(latency).collect()
}
