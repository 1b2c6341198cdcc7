//! What is told of tasks when a run is stuck: their names, and the named things that they wait for.

use super::sim::{NO_TASK, Sim, TaskId};
use std::borrow::Cow;
use std::cell::Cell;

/// What is told of a task when the run is stuck.
pub(super) struct TaskInfo {
    pub name: Cow<'static, str>,
    pub essential: bool,
    pub finished: Cell<bool>,
    /// What the task said it polls for, while it does.
    pub polled: Cell<Option<PointId>>,
    /// What the wait it is in stands for, which hides what it said while it lasts.
    pub waiting: Cell<Option<PointId>>,
    /// Whether what it said hides what the wait stands for.
    pub overrides_wait: Cell<bool>,
}

impl TaskInfo {
    /// Of a task that runs; `essential` says that the run waits for its end.
    pub fn new(name: Cow<'static, str>, essential: bool) -> TaskInfo {
        let (finished, polled, waiting, overrides_wait) = Default::default();
        TaskInfo { name, essential, finished, polled, waiting, overrides_wait }
    }

    /// What the task waits for.
    pub fn waits_for(&self) -> Option<PointId> {
        match self.overrides_wait.get() {
            true => self.polled.get().or(self.waiting.get()),
            false => self.waiting.get().or(self.polled.get()),
        }
    }
}

/// Something tasks wait for, by name.
pub(super) struct Point {
    pub name: String,
    pub holder: Cell<Option<TaskId>>,
}

/// The number of a named thing that tasks wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointId(pub(super) u32);

impl Sim {
    /// A named thing that tasks wait for, told of when the run is stuck.
    pub fn point(&self, name: impl Into<String>) -> PointId {
        let mut points = self.0.points.borrow_mut();
        points.push(Point { name: name.into(), holder: Cell::new(None) });
        PointId(points.len() as u32 - 1)
    }

    /// States which task can end the wait at `point`.
    pub fn set_holder(&self, point: PointId, task: TaskId) {
        self.0.points.borrow()[point.0 as usize].holder.set((task != NO_TASK).then_some(task));
    }

    /// States what the current task polls for while the guard lives: so a task that looks for a
    /// change by delays, or in between waits for a bus, is told of as waiting for it.
    pub fn polls_for(&self, point: PointId) -> Polls<'_> {
        self.set_wait_reason(point, false)
    }

    /// The same, of one that knows better what it waits for than the signals and resources at which it does.
    pub fn waits_for(&self, point: PointId) -> Polls<'_> {
        self.set_wait_reason(point, true)
    }

    fn set_wait_reason(&self, point: PointId, more: bool) -> Polls<'_> {
        let task = self.0.current.get();
        let before = match task {
            NO_TASK => (None, false),
            task => {
                let task_info = &self.0.task_info.borrow()[task as usize];
                (task_info.polled.replace(Some(point)), task_info.overrides_wait.replace(more))
            }
        };
        Polls { sim: self, task, before }
    }

    /// States that `task` is in a wait, or (with `None`) that the wait ended.
    pub(super) fn waiting(&self, task: TaskId, point: Option<PointId>) {
        self.0.task_info.borrow()[task as usize].waiting.set(point);
    }
}

/// While it lives, the task that made it polls: see [`Sim::polls_for`].
#[must_use = "a task polls while its guard lives"]
pub struct Polls<'a> {
    sim: &'a Sim,
    task: TaskId,
    /// What it polls for when this is over.
    before: (Option<PointId>, bool),
}

impl Drop for Polls<'_> {
    fn drop(&mut self) {
        if self.task != NO_TASK {
            let task_info = &self.sim.0.task_info.borrow()[self.task as usize];
            task_info.polled.set(self.before.0);
            task_info.overrides_wait.set(self.before.1);
        }
    }
}
