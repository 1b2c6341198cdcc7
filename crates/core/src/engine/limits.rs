//! The limits of a run: it ends at a given time, or when it is deadlocked or livelocked, but not because it is slow.
//!
//! A run is deadlocked when no event is left. It is livelocked when events continue without progress: for the time
//! [`no_progress`](Limits::no_progress), there was no progress, such as a delivered message or a completed transfer,
//! and no task *slept*. Sleep distinguishes a livelock from a run whose events are far apart. A task sleeps in a delay
//! that is at least 1/64 of `no_progress`. A delay between polls counts as sleep only if it began soon after the last
//! progress: within `no_progress`, or within the delay's own length if that is longer. Later polls see no change. A
//! task that works without polling, such as one that holds a processor, sleeps in every delay, however short: it
//! computes, perhaps with a slow clock. The run continues while a task sleeps that will wake before the run's end.
//!
//! A packet that its receiver returns is sent again at once, perhaps without end. After many returns without progress
//! the run is deadlocked if each essential task waits, no task works, and no task is in a delay that began before the
//! returns: every task that could accept the packet has run since.
//!
//! A run whose clock stalls while events continue is livelocked, whatever its limits are.
//!
//! The check does not decide whether the wake-up of a sleeping task changes anything, so a run in which only sleeping
//! tasks act ends at the time limit. Such a run reaches the limit after few events, because sleeps are long.

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
    last_wakeup: Time,
    /// The latest wake-up of a task that polls.
    last_poller_wakeup: Time,
}

impl SleepHorizon {
    /// Returns the horizon extended by a sleeping task that wakes at `instant`.
    pub(super) fn with_sleeper(self, instant: Time) -> SleepHorizon {
        SleepHorizon { last_wakeup: self.last_wakeup.max(instant), ..self }
    }
}

/// The packets that were returned to their senders since the last progress.
#[derive(Clone, Copy, Default)]
pub(super) struct ReturnedPackets {
    count: u64,
    /// The instant of the first return.
    first_return: Time,
}

impl ReturnedPackets {
    /// Returns the count with one more return at `now`. The count starts again if the last progress, at `progress`, was
    /// after the first return, or if a check was due.
    pub(super) fn with_return(self, now: Time, progress: Time) -> ReturnedPackets {
        match self.count == 0 || progress > self.first_return || self.is_check_due() {
            true => ReturnedPackets { count: 1, first_return: now },
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
        if self.wakeups.borrow_mut().request_check_from(self.check_limits_from.get()) {
            if self.is_clock_stalled() {
                return ControlFlow::Break(Outcome::Livelock(self.deadlock_report()));
            }
            if event.time < self.check_limits_from.get() {
                return ControlFlow::Continue(());
            }
        }
        if self.unfinished_count.get() == 0 {
            return ControlFlow::Break(self.completion_outcome());
        }
        if event == Event::NONE {
            return ControlFlow::Break(Outcome::Deadlock(self.deadlock_report()));
        }
        if self.only_returns_packets() {
            return ControlFlow::Break(Outcome::Deadlock(self.deadlock_report()));
        }
        let limits = Limits { time: limits.time.min(EVENT_TIME_MAX), ..limits };
        let sleep_horizon = self.find_sleep_horizon(limits);
        let last_activity =
            self.last_progress.get().max(sleep_horizon.last_wakeup).max(sleep_horizon.last_poller_wakeup);
        let no_progress_end = last_activity.saturating_add(limits.no_progress);
        if event.time > limits.time && limits.time <= no_progress_end {
            let end_time = if limits.time == EVENT_TIME_MAX { Time::END } else { limits.time };
            self.now.set(end_time.max(self.now.get()));
            return ControlFlow::Break(Outcome::TimeLimit(self.deadlock_report()));
        }
        if event.time > no_progress_end {
            return ControlFlow::Break(self.no_progress_outcome());
        }
        let next_check = event.time.saturating_add(limits.no_progress / CHECKS_PER_PERIOD);
        self.set_check_limits_from(next_check.min(limits.time).min(no_progress_end) + TIME_STEP_MIN);
        ControlFlow::Continue(())
    }

    /// Sets the instant before which no limit is reached.
    pub(super) fn set_check_limits_from(&self, instant: Time) {
        self.check_limits_from.set(instant);
        self.wakeups.borrow_mut().request_check_from(instant);
    }

    /// Returns whether the clock has not advanced since the last check.
    fn is_clock_stalled(&self) -> bool {
        self.last_livelock_check.replace(self.now.get()) == self.now.get()
    }

    /// Returns the instants at which the last sleeping tasks will wake.
    fn find_sleep_horizon(&self, limits: Limits) -> SleepHorizon {
        let (task_info, mut sleep_horizon) = (self.task_info.borrow(), self.sleep_horizon.get());
        let last_activity = self.last_progress.get().max(sleep_horizon.last_wakeup);
        self.wakeups.borrow().for_each_timer(|event, timer_start| {
            let (task, span) = (&task_info[event.task() as usize], event.time.since(timer_start));
            // A wait whose deadline is after the end of the run does not count as sleep, because the deadline is not
            // reached.
            let wakeup = match task.waits_for() {
                Some(_) if event.time > limits.time => return,
                _ => event.time.min(limits.time),
            };
            let is_long = span >= limits.no_progress / SLEEP_DIVISOR;
            match task.poll_reason.get() {
                None if is_long || task.work_guards.get() > 0 => sleep_horizon = sleep_horizon.with_sleeper(wakeup),
                // A poll after a later delay has no effect, because all other tasks have waited since then.
                Some(_) if is_long && timer_start < last_activity.saturating_add(limits.no_progress.max(span)) => {
                    sleep_horizon.last_poller_wakeup = sleep_horizon.last_poller_wakeup.max(wakeup);
                }
                _ => {}
            }
        });
        self.sleep_horizon.set(sleep_horizon);
        sleep_horizon
    }

    /// Returns whether packets were returned many times without progress, and no other task can act.
    fn only_returns_packets(&self) -> bool {
        let ReturnedPackets { first_return, .. } = self.returned_packets.get();
        if !self.returned_packets.get().is_check_due() || self.last_progress.get() >= first_return {
            return false;
        }
        let is_working =
            |task_info: &TaskInfo| task_info.work_guards.get() > 0 && task_info.poll_reason.get().is_none();
        let mut has_earlier_timer = self.sleep_horizon.get().last_wakeup > self.now.get();
        self.wakeups.borrow().for_each_timer(|_, timer_start| has_earlier_timer |= timer_start < first_return);
        !has_earlier_timer && self.essential_tasks_wait() && !self.task_info.borrow().iter().any(is_working)
    }

    /// Returns whether every essential task that has not finished waits.
    fn essential_tasks_wait(&self) -> bool {
        let waits_or_is_done = |task_info: &TaskInfo| {
            !task_info.is_essential || task_info.is_finished.get() || task_info.waits_for().is_some()
        };
        self.task_info.borrow().iter().all(waits_or_is_done)
    }

    /// Returns the outcome of a run without progress: a deadlock if all essential tasks wait and only pollers run.
    fn no_progress_outcome(&self) -> Outcome {
        match self.essential_tasks_wait() {
            true => Outcome::Deadlock(self.deadlock_report()),
            false => Outcome::Livelock(self.deadlock_report()),
        }
    }
}
