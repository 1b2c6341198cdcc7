//! How a run ended: the name of its outcome, why it did not complete, and what of it can be compared with other runs.

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
pub const COMPLETE: [&str; 2] = ["done", "saturated"];

/// Returns why a run did not complete, in one line, or `None` if it did.
pub fn outcome_reason(result: &RunResult) -> Option<String> {
    let first = |stuck: &DeadlockReport| stuck.chain.first().map_or("nothing waits".to_owned(), ToString::to_string);
    let lost =
        |stuck: &DeadlockReport| stuck.lost.first.first().map_or(String::new(), |lost| format!("; lost: {lost}"));
    match &result.outcome {
        Outcome::Done | Outcome::Saturated(_) => None,
        Outcome::Deadlock(stuck) | Outcome::Livelock(stuck) => Some(first(stuck) + &lost(stuck)),
        Outcome::TimeLimit(stuck) => {
            let limit = if result.end == Time::END { "the end of simulated time" } else { "`run.time-limit`" };
            Some(format!("the run reached {limit}; {}{}", first(stuck), lost(stuck)))
        }
        Outcome::Loss(why) => Some(why.clone()),
    }
}

/// Returns whether a metric of a run with this outcome can be compared with that of another run: not if the run did not
/// complete, and not the latencies and backlogs of a saturated run, which grow with its length.
pub fn is_comparable(outcome: &str, metric: &str) -> bool {
    let grows = |metric: &str| metric.contains("latency") || metric.contains("backlog");
    COMPLETE.contains(&outcome) && !(outcome == "saturated" && grows(metric))
}
