//! A message's ledger: the stages it passed, whose times sum exactly to its latency.
//!
//! The ledger follows the *last byte* of a message: a stage begins when the one before it ends,
//! so work that another stage hides is counted once. Each stage is split into service (a resource
//! worked for this message) and waiting (the rest).

use super::time::Time;

/// One stage of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Time in which nothing was done for this message.
    pub waiting: Time,
    /// Time in which a resource worked for this message.
    pub service: Time,
}

impl Stage {
    /// The whole time of the stage.
    pub fn total(&self) -> Time {
        self.waiting + self.service
    }
}

/// The stages passed so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ledger {
    start: Time,
    stage_start: Time,
    service: Time,
    served_until: Time,
    stages: Vec<Stage>,
}

impl Ledger {
    /// The ledger of a message that starts at `start`.
    pub fn new(start: Time) -> Ledger {
        Ledger { start, stage_start: start, service: Time::ZERO, served_until: start, stages: Vec::with_capacity(8) }
    }

    /// When the message started.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Counts service in the present stage; what lies before it began was hidden by stages passed,
    /// and what was counted already (by a resource working at the same time) is not counted twice.
    pub fn served(&mut self, from: Time, to: Time) {
        self.service += to.since(from.max(self.served_until));
        self.served_until = self.served_until.max(to);
    }

    /// Ends the present stage at `at`, under `name`.
    pub fn close(&mut self, name: &'static str, at: Time) {
        let total = at - self.stage_start;
        // A resource may work on past the stage's end for this message; that part is not the stage's.
        let service = self.service.min(total);
        self.stages.push(Stage { name, waiting: total - service, service });
        self.stage_start = at;
        self.served_until = at;
        self.service = Time::ZERO;
    }

    /// The stages, in order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The time from the start to the end of the last stage closed.
    pub fn total(&self) -> Time {
        debug_assert_eq!(self.stages.iter().map(Stage::total).sum::<Time>(), self.stage_start - self.start);
        self.stage_start - self.start
    }
}
