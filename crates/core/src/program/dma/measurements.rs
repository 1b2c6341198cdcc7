//! The measurements of the DMA test: bandwidths, and the latency of each operation.

use super::DmaTest;
use crate::engine::flow_series::FlowSeries;
use crate::engine::{Bytes, Distribution, Metric, Outcome, SampleUnit, Summary, Time};
use crate::messaging::World;
use crate::program::{RunningWorkload, WarmUpCheck, value_if};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The name of the metric of the latency of operations.
const LATENCY: &str = "dma.latency";

/// The measurements of a run.
pub(super) struct Measurements {
    parameters: DmaTest,
    /// Number of operations that have begun and that have ended.
    begun: Cell<u64>,
    ended: Cell<u64>,
    /// Time and bytes copied at the end of the warm-up.
    start: Cell<(Time, Bytes)>,
    end_time: Cell<Time>,
    pub(super) copied: OnceCell<Rc<Cell<Bytes>>>,
    /// Durations of the measured operations.
    series: RefCell<FlowSeries>,
    latencies: RefCell<Summary>,
}

impl Measurements {
    pub(super) fn new(parameters: DmaTest) -> Measurements {
        let (begun, ended, start, end_time, copied, series, latencies) = Default::default();
        Measurements { parameters, begun, ended, start, end_time, copied, series, latencies }
    }

    /// Begins the measurement of a stream of operations.
    pub(super) fn join(&self) {
        self.series.borrow_mut().join();
        if self.parameters.warm_up == 0 {
            self.start.set((Time::ZERO, Bytes::ZERO));
        }
    }

    /// Returns the number of the next operation, or `None` if all operations that are measured have ended.
    pub(super) fn begin(&self) -> Option<u64> {
        let number = self.begun.get();
        self.begun.set(number + 1);
        (self.ended.get() < self.parameters.total()).then_some(number)
    }

    /// Records an operation that began at `from` and ended at `to`, by the timer with the tick `tick`.
    pub(super) fn record(&self, (from, to): (Time, Time), tick: Option<Time>) {
        let ended = self.ended.get() + 1;
        self.ended.set(ended);
        let DmaTest { warm_up, .. } = self.parameters;
        if ended > self.parameters.total() {
            return;
        }
        if ended > warm_up {
            self.series.borrow_mut().add(ended - warm_up - 1, to - from, to);
            if self.parameters.operation.reports_latency() {
                self.latencies.borrow_mut().add(latency(from, to, tick));
            }
        }
        if ended == warm_up {
            self.start.set((to, self.copied_so_far()));
        }
        if ended == self.parameters.total() {
            self.end_time.set(to);
        }
    }

    /// Ends the run at `now`.
    pub(super) fn end_at(&self, now: Time) {
        self.end_time.set(now);
    }

    /// Returns the bytes that the processor has copied so far.
    fn copied_so_far(&self) -> Bytes {
        self.copied.get().map_or(Bytes::ZERO, |copied| copied.get())
    }

    fn elapsed_us(&self) -> f64 {
        self.end_time.get().since(self.start.get().0).as_us()
    }

    /// Returns the metrics that the key `operation` adds.
    fn operation_metrics(&self, bandwidth: f64) -> Vec<Metric> {
        let mut metrics = vec![Metric::rate("dma.bandwidth_bits", bandwidth * 8e-3, "Gbit/s")];
        metrics.extend(Distribution::metrics(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow()));
        metrics
    }
}

/// Returns the time from `from` to `to` by a timer with the tick `tick`, which counts whole ticks since time 0.
fn latency(from: Time, to: Time, tick: Option<Time>) -> Time {
    match tick {
        Some(tick) => Time::from_ps((to.ps() / tick.ps() - from.ps() / tick.ps()) * tick.ps()),
        None => to - from,
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let (parameters, elapsed_us) = (&self.parameters, self.elapsed_us());
        let moved = parameters.bytes_moved();
        let bandwidth = value_if(elapsed_us > 0.0, moved as f64 / elapsed_us);
        let mut metrics = vec![Metric::rate("dma.bandwidth", bandwidth, "MB/s")];
        if parameters.operation.reports_latency() {
            metrics.extend(self.operation_metrics(bandwidth));
        }
        if parameters.copying {
            let copied = (self.copied_so_far() - self.start.get().1).get() as f64;
            let rate = value_if(elapsed_us > 0.0, copied / elapsed_us);
            metrics.push(Metric::rate("copy.bandwidth", rate, "MB/s"));
        }
        metrics
    }

    fn distributions(&self, world: &World, _: &Outcome) -> Vec<Distribution> {
        if self.parameters.operation.reports_latency() {
            return vec![Distribution::new(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow())];
        }
        vec![crate::program::message_latencies(&world.tally.latencies())]
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&self.series.borrow(), ("workload.dma.warm-up", self.parameters.warm_up, "transfers"));
        let check = || WarmUpCheck::of_flows(world, series, warm_up, ("the time", "us", 1e6));
        (self.parameters.transfers > 0).then(check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_counts_whole_ticks() {
        let ns = Time::from_ns;
        assert_eq!(latency(ns(10), ns(49), None), ns(39));
        assert_eq!(latency(ns(10), ns(49), Some(ns(20))), ns(40));
        assert_eq!(latency(ns(1), ns(39), Some(ns(20))), ns(20));
    }
}
