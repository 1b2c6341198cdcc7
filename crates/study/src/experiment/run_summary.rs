//! The summary of a run in sentences: its outcome, and the candidate for its bottleneck.

use super::{Candidate, RunResult, record};
use crate::report::MeanLedger;
use crate::report::number::significant;

/// Returns the outcome of a run, with the reason if the run did not complete.
pub fn outcome(result: &RunResult) -> String {
    match (record::outcome_name(&result.outcome), record::outcome_reason(result)) {
        ("saturated", _) => format!("saturated; stopped after {} simulated", result.end),
        (outcome, None) => format!("{outcome} after {} simulated", result.end),
        (outcome, Some(reason)) => format!("{outcome}: {reason}"),
    }
}

/// Returns the remark on the outcome that a reader of the results needs.
pub fn note(result: &RunResult) -> String {
    let unfinished = match (result.outcome.is_complete(), record::was_stopped(&result.outcome)) {
        (true, _) => String::new(),
        (false, true) => {
            format!("Stopped after {} simulated. Only counts are measured, up to that time.\n", result.end)
        }
        (false, false) => format!("Ended after {} simulated. Only counts are measured.\n", result.end),
    };
    unfinished + &record::outcome_note(result).map_or_else(String::new, |note| note + "\n")
}

/// Returns the initial transient and the candidate for the bottleneck. The text is empty for a run that did not
/// complete.
pub fn finding(result: &RunResult, ledger: &MeanLedger) -> String {
    if !result.outcome.is_complete() {
        return String::new();
    }
    let transient =
        result.warm_up.as_ref().and_then(|check| check.finding()).map_or_else(String::new, |finding| finding + "\n");
    let candidate = match (Candidate::new(result, ledger), result.busiest().filter(|(_, share)| *share > 0.0)) {
        (stage @ Candidate::Stage(..), Some((name, share))) => {
            format!("{}\n{stage}", Candidate::Busiest(name.to_owned(), share))
        }
        (candidate, _) => candidate.to_string(),
    };
    format!("{transient}{candidate}\n")
}

/// Numbers below this limit are printed with as many decimals as three significant digits need.
const SMALL_NUMBER_MAX: f64 = 0.01;

/// Formats a metric: counts without decimals, other numbers with three decimals, and a dash for a metric that was not
/// measured.
pub fn number(value: f64, unit: &str) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    match value.abs() {
        magnitude if unit.is_empty() && magnitude.fract() == 0.0 => format!("{value}"),
        magnitude if magnitude > 0.0 && magnitude < SMALL_NUMBER_MAX => significant(value, 3),
        _ => format!("{value:.3}"),
    }
}
