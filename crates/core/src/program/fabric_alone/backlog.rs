//! Whether the queues of an open loop's sources only grow: the fabric is saturated.
//!
//! Sources queue without limit, and a fabric holds no more than its buffers. So where more is offered
//! than is taken, the packets that wait at sources grow for ever. They are counted every 1 000 cycles,
//! the sample period of BookSim2 (Jiang et al. 2013). A fabric is saturated when the count grew in each
//! of the last ten windows, and in all by more than chance makes: four standard deviations of the
//! packets generated in them, which is at most the root of their number, for a Bernoulli process.
//!
//! BookSim2 ends when mean latency exceeds a bound that is stated (`latency_thres`, 500 cycles). A
//! growing queue needs no bound: a slow fabric is not saturated, and a fast one is told as soon.
//!
//! Leaves out loads so near saturation that ten windows tell nothing: their latency does not settle,
//! which is told in its stead.

use crate::fabric::router::Counts;
use std::collections::VecDeque;

/// Cycles between two looks.
pub(super) const WINDOW: u64 = 1_000;
/// In so many windows one after the other the queues have grown.
pub(super) const GROWING: u64 = 10;
/// By more than this many standard deviations of what was generated.
const DEVIATIONS: f64 = 4.0;

/// What waited at sources, as of the last looks.
#[derive(Default)]
pub(super) struct Backlog {
    next: u64,
    looks: VecDeque<Look>,
}

#[derive(Clone, Copy)]
struct Look {
    /// Packets at sources.
    waiting: u64,
    /// Packets generated before.
    offered: u64,
}

impl Backlog {
    /// Looks, once in a window.
    #[inline]
    pub fn look(&mut self, cycle: u64, counts: Counts) {
        if cycle < self.next {
            return;
        }
        self.next = cycle - cycle % WINDOW + WINDOW;
        self.looks.push_back(Look { waiting: counts.offered - counts.injected, offered: counts.offered });
        if self.looks.len() as u64 > GROWING + 1 {
            self.looks.pop_front();
        }
    }

    /// Whether they grow, and have done so in all of the last windows.
    pub fn only_grows(&self) -> bool {
        let looks = || self.looks.iter();
        let rises = looks().zip(looks().skip(1)).filter(|(before, after)| after.waiting > before.waiting).count();
        let (Some(first), Some(last)) = (self.looks.front(), self.looks.back()) else { return false };
        let generated = (last.offered - first.offered) as f64;
        rises as u64 == GROWING && (last.waiting - first.waiting) as f64 > DEVIATIONS * generated.sqrt()
    }

    /// How it knows.
    pub fn words(&self) -> String {
        let (first, last) = (self.looks.front(), self.looks.back());
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

    /// Whether it is saturated when `offered` packets are generated in each window, and so many of them wait
    /// after each.
    fn only_grows(offered: u64, waiting: impl Fn(u64) -> u64) -> bool {
        let mut backlog = Backlog::default();
        for window in 0..=20 {
            let offered = 10_000 + window * offered;
            backlog.look(window * WINDOW, Counts { offered, injected: offered - waiting(window), ..Counts::default() });
        }
        backlog.only_grows()
    }

    #[test]
    fn queues_that_grow_for_ever_are_told_from_those_that_do_not() {
        assert!(only_grows(10_000, |window| 200 * window), "2 % more than is taken");
        assert!(!only_grows(10_000, |window| 100 * window), "as chance may make of 100 000 packets");
        assert!(!only_grows(10_000, |_| 5_000), "long, and no longer");
        assert!(!only_grows(10_000, |window| 200 * window - if window == 15 { 300 } else { 0 }), "once less");
        assert!(!only_grows(10_000, |window| 600 * window.min(9)), "it has settled");
        assert!(!only_grows(0, |_| 0), "nothing is offered");
    }

    #[test]
    fn looks_are_once_in_a_window_and_few_windows_tell_nothing() {
        let mut backlog = Backlog::default();
        for cycle in 0..GROWING * WINDOW {
            backlog.look(cycle, Counts { offered: cycle, ..Counts::default() });
            assert!(!backlog.only_grows());
        }
        backlog.look(GROWING * WINDOW, Counts { offered: GROWING * WINDOW, ..Counts::default() });
        assert!(backlog.only_grows(), "{}", backlog.words());
    }
}
