//! The candidate for the bottleneck that a single run names: its busiest resource.
//!
//! The bottleneck is the resource whose speed-up raises the metric most. One run cannot determine it; sensitivity analysis
//! (`whatif`) finds it by experiment, as `docs/bottlenecks.md` describes. Utilisation is the fraction of the run for
//! which a resource is active. It excludes the time for which the resource is held but not active, such as a link whose
//! packet waits for the receiver. If no resource is nearly always active, the longest stage is also named.

use super::RunResult;
use crate::report::MeanLedger;
use crate::report::number::percent;
use std::fmt;

/// The utilisation above which a resource counts as nearly always active (chosen).
const ALWAYS_ACTIVE_MIN: f64 = 0.9;

/// The candidate for the bottleneck of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Candidate {
    /// A resource that is nearly always active, and its utilisation.
    Resource(String, f64),
    /// The stage in which messages spend the most time, and its fraction of their latency, if no resource is nearly
    /// always active.
    Stage(String, f64),
    /// The busiest resource, and its utilisation, if no resource is nearly always active and there is no ledger.
    Busiest(String, f64),
    /// No resource was active.
    Idle,
}

impl Candidate {
    /// Returns the candidate of a completed run with the result `result` and the mean message ledger `ledger`.
    pub fn new(result: &RunResult, ledger: &MeanLedger) -> Candidate {
        if let Some((name, share)) = result.busiest().filter(|(_, share)| *share >= ALWAYS_ACTIVE_MIN) {
            return Candidate::Resource(name.to_owned(), share);
        }
        let longest_stage = ledger.stages.iter().max_by(|a, b| a.total_us().total_cmp(&b.total_us()));
        match longest_stage.filter(|stage| stage.total_us() > 0.0) {
            Some(stage) => Candidate::Stage(stage.name.clone(), stage.total_us() / ledger.total_us()),
            None => match result.busiest().filter(|(_, share)| *share > 0.0) {
                Some((name, share)) => Candidate::Busiest(name.to_owned(), share),
                None => Candidate::Idle,
            },
        }
    }

    /// Returns the name of the candidate in a form that is comparable across machines: the kind of resource without
    /// its node, or the stage.
    pub fn kind(result: &RunResult) -> String {
        match Candidate::new(result, &MeanLedger::new(&result.ledger)) {
            Candidate::Resource(name, _) => {
                let busiest = result.resources.iter().find(|resource| resource.name == name);
                busiest.map_or(name.as_str(), |resource| resource.kind).to_owned()
            }
            Candidate::Stage(name, _) => name,
            Candidate::Busiest(..) | Candidate::Idle => "no bottleneck".to_owned(),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Candidate::Resource(name, share) | Candidate::Busiest(name, share) => {
                write!(f, "Candidate for the bottleneck: {name}, the busiest resource ({} utilised).", percent(*share))
            }
            Candidate::Stage(name, share) => write!(
                f,
                "No resource is at least {} utilised. Longest stage: {name} ({} of the message latency).",
                percent(ALWAYS_ACTIVE_MIN),
                percent(*share)
            ),
            Candidate::Idle => write!(f, "No candidate for the bottleneck: no resource was active."),
        }
    }
}
