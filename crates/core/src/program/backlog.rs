//! Detection of saturation: in a saturated open loop, the backlog only grows.
//!
//! The sources of an open loop have unlimited queues, and a fabric holds only what fits in its buffers. If the offered
//! load exceeds the accepted load, the number of messages or packets that wait at their sources therefore grows without
//! end. This number is sampled once in a window: every 1 000 cycles for routers alone, the sample period of BookSim2
//! (Jiang et al. 2013); every fifth of the measured messages for programs. A load is saturated if the number grew in
//! each of the last ten windows of routers, or the last four of programs, and its growth in total exceeds four standard
//! deviations of the number of arrivals in these windows. The variance of the number of arrivals is at most that number
//! times the index of dispersion of the arrival process (1 for Bernoulli and Poisson processes).
//!
//! Programs have few windows, since runs of a few hundred messages are usual: their five windows must suffice to
//! distinguish growth from chance.
//!
//! BookSim2 ends a run when mean latency exceeds a given bound (`latency_thres`, 500 cycles). Detection by the backlog
//! needs no such bound. A slow fabric is therefore not mistaken for a saturated one, and the saturation of a fast
//! fabric is detected as early as that of a slow one.
//!
//! Programs are judged by the messages that wait at their sources, and by all messages that have been offered and not
//! delivered (`stream/undelivered.rs`), since a queue may also grow in an interface, in a fabric or at a receiver.
//!
//! If a load is so near to saturation that these windows show no trend, it is not reported as saturated. The latency
//! of such a load does not settle, and the run reports that instead.

use std::collections::VecDeque;

/// Growth of the backlog that counts as saturation, in standard deviations of the number of arrivals.
const DEVIATIONS_MIN: f64 = 4.0;

/// Samples of the number of messages or packets that wait at their sources.
#[derive(Clone, Debug)]
pub struct Backlog {
    window: u64,
    growing_windows: u64,
    dispersion: f64,
    next_sample: u64,
    samples: VecDeque<Sample>,
    /// Whether the backlog only grows, as of the last sample.
    is_growing: bool,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Messages or packets that wait at their sources.
    waiting_count: u64,
    /// Messages or packets offered so far.
    offered_count: u64,
}

impl Backlog {
    /// Creates the detector for an arrival process with the index of dispersion `dispersion`. It samples once in
    /// `window` cycles or messages, and decides by the last `growing_windows` windows.
    pub fn new(window: u64, growing_windows: u64, dispersion: f64) -> Backlog {
        let (window, samples) = (window.max(1), VecDeque::new());
        Backlog { window, growing_windows, dispersion, next_sample: 0, samples, is_growing: false }
    }

    /// Returns the window between two samples.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Returns whether [`sample`](Backlog::sample) would take a sample at `now`, a number of cycles or messages.
    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        now >= self.next_sample
    }

    /// Takes a sample if a window has passed: at `now`, `waiting_count` of the `offered_count` messages or
    /// packets wait.
    #[inline]
    pub fn sample(&mut self, now: u64, waiting_count: u64, offered_count: u64) {
        if !self.is_due(now) {
            return;
        }
        self.next_sample = now - now % self.window + self.window;
        self.samples.push_back(Sample { waiting_count, offered_count });
        if self.samples.len() as u64 > self.growing_windows + 1 {
            self.samples.pop_front();
        }
        self.is_growing = self.grows_by(DEVIATIONS_MIN);
    }

    /// Returns whether the backlog grew in each of the last windows, and by more than chance explains.
    #[inline]
    pub fn is_growing(&self) -> bool {
        self.is_growing
    }

    /// Returns the number of messages or packets that were offered during the last windows.
    pub fn offered_count(&self) -> u64 {
        let (first, last) = (self.samples.front(), self.samples.back());
        first.zip(last).map_or(0, |(first, last)| last.offered_count - first.offered_count)
    }

    /// Returns whether the backlog grew in each of the last windows, and by more than this number of standard
    /// deviations of the number of arrivals.
    pub fn grows_by(&self, deviations: f64) -> bool {
        let samples = || self.samples.iter();
        let rises = samples()
            .zip(samples().skip(1))
            .filter(|(earlier, later)| later.waiting_count > earlier.waiting_count)
            .count();
        let (Some(first), Some(last)) = (self.samples.front(), self.samples.back()) else { return false };
        let variance = self.dispersion * (last.offered_count - first.offered_count) as f64;
        rises as u64 == self.growing_windows
            && (last.waiting_count - first.waiting_count) as f64 > deviations * variance.sqrt()
    }

    /// Returns the growth of the backlog in the last windows, and its last value.
    pub fn growth_and_size(&self) -> (u64, u64) {
        let (first, last) = (self.samples.front(), self.samples.back());
        let waiting_count = last.map_or(0, |last| last.waiting_count);
        (waiting_count.saturating_sub(first.map_or(0, |first| first.waiting_count)), waiting_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW_CYCLES: u64 = 1_000;
    const GROWING_WINDOWS: u64 = 10;

    /// Returns whether the detector reports growth if `offered` packets are generated in each window, and
    /// `waiting(window)` of them wait after each.
    fn is_growing(dispersion: f64, offered: u64, waiting: impl Fn(u64) -> u64) -> bool {
        let mut backlog = Backlog::new(WINDOW_CYCLES, GROWING_WINDOWS, dispersion);
        for window in 0..=20 {
            backlog.sample(window * WINDOW_CYCLES, waiting(window), 10_000 + window * offered);
        }
        backlog.is_growing()
    }

    #[test]
    fn a_growing_backlog_is_distinguished_from_a_bounded_one() {
        assert!(is_growing(1.0, 10_000, |window| 200 * window), "2 % more than is accepted");
        assert!(!is_growing(1.0, 10_000, |window| 100 * window), "growth within chance for 100 000 packets");
        assert!(is_growing(0.0, 10_000, |window| 100 * window), "a constant interval leaves nothing to chance");
        assert!(!is_growing(10.0, 10_000, |window| 200 * window), "growth within chance for bursts");
        assert!(!is_growing(1.0, 10_000, |_| 5_000), "a long backlog of constant length");
        assert!(!is_growing(1.0, 10_000, |window| 200 * window - if window == 15 { 300 } else { 0 }), "one decrease");
        assert!(!is_growing(1.0, 10_000, |window| 600 * window.min(9)), "a backlog that stopped growing");
        assert!(!is_growing(1.0, 0, |_| 0), "nothing is offered");
    }

    #[test]
    fn a_backlog_is_sampled_once_per_window_and_needs_several_windows() {
        let mut backlog = Backlog::new(WINDOW_CYCLES, GROWING_WINDOWS, 1.0);
        for cycle in 0..GROWING_WINDOWS * WINDOW_CYCLES {
            backlog.sample(cycle, cycle, cycle);
            assert!(!backlog.is_growing());
        }
        backlog.sample(
            GROWING_WINDOWS * WINDOW_CYCLES,
            GROWING_WINDOWS * WINDOW_CYCLES,
            GROWING_WINDOWS * WINDOW_CYCLES,
        );
        assert!(backlog.is_growing());
        assert_eq!(backlog.growth_and_size(), (GROWING_WINDOWS * WINDOW_CYCLES, GROWING_WINDOWS * WINDOW_CYCLES));
    }
}
