//! The entries of tasks for deadlock reports: their names, and the named reasons for which they wait.

use super::sim::{NO_TASK, Sim, TaskId};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// The entry of a task for deadlock reports.
pub(super) struct TaskInfo {
    pub name: Cow<'static, str>,
    pub is_essential: bool,
    pub is_finished: Cell<bool>,
    /// The reason for which the task polls, if it does.
    pub poll_reason: Cell<Option<WaitReasonId>>,
    /// The reason of the current wait, which has precedence over `poll_reason` while it lasts.
    pub current_wait: Cell<Option<WaitReasonId>>,
    /// Whether `poll_reason` has precedence over the reason of the current wait.
    pub overrides_wait: Cell<bool>,
    /// The number of [`Sim::works`] guards that are alive and not overridden by a poll.
    pub work_guards: Cell<u32>,
}

impl TaskInfo {
    /// Creates the entry of a running task; the run waits for its end if it `is_essential`.
    pub fn new(name: Cow<'static, str>, is_essential: bool) -> TaskInfo {
        let (is_finished, poll_reason, current_wait, overrides_wait, work_guards) = Default::default();
        TaskInfo { name, is_essential, is_finished, poll_reason, current_wait, overrides_wait, work_guards }
    }

    /// Returns the reason for which the task waits.
    pub fn waits_for(&self) -> Option<WaitReasonId> {
        match self.overrides_wait.get() {
            true => self.poll_reason.get().or(self.current_wait.get()),
            false => self.current_wait.get().or(self.poll_reason.get()),
        }
    }
}

/// A named reason for which tasks wait.
pub(super) struct WaitReason {
    pub name: String,
    pub holder: Rc<Cell<Option<TaskId>>>,
}

/// The number of a named reason for which tasks wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitReasonId(pub(super) u32);

impl Sim {
    /// Registers a named reason for which tasks wait, for deadlock reports.
    pub fn register_wait_reason(&self, name: impl Into<String>) -> WaitReasonId {
        let mut wait_reasons = self.0.wait_reasons.borrow_mut();
        wait_reasons.push(WaitReason { name: name.into(), holder: Rc::default() });
        WaitReasonId(wait_reasons.len() as u32 - 1)
    }

    /// States which task can end the wait at `reason`.
    #[inline]
    pub fn set_holder(&self, reason: WaitReasonId, task: TaskId) {
        self.0.wait_reasons.borrow()[reason.0 as usize].holder.set((task != NO_TASK).then_some(task));
    }

    /// Returns the task that holds what waits for `reason` await, shared with the deadlock report.
    pub(super) fn holder(&self, reason: WaitReasonId) -> Rc<Cell<Option<TaskId>>> {
        self.0.wait_reasons.borrow()[reason.0 as usize].holder.clone()
    }

    /// States the reason for which the current task polls, as long as the guard lives. A deadlock report names this
    /// reason, even if the task delays between polls or waits for a bus.
    pub fn polls_for(&self, reason: WaitReasonId) -> WaitReasonGuard<'_> {
        self.set_wait_reason(Some(reason), false)
    }

    /// Registers `reason` as [`polls_for`](Sim::polls_for) does, but `reason` also overrides the reasons of the signals
    /// and resources at which the task waits.
    pub fn waits_for(&self, reason: WaitReasonId) -> WaitReasonGuard<'_> {
        self.set_wait_reason(Some(reason), true)
    }

    /// States that the current task works and does not poll, as long as the guard lives: a run is not deadlocked or
    /// livelocked as long as one of its tasks works, however slow it is. A task works for a bounded time on data that
    /// is available, such as the packet that a poll has found; a nested [`polls_for`](Sim::polls_for) guard states that
    /// it polls again.
    #[inline]
    pub fn works(&self) -> WaitReasonGuard<'_> {
        let mut guard = self.set_wait_reason(None, false);
        guard.is_work_guard = true;
        self.add_work(guard.task, true);
        guard
    }

    /// Records that `task` begins work without polling, or that it ends such work.
    #[inline]
    pub(crate) fn add_work(&self, task: TaskId, begins: bool) {
        if task != NO_TASK {
            let work_guards = &self.0.task_info.borrow()[task as usize].work_guards;
            work_guards.set(if begins { work_guards.get() + 1 } else { work_guards.get() - 1 });
        }
    }

    #[inline]
    fn set_wait_reason(&self, reason: Option<WaitReasonId>, overrides_wait: bool) -> WaitReasonGuard<'_> {
        let task = self.0.current.get();
        let previous_reason = match task {
            NO_TASK => (None, false),
            task => {
                let task_info = &self.0.task_info.borrow()[task as usize];
                (task_info.poll_reason.replace(reason), task_info.overrides_wait.replace(overrides_wait))
            }
        };
        WaitReasonGuard { sim: self, task, previous_reason, is_work_guard: false }
    }

    /// Sets the reason for which `task` waits, or (with `None`) records that the wait ended.
    #[inline]
    pub(super) fn set_waiting(&self, task: TaskId, reason: Option<WaitReasonId>) {
        self.0.task_info.borrow()[task as usize].current_wait.set(reason);
    }
}

/// A guard that states why its task polls, or that it works, as long as it lives. [`Sim::polls_for`] and [`Sim::works`]
/// return it.
#[must_use = "a task polls or works while its guard lives"]
pub struct WaitReasonGuard<'a> {
    sim: &'a Sim,
    task: TaskId,
    /// The poll reason that applies again when the guard is dropped, and whether it overrides the current wait.
    previous_reason: (Option<WaitReasonId>, bool),
    /// Whether the guard states that the task works.
    is_work_guard: bool,
}

impl Drop for WaitReasonGuard<'_> {
    fn drop(&mut self) {
        if self.task != NO_TASK {
            let task_info = &self.sim.0.task_info.borrow()[self.task as usize];
            task_info.poll_reason.set(self.previous_reason.0);
            task_info.overrides_wait.set(self.previous_reason.1);
            task_info.work_guards.set(task_info.work_guards.get() - u32::from(self.is_work_guard));
        }
    }
}
