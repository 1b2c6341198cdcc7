//! A message's ledger: the stages that the message passed, whose times sum exactly to its latency.
//!
//! The ledger follows the *last byte* of a message: a stage begins when the one before it ends, so work that overlaps
//! an earlier stage is not counted again. Each stage is split into service (a resource worked for this message) and
//! waiting (the rest).

use super::time::Time;
use smallvec::SmallVec;

/// Initial capacity of a ledger, in stages: enough for the longest paths.
pub(super) const INITIAL_CAPACITY: usize = 16;

/// Number of entries at which the merging of stages begins: a repeated stage is then added to the last entry with the
/// same name. The bound is needed because a packet may be returned and sent again without limit.
const MERGE_THRESHOLD: usize = 256;

/// The interval that is neither joined to another nor counted.
const NO_INTERVAL: (Time, Time) = (Time::MAX, Time::ZERO);

/// One stage of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// The name of the stage.
    pub name: &'static str,
    /// Time in which nothing was done for this message.
    pub waiting: Time,
    /// Time in which a resource worked for this message.
    pub service: Time,
}

impl Stage {
    /// Returns the duration of the stage.
    pub fn total(&self) -> Time {
        self.waiting + self.service
    }
}

/// The stages that a message has passed so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ledger {
    start: Time,
    stage_start: Time,
    /// The last interval in which a resource worked for the message, as reported since the present stage began;
    /// [`NO_INTERVAL`] without such an interval. Most stages have one interval, to which others are joined.
    last_interval: (Time, Time),
    /// The intervals before the last one.
    earlier_intervals: SmallVec<[(Time, Time); 4]>,
    stages: Vec<Stage>,
}

impl Ledger {
    /// Returns the ledger of a message that starts at `start`.
    pub fn new(start: Time) -> Ledger {
        Ledger::with_capacity(start, INITIAL_CAPACITY)
    }

    /// Begins an empty ledger at `start`, with memory for `stages` stages.
    pub(super) fn with_capacity(start: Time, stages: usize) -> Ledger {
        let stages = Vec::with_capacity(stages);
        let earlier_intervals = SmallVec::new();
        Ledger { start, stage_start: start, last_interval: NO_INTERVAL, earlier_intervals, stages }
    }

    /// Returns the instant at which the message started.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Returns the instant at which the present stage began.
    pub fn stage_start(&self) -> Time {
        self.stage_start
    }

    /// Adds an interval of service to the present stage. Service before the stage's beginning or after its end is not
    /// counted; simultaneous service by several resources is counted once.
    #[inline]
    pub fn add_service(&mut self, from: Time, to: Time) {
        let (start, end) = self.last_interval;
        if start <= from && from <= end {
            self.last_interval.1 = to.max(end);
        } else {
            self.begin_interval(from, to);
        }
    }

    #[inline(never)]
    fn begin_interval(&mut self, from: Time, to: Time) {
        if self.last_interval != NO_INTERVAL {
            self.earlier_intervals.push(self.last_interval);
        }
        self.last_interval = (from, to);
    }

    /// Ends the present stage at `time` and names it `name`.
    pub fn close(&mut self, name: &'static str, time: Time) {
        let total = time - self.stage_start;
        let service = if self.earlier_intervals.is_empty() {
            let (from, to) = self.last_interval;
            to.min(time).since(from.max(self.stage_start))
        } else {
            self.union_until(time)
        };
        self.last_interval = NO_INTERVAL;
        self.stage_start = time;
        self.add(Stage { name, waiting: total - service, service });
    }

    /// Returns the time in which at least one resource worked between the beginning of the stage and `time`, and
    /// forgets the intervals before the last one.
    #[inline(never)]
    fn union_until(&mut self, time: Time) -> Time {
        self.earlier_intervals.push(self.last_interval);
        self.earlier_intervals.sort_unstable();
        let (mut service, mut counted_until) = (Time::ZERO, self.stage_start);
        for &(from, to) in &self.earlier_intervals {
            let to = to.min(time);
            service += to.since(from.max(counted_until));
            counted_until = counted_until.max(to);
        }
        self.earlier_intervals.clear();
        service
    }

    /// Adds a stage that has ended. Above [`MERGE_THRESHOLD`] entries, the stage is merged with the last entry with the
    /// same name.
    fn add(&mut self, stage: Stage) {
        if self.stages.len() < MERGE_THRESHOLD {
            return self.stages.push(stage);
        }
        match self.stages.iter_mut().rfind(|last| last.name == stage.name) {
            Some(last) => (last.waiting, last.service) = (last.waiting + stage.waiting, last.service + stage.service),
            None => self.stages.push(stage),
        }
    }

    /// Returns the stages in order. Above [`MERGE_THRESHOLD`] stages, a repeated stage is merged with the last stage
    /// with the same name.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the time from the start of the message to the end of the last closed stage.
    pub fn total(&self) -> Time {
        debug_assert_eq!(self.stages.iter().map(Stage::total).sum::<Time>(), self.stage_start - self.start);
        self.stage_start - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ns(ns: u64) -> Time {
        Time::from_ns(ns)
    }

    #[test]
    fn service_is_clipped_to_its_stage_and_counted_once() {
        let mut ledger = Ledger::new(ns(10));
        ledger.add_service(ns(5), ns(13)); // begins before the message
        ledger.add_service(ns(18), ns(25)); // ends after the stage
        ledger.add_service(ns(12), ns(15)); // reported late; overlaps the first
        ledger.close("bus", ns(20));
        ledger.close("nothing", ns(20));
        ledger.add_service(ns(19), ns(24)); // counted from 20 on
        ledger.close("link", ns(30));
        let stage = |name, waiting, service| Stage { name, waiting: ns(waiting), service: ns(service) };
        assert_eq!(ledger.stages(), [stage("bus", 3, 7), stage("nothing", 0, 0), stage("link", 6, 4)]);
        assert_eq!(ledger.total(), ns(20));
    }

    #[test]
    fn a_message_that_is_returned_without_end_has_a_bounded_ledger() {
        let mut ledger = Ledger::new(ns(0));
        for round in 0..10_000 {
            ledger.add_service(ns(10 * round), ns(10 * round + 1));
            ledger.close("wire", ns(10 * round + 4));
            ledger.close("returned", ns(10 * round + 10));
        }
        assert_eq!(ledger.stages().len(), MERGE_THRESHOLD);
        let sum = |name| ledger.stages().iter().filter(|stage| stage.name == name).map(Stage::total).sum::<Time>();
        assert_eq!([sum("wire"), sum("returned")], [ns(40_000), ns(60_000)]);
        assert_eq!(ledger.stages().iter().map(|stage| stage.service).sum::<Time>(), ns(10_000));
        assert_eq!(ledger.total(), ns(100_000));
    }

    proptest! {
        #[test]
        fn stages_sum_to_the_latency(
            start in 0..1_000u64,
            stages in prop::collection::vec((0..500u64, prop::collection::vec((0..5_000u64, 0..500u64), 0..5)), 1..12),
        ) {
            let mut ledger = Ledger::new(ns(start));
            let mut end = start;
            for (span, services) in stages {
                end += span;
                services.iter().for_each(|&(from, span)| ledger.add_service(ns(from), ns(from + span)));
                ledger.close("stage", ns(end));
            }
            prop_assert_eq!(ledger.total(), ns(end - start));
            prop_assert_eq!(ledger.stages().iter().map(Stage::total).sum::<Time>(), ns(end - start));
        }
    }
}
