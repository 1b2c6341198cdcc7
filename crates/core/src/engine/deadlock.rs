//! Why a run is stuck: who waits for what, and who holds it, by name.

use super::task_info::{TaskInfo, Point};
use super::sim::TaskId;
use super::time::Time;
use std::fmt;

/// The waits of a stuck run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeadlockReport {
    /// When nothing more happened.
    pub at: Time,
    /// One wait a line, each caused by the next; the first is of a task whose end the run awaits.
    pub chain: Vec<Wait>,
    /// What was lost before, for which some may wait in vain.
    pub lost: LossLog,
}

/// How many losses are told one by one.
const LISTED_LOSSES_MAX: usize = 4;

/// What was lost for good, such as packets that were dropped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LossLog {
    /// The first few, each in words.
    pub first: Vec<String>,
    /// How many more there were.
    pub more: u64,
}

impl LossLog {
    /// One more was lost; it is put into words if it is to be told.
    pub(super) fn add(&mut self, what: impl FnOnce() -> String) {
        match self.first.len() < LISTED_LOSSES_MAX {
            true => self.first.push(what()),
            false => self.more += 1,
        }
    }
}

/// One wait of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The task that waits.
    pub task: String,
    /// What it waits for.
    pub wants: String,
    /// The task that could end the wait, if known.
    pub holder: Option<String>,
    /// True if the holder already stands in the chain: the wait is circular.
    pub closes_cycle: bool,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.task, self.wants)?;
        match (&self.holder, self.closes_cycle) {
            (Some(holder), true) => write!(f, " held by {holder}, which closes the cycle"),
            (Some(holder), false) => write!(f, " held by {holder}"),
            (None, _) => Ok(()),
        }
    }
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}", self.at)?;
        self.chain.iter().try_for_each(|wait| write!(f, "\n  {wait}"))?;
        self.lost.first.iter().try_for_each(|lost| write!(f, "\n  lost: {lost}"))?;
        if self.lost.more > 0 { write!(f, "\n  lost: {} more", self.lost.more) } else { Ok(()) }
    }
}

/// The chain of waits from each essential task that has not finished.
pub(super) fn describe(at: Time, tasks: &[TaskInfo], points: &[Point], lost: LossLog) -> DeadlockReport {
    let mut chain = Vec::new();
    let mut visited = vec![false; tasks.len()];
    for (task, task_info) in tasks.iter().enumerate() {
        if task_info.essential && !task_info.finished.get() {
            follow(task, tasks, points, &mut visited, &mut chain);
        }
    }
    DeadlockReport { at, chain, lost }
}

/// Follows the waits from `task` to a task that waits for nobody, or to one already told.
fn follow(first: usize, tasks: &[TaskInfo], points: &[Point], visited: &mut [bool], chain: &mut Vec<Wait>) {
    let mut path: Vec<TaskId> = Vec::new();
    let mut next = Some(first as TaskId);
    while let Some(task) = next.filter(|&task| !visited[task as usize]) {
        visited[task as usize] = true;
        path.push(task);
        let task_info = &tasks[task as usize];
        let Some(point) = task_info.waits_for() else { return };
        let point = &points[point.0 as usize];
        next = point.holder.get();
        chain.push(Wait {
            task: task_info.name.to_string(),
            wants: point.name.clone(),
            holder: next.map(|holder| tasks[holder as usize].name.to_string()),
            closes_cycle: next.is_some_and(|holder| path.contains(&holder)),
        });
    }
}
