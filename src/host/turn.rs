//! Whose turn it is on a processor: one program or interrupt handler runs at a time.
//!
//! Models: the processor as a resource, taken in the order of asking at each level (`level.rs`). Told: for how long it was taken,
//! which is while somebody has it or its own work goes on, and how long of that it worked, which is
//! without the accesses that it waited for; and a span for each turn, by the processor's own clock.

use super::Use;
use super::cpu::{AnyProcessor, Processor};
use super::level::Level;
use crate::engine::resource::{Acquire, Resource};
use crate::engine::sim::TaskId;
use crate::engine::{Busy, Bytes, Doing, Sim, Time, Track};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

/// A processor's turns at one level.
pub struct Turns {
    sim: Sim,
    turn: Resource,
    /// Of all levels.
    account: Rc<Account>,
    track: Cell<Track>,
    /// Until when spans tell what it did.
    told_until: Cell<Time>,
    /// The task that took the first turn, and whether another has taken one since.
    first: Cell<Option<TaskId>>,
    is_shared: Cell<bool>,
}

/// For how long a processor was taken, and worked.
#[derive(Default)]
struct Account {
    taken: Busy,
    works: Busy,
}

impl Turns {
    /// Those of the processor of the host `name`, which has one level.
    pub fn new(sim: &Sim, name: &str) -> Turns {
        Turns::at(sim, name, Level::Program, &Rc::default())
    }

    /// Those of the processor of the host `name`, by level.
    pub fn by_level(sim: &Sim, name: &str) -> [Turns; Level::COUNT] {
        let account = Rc::default();
        Level::ALL.map(|level| Turns::at(sim, name, level, &account))
    }

    fn at(sim: &Sim, name: &str, level: Level, account: &Rc<Account>) -> Turns {
        let what = level.track();
        // A level that nobody runs at has no track.
        let track = if level == Level::Program { sim.recorder().track_if_on(name, what) } else { Track::default() };
        Turns {
            sim: sim.clone(),
            turn: Resource::new(sim, format!("{name} {what}")),
            account: account.clone(),
            track: Cell::new(track),
            told_until: Cell::default(),
            first: Cell::default(),
            is_shared: Cell::default(),
        }
    }

    /// Has spans kept of this level, too.
    pub fn show(&self, name: &str, level: Level) {
        self.track.set(self.sim.recorder().track_if_on(name, level.track()));
    }

    /// The turn as a resource.
    pub fn resource(&self) -> &Resource {
        &self.turn
    }

    /// Whether nobody has it.
    pub fn is_free(&self) -> bool {
        !self.turn.is_held()
    }

    /// Whether several tasks have taken turns.
    pub fn are_shared(&self) -> bool {
        self.is_shared.get()
    }

    fn taken_by(&self, task: TaskId) {
        match self.first.get() {
            None => self.first.set(Some(task)),
            Some(first) if first == task => {}
            Some(_) => self.is_shared.set(true),
        }
    }

    /// Its own work begins.
    pub fn begin_work(&self) {
        let now = self.sim.now();
        self.account.taken.begin(now);
        self.account.works.begin(now);
    }

    /// Its own work ends.
    pub fn end_work(&self) {
        let now = self.sim.now();
        self.account.taken.end(now);
        self.account.works.end(now);
    }

    /// It works between two instants, the first of them past: its clock may run ahead.
    pub fn works(&self, from: Time, to: Time) {
        self.was_taken(from, to, to);
    }

    /// It was taken between two instants, the first of them past, and worked for the first part of that.
    pub fn was_taken(&self, from: Time, worked_to: Time, to: Time) {
        self.account.taken.cover(from, to);
        self.account.works.cover(from, worked_to);
    }

    /// How it was used.
    pub fn used(&self) -> Use {
        let now = self.sim.now();
        Use { what: "processor", busy: self.account.taken.total(now), moving: self.account.works.total(now) }
    }

    /// It was taken so often, from the first of these instants to the third, when the next time begins, and worked until
    /// the second; then on until the last, which is within what the next time worked.
    pub(super) fn was_taken_each(&self, (from, worked_to, to, on_to): (Time, Time, Time, Time), times: u64) {
        let (every, last) = (to - from, (to - from) * (times - 1));
        self.account.taken.cover(from, on_to + last);
        self.account.works.cover_each((from, worked_to), every, times);
        self.account.works.cover(to + last, on_to + last);
    }

    /// Whether spans are kept of what it does.
    pub(super) fn is_told(&self) -> bool {
        self.sim.recorder().keeps(self.track.get())
    }

    /// Keeps a span of what it did until `end`. What it did before it was taken, and nobody told, was for
    /// whoever has it now; what took no time is not told.
    pub fn tell(&self, doing: Doing, start: Time, end: Time) {
        let start = start.max(self.told_until.get());
        if end > start {
            self.sim.recorder().tell(self.track.get(), doing, start, end);
            self.told_until.set(end);
        }
    }
}

/// A turn on a processor, until it is dropped.
#[must_use = "a processor is taken while its turn lives"]
pub struct Turn {
    cpu: AnyProcessor,
    what: &'static str,
    since: Cell<Time>,
}

/// The wait of [`AnyProcessor::hold`].
#[must_use = "a wait waits only when awaited"]
pub struct Hold<'a> {
    cpu: &'a AnyProcessor,
    turn: Acquire<'a>,
    what: &'static str,
}

impl<'a> Hold<'a> {
    pub(super) fn new(cpu: &'a AnyProcessor, what: &'static str) -> Hold<'a> {
        Hold { cpu, turn: cpu.turns().turn.acquire(), what }
    }
}

impl Future for Hold<'_> {
    type Output = Turn;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn> {
        // Given back when the turn is dropped.
        ready!(Pin::new(&mut self.turn).poll(context)).keep();
        self.cpu.enter();
        let turns = self.cpu.turns();
        turns.taken_by(turns.sim.current());
        let now = turns.sim.now();
        turns.account.taken.begin(now);
        Poll::Ready(Turn { cpu: self.cpu.clone(), what: self.what, since: Cell::new(now) })
    }
}

impl Turn {
    /// It has done something, for a message perhaps; what follows is told by itself.
    pub fn did(&self, what: &'static str, message: Option<u64>, bytes: usize) {
        if self.cpu.turns().is_told() {
            self.tell(Doing { what, message, bytes: Bytes(bytes as u64) });
        }
    }

    #[cold]
    fn tell(&self, doing: Doing) {
        let (start, end) = (self.since.get(), self.cpu.now());
        self.cpu.turns().tell(doing, start, end);
        self.since.set(end);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.did(self.what, None, 0);
        self.cpu.leave();
        let turns = self.cpu.turns();
        let (now, until) = (turns.sim.now(), self.cpu.now());
        turns.account.taken.end(now);
        if until > now {
            turns.works(now, until);
        }
        turns.turn.give_back();
    }
}
