//! The bottleneck of a run: a resource that is active for nearly all of the run, or else the longest stage.
//!
//! A resource that is held but not active, such as a link whose packet waits for the receiver, is not a bottleneck.

use super::RunResult;
use crate::report::MeanLedger;
use crate::report::number::percent;
use narrows_core::engine::Outcome;
use std::fmt;

/// The fraction of the run from which an active resource is its bottleneck (chosen).
const BOTTLENECK_MIN: f64 = 0.9;

/// The bottleneck of a run, or what is known where there is none.
#[derive(Clone, PartialEq, Debug)]
pub enum Bottleneck {
    /// A resource that is nearly always active, and the fraction of the run for which it is.
    Resource(String, f64),
    /// No such resource: the stage in which messages spend the most time, and its fraction of their latency.
    Stage(String, f64),
    /// No such resource, and no ledger: the resource that is active longest, and the fraction of the run for which it
    /// is.
    Busiest(String, f64),
    /// No resource was active.
    Idle,
    /// The run ended in a deadlock or livelock.
    Deadlocked,
}

impl Bottleneck {
    /// Returns the bottleneck of the run that gave `result`, whose mean message ledger is `ledger`.
    ///
    /// A run that ended in a deadlock or livelock has none, since the resources held at its end did no useful work.
    pub fn of(result: &RunResult, ledger: &MeanLedger) -> Bottleneck {
        if matches!(result.outcome, Outcome::Deadlock(_) | Outcome::Livelock(_)) {
            return Bottleneck::Deadlocked;
        }
        if let Some((name, share)) = result.busiest().filter(|(_, share)| *share >= BOTTLENECK_MIN) {
            return Bottleneck::Resource(name.to_owned(), share);
        }
        let longest = ledger.stages.iter().max_by(|a, b| a.total_us().total_cmp(&b.total_us()));
        match longest.filter(|stage| stage.total_us() > 0.0) {
            Some(stage) => Bottleneck::Stage(stage.name.clone(), stage.total_us() / ledger.total_us()),
            None => match result.busiest().filter(|(_, share)| *share > 0.0) {
                Some((name, share)) => Bottleneck::Busiest(name.to_owned(), share),
                None => Bottleneck::Idle,
            },
        }
    }

    /// Returns the name of the bottleneck in a form that is comparable across machines: the kind of resource without
    /// its node, or the stage.
    pub fn kind(result: &RunResult) -> String {
        match Bottleneck::of(result, &MeanLedger::of(&result.ledger)) {
            Bottleneck::Resource(name, _) => {
                let bottleneck = result.resources.iter().find(|resource| resource.name == name);
                bottleneck.map_or(name.as_str(), |resource| resource.kind).to_owned()
            }
            Bottleneck::Stage(name, _) => name,
            Bottleneck::Busiest(..) | Bottleneck::Idle => "no bottleneck".to_owned(),
            Bottleneck::Deadlocked => "stuck".to_owned(),
        }
    }
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Resource(name, share) => write!(f, "Bottleneck: {name} ({} busy).", percent(*share)),
            Bottleneck::Stage(name, share) => write!(
                f,
                "No bottleneck: no resource is at least 90 % utilised. Longest stage: {name} ({} of the message latency).",
                percent(*share)
            ),
            Bottleneck::Deadlocked => write!(f, "No bottleneck: the run made no progress at its end."),
            Bottleneck::Busiest(name, share) => write!(
                f,
                "No bottleneck: no resource is at least 90 % utilised. Busiest resource: {name} ({} busy).",
                percent(*share)
            ),
            Bottleneck::Idle => write!(f, "No bottleneck: no resource was active."),
        }
    }
}
