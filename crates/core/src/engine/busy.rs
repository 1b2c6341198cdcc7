//! The total time for which a resource was busy: the union of the busy intervals, so overlapping intervals are counted
//! once. The module does not record which user kept the resource busy; recorded spans show that.

use super::time::Time;
use std::cell::Cell;

/// Sums the time for which a resource was busy.
#[derive(Debug, Default)]
pub struct BusyTime {
    /// Number of intervals that have begun and not ended.
    open_count: Cell<u32>,
    /// Time from which the open intervals are counted.
    open_from: Cell<Time>,
    /// Time up to which all intervals are counted; it may be later than the present time.
    counted_until: Cell<Time>,
    total: Cell<Time>,
}

impl BusyTime {
    /// Begins an interval at `now`.
    #[inline]
    pub fn begin(&self, now: Time) {
        if self.open_count.get() == 0 {
            self.open_from.set(now.max(self.counted_until.get()));
        }
        self.open_count.set(self.open_count.get() + 1);
    }

    /// Ends an interval at `now`.
    #[inline]
    pub fn end(&self, now: Time) {
        self.open_count.set(self.open_count.get() - 1);
        if self.open_count.get() == 0 {
            self.add_to_total(self.open_from.get(), now);
        }
    }

    /// Adds a complete interval, which begins no later than the present time and may end after it.
    #[inline]
    pub fn add_interval(&self, from: Time, to: Time) {
        match self.open_count.get() {
            0 => self.add_to_total(from.max(self.counted_until.get()), to),
            // The open intervals last until `from` at least, so all time from `open_from` to `to` is busy.
            _ => {
                self.add_to_total(self.open_from.get(), to);
                self.open_from.set(self.open_from.get().max(to));
            }
        }
    }

    /// Adds `times` intervals of equal length: the first is from `from` to `to`, and each further one starts `period`
    /// after the start of the previous one.
    pub fn add_intervals(&self, (mut from, mut to): (Time, Time), period: Time, times: u64) {
        let mut remaining = times;
        // Intervals are added one by one while they overlap earlier ones or each other.
        while remaining > 0 && (self.open_count.get() > 0 || self.counted_until.get() > from || to > from + period) {
            self.add_interval(from, to);
            (from, to, remaining) = (from + period, to + period, remaining - 1);
        }
        if remaining > 0 {
            self.total.set(self.total.get() + to.since(from) * remaining);
            self.counted_until.set(self.counted_until.get().max(to + period * (remaining - 1)));
        }
    }

    #[inline]
    fn add_to_total(&self, from: Time, to: Time) {
        self.total.set(self.total.get() + to.since(from));
        self.counted_until.set(self.counted_until.get().max(to));
    }

    /// Returns the total busy time until `now`.
    pub fn total(&self, now: Time) -> Time {
        let open_time = if self.open_count.get() > 0 { now.since(self.open_from.get()) } else { Time::ZERO };
        (self.total.get() + open_time).since(self.counted_until.get().since(now))
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
    fn overlapping_intervals_count_once() {
        let busy = BusyTime::default();
        busy.begin(ns(10));
        busy.begin(ns(12));
        busy.end(ns(20));
        assert_eq!(busy.total(ns(22)), ns(12), "open intervals count");
        busy.end(ns(25));
        busy.add_interval(ns(20), ns(40));
        assert_eq!((busy.total(ns(30)), busy.total(ns(50))), (ns(20), ns(30)), "only the past counts");
        busy.begin(ns(35));
        busy.end(ns(45));
        assert_eq!(busy.total(ns(50)), ns(35));
    }

    proptest! {
        #[test]
        fn repeated_intervals_count_as_single_ones(
            (from, length, period, times) in (0..30u64, 0..30u64, 0..30u64, 0..20u64),
            (busy_until, is_open) in (0..60u64, any::<bool>()),
        ) {
            let totals = [true, false].map(|is_bulk| {
                let busy = BusyTime::default();
                busy.add_interval(Time::ZERO, ns(busy_until));
                if is_open {
                    busy.begin(ns(busy_until));
                }
                match is_bulk {
                    true => busy.add_intervals((ns(from), ns(from + length)), ns(period), times),
                    false => (0..times).for_each(|index| {
                        busy.add_interval(ns(from + index * period), ns(from + length + index * period))
                    }),
                }
                [0, 20, 50, 100, 200, 1_000].map(|now| busy.total(ns(now)))
            });
            prop_assert_eq!(totals[0], totals[1]);
        }

        #[test]
        fn total_is_the_union_of_intervals(intervals in prop::collection::vec((0..30u64, 0..30u64, any::<bool>()), 1..40)) {
            let (busy, mut now, mut busy_ns) = (BusyTime::default(), 0, std::collections::BTreeSet::new());
            for (gap, length, is_open) in intervals {
                now += gap;
                busy_ns.extend(now..now + length);
                match is_open {
                    true => {
                        busy.begin(ns(now));
                        busy.add_interval(ns(now), ns(now + length / 2));
                        now += length;
                        busy.end(ns(now));
                    }
                    false => busy.add_interval(ns(now), ns(now + length)),
                }
                let past_busy_ns = busy_ns.iter().filter(|start| **start < now).count() as u64;
                prop_assert_eq!(busy.total(ns(now)), ns(past_busy_ns));
            }
        }
    }
}
