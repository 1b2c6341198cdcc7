//! The executor: one simulation, its clock and its tasks.
//!
//! Every acting part is a task, an `async` function polled in the order of events. An event
//! names the task it wakes, and a task is polled only when the event it last asked for fires,
//! so wakers do nothing and no event allocates. What it leaves out: threads (a simulation lives
//! in one) and cancelling a task from outside. A wait that is dropped before it ends (by a
//! select, say) takes itself out of every queue it stands in; what a task may not do is to be
//! in two waits at once, for it cannot tell which of them woke it.

use super::queue::{Event, Queue, TASK_BITS};
use super::record::Recorder;
use super::stuck::{self, Stuck};
use super::time::Time;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A task's number.
pub type TaskId = u32;

/// No task: outside [`Simulation::run`].
pub const NO_TASK: TaskId = (1 << TASK_BITS) - 1;

/// The identity of the event of a task that waits for no event.
const NO_EVENT: u64 = u64::MAX;

type Work = Pin<Box<dyn Future<Output = ()>>>;

/// A simulation: the owner of its tasks. Dropping it drops them all.
pub struct Simulation {
    sim: Sim,
}

/// A handle on the simulation, held by everything that acts in it.
#[derive(Clone)]
pub struct Sim(Rc<Core>);

struct Core {
    now: Cell<Time>,
    current: Cell<TaskId>,
    tasks: Cell<usize>,
    unfinished: Cell<usize>,
    progress: Cell<Time>,
    events: Cell<u64>,
    agenda: RefCell<Agenda>,
    /// The tasks, `None` where finished; in a run they are out of here, in its hands.
    works: RefCell<Vec<Option<Work>>>,
    /// Tasks started since the last event.
    started: RefCell<Vec<Option<Work>>>,
    about: RefCell<Vec<About>>,
    points: RefCell<Vec<Point>>,
    recorder: Recorder,
}

/// The pending events, and which of them each task awaits.
#[derive(Default)]
struct Agenda {
    queue: Queue,
    awaited: Vec<u64>,
    newest: u64,
}

/// What is told of a task when the run is stuck.
pub(super) struct About {
    pub name: String,
    pub essential: bool,
    pub finished: Cell<bool>,
    /// What the task said it waits for.
    stated: Cell<Option<PointId>>,
    /// What the wait it is in stands for, which hides what it said while it lasts.
    waiting: Cell<Option<PointId>>,
}

impl About {
    /// What the task waits for.
    pub fn waits_for(&self) -> Option<PointId> {
        self.waiting.get().or(self.stated.get())
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

/// When a run gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The run ends at this simulated time.
    pub time: Time,
    /// The run ends after this simulated time without progress.
    pub no_progress: Time,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Time::MAX, no_progress: Time::MAX }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every essential task finished.
    Done,
    /// No event was left, or only polling went on, while essential tasks waited.
    Deadlock(Stuck),
    /// Events went on without progress.
    Livelock(Stuck),
    /// The stated limit of simulated time was reached.
    TimeLimit(Stuck),
}

impl Simulation {
    /// An empty simulation at time zero, recording spans where `recorder` does.
    pub fn new(recorder: Recorder) -> Simulation {
        Simulation {
            sim: Sim(Rc::new(Core {
                now: Cell::default(),
                current: Cell::new(NO_TASK),
                tasks: Cell::new(0),
                unfinished: Cell::new(0),
                progress: Cell::default(),
                events: Cell::new(0),
                agenda: RefCell::default(),
                works: RefCell::default(),
                started: RefCell::default(),
                about: RefCell::default(),
                points: RefCell::default(),
                recorder,
            })),
        }
    }

    /// The handle that parts hold.
    pub fn sim(&self) -> Sim {
        self.sim.clone()
    }

    /// Runs until every essential task has finished, or the run is stuck, or at a limit. A run
    /// that ended at a limit may be run on with another.
    pub fn run(&self, limits: Limits) -> Outcome {
        let core = &*self.sim.0;
        let mut works = std::mem::take(&mut *core.works.borrow_mut());
        let outcome = core.run(&mut works, limits);
        core.current.set(NO_TASK);
        *core.works.borrow_mut() = works;
        outcome
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // Tasks hold the handle, so the cycle is cut here. What a dropped task held may wake
        // others or start some: they are never polled, and dropped in their turn.
        let core = &*self.sim.0;
        loop {
            let mut works = std::mem::take(&mut *core.works.borrow_mut());
            works.append(&mut core.started.borrow_mut());
            if works.is_empty() {
                break;
            }
        }
    }
}

impl Core {
    fn run(&self, works: &mut Vec<Option<Work>>, limits: Limits) -> Outcome {
        let mut context = Context::from_waker(Waker::noop());
        // No limit is met at or before this instant.
        let mut unlimited = Time::ZERO;
        while self.unfinished.get() > 0 {
            if self.tasks.get() != works.len() {
                works.append(&mut self.started.borrow_mut());
            }
            let Some(event) = self.agenda.borrow_mut().next() else { return Outcome::Deadlock(self.stuck()) };
            if event.time > unlimited {
                unlimited = limits.time.min(self.progress.get().saturating_add(limits.no_progress));
                if event.time > unlimited {
                    return self.limit_met(event, limits);
                }
            }
            self.now.set(event.time);
            self.events.set(self.events.get() + 1);
            let task = event.task();
            self.current.set(task);
            let place = &mut works[task as usize];
            let work = place.as_mut().expect("a finished task awaits no event");
            if work.as_mut().poll(&mut context).is_ready() {
                self.finish(task);
                *place = None;
            }
        }
        Outcome::Done
    }

    #[cold]
    fn limit_met(&self, event: Event, limits: Limits) -> Outcome {
        // It is still to come, should the run go on.
        self.agenda.borrow_mut().queue.push(event);
        let no_progress = self.progress.get().saturating_add(limits.no_progress);
        if event.time > limits.time && limits.time <= no_progress {
            self.now.set(limits.time.max(self.now.get()));
            return Outcome::TimeLimit(self.stuck());
        }
        self.no_progress()
    }

    #[cold]
    fn finish(&self, task: TaskId) {
        self.current.set(NO_TASK);
        self.agenda.borrow_mut().awaited[task as usize] = NO_EVENT;
        let about = self.about.borrow();
        let about = &about[task as usize];
        about.finished.set(true);
        about.stated.set(None);
        if about.essential {
            self.unfinished.set(self.unfinished.get() - 1);
        }
    }

    fn stuck(&self) -> Stuck {
        stuck::describe(self.now.get(), &self.about.borrow(), &self.points.borrow())
    }

    /// A run in which all essential tasks wait, and only pollers act, is a deadlock.
    fn no_progress(&self) -> Outcome {
        let all_wait = self
            .about
            .borrow()
            .iter()
            .all(|about| !about.essential || about.finished.get() || about.waits_for().is_some());
        match all_wait {
            true => Outcome::Deadlock(self.stuck()),
            false => Outcome::Livelock(self.stuck()),
        }
    }
}

impl Agenda {
    /// The next event that its task still waits for.
    #[inline]
    fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.queue.pop()?;
            if self.awaited[event.task() as usize] == event.id {
                return Some(event);
            }
        }
    }

    /// The identity of the event that `task` awaits from now on.
    #[inline]
    fn identity(&mut self, task: TaskId) -> u64 {
        self.newest = self.newest.checked_add(1 << TASK_BITS).expect("a run has at most 10¹² events");
        let id = self.newest | u64::from(task);
        self.awaited[task as usize] = id;
        id
    }
}

impl Sim {
    /// The present instant.
    #[inline]
    pub fn now(&self) -> Time {
        self.0.now.get()
    }

    /// How many events have fired.
    pub fn events(&self) -> u64 {
        self.0.events.get()
    }

    /// Where spans are recorded.
    pub fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// The number of the task that runs now.
    pub fn current(&self) -> TaskId {
        self.0.current.get()
    }

    /// Starts a task whose end the run waits for.
    pub fn spawn(&self, name: impl Into<String>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.0.unfinished.set(self.0.unfinished.get() + 1);
        self.start(name.into(), true, Box::pin(work))
    }

    /// Starts a task that serves others and may be left waiting when the run ends.
    pub fn spawn_server(&self, name: impl Into<String>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.start(name.into(), false, Box::pin(work))
    }

    fn start(&self, name: String, essential: bool, work: Work) -> TaskId {
        let task = self.0.tasks.get() as TaskId;
        assert!(task < NO_TASK, "a run has at most 2²⁴ - 1 tasks");
        self.0.tasks.set(self.0.tasks.get() + 1);
        self.0.started.borrow_mut().push(Some(work));
        self.0.agenda.borrow_mut().awaited.push(NO_EVENT);
        self.0.about.borrow_mut().push(About {
            name,
            essential,
            finished: Cell::new(false),
            stated: Cell::new(None),
            waiting: Cell::new(None),
        });
        self.wake(task);
        task
    }

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

    /// States what the current task waits for, until it next states something: so a task that
    /// polls for a change by delays, or in between waits for a bus, is told of as waiting for it.
    pub fn waits_for(&self, point: Option<PointId>) {
        let current = self.0.current.get();
        if current != NO_TASK {
            self.0.about.borrow()[current as usize].stated.set(point);
        }
    }

    /// States that `task` is in a wait, or (with `None`) that the wait ended.
    pub(super) fn waiting(&self, task: TaskId, point: Option<PointId>) {
        self.0.about.borrow()[task as usize].waiting.set(point);
    }

    /// States that the run gets on: a message was delivered, a transfer ended.
    pub fn progress(&self) {
        self.0.progress.set(self.now());
    }

    /// Has `task` polled at the present instant, whatever event it awaited before.
    pub(super) fn wake(&self, task: TaskId) {
        let mut agenda = self.0.agenda.borrow_mut();
        let id = agenda.identity(task);
        agenda.queue.push_now(Event { time: self.now(), id });
    }

    /// Has the current task polled at `time`, unless it is woken before.
    #[inline]
    pub(super) fn wake_at(&self, time: Time) {
        let mut agenda = self.0.agenda.borrow_mut();
        let id = agenda.identity(self.0.current.get());
        match time > self.now() {
            true => agenda.queue.push(Event { time, id }),
            false => agenda.queue.push_now(Event { time: self.now(), id }),
        }
    }

    /// Waits for a span of simulated time.
    #[inline]
    pub fn delay(&self, span: Time) -> Delay<'_> {
        Delay { sim: Some(self), until: self.now().saturating_add(span) }
    }

    /// Waits until an instant; no time passes if it is over.
    #[inline]
    pub fn until(&self, instant: Time) -> Delay<'_> {
        Delay { sim: Some(self), until: instant }
    }
}

/// The wait of [`Sim::delay`] and [`Sim::until`].
#[must_use = "a delay passes only when awaited"]
pub struct Delay<'a> {
    /// The simulation, until the event is set.
    sim: Option<&'a Sim>,
    until: Time,
}

impl Future for Delay<'_> {
    type Output = ();
    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.sim.take() {
            None => Poll::Ready(()),
            Some(sim) => {
                sim.wake_at(self.until);
                Poll::Pending
            }
        }
    }
}
