//! The instants of a sequence of events, in bounded memory: of up to 2¹⁶ events all are stored, of more events every
//! second, then every fourth, and so on, so that the error of a count is less than 1/32768 of the total.

use super::sample::BoundedSample;
use super::time::Time;

/// Largest number of stored instants.
const STORED_MAX: usize = 1 << 16;

/// The instants of events, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Milestones {
    /// The first instant, and every `stride`-th after it.
    sample: BoundedSample<Time>,
    last: Time,
}

impl Default for Milestones {
    fn default() -> Milestones {
        Milestones::with_stored_max(STORED_MAX)
    }
}

impl Milestones {
    /// Returns an empty sequence that is exact for up to `stored_max` events.
    fn with_stored_max(stored_max: usize) -> Milestones {
        Milestones { sample: BoundedSample::new(stored_max), last: Time::ZERO }
    }

    /// Adds an event at `time`, which is not earlier than the last one.
    pub fn add(&mut self, time: Time) {
        debug_assert!(time >= self.last, "an event is earlier than the last one");
        self.last = time;
        self.sample.add(time);
    }

    /// Returns the first instant at or after `from`, if any.
    pub fn first_at_or_after(&self, from: Time) -> Option<Time> {
        let stored_times = self.sample.items();
        stored_times
            .get(stored_times.partition_point(|time| *time < from))
            .copied()
            .or_else(|| self.last_at_or_after(from))
    }

    /// Returns the last instant, if it is at or after `from`.
    pub fn last_at_or_after(&self, from: Time) -> Option<Time> {
        (self.sample.count() > 0 && self.last >= from).then_some(self.last)
    }

    /// Returns the number of events after `from`, up to and including `to`.
    pub fn count_between(&self, from: Time, to: Time) -> u64 {
        self.count_up_to(to).saturating_sub(self.count_up_to(from))
    }

    /// Returns the number of events up to and including `instant`.
    pub fn count_up_to(&self, instant: Time) -> u64 {
        if instant >= self.last {
            return self.sample.count();
        }
        match self.sample.items().partition_point(|time| *time <= instant) as u64 {
            0 => 0,
            stored_count => (stored_count - 1) * self.sample.stride() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn milestones_count_as_a_list_does(
            gaps in prop::collection::vec(0..20u64, 1..200),
            window in (0..2_000u64, 0..2_000u64),
            stored_max in 2..300usize,
        ) {
            let (mut milestones, mut times, mut now) = (Milestones::with_stored_max(stored_max), Vec::new(), Time::ZERO);
            for gap in gaps {
                now += Time::from_ps(gap);
                milestones.add(now);
                times.push(now);
            }
            let (from, to) = (Time::from_ps(window.0.min(window.1)), Time::from_ps(window.0.max(window.1)));
            let expected_count = times.iter().filter(|time| (from < **time) && (**time <= to)).count() as u64;
            prop_assert!(milestones.sample.items().len() <= stored_max);
            prop_assert!(milestones.count_between(from, to).abs_diff(expected_count) < milestones.sample.stride());
            prop_assert_eq!(milestones.last_at_or_after(from), times.last().copied().filter(|last| *last >= from));
            if times.len() <= stored_max {
                prop_assert_eq!(milestones.sample.stride(), 1);
                prop_assert_eq!(milestones.count_between(from, to), expected_count);
                prop_assert_eq!(milestones.first_at_or_after(from), times.iter().copied().find(|time| *time >= from));
            }
        }
    }
}
