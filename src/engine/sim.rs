//! The executor: one simulation, its clock and its tasks.
//!
//! Every acting part is a task, an `async` function polled in the order of events. An event
//! names the task it wakes, and a task is polled only when the event it last asked for fires,
//! so wakers do nothing and no event allocates. What it leaves out: threads (a simulation lives
//! in one) and cancelling a task from outside.

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
    sequence: Cell<u64>,
    current: Cell<TaskId>,
    unfinished: Cell<usize>,
    progress: Cell<Time>,
    events: Cell<u64>,
    queue: RefCell<Queue>,
    awaited: RefCell<Vec<u64>>,
    works: RefCell<Vec<Option<Work>>>,
    about: RefCell<Vec<About>>,
    points: RefCell<Vec<Point>>,
    recorder: Recorder,
}

/// What is told of a task when the run is stuck.
pub(super) struct About {
    pub name: String,
    pub essential: bool,
    pub waits_for: Cell<Option<PointId>>,
    pub finished: Cell<bool>,
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
                sequence: Cell::new(0),
                current: Cell::new(NO_TASK),
                unfinished: Cell::new(0),
                progress: Cell::default(),
                events: Cell::new(0),
                queue: RefCell::default(),
                awaited: RefCell::default(),
                works: RefCell::default(),
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

    /// Runs until every essential task has finished, or the run is stuck, or at a limit.
    pub fn run(&self, limits: Limits) -> Outcome {
        let core = &*self.sim.0;
        while core.unfinished.get() > 0 {
            let Some(event) = core.next_event() else {
                return Outcome::Deadlock(stuck::describe(core.now.get(), &core.about.borrow(), &core.points.borrow()));
            };
            if event.time > limits.time {
                return Outcome::TimeLimit(core.stuck());
            }
            if event.time.since(core.progress.get()) > limits.no_progress {
                return core.no_progress();
            }
            core.now.set(event.time);
            core.events.set(core.events.get() + 1);
            core.poll(event.task());
        }
        Outcome::Done
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // Tasks hold the handle, so the cycle is cut here.
        let works = std::mem::take(&mut *self.sim.0.works.borrow_mut());
        drop(works);
    }
}

impl Core {
    /// The next event that its task still waits for.
    fn next_event(&self) -> Option<Event> {
        loop {
            let event = self.queue.borrow_mut().pop()?;
            if self.awaited.borrow()[event.task() as usize] == event.id {
                return Some(event);
            }
        }
    }

    fn poll(&self, task: TaskId) {
        let work = self.works.borrow_mut()[task as usize].take();
        let mut work = work.expect("a finished task awaits no event");
        self.current.set(task);
        let polled = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        self.current.set(NO_TASK);
        match polled {
            Poll::Pending => self.works.borrow_mut()[task as usize] = Some(work),
            Poll::Ready(()) => self.finish(task),
        }
    }

    fn finish(&self, task: TaskId) {
        self.awaited.borrow_mut()[task as usize] = NO_EVENT;
        let about = self.about.borrow();
        let about = &about[task as usize];
        about.finished.set(true);
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
            .all(|about| !about.essential || about.finished.get() || about.waits_for.get().is_some());
        match all_wait {
            true => Outcome::Deadlock(self.stuck()),
            false => Outcome::Livelock(self.stuck()),
        }
    }

    fn identity(&self, task: TaskId) -> u64 {
        let sequence = self.sequence.get() + 1;
        assert!(sequence < 1 << (64 - TASK_BITS), "a run has at most 10¹² events");
        self.sequence.set(sequence);
        sequence << TASK_BITS | u64::from(task)
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
        let task = self.0.works.borrow().len() as TaskId;
        assert!(task < NO_TASK, "a run has at most 2²⁴ - 1 tasks");
        self.0.works.borrow_mut().push(Some(work));
        self.0.awaited.borrow_mut().push(NO_EVENT);
        self.0.about.borrow_mut().push(About {
            name,
            essential,
            waits_for: Cell::new(None),
            finished: Cell::new(false),
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

    /// States what the current task waits for, until it is next told.
    pub fn waits_for(&self, point: Option<PointId>) {
        let current = self.0.current.get();
        if current != NO_TASK {
            self.0.about.borrow()[current as usize].waits_for.set(point);
        }
    }

    /// States that the run gets on: a message was delivered, a transfer ended.
    pub fn progress(&self) {
        self.0.progress.set(self.now());
    }

    /// Has `task` polled at the present instant, whatever event it awaited before.
    pub(super) fn wake(&self, task: TaskId) {
        let id = self.0.identity(task);
        self.0.awaited.borrow_mut()[task as usize] = id;
        self.0.queue.borrow_mut().push_now(Event { time: self.now(), id });
    }

    /// Has the current task polled at `time`, unless it is woken before.
    pub(super) fn wake_at(&self, time: Time) {
        let task = self.0.current.get();
        let id = self.0.identity(task);
        self.0.awaited.borrow_mut()[task as usize] = id;
        let event = Event { time, id };
        let mut queue = self.0.queue.borrow_mut();
        match time > self.now() {
            true => queue.push(event),
            false => queue.push_now(Event { time: self.now(), id }),
        }
    }

    /// Waits for a span of simulated time.
    #[inline]
    pub fn delay(&self, span: Time) -> Delay<'_> {
        Delay { sim: self, until: self.now().saturating_add(span), armed: false }
    }

    /// Waits until an instant; no time passes if it is over.
    #[inline]
    pub fn until(&self, instant: Time) -> Delay<'_> {
        Delay { sim: self, until: instant, armed: false }
    }
}

/// The wait of [`Sim::delay`] and [`Sim::until`].
#[must_use = "a delay passes only when awaited"]
pub struct Delay<'a> {
    sim: &'a Sim,
    until: Time,
    armed: bool,
}

impl Future for Delay<'_> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.armed {
            return Poll::Ready(());
        }
        self.armed = true;
        self.sim.wake_at(self.until);
        Poll::Pending
    }
}
