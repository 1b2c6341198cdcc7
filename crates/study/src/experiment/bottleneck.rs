//! What holds a run back: a resource that does its own work nearly always, or else the longest stage.
//! One that is only held, as a link is while its packet waits for a receiver, holds nothing back.

use super::RunResult;
use crate::report::MeanLedger;
use crate::report::number::percent;
use narrows_core::engine::Outcome;
use std::fmt;

/// A resource at its own work for this part of the run or more binds it.
const BUSY: f64 = 0.9;

/// What holds a run back.
#[derive(Clone, PartialEq, Debug)]
pub enum Bottleneck {
    /// A resource that is nearly always busy, with the part of the run it was.
    Resource(String, f64),
    /// No resource is: the stage in which messages spend most, with its part of their latency.
    Stage(String, f64),
    /// No resource is, and no ledger tells of a stage: the busiest, with the part of the run it was.
    Busiest(String, f64),
    /// Nothing was at work.
    Nothing,
    /// Waits that nobody ends.
    Stuck,
}

impl Bottleneck {
    /// What holds back the run that gave `result`, whose messages' mean ledger is `ledger`.
    /// Of a run that ended stuck nothing is said: what was held then was held in vain.
    pub fn of(result: &RunResult, ledger: &MeanLedger) -> Bottleneck {
        if matches!(result.outcome, Outcome::Deadlock(_) | Outcome::Livelock(_)) {
            return Bottleneck::Stuck;
        }
        if let Some((name, share)) = result.busiest().filter(|(_, share)| *share >= BUSY) {
            return Bottleneck::Resource(name.to_owned(), share);
        }
        let longest = ledger.stages.iter().max_by(|a, b| a.total_us().total_cmp(&b.total_us()));
        match longest.filter(|stage| stage.total_us() > 0.0) {
            Some(stage) => Bottleneck::Stage(stage.name.clone(), stage.total_us() / ledger.total_us()),
            None => match result.busiest().filter(|(_, share)| *share > 0.0) {
                Some((name, share)) => Bottleneck::Busiest(name.to_owned(), share),
                None => Bottleneck::Nothing,
            },
        }
    }

    /// What holds back a run, as that of another machine may be held back, too: the kind of resource,
    /// without its node, or the stage.
    pub fn kind(result: &RunResult) -> String {
        match Bottleneck::of(result, &MeanLedger::of(&result.ledger)) {
            Bottleneck::Resource(name, _) => {
                let known = result.resources.iter().find(|resource| resource.name == name);
                known.map_or(name.as_str(), |resource| resource.kind).to_owned()
            }
            Bottleneck::Stage(name, _) => name,
            Bottleneck::Busiest(..) | Bottleneck::Nothing => "no one part".to_owned(),
            Bottleneck::Stuck => "stuck".to_owned(),
        }
    }
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bottleneck::Resource(name, share) => write!(f, "{name} binds: it is busy {} of the run.", percent(*share)),
            Bottleneck::Stage(name, share) => write!(
                f,
                "No resource binds: none does its own work for 90 % of the run. The longest stage is {name}, {} of a message's latency.",
                percent(*share)
            ),
            Bottleneck::Stuck => write!(f, "No resource binds: the run ended stuck."),
            Bottleneck::Busiest(name, share) => write!(
                f,
                "No resource binds: none does its own work for 90 % of the run. The busiest is {name}, {}.",
                percent(*share)
            ),
            Bottleneck::Nothing => write!(f, "No resource binds: nothing was at work."),
        }
    }
}
