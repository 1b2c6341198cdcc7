//! Detection of saturation in an open loop: the source queues only grow.
//!
//! Source queues are unlimited, and a fabric holds no more than its buffers. Where the offered load exceeds the
//! accepted load, the number of packets waiting at sources therefore grows without bound. It is sampled every 1 000
//! cycles, the sample period of BookSim2 (Jiang et al. 2013). A fabric is saturated when the number grew in each of the
//! last ten windows, and over all of them by more than chance explains: four standard deviations of the number of
//! packets generated in them, which for a Bernoulli process is at most the root of their number.
//!
//! BookSim2 ends when the mean latency exceeds a stated bound (`latency_thres`, 500 cycles). Growing queues need no
//! bound: a slow fabric is not reported as saturated, and a fast one is detected as soon.
//!
//! Leaves out loads so near saturation that ten windows do not show it: there the latency does not settle, which is
//! reported instead.

use crate::fabric::router::Counts;
use std::collections::VecDeque;

/// Cycles between two samples.
pub(super) const WINDOW: u64 = 1_000;
/// Number of successive windows in which the queues have to grow.
pub(super) const GROWING: u64 = 10;
/// Number of standard deviations of the generated packets by which the queues have to grow.
const DEVIATIONS: f64 = 4.0;

/// The last samples of the source queues.
#[derive(Default)]
pub(super) struct Backlog {
    next: u64,
    samples: VecDeque<Sample>,
}

#[derive(Clone, Copy)]
struct Sample {
    /// Packets waiting at sources.
    waiting: u64,
    /// Packets generated so far.
    offered: u64,
}

impl Backlog {
    /// Takes a sample, if a window has passed.
    #[inline]
    pub fn sample(&mut self, cycle: u64, counts: Counts) {
        if cycle < self.next {
            return;
        }
        self.next = cycle - cycle % WINDOW + WINDOW;
        self.samples.push_back(Sample { waiting: counts.offered - counts.injected, offered: counts.offered });
        if self.samples.len() as u64 > GROWING + 1 {
            self.samples.pop_front();
        }
    }

    /// Returns whether the queues have grown in all of the last windows, and by more than chance explains.
    pub fn only_grows(&self) -> bool {
        let samples = || self.samples.iter();
        let rises = samples().zip(samples().skip(1)).filter(|(before, after)| after.waiting > before.waiting).count();
        let (Some(first), Some(last)) = (self.samples.front(), self.samples.back()) else { return false };
        let generated = (last.offered - first.offered) as f64;
        rises as u64 == GROWING && (last.waiting - first.waiting) as f64 > DEVIATIONS * generated.sqrt()
    }

    /// Returns the evidence of saturation.
    pub fn evidence(&self) -> String {
        let (first, last) = (self.samples.front(), self.samples.back());
        let waiting = last.map_or(0, |last| last.waiting);
        let more = waiting - first.map_or(0, |first| first.waiting);
        format!(
            "the queues of its sources grew in each of the last {GROWING} windows of {WINDOW} cycles, by {more} packets \
             to {waiting}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether saturation is detected if `offered` packets are generated in each window, and
    /// `waiting(window)` wait after it.
    fn only_grows(offered: u64, waiting: impl Fn(u64) -> u64) -> bool {
        let mut backlog = Backlog::default();
        for window in 0..=20 {
            let offered = 10_000 + window * offered;
            backlog
                .sample(window * WINDOW, Counts { offered, injected: offered - waiting(window), ..Counts::default() });
        }
        backlog.only_grows()
    }

    #[test]
    fn only_unbounded_growth_is_saturation() {
        assert!(only_grows(10_000, |window| 200 * window), "the offered load is 2 % above the accepted load");
        assert!(!only_grows(10_000, |window| 100 * window), "growth within chance for 100 000 packets");
        assert!(!only_grows(10_000, |_| 5_000), "long queues of constant length");
        assert!(
            !only_grows(10_000, |window| 200 * window - if window == 15 { 300 } else { 0 }),
            "shorter in one window"
        );
        assert!(!only_grows(10_000, |window| 600 * window.min(9)), "the queues have settled");
        assert!(!only_grows(0, |_| 0), "no packets are offered");
    }

    #[test]
    fn one_sample_per_window_and_ten_windows_are_needed() {
        let mut backlog = Backlog::default();
        for cycle in 0..GROWING * WINDOW {
            backlog.sample(cycle, Counts { offered: cycle, ..Counts::default() });
            assert!(!backlog.only_grows());
        }
        backlog.sample(GROWING * WINDOW, Counts { offered: GROWING * WINDOW, ..Counts::default() });
        assert!(backlog.only_grows(), "{}", backlog.evidence());
    }
}
