//! The outcome of a run: its name, the reason if the run did not complete, and which of its metrics can be compared
//! with those of other runs.

use super::RunResult;
use narrows_core::engine::{DeadlockReport, Outcome, Time};

/// Returns the name of an outcome.
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Deadlock(_) => "deadlock",
        Outcome::Livelock(_) => "livelock",
        Outcome::TimeLimit(_) => "time-limit",
        Outcome::Saturated(_) => "saturated",
        Outcome::Loss(_) => "loss",
    }
}

/// The names of the outcomes of runs that completed, so that their measurements hold.
pub const COMPLETE_OUTCOMES: [&str; 2] = ["done", "saturated"];

/// Returns in one line why a run did not complete, or `None` if it did.
pub fn outcome_reason(result: &RunResult) -> Option<String> {
    let first_wait =
        |report: &DeadlockReport| report.chain.first().map_or("nothing waits".to_owned(), ToString::to_string);
    let first_loss = |report: &DeadlockReport| {
        report.losses.descriptions.first().map_or(String::new(), |loss| format!("; lost: {loss}"))
    };
    match &result.outcome {
        Outcome::Done | Outcome::Saturated(_) => None,
        Outcome::Deadlock(report) | Outcome::Livelock(report) => Some(first_wait(report) + &first_loss(report)),
        Outcome::TimeLimit(report) => {
            let limit = if result.end == Time::END { "the end of simulated time" } else { "`run.time-limit`" };
            Some(format!("the run reached {limit}; {}{}", first_wait(report), first_loss(report)))
        }
        Outcome::Loss(why) => Some(why.clone()),
    }
}

/// Returns whether a metric of a run with this outcome can be compared with that of another run. The metric cannot be
/// compared if the run did not complete, or if the run is saturated and the metric, such as a latency or a backlog,
/// grows with the length of the run.
pub fn is_comparable(outcome: &str, metric: &str) -> bool {
    let grows = |metric: &str| metric.contains("latency") || metric.contains("backlog");
    COMPLETE_OUTCOMES.contains(&outcome) && !(outcome == "saturated" && grows(metric))
}
