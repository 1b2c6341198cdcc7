//! Who goes first on a processor: interrupt handlers before what the kernel does for the network, and
//! that before programs.
//!
//! Models: whoever runs at a higher level pre-empts what runs below it, between two accesses or in the
//! middle of its own work; the pre-empted goes on where it was when nobody is above it. An access that
//! left the processor is not broken off. Within a level turns are taken in the order of asking
//! (`turn.rs`). Leaves out the cost of saving registers, which belongs to a handler's cycles, and
//! masking: a level that must not be pre-empted is a higher one.

use crate::engine::resource::Held;
use crate::engine::{Resource, Signal, Sim, Time};
use std::cell::Cell;

/// A level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Level {
    /// Programs, and what the kernel does in their name.
    #[default]
    Program,
    /// What the kernel does for the network after an interrupt.
    BottomHalf,
    /// Interrupt handlers.
    Interrupt,
}

impl Level {
    /// How many there are.
    pub const COUNT: usize = 3;
    /// All, the lowest first.
    pub const ALL: [Level; Level::COUNT] = [Level::Program, Level::BottomHalf, Level::Interrupt];

    /// Its place among all.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What spans call the processor at it.
    pub(super) const fn track(self) -> &'static str {
        match self {
            Level::Program => "processor",
            Level::BottomHalf => "bottom half",
            Level::Interrupt => "interrupt",
        }
    }
}

/// The levels of one processor.
pub struct Levels {
    sim: Sim,
    /// Whether any but the lowest is used: else nothing here costs anything.
    in_use: Cell<bool>,
    entered: [Cell<bool>; Level::COUNT],
    change: Signal,
    /// What the processor is at: one thing at a time.
    step: Resource,
}

impl Levels {
    /// Those of the processor of the host `name`.
    pub fn new(sim: &Sim, name: &str) -> Levels {
        Levels {
            sim: sim.clone(),
            in_use: Cell::new(false),
            entered: Default::default(),
            change: Signal::new(sim, format!("the levels above on the processor of {name}")),
            step: Resource::new(sim, format!("the step of the processor of {name}")),
        }
    }

    /// States that somebody will run at `level`.
    pub fn use_at(&self, level: Level) {
        self.in_use.set(self.in_use.get() || level > Level::Program);
    }

    /// Whether any but the lowest is used.
    pub fn are_used(&self) -> bool {
        self.in_use.get()
    }

    /// Somebody runs at `level` from now on.
    pub fn enter(&self, level: Level) {
        if self.are_used() {
            let before = self.entered[level.index()].replace(true);
            assert!(!before, "one runs at a level at a time");
            self.change.notify();
        }
    }

    /// Nobody runs at `level` any more.
    pub fn leave(&self, level: Level) {
        if self.are_used() {
            self.entered[level.index()].set(false);
            self.change.notify();
        }
    }

    fn is_anyone_above(&self, level: Level) -> bool {
        self.entered[level.index() + 1..].iter().any(Cell::get)
    }

    /// Waits until nobody is above `level` and the processor is between two steps, and takes the next.
    pub async fn step(&self, level: Level) -> Option<Held<'_>> {
        if !self.are_used() {
            return None;
        }
        loop {
            while self.is_anyone_above(level) {
                self.change.wait().await;
            }
            let step = self.step.acquire().await;
            if !self.is_anyone_above(level) {
                return Some(step);
            }
        }
    }

    /// Works at `level` for `time`, broken off and gone on with as those above it want; `works` is told
    /// of every stretch.
    pub async fn work(&self, level: Level, mut time: Time, works: impl Fn(bool)) {
        while time > Time::ZERO {
            let step = self.step(level).await;
            let start = self.sim.now();
            works(true);
            while self.sim.now() < start + time && !self.is_anyone_above(level) {
                self.change.wait_until(start + time).await;
            }
            works(false);
            time = time.since(self.sim.now() - start);
            drop(step);
        }
    }
}
