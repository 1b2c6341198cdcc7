//! For how long something was at work: the union of stretches of time, so that what happens at once
//! counts once. Leaves out by whom, which is for spans.

use super::time::Time;
use std::cell::Cell;

/// How long something was at work in all.
#[derive(Debug, Default)]
pub struct Busy {
    /// Stretches that are under way.
    open: Cell<u32>,
    /// From when those count.
    since: Cell<Time>,
    /// Until when all is counted, which may lie ahead.
    until: Cell<Time>,
    total: Cell<Time>,
}

impl Busy {
    /// A stretch begins at `now`.
    pub fn begin(&self, now: Time) {
        if self.open.get() == 0 {
            self.since.set(now.max(self.until.get()));
        }
        self.open.set(self.open.get() + 1);
    }

    /// A stretch ends at `now`.
    pub fn end(&self, now: Time) {
        self.open.set(self.open.get() - 1);
        if self.open.get() == 0 {
            self.count(self.since.get(), now);
        }
    }

    /// Counts a whole stretch, which begins no later than now and may end ahead of it.
    pub fn cover(&self, from: Time, to: Time) {
        match self.open.get() {
            0 => self.count(from.max(self.until.get()), to),
            // What is open counts up to `from` at least.
            _ => {
                self.count(self.since.get(), to);
                self.since.set(self.since.get().max(to));
            }
        }
    }

    /// Counts that many equal periods, each the same interval after the one before.
    pub fn cover_each(&self, (mut from, mut to): (Time, Time), every: Time, times: u64) {
        let mut left = times;
        // Until what was counted before is over; all of them, where they overlap.
        while left > 0 && (self.open.get() > 0 || self.until.get() > from || to > from + every) {
            self.cover(from, to);
            (from, to, left) = (from + every, to + every, left - 1);
        }
        if left > 0 {
            self.total.set(self.total.get() + to.since(from) * left);
            self.until.set(self.until.get().max(to + every * (left - 1)));
        }
    }

    fn count(&self, from: Time, to: Time) {
        self.total.set(self.total.get() + to.since(from));
        self.until.set(self.until.get().max(to));
    }

    /// How long it was in all until `now`.
    pub fn total(&self, now: Time) -> Time {
        let open = if self.open.get() > 0 { now.since(self.since.get()) } else { Time::ZERO };
        (self.total.get() + open).since(self.until.get().since(now))
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
    fn what_happens_at_once_counts_once() {
        let busy = Busy::default();
        busy.begin(ns(10));
        busy.begin(ns(12));
        busy.end(ns(20));
        assert_eq!(busy.total(ns(22)), ns(12), "what is under way counts");
        busy.end(ns(25));
        busy.cover(ns(20), ns(40));
        assert_eq!((busy.total(ns(30)), busy.total(ns(50))), (ns(20), ns(30)), "not what lies ahead");
        busy.begin(ns(35));
        busy.end(ns(45));
        assert_eq!(busy.total(ns(50)), ns(35));
    }

    proptest! {
        #[test]
        fn each_of_many_counts_as_one_by_one(
            (from, length, every, times) in (0..30u64, 0..30u64, 0..30u64, 0..20u64),
            (until, is_open) in (0..60u64, any::<bool>()),
        ) {
            let counted = [true, false].map(|at_once| {
                let busy = Busy::default();
                busy.cover(Time::ZERO, ns(until));
                if is_open {
                    busy.begin(ns(until));
                }
                match at_once {
                    true => busy.cover_each((ns(from), ns(from + length)), ns(every), times),
                    false => (0..times).for_each(|k| busy.cover(ns(from + k * every), ns(from + length + k * every))),
                }
                [0, 20, 50, 100, 200, 1_000].map(|now| busy.total(ns(now)))
            });
            prop_assert_eq!(counted[0], counted[1]);
        }

        #[test]
        fn it_is_the_union(stretches in prop::collection::vec((0..30u64, 0..30u64, any::<bool>()), 1..40)) {
            let (busy, mut now, mut seen) = (Busy::default(), 0, std::collections::BTreeSet::new());
            for (gap, length, is_open) in stretches {
                now += gap;
                seen.extend(now..now + length);
                match is_open {
                    true => {
                        busy.begin(ns(now));
                        busy.cover(ns(now), ns(now + length / 2));
                        now += length;
                        busy.end(ns(now));
                    }
                    false => busy.cover(ns(now), ns(now + length)),
                }
                let past = seen.iter().filter(|at| **at < now).count() as u64;
                prop_assert_eq!(busy.total(ns(now)), ns(past));
            }
        }
    }
}
