//! The executor: one simulation, its clock and its tasks.
//!
//! Every active part is a task, an `async` function; tasks are polled in the order of events. An event names the task
//! that it wakes, and a task is polled only when the event that it requested last fires, so wakers do nothing, and
//! events need no allocation. The module supports neither several threads (a simulation runs in one) nor cancelling a
//! task from outside. A wait that is dropped before it ends, for example by a select, removes itself from every queue.
//! A task must not be in two waits at once, because it could not determine which wait woke it.

pub use super::limits::{Limits, Outcome};
pub use super::task_info::{WaitReasonGuard, WaitReasonId};

use super::deadlock::{self, DeadlockReport, LossLog, Wait};
use super::limits::{ReturnedPackets, SleepHorizon, TIME_STEP_MIN};
use super::queue::{Event, TASK_BITS};
use super::record::Recorder;
use super::task_info::{TaskInfo, WaitReason};
use super::time::Time;
use super::wakeups::WakeupTable;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Waker};

/// A task's number.
pub type TaskId = u32;

/// The number that represents no task, as outside [`Simulation::run`].
pub const NO_TASK: TaskId = (1 << TASK_BITS) - 1;

/// A future that stays on the one thread of a simulation.
pub type LocalFuture<'a, T = ()> = Pin<Box<dyn Future<Output = T> + 'a>>;

type TaskFuture = LocalFuture<'static, ()>;

/// A simulation, which owns its tasks. Dropping it drops them all.
pub struct Simulation {
    sim: Sim,
}

/// A handle to the simulation, held by everything that acts in it.
#[derive(Clone)]
pub struct Sim(pub(super) Rc<Core>);

pub(super) struct Core {
    pub(super) now: Cell<Time>,
    pub(super) current: Cell<TaskId>,
    task_count: Cell<usize>,
    pub(super) unfinished_count: Cell<usize>,
    pub(super) last_progress: Cell<Time>,
    pub(super) sleep_horizon: Cell<SleepHorizon>,
    pub(super) returned_packets: Cell<ReturnedPackets>,
    /// The instant of the last check for a stalled clock.
    pub(super) last_livelock_check: Cell<Time>,
    /// The instant from which the limits of the run are checked at each event; time zero if they are to be checked at
    /// the next event.
    pub(super) check_limits_from: Cell<Time>,
    /// The number of delays that passed without an event.
    pub(super) elided_delays: Cell<u64>,
    /// The instant before which no other task acts.
    pub(super) no_event_before: Cell<Time>,
    /// The next wake-up of the current task, if it is requested and not yet scheduled; otherwise [`Time::MAX`].
    pub(super) deferred_wakeup: Cell<Time>,
    /// Whether every delay is queued as an event. Tests compare other runs with such a reference run.
    #[cfg(test)]
    pub(super) queues_every_delay: Cell<bool>,
    pub(super) wakeups: RefCell<WakeupTable>,
    /// The tasks, without the finished ones. During a run this is empty, because the run owns the tasks.
    task_futures: RefCell<Vec<TaskFuture>>,
    /// The tasks that were started and not yet polled.
    new_tasks: RefCell<Vec<TaskFuture>>,
    pub(super) task_info: RefCell<Vec<TaskInfo>>,
    pub(super) wait_reasons: RefCell<Vec<WaitReason>>,
    losses: RefCell<LossLog>,
    /// The wait that can never end, if a task has reported one.
    endless_wait: RefCell<Option<Wait>>,
    recorder: Recorder,
}

impl Simulation {
    /// Creates an empty simulation at time 0, whose spans `recorder` records.
    pub fn new(recorder: Recorder) -> Simulation {
        Simulation {
            sim: Sim(Rc::new(Core {
                now: Cell::default(),
                current: Cell::new(NO_TASK),
                task_count: Cell::new(0),
                unfinished_count: Cell::new(0),
                last_progress: Cell::default(),
                sleep_horizon: Cell::default(),
                returned_packets: Cell::default(),
                last_livelock_check: Cell::new(Time::MAX),
                check_limits_from: Cell::default(),
                elided_delays: Cell::default(),
                no_event_before: Cell::default(),
                deferred_wakeup: Cell::new(Time::MAX),
                #[cfg(test)]
                queues_every_delay: Cell::default(),
                wakeups: RefCell::default(),
                task_futures: RefCell::default(),
                new_tasks: RefCell::default(),
                task_info: RefCell::default(),
                wait_reasons: RefCell::default(),
                losses: RefCell::default(),
                endless_wait: RefCell::default(),
                recorder,
            })),
        }
    }

    /// Returns a handle, which parts and tasks keep.
    pub fn sim(&self) -> Sim {
        self.sim.clone()
    }

    /// Runs until every essential task has finished, the run is deadlocked or livelocked, or a limit is reached. A run
    /// that ended at a limit may be continued with another limit.
    pub fn run(&self, limits: Limits) -> Outcome {
        let core = &*self.sim.0;
        let mut task_futures = std::mem::take(&mut *core.task_futures.borrow_mut());
        core.set_check_limits_from(TIME_STEP_MIN);
        let outcome = match core.unfinished_count.get() {
            0 => core.completion_outcome(),
            _ => core.run(&mut task_futures, limits),
        };
        core.current.set(NO_TASK);
        core.no_event_before.set(Time::ZERO);
        *core.task_futures.borrow_mut() = task_futures;
        outcome
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // Tasks hold the handle, so the reference cycle is broken here. Dropping a task may wake others or start new
        // ones; those are never polled, and are dropped as well.
        let core = &*self.sim.0;
        loop {
            let mut task_futures = std::mem::take(&mut *core.task_futures.borrow_mut());
            task_futures.append(&mut core.new_tasks.borrow_mut());
            if task_futures.is_empty() {
                break;
            }
        }
    }
}

impl Core {
    /// Runs the tasks until the run ends. The time of each event is compared once, with the instant from which events
    /// are checked. The time limit, the end of the last task and an empty queue are all detected in the slow path after
    /// that comparison.
    fn run(&self, task_futures: &mut Vec<TaskFuture>, limits: Limits) -> Outcome {
        let mut context = Context::from_waker(Waker::noop());
        let mut wakeups = self.wakeups.borrow_mut();
        loop {
            let (event, no_event_before) = wakeups.queue.pop_with_horizon();
            if event.time >= wakeups.check_from {
                drop(wakeups);
                match self.check_limits(event, limits) {
                    ControlFlow::Break(outcome) => return outcome,
                    ControlFlow::Continue(()) => {
                        wakeups = self.wakeups.borrow_mut();
                        continue;
                    }
                }
            }
            if !wakeups.is_awaited(event) {
                wakeups.stale_events += 1;
                continue;
            }
            self.no_event_before.set(no_event_before);
            drop(wakeups);
            self.now.set(event.time);
            let task = event.task();
            self.current.set(task);
            let task_future = match task_futures.get_mut(task as usize) {
                Some(task_future) => task_future,
                None => self.add_new_tasks(task_futures, task),
            };
            if task_future.as_mut().poll(&mut context).is_ready() {
                self.finish(task);
                *task_future = Box::pin(std::future::pending());
                if self.unfinished_count.get() == 0 {
                    return self.completion_outcome();
                }
            }
            wakeups = self.wakeups.borrow_mut();
            let deferred_wakeup = self.deferred_wakeup.replace(Time::MAX);
            if deferred_wakeup != Time::MAX {
                wakeups.schedule(task, deferred_wakeup, self.now.get());
            }
        }
    }

    /// Adds the tasks that were started, and returns `task`, which is one of them.
    #[cold]
    fn add_new_tasks<'a>(&self, task_futures: &'a mut Vec<TaskFuture>, task: TaskId) -> &'a mut TaskFuture {
        task_futures.append(&mut self.new_tasks.borrow_mut());
        &mut task_futures[task as usize]
    }

    /// Returns the outcome of a run after the last essential task has ended.
    pub(super) fn completion_outcome(&self) -> Outcome {
        match self.endless_wait.take() {
            None => Outcome::Done,
            Some(wait) => {
                let losses = self.losses.borrow().clone();
                Outcome::Deadlock(DeadlockReport { end_time: self.now.get(), chain: vec![wait], losses })
            }
        }
    }

    #[cold]
    fn finish(&self, task: TaskId) {
        self.deferred_wakeup.set(Time::MAX);
        self.current.set(NO_TASK);
        self.wakeups.borrow_mut().cancel(task);
        let task_info = self.task_info.borrow();
        let task_info = &task_info[task as usize];
        task_info.is_finished.set(true);
        task_info.poll_reason.set(None);
        task_info.overrides_wait.set(false);
        if task_info.is_essential {
            // The count is already zero if a task has given up.
            self.unfinished_count.set(self.unfinished_count.get().saturating_sub(1));
        }
    }

    pub(super) fn deadlock_report(&self) -> DeadlockReport {
        deadlock::report(
            self.now.get(),
            &self.task_info.borrow(),
            &self.wait_reasons.borrow(),
            self.losses.borrow().clone(),
        )
    }
}

impl Sim {
    /// Returns a weak reference, which shows whether anything still keeps the simulation in memory.
    pub(crate) fn downgrade(&self) -> Weak<impl Sized + use<>> {
        Rc::downgrade(&self.0)
    }

    /// Returns the present simulated time.
    #[inline]
    pub fn now(&self) -> Time {
        self.0.now.get()
    }

    /// Returns the number of events that have fired.
    pub fn events(&self) -> u64 {
        self.0.elided_delays.get() + self.0.wakeups.borrow().events_handled()
    }

    /// Returns the instant at which the event that woke the current task was scheduled.
    pub fn wakeup_scheduled_at(&self) -> Time {
        self.schedule_deferred_wakeup();
        self.0.wakeups.borrow().scheduled_at(self.0.current.get())
    }

    /// Returns the recorder of spans.
    pub fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// Returns the number of the running task.
    pub fn current(&self) -> TaskId {
        self.0.current.get()
    }

    /// Starts an essential task: the run ends when all essential tasks have finished.
    pub fn spawn(&self, name: impl Into<Cow<'static, str>>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.0.unfinished_count.set(self.0.unfinished_count.get() + 1);
        self.start(name.into(), true, Box::pin(work))
    }

    /// Starts a task that serves others and may be left waiting when the run ends.
    pub fn spawn_server(&self, name: impl Into<Cow<'static, str>>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.start(name.into(), false, Box::pin(work))
    }

    fn start(&self, name: Cow<'static, str>, is_essential: bool, task_future: TaskFuture) -> TaskId {
        let task = self.0.task_count.get() as TaskId;
        assert!(task < NO_TASK, "a run has at most 2²⁴ - 1 tasks");
        self.0.task_count.set(self.0.task_count.get() + 1);
        self.0.new_tasks.borrow_mut().push(task_future);
        self.0.wakeups.borrow_mut().add_task(self.now());
        self.0.task_info.borrow_mut().push(TaskInfo::new(name, is_essential));
        self.wake(task);
        task
    }

    /// States that the current task can never continue because it waits for `awaited`: the run ends with this event, as
    /// a deadlock whose report names that wait.
    pub fn give_up(&self, awaited: String) {
        let current = self.0.current.get();
        assert!(current != NO_TASK, "`give_up` was called outside a task, while waiting for {awaited}");
        let task = self.0.task_info.borrow()[current as usize].name.to_string();
        *self.0.endless_wait.borrow_mut() = Some(Wait { task, awaited, holder: None, closes_cycle: false });
        self.0.unfinished_count.set(0);
        self.0.set_check_limits_from(Time::ZERO);
        self.0.no_event_before.set(Time::ZERO);
    }

    /// Records a permanent loss; a deadlock report lists the first few losses.
    pub fn record_loss(&self, description: impl FnOnce() -> String) {
        self.0.losses.borrow_mut().add(description);
    }

    /// Returns the losses so far.
    pub fn losses(&self) -> LossLog {
        self.0.losses.borrow().clone()
    }

    /// Records progress of the run, such as a delivered message or a completed transfer.
    pub fn progress(&self) {
        self.0.last_progress.set(self.now());
    }

    /// Records that a packet was returned to its sender, which will send it again. Many returns without progress, while
    /// all tasks wait, are a deadlock.
    pub fn packet_returned(&self) {
        let returned_packets = self.0.returned_packets.get().with_return(self.now(), self.0.last_progress.get());
        self.0.returned_packets.set(returned_packets);
        if returned_packets.is_check_due() {
            // No further delay may pass without an event.
            self.0.no_event_before.set(Time::ZERO);
            self.0.wakeups.borrow_mut().request_check_at_next_event();
        }
    }

    /// States that the run will make progress at `instant`, for instance because a barrier opens then.
    pub fn expect_progress_at(&self, instant: Time) {
        let sleep_horizon = &self.0.sleep_horizon;
        sleep_horizon.set(sleep_horizon.get().with_sleeper(instant));
    }

    /// Wakes `task` at the present instant. This replaces the event for which the task waited.
    pub(super) fn wake(&self, task: TaskId) {
        self.schedule_deferred_wakeup();
        let (mut wakeups, now) = (self.0.wakeups.borrow_mut(), self.now());
        let id = wakeups.new_identity(task, now);
        self.0.no_event_before.set(Time::ZERO);
        wakeups.queue.push_now(Event { time: now, id });
    }

    /// Wakes the current task at `time`, unless it is woken earlier.
    #[inline]
    pub(super) fn wake_at(&self, time: Time) {
        self.wake_task_at(self.0.current.get(), time);
    }

    /// Wakes `task` at `time`, unless it is woken earlier. This replaces the event for which the task waited.
    #[inline]
    pub(super) fn wake_task_at(&self, task: TaskId, time: Time) {
        self.schedule_deferred_wakeup();
        self.0.no_event_before.set(self.0.no_event_before.get().min(time));
        self.0.wakeups.borrow_mut().schedule_outlined(task, time, self.now());
    }

    /// Schedules the wake-up that the current task requested. It is called before another wake-up is scheduled, so that
    /// sequence numbers follow the order of the requests.
    #[inline]
    pub(super) fn schedule_deferred_wakeup(&self) {
        if self.0.deferred_wakeup.get() != Time::MAX {
            self.flush_deferred_wakeup();
        }
    }

    #[inline(never)]
    fn flush_deferred_wakeup(&self) {
        self.0.no_event_before.set(Time::ZERO);
        let deferred_wakeup = self.0.deferred_wakeup.replace(Time::MAX);
        self.0.wakeups.borrow_mut().schedule(self.0.current.get(), deferred_wakeup, self.now());
    }
}
