//! Whose turn it is on a processor: one program or interrupt handler runs at a time.
//!
//! Models: the processor as a resource, taken in the order of asking. Told: for how long it was taken,
//! which is while somebody has it or its own work goes on, and how long of that it worked, which is
//! without the accesses that it waited for; and a span for each turn, by the processor's own clock. Leaves
//! out: priorities.

use super::Use;
use super::cpu::{AnyProcessor, Processor};
use crate::engine::resource::{OwnedHold, Resource};
use crate::engine::{Busy, Bytes, Doing, Sim, Time, Track};
use std::cell::Cell;
use std::rc::Rc;

/// A processor's turns.
pub struct Turns {
    sim: Sim,
    turn: Rc<Resource>,
    taken: Busy,
    works: Busy,
    track: Track,
    /// Until when spans tell what it did.
    told_until: Cell<Time>,
}

impl Turns {
    /// Those of the processor of the host `name`.
    pub fn new(sim: &Sim, name: &str) -> Turns {
        Turns {
            sim: sim.clone(),
            turn: Rc::new(Resource::new(sim, format!("{name} processor"))),
            taken: Busy::default(),
            works: Busy::default(),
            track: sim.recorder().track_if_on(name, "processor"),
            told_until: Cell::default(),
        }
    }

    /// The turn as a resource.
    pub fn resource(&self) -> &Rc<Resource> {
        &self.turn
    }

    /// Its own work begins.
    pub fn begin_work(&self) {
        let now = self.sim.now();
        self.taken.begin(now);
        self.works.begin(now);
    }

    /// Its own work ends.
    pub fn end_work(&self) {
        let now = self.sim.now();
        self.taken.end(now);
        self.works.end(now);
    }

    /// It works between two instants, the first of them past: its clock may run ahead.
    pub fn works(&self, from: Time, to: Time) {
        self.taken.cover(from, to);
        self.works.cover(from, to);
    }

    /// How it was used.
    pub fn used(&self) -> Use {
        let now = self.sim.now();
        Use { what: "processor", busy: self.taken.total(now), moving: self.works.total(now) }
    }

    /// Whether spans are kept of what it does.
    fn is_told(&self) -> bool {
        self.sim.recorder().keeps(self.track)
    }

    /// Keeps a span of what it did until `end`. What it did before it was taken, and nobody told, was for
    /// whoever has it now; what took no time is not told.
    pub fn tell(&self, doing: Doing, start: Time, end: Time) {
        let start = start.max(self.told_until.get());
        if end > start {
            self.sim.recorder().tell(self.track, doing, start, end);
            self.told_until.set(end);
        }
    }
}

/// A turn on a processor, until it is dropped.
#[must_use = "a processor is taken while its turn lives"]
pub struct Turn {
    cpu: AnyProcessor,
    _kept: OwnedHold,
    what: &'static str,
    since: Cell<Time>,
}

impl Turn {
    /// Waits for the processor and takes it for `what`.
    pub(super) async fn of(cpu: &AnyProcessor, what: &'static str) -> Turn {
        let turns = cpu.turns();
        let kept = OwnedHold::of(&turns.turn).await;
        let now = turns.sim.now();
        turns.taken.begin(now);
        Turn { cpu: cpu.clone(), _kept: kept, what, since: Cell::new(now) }
    }

    /// It has done something, for a message perhaps; what follows is told by itself.
    pub fn did(&self, what: &'static str, message: Option<u64>, bytes: usize) {
        if !self.cpu.turns().is_told() {
            return;
        }
        let (start, end) = (self.since.get(), self.cpu.now());
        self.cpu.turns().tell(Doing { what, message, bytes: Bytes(bytes as u64) }, start, end);
        self.since.set(end);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.did(self.what, None, 0);
        let turns = self.cpu.turns();
        let now = turns.sim.now();
        turns.taken.end(now);
        turns.works(now, self.cpu.now());
    }
}
