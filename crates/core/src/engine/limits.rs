//! The limits of a run: it ends at a given time, or when it is deadlocked or livelocked, but not because it is slow.
//!
//! A run is deadlocked when no event is left. It is livelocked when events continue without progress: for the time
//! [`no_progress`](Limits::no_progress), there was no progress, such as a delivered message or a completed transfer,
//! and no task *slept*. Sleep distinguishes a livelock from a run whose events are far apart. A task sleeps in a delay
//! that is at least 1/64 of that time. A delay between polls counts as sleep only if it began within that time, or
//! within its own length, after the last progress, because later polls see no change. A task that works without
//! polling, such as one that holds a processor, sleeps in every delay, however short: it computes, perhaps with a slow
//! clock. The run continues while a task sleeps that will wake before the run's end.
//!
//! A packet that its receiver returns is sent again at once, perhaps without end. After many returns without progress
//! the run is deadlocked if each essential task waits, no task works, and no task is in a delay that began before the
//! returns: every task that could accept the packet has run since.
//!
//! A run whose clock stalls while events continue is livelocked, whatever its limits are.
//!
//! The check does not decide whether the wake-up of a sleeping task changes anything, so a run in which only sleeping
//! tasks act ends at the time limit. It reaches the limit after few events, because sleeps are long.

use super::deadlock::DeadlockReport;
use super::queue::Event;
use super::sim::Core;
use super::task_info::TaskInfo;
use super::time::Time;
use std::ops::ControlFlow;

/// A delay of at least 1/64 of [`Limits::no_progress`] is a sleep.
const SLEEP_DIVISOR: u64 = 64;
/// The number of checks for sleeping tasks within [`Limits::no_progress`].
const CHECKS_PER_PERIOD: u64 = 8;

/// The number of packets that are returned without progress from one check for a deadlock to the next (chosen: some
/// milliseconds of simulated time).
const RETURNS_PER_CHECK: u64 = 10_000;

/// The clock is stalled if this number of events fires at one instant; tasks of the largest machine need fewer.
pub(super) const EVENTS_PER_INSTANT_MAX: u64 = if cfg!(test) { 1 << 20 } else { 1 << 26 };

/// Smallest time between two instants.
pub(super) const TIME_STEP_MIN: Time = Time::from_ps(1);

/// The last instant at which an event fires.
const EVENT_TIME_MAX: Time = Time::from_ps(Time::END.ps() - 1);

/// Limits at which a run ends without completing.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The run ends at this simulated time.
    pub time: Time,
    /// The run ends after this simulated time without progress and without a sleeping task.
    pub no_progress: Time,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Time::MAX, no_progress: Time::MAX }
    }
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every essential task finished.
    Done,
    /// No event was left, or tasks only polled, while essential tasks waited.
    Deadlock(DeadlockReport),
    /// Events continued without progress.
    Livelock(DeadlockReport),
    /// The limit of simulated time was reached, or [`Time::END`].
    TimeLimit(DeadlockReport),
    /// The run completed, and its load is saturated: the text states how this was detected. Programs determine this
    /// outcome, never the engine.
    Saturated(String),
    /// The run completed, but messages were lost and not retransmitted: the text gives their number and the first
    /// losses. The engine itself never returns this outcome.
    Loss(String),
}

impl Outcome {
    /// Returns whether the run completed and every message was delivered, so that its measurements hold.
    pub fn is_complete(&self) -> bool {
        matches!(self, Outcome::Done | Outcome::Saturated(_))
    }
}

/// The instants until which tasks sleep, as far as the checks have seen.
#[derive(Clone, Copy, Default)]
pub(super) struct SleepHorizon {
    until: Time,
    /// The latest wake-up of a task that polls.
    poller_until: Time,
}

impl SleepHorizon {
    /// Returns the horizon with a sleeping task that wakes at `instant`.
    pub(super) fn with_sleeper(self, instant: Time) -> SleepHorizon {
        SleepHorizon { until: self.until.max(instant), ..self }
    }
}

/// The packets that were returned to their senders since the last progress.
#[derive(Clone, Copy, Default)]
pub(super) struct ReturnedPackets {
    count: u64,
    /// The instant of the first return.
    since: Time,
}

impl ReturnedPackets {
    /// Returns the count with one more return at `now`; the count starts again after `progress`, and when a check was
    /// due.
    pub(super) fn with_return(self, now: Time, progress: Time) -> ReturnedPackets {
        match self.count == 0 || progress > self.since || self.is_check_due() {
            true => ReturnedPackets { count: 1, since: now },
            false => ReturnedPackets { count: self.count + 1, ..self },
        }
    }

    /// Returns whether there were enough returns for a check.
    pub(super) fn is_check_due(self) -> bool {
        self.count >= RETURNS_PER_CHECK
    }
}

impl Core {
    /// Handles an event that the fast path does not fire: checks the limits, and returns the outcome if the run ends,
    /// or continues until the next check. The event is put back into the queue.
    #[cold]
    pub(super) fn check_limits(&self, event: Event, limits: Limits) -> ControlFlow<Outcome> {
        if event != Event::NONE && !self.wakeups.borrow_mut().requeue(event) {
            return ControlFlow::Continue(());
        }
        if self.wakeups.borrow_mut().request_check_from(self.guard_until.get()) {
            if self.clock_is_stalled() {
                return ControlFlow::Break(Outcome::Livelock(self.deadlock_report()));
            }
            if event.time < self.guard_until.get() {
                return ControlFlow::Continue(());
            }
        }
        if self.unfinished.get() == 0 {
            return ControlFlow::Break(self.end());
        }
        if event == Event::NONE {
            return ControlFlow::Break(Outcome::Deadlock(self.deadlock_report()));
        }
        if self.only_returns_packets() {
            return ControlFlow::Break(Outcome::Deadlock(self.deadlock_report()));
        }
        let limits = Limits { time: limits.time.min(EVENT_TIME_MAX), ..limits };
        let sleep_horizon = self.find_sleep_horizon(limits);
        let last_activity = self.progress.get().max(sleep_horizon.until).max(sleep_horizon.poller_until);
        let no_progress_end = last_activity.saturating_add(limits.no_progress);
        if event.time > limits.time && limits.time <= no_progress_end {
            let end = if limits.time == EVENT_TIME_MAX { Time::END } else { limits.time };
            self.now.set(end.max(self.now.get()));
            return ControlFlow::Break(Outcome::TimeLimit(self.deadlock_report()));
        }
        if event.time > no_progress_end {
            return ControlFlow::Break(self.no_progress());
        }
        let next_check = event.time.saturating_add(limits.no_progress / CHECKS_PER_PERIOD);
        self.set_guard_until(next_check.min(limits.time).min(no_progress_end) + TIME_STEP_MIN);
        ControlFlow::Continue(())
    }

    /// Sets the instant before which no limit is met.
    pub(super) fn set_guard_until(&self, instant: Time) {
        self.guard_until.set(instant);
        self.wakeups.borrow_mut().request_check_from(instant);
    }

    /// Returns whether the clock has not advanced since the last check.
    fn clock_is_stalled(&self) -> bool {
        self.last_livelock_check.replace(self.now.get()) == self.now.get()
    }

    /// Returns the instants at which the last sleeping tasks will wake.
    fn find_sleep_horizon(&self, limits: Limits) -> SleepHorizon {
        let (task_info, mut sleep_horizon) = (self.task_info.borrow(), self.sleep_horizon.get());
        let last_activity = self.progress.get().max(sleep_horizon.until);
        self.wakeups.borrow().timers(|event, since| {
            let (task, span) = (&task_info[event.task() as usize], event.time.since(since));
            // A wait whose deadline is after the end of the run does not count as sleep, because the deadline is not
            // reached.
            let end = match task.waits_for() {
                Some(_) if event.time > limits.time => return,
                _ => event.time.min(limits.time),
            };
            let is_long = span >= limits.no_progress / SLEEP_DIVISOR;
            match task.polled.get() {
                None if is_long || task.work_guards.get() > 0 => sleep_horizon = sleep_horizon.with_sleeper(end),
                // A poll after a later delay has no effect, because all other tasks have waited since then.
                Some(_) if is_long && since < last_activity.saturating_add(limits.no_progress.max(span)) => {
                    sleep_horizon.poller_until = sleep_horizon.poller_until.max(end);
                }
                _ => {}
            }
        });
        self.sleep_horizon.set(sleep_horizon);
        sleep_horizon
    }

    /// Returns whether packets were returned many times without progress, and no other task can act.
    fn only_returns_packets(&self) -> bool {
        let ReturnedPackets { since, .. } = self.returns.get();
        if !self.returns.get().is_check_due() || self.progress.get() >= since {
            return false;
        }
        let works = |task_info: &TaskInfo| task_info.work_guards.get() > 0 && task_info.polled.get().is_none();
        let mut began_before = self.sleep_horizon.get().until > self.now.get();
        self.wakeups.borrow().timers(|_, timer_since| began_before |= timer_since < since);
        !began_before && self.essential_tasks_wait() && !self.task_info.borrow().iter().any(works)
    }

    /// Returns whether every essential task that has not finished waits.
    fn essential_tasks_wait(&self) -> bool {
        let waits =
            |task_info: &TaskInfo| !task_info.essential || task_info.finished.get() || task_info.waits_for().is_some();
        self.task_info.borrow().iter().all(waits)
    }

    /// Returns the outcome of a run without progress: a deadlock if all essential tasks wait and only pollers run.
    fn no_progress(&self) -> Outcome {
        match self.essential_tasks_wait() {
            true => Outcome::Deadlock(self.deadlock_report()),
            false => Outcome::Livelock(self.deadlock_report()),
        }
    }
}
