//! The executor: one simulation, its clock and its tasks.
//!
//! Every acting part is a task, an `async` function polled in the order of events. An event
//! names the task it wakes, and a task is polled only when the event it last asked for fires,
//! so wakers do nothing and no event allocates. What it leaves out: threads (a simulation lives
//! in one) and cancelling a task from outside. A wait that is dropped before it ends (by a
//! select, say) takes itself out of every queue it stands in; what a task may not do is to be
//! in two waits at once, for it cannot tell which of them woke it.

pub use super::about::{PointId, Polls};
pub use super::limits::{Limits, Outcome};

use super::about::{About, Point};
use super::agenda::Agenda;
use super::limits::{INSTANT, Slept};
use super::queue::{Event, TASK_BITS};
use super::record::Recorder;
use super::stuck::{self, Lost, Stuck, Wait};
use super::time::Time;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

/// A task's number.
pub type TaskId = u32;

/// No task: outside [`Simulation::run`].
pub const NO_TASK: TaskId = (1 << TASK_BITS) - 1;

/// A future on the one thread of a simulation.
pub type LocalFuture<'a, T = ()> = Pin<Box<dyn Future<Output = T> + 'a>>;

type Work = LocalFuture<'static, ()>;

/// A simulation: the owner of its tasks. Dropping it drops them all.
pub struct Simulation {
    sim: Sim,
}

/// A handle on the simulation, held by everything that acts in it.
#[derive(Clone)]
pub struct Sim(pub(super) Rc<Core>);

pub(super) struct Core {
    pub(super) now: Cell<Time>,
    pub(super) current: Cell<TaskId>,
    tasks: Cell<usize>,
    pub(super) unfinished: Cell<usize>,
    pub(super) progress: Cell<Time>,
    pub(super) slept: Cell<Slept>,
    /// When the clock was last looked at whether it stands still.
    pub(super) looked: Cell<Time>,
    /// No limit is met before this instant; time zero where the run is to end with this event.
    pub(super) unlimited: Cell<Time>,
    /// How many delays passed without an event.
    pub(super) passed: Cell<u64>,
    /// Before this instant nothing happens but what the current task does.
    pub(super) clear: Cell<Time>,
    /// When the current task is to be polled next, where it asked for that and it is not on the agenda yet; else
    /// [`Time::MAX`].
    pub(super) asked: Cell<Time>,
    /// Whether every delay goes through the queue, and at once, as in the twin that they are compared with.
    #[cfg(test)]
    pub(super) queues_all: Cell<bool>,
    pub(super) agenda: RefCell<Agenda>,
    /// The tasks, nothing where finished; in a run they are out of here, in its hands.
    works: RefCell<Vec<Work>>,
    /// Tasks started since a new one was last polled.
    started: RefCell<Vec<Work>>,
    pub(super) about: RefCell<Vec<About>>,
    pub(super) points: RefCell<Vec<Point>>,
    lost: RefCell<Lost>,
    /// What a task could not go on without.
    given_up: RefCell<Option<Wait>>,
    recorder: Recorder,
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
                slept: Cell::default(),
                looked: Cell::new(Time::MAX),
                unlimited: Cell::default(),
                passed: Cell::default(),
                clear: Cell::default(),
                asked: Cell::new(Time::MAX),
                #[cfg(test)]
                queues_all: Cell::default(),
                agenda: RefCell::default(),
                works: RefCell::default(),
                started: RefCell::default(),
                about: RefCell::default(),
                points: RefCell::default(),
                lost: RefCell::default(),
                given_up: RefCell::default(),
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
        core.set_unlimited(INSTANT);
        let outcome = match core.unfinished.get() {
            0 => core.end(),
            _ => core.run(&mut works, limits),
        };
        core.current.set(NO_TASK);
        core.clear.set(Time::ZERO);
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
    /// Of each event one thing is asked, whether it comes before an instant: a limit, the end of the last task and
    /// the want of an event are all told from that.
    fn run(&self, works: &mut Vec<Work>, limits: Limits) -> Outcome {
        let mut context = Context::from_waker(Waker::noop());
        let mut agenda = self.agenda.borrow_mut();
        loop {
            let (event, clear) = agenda.queue.pop_and_look();
            if event.time >= agenda.guarded {
                drop(agenda);
                match self.guard(event, limits) {
                    ControlFlow::Break(outcome) => return outcome,
                    ControlFlow::Continue(()) => {
                        agenda = self.agenda.borrow_mut();
                        continue;
                    }
                }
            }
            if !agenda.is_awaited(event) {
                agenda.stale += 1;
                continue;
            }
            self.clear.set(clear);
            drop(agenda);
            self.now.set(event.time);
            let task = event.task();
            self.current.set(task);
            let work = match works.get_mut(task as usize) {
                Some(work) => work,
                None => self.newcomer(works, task),
            };
            if work.as_mut().poll(&mut context).is_ready() {
                self.finish(task);
                *work = Box::pin(std::future::pending());
                if self.unfinished.get() == 0 {
                    return self.end();
                }
            }
            agenda = self.agenda.borrow_mut();
            let asked = self.asked.replace(Time::MAX);
            if asked != Time::MAX {
                agenda.set(task, asked, self.now.get());
            }
        }
    }

    /// A task that is polled for the first time.
    #[cold]
    fn newcomer<'a>(&self, works: &'a mut Vec<Work>, task: TaskId) -> &'a mut Work {
        works.append(&mut self.started.borrow_mut());
        &mut works[task as usize]
    }

    /// How the run ends when no task is left whose end it waits for.
    pub(super) fn end(&self) -> Outcome {
        match self.given_up.take() {
            None => Outcome::Done,
            Some(wait) => {
                let lost = self.lost.borrow().clone();
                Outcome::Deadlock(Stuck { at: self.now.get(), chain: vec![wait], lost })
            }
        }
    }

    #[cold]
    fn finish(&self, task: TaskId) {
        self.asked.set(Time::MAX);
        self.current.set(NO_TASK);
        self.agenda.borrow_mut().forget(task);
        let about = self.about.borrow();
        let about = &about[task as usize];
        about.finished.set(true);
        about.polled.set(None);
        about.says_more.set(false);
        if about.essential {
            // A task that gave up has ended the run for all.
            self.unfinished.set(self.unfinished.get().saturating_sub(1));
        }
    }

    pub(super) fn stuck(&self) -> Stuck {
        stuck::describe(self.now.get(), &self.about.borrow(), &self.points.borrow(), self.lost.borrow().clone())
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
        self.0.passed.get() + self.0.agenda.borrow().fired()
    }

    /// When the event was set that has the current task polled now.
    pub fn set_at(&self) -> Time {
        self.settle();
        self.0.agenda.borrow().since(self.0.current.get())
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
    pub fn spawn(&self, name: impl Into<Cow<'static, str>>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.0.unfinished.set(self.0.unfinished.get() + 1);
        self.start(name.into(), true, Box::pin(work))
    }

    /// Starts a task that serves others and may be left waiting when the run ends.
    pub fn spawn_server(&self, name: impl Into<Cow<'static, str>>, work: impl Future<Output = ()> + 'static) -> TaskId {
        self.start(name.into(), false, Box::pin(work))
    }

    fn start(&self, name: Cow<'static, str>, essential: bool, work: Work) -> TaskId {
        let task = self.0.tasks.get() as TaskId;
        assert!(task < NO_TASK, "a run has at most 2²⁴ - 1 tasks");
        self.0.tasks.set(self.0.tasks.get() + 1);
        self.0.started.borrow_mut().push(work);
        self.0.agenda.borrow_mut().add_task(self.now());
        self.0.about.borrow_mut().push(About::new(name, essential));
        self.wake(task);
        task
    }

    /// States that the current task can never go on, for want of what `wants` says: the run ends with
    /// this event, as a deadlock told by that wait.
    pub fn give_up(&self, wants: String) {
        let current = self.0.current.get();
        assert!(current != NO_TASK, "before time 0, what is wanted is there: {wants}");
        let task = self.0.about.borrow()[current as usize].name.to_string();
        *self.0.given_up.borrow_mut() = Some(Wait { task, wants, holder: None, closes_cycle: false });
        self.0.unfinished.set(0);
        self.0.set_unlimited(Time::ZERO);
        self.0.clear.set(Time::ZERO);
    }

    /// States that something was lost for good; the first few are told of when the run is stuck.
    pub fn lost(&self, what: impl FnOnce() -> String) {
        self.0.lost.borrow_mut().add(what);
    }

    /// States that the run gets on: a message was delivered, a transfer ended.
    pub fn progress(&self) {
        self.0.progress.set(self.now());
    }

    /// Has `task` polled at the present instant, whatever event it awaited before.
    pub(super) fn wake(&self, task: TaskId) {
        self.settle();
        let (mut agenda, now) = (self.0.agenda.borrow_mut(), self.now());
        let id = agenda.identity(task, now);
        self.0.clear.set(Time::ZERO);
        agenda.queue.push_now(Event { time: now, id });
    }

    /// Has the current task polled at `time`, unless it is woken before.
    #[inline]
    pub(super) fn wake_at(&self, time: Time) {
        self.wake_task_at(self.0.current.get(), time);
    }

    /// Has `task` polled at `time`, unless it is woken before, whatever event it awaited before.
    #[inline]
    pub(super) fn wake_task_at(&self, task: TaskId, time: Time) {
        self.settle();
        self.0.clear.set(self.0.clear.get().min(time));
        self.0.agenda.borrow_mut().set_apart(task, time, self.now());
    }

    /// Puts what the current task asked for on the agenda, before anything else is set.
    #[inline]
    pub(super) fn settle(&self) {
        if self.0.asked.get() != Time::MAX {
            self.put_on_agenda();
        }
    }

    #[inline(never)]
    fn put_on_agenda(&self) {
        self.0.clear.set(Time::ZERO);
        let asked = self.0.asked.replace(Time::MAX);
        self.0.agenda.borrow_mut().set(self.0.current.get(), asked, self.now());
    }
}
