//! Execution priorities of a processor. Interrupt handlers have the highest priority, then the kernel's network code,
//! and then programs.
//!
//! Code at a higher priority preempts code at a lower one, between two accesses or in the middle of work. The preempted
//! code resumes when no code runs at a higher priority. An access that left the processor is not interrupted. Code of
//! one priority runs in the order of requests (`cpu_arbiter.rs`). The cost of saving registers is not modelled
//! separately; it is part of the cycles of a handler. Masking is left out: code that must not be preempted runs at a
//! higher priority.

use crate::engine::resource::ResourceHold;
use crate::engine::{Resource, Signal, Sim, Time};
use std::cell::Cell;

/// A priority at which code runs on a processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum ExecPriority {
    /// Programs, and the kernel's work on their behalf.
    #[default]
    Program,
    /// The kernel's deferred work for the network after an interrupt.
    BottomHalf,
    /// Interrupt handlers.
    Interrupt,
}

impl ExecPriority {
    /// Number of priorities.
    pub const COUNT: usize = 3;
    /// All priorities, from the lowest to the highest.
    pub const ALL: [ExecPriority; ExecPriority::COUNT] =
        [ExecPriority::Program, ExecPriority::BottomHalf, ExecPriority::Interrupt];

    /// Returns the index of the priority in [`ExecPriority::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name of the processor's track of spans at this priority.
    pub(super) const fn track(self) -> &'static str {
        match self {
            ExecPriority::Program => "processor",
            ExecPriority::BottomHalf => "bottom half",
            ExecPriority::Interrupt => "interrupt",
        }
    }
}

/// The scheduler of a processor, which determines the priority that runs.
pub struct PreemptiveScheduler {
    sim: Sim,
    /// Whether a priority above the lowest is used; otherwise scheduling is skipped.
    uses_higher_priorities: Cell<bool>,
    is_running: [Cell<bool>; ExecPriority::COUNT],
    change: Signal,
    /// Held during a step of the processor, which is an access, or an interval of work at one priority.
    step: Resource,
}

impl PreemptiveScheduler {
    /// Creates the scheduler of the processor of the host `name`.
    pub fn new(sim: &Sim, name: &str) -> PreemptiveScheduler {
        PreemptiveScheduler {
            sim: sim.clone(),
            uses_higher_priorities: Cell::new(false),
            is_running: Default::default(),
            change: Signal::new(sim, format!("the higher priorities of the processor of {name}")),
            step: Resource::new(sim, format!("the step of the processor of {name}")),
        }
    }

    /// Declares that code will run at `priority`.
    pub fn register_priority(&self, priority: ExecPriority) {
        self.uses_higher_priorities.set(self.uses_higher_priorities.get() || priority > ExecPriority::Program);
    }

    /// Returns whether a priority above the lowest is used.
    pub fn uses_higher_priorities(&self) -> bool {
        self.uses_higher_priorities.get()
    }

    /// Begins to run code at `priority`.
    ///
    /// # Panics
    ///
    /// Panics if code already runs at `priority`.
    pub fn enter(&self, priority: ExecPriority) {
        if self.uses_higher_priorities() {
            let was_running = self.is_running[priority.index()].replace(true);
            assert!(!was_running, "one task runs at a priority at a time");
            self.change.notify();
        }
    }

    /// Ends the running of code at `priority`.
    pub fn leave(&self, priority: ExecPriority) {
        if self.uses_higher_priorities() {
            self.is_running[priority.index()].set(false);
            self.change.notify();
        }
    }

    fn is_preempted(&self, priority: ExecPriority) -> bool {
        self.is_running[priority.index() + 1..].iter().any(Cell::get)
    }

    /// Waits until no code runs above `priority` and the processor is between two steps, and starts the next step.
    /// Returns `None` if only the lowest priority is used.
    pub async fn step(&self, priority: ExecPriority) -> Option<ResourceHold<'_>> {
        if !self.uses_higher_priorities() {
            return None;
        }
        loop {
            while self.is_preempted(priority) {
                self.change.wait().await;
            }
            let step = self.step.acquire().await;
            if !self.is_preempted(priority) {
                return Some(step);
            }
        }
    }

    /// Works at `priority` for a total of `time`. Code of higher priorities may run in between. Calls `set_active` at
    /// the beginning and the end of each interval of work.
    pub async fn work(&self, priority: ExecPriority, mut time: Time, set_active: impl Fn(bool)) {
        while time > Time::ZERO {
            let step = self.step(priority).await;
            let start = self.sim.now();
            set_active(true);
            while self.sim.now() < start + time && !self.is_preempted(priority) {
                self.change.wait_until(start + time).await;
            }
            set_active(false);
            time = time.since(self.sim.now() - start);
            drop(step);
        }
    }
}
