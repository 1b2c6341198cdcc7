//! Deadlock reports: which task waits for what, and which task holds it, by name.

use super::sim::TaskId;
use super::task_info::{TaskInfo, WaitReason};
use super::time::Time;
use std::fmt;

/// The waits of a run that makes no progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeadlockReport {
    /// The simulated time at which the run ended.
    pub end_time: Time,
    /// The wait-for chains, one after another. Each begins with the wait of an essential task. Each further entry is
    /// the wait of the task that the previous entry names as its holder.
    pub chain: Vec<Wait>,
    /// The losses of the run: tasks may wait for a message that was lost.
    pub losses: LossLog,
}

/// Number of losses that are listed one by one.
const LISTED_LOSSES_MAX: usize = 4;

/// The losses that no part recovers from, such as dropped packets that are not retransmitted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LossLog {
    /// Descriptions of the first few losses.
    pub descriptions: Vec<String>,
    /// The number of further losses.
    pub unlisted: u64,
}

impl LossLog {
    /// Adds a loss; `description` is called only if it is listed.
    pub(super) fn add(&mut self, description: impl FnOnce() -> String) {
        match self.descriptions.len() < LISTED_LOSSES_MAX {
            true => self.descriptions.push(description()),
            false => self.unlisted += 1,
        }
    }
}

/// One wait of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The task that waits.
    pub task: String,
    /// The name of the event or resource that it waits for.
    pub awaited: String,
    /// The task that could end the wait, if known.
    pub holder: Option<String>,
    /// Whether the holder is already in the chain, so that the wait is circular.
    pub closes_cycle: bool,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.task, self.awaited)?;
        match (&self.holder, self.closes_cycle) {
            (Some(holder), true) => write!(f, " held by {holder}, which closes the cycle"),
            (Some(holder), false) => write!(f, " held by {holder}"),
            (None, _) => Ok(()),
        }
    }
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.end_time)?;
        self.chain.iter().try_for_each(|wait| write!(f, "\n  {wait}"))?;
        self.losses.descriptions.iter().try_for_each(|loss| write!(f, "\n  lost: {loss}"))?;
        if self.losses.unlisted > 0 { write!(f, "\n  lost: {} more", self.losses.unlisted) } else { Ok(()) }
    }
}

/// Returns the wait-for chains from each essential task that has not finished.
pub(super) fn report(
    end_time: Time,
    tasks: &[TaskInfo],
    wait_reasons: &[WaitReason],
    losses: LossLog,
) -> DeadlockReport {
    let mut chain = Vec::new();
    let mut visited = vec![false; tasks.len()];
    for (task, task_info) in tasks.iter().enumerate() {
        if task_info.is_essential && !task_info.is_finished.get() {
            follow_waits(task, tasks, wait_reasons, &mut visited, &mut chain);
        }
    }
    DeadlockReport { end_time, chain, losses }
}

/// Follows the waits from the task `first_task` to a task that waits for no other, or to one already visited.
fn follow_waits(
    first_task: usize,
    tasks: &[TaskInfo],
    wait_reasons: &[WaitReason],
    visited: &mut [bool],
    chain: &mut Vec<Wait>,
) {
    let mut path: Vec<TaskId> = Vec::new();
    let mut next_task = Some(first_task as TaskId);
    while let Some(task) = next_task.filter(|&task| !visited[task as usize]) {
        visited[task as usize] = true;
        path.push(task);
        let task_info = &tasks[task as usize];
        let Some(reason) = task_info.waits_for() else { return };
        let reason = &wait_reasons[reason.0 as usize];
        next_task = reason.holder.get();
        chain.push(Wait {
            task: task_info.name.to_string(),
            awaited: reason.name.clone(),
            holder: next_task.map(|holder| tasks[holder as usize].name.to_string()),
            closes_cycle: next_task.is_some_and(|holder| path.contains(&holder)),
        });
    }
}
