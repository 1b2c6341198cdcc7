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
    started_operations: Cell<u64>,
    ended_operations: Cell<u64>,
    /// Time and bytes copied at the end of the warm-up.
    measurement_start: Cell<(Time, Bytes)>,
    end_time: Cell<Time>,
    pub(super) copied_bytes: OnceCell<Rc<Cell<Bytes>>>,
    /// Durations of the measured operations.
    durations: RefCell<FlowSeries>,
    latencies: RefCell<Summary>,
}

impl Measurements {
    pub(super) fn new(parameters: DmaTest) -> Measurements {
        let (started_operations, ended_operations, measurement_start, end_time, copied_bytes, durations, latencies) =
            Default::default();
        Measurements {
            parameters,
            started_operations,
            ended_operations,
            measurement_start,
            end_time,
            copied_bytes,
            durations,
            latencies,
        }
    }

    /// Adds a stream of operations, before its first operation.
    pub(super) fn add_stream(&self) {
        self.durations.borrow_mut().add_flow();
        if self.parameters.warm_up == 0 {
            self.measurement_start.set((Time::ZERO, Bytes::ZERO));
        }
    }

    /// Returns the number of the next operation, or `None` if all operations that are measured have ended.
    pub(super) fn next_operation(&self) -> Option<u64> {
        let number = self.started_operations.get();
        self.started_operations.set(number + 1);
        (self.ended_operations.get() < self.parameters.total_operations()).then_some(number)
    }

    /// Records an operation that began at `from` and ended at `to`, by the timer with the tick `tick`.
    pub(super) fn record(&self, (from, to): (Time, Time), tick: Option<Time>) {
        let ended_operations = self.ended_operations.get() + 1;
        self.ended_operations.set(ended_operations);
        let DmaTest { warm_up, .. } = self.parameters;
        if ended_operations > self.parameters.total_operations() {
            return;
        }
        if ended_operations > warm_up {
            self.durations.borrow_mut().add(ended_operations - warm_up - 1, to - from, to);
            if self.parameters.operation.reports_latency() {
                self.latencies.borrow_mut().add(timer_latency(from, to, tick));
            }
        }
        if ended_operations == warm_up {
            self.measurement_start.set((to, self.copied_so_far()));
        }
        if ended_operations == self.parameters.total_operations() {
            self.end_time.set(to);
        }
    }

    /// Records that the measurement ends at `now`.
    pub(super) fn record_end(&self, now: Time) {
        self.end_time.set(now);
    }

    /// Returns the bytes that the processor has copied so far.
    fn copied_so_far(&self) -> Bytes {
        self.copied_bytes.get().map_or(Bytes::ZERO, |copied_bytes| copied_bytes.get())
    }

    fn elapsed_us(&self) -> f64 {
        self.end_time.get().since(self.measurement_start.get().0).as_us()
    }

    /// Returns the metrics that the key `operation` adds.
    fn operation_metrics(&self, bandwidth: f64) -> Vec<Metric> {
        let mut metrics = vec![Metric::rate("dma.bandwidth_bits", bandwidth * 8e-3, "Gbit/s")];
        metrics.extend(Distribution::metrics(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow()));
        metrics
    }
}

/// Returns the time from `from` to `to` by a timer with the tick `tick`, which counts whole ticks since time 0.
fn timer_latency(from: Time, to: Time, tick: Option<Time>) -> Time {
    match tick {
        Some(tick) => Time::from_ps((to.ps() / tick.ps() - from.ps() / tick.ps()) * tick.ps()),
        None => to - from,
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        let (parameters, elapsed_us) = (&self.parameters, self.elapsed_us());
        let moved_bytes = parameters.bytes_moved();
        let bandwidth = value_if(elapsed_us > 0.0, moved_bytes as f64 / elapsed_us);
        let mut metrics = vec![Metric::rate("dma.bandwidth", bandwidth, "MB/s")];
        if parameters.operation.reports_latency() {
            metrics.extend(self.operation_metrics(bandwidth));
        }
        if parameters.copying {
            let copied_bytes = (self.copied_so_far() - self.measurement_start.get().1).get() as f64;
            let rate = value_if(elapsed_us > 0.0, copied_bytes / elapsed_us);
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
        let (series, warm_up) =
            (&self.durations.borrow(), ("workload.dma.warm-up", self.parameters.warm_up, "transfers"));
        let check = || WarmUpCheck::for_flows(world, series, warm_up, ("the time", "us", 1e6));
        (self.parameters.transfers > 0).then(check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_counts_whole_ticks() {
        let ns = Time::from_ns;
        assert_eq!(timer_latency(ns(10), ns(49), None), ns(39));
        assert_eq!(timer_latency(ns(10), ns(49), Some(ns(20))), ns(40));
        assert_eq!(timer_latency(ns(1), ns(39), Some(ns(20))), ns(20));
    }
}
