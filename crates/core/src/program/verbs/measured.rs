//! The results of a test of verbs.

use super::VerbsTest;
use super::operation::{VerbsMeasure, VerbsOperation};
use super::peak::PeakRate;
use super::poster::{CompletedRequests, Poster};
use crate::engine::flow_series::FlowSeries;
use crate::engine::{Distribution, Metric, Outcome, SampleUnit, Summary, Time};
use crate::messaging::World;
use crate::ni::DriverExtensions;
use crate::program::{RunningWorkload, WarmUpCheck, interface_metrics, value_if};
use std::cell::RefCell;
use std::rc::Rc;

/// The metric of the mean latency.
pub const LATENCY: &str = "verbs.latency";
/// The metric of the average bandwidth.
pub const BANDWIDTH: &str = "verbs.bandwidth";

/// A test in progress.
pub struct Measured {
    test: Rc<VerbsTest>,
    latencies: RefCell<Latencies>,
    /// Durations of requests: of all requests in a latency test, of those with a requested completion in a bandwidth
    /// test.
    series: RefCell<FlowSeries>,
    senders: RefCell<Vec<SenderMeasurement>>,
    failure: RefCell<Option<String>>,
}

/// Latencies, and their sum and the sum of their squares for the standard deviation.
#[derive(Default)]
struct Latencies {
    summary: Summary,
    sum_ps: u128,
    squares_ps2: u128,
}

impl Latencies {
    fn add(&mut self, latency: Time) {
        let ps = u128::from(latency.ps());
        self.summary.add(latency);
        self.sum_ps += ps;
        self.squares_ps2 += ps * ps;
    }

    /// Returns the standard deviation in microseconds, or NaN without latencies.
    fn deviation_us(&self) -> f64 {
        let count = u128::from(self.summary.count());
        let scaled = count * self.squares_ps2 - self.sum_ps * self.sum_ps;
        value_if(count > 0, (scaled as f64).sqrt() / count as f64 / 1e6)
    }
}

/// The completed requests of an endpoint.
#[derive(Default)]
struct SenderMeasurement {
    /// Requests that complete before the measurement begins, and all requests.
    warm_up: u64,
    total: u64,
    posted: u64,
    completed: u64,
    /// Signaled completions after the warm-up.
    samples: u64,
    /// Begin of the measurement: time, and requests completed by then.
    start: Option<(Time, u64)>,
    end: Option<(Time, u64)>,
    peak: PeakRate,
}

impl SenderMeasurement {
    /// Returns the requests that were measured, and their time.
    fn window(&self) -> Option<(u64, Time)> {
        let ((from, first), (to, last)) = (self.start?, self.end?);
        (to > from).then(|| (last - first, to - from))
    }
}

impl Measured {
    pub fn new(test: Rc<VerbsTest>) -> Measured {
        let (latencies, series, senders, failure) = Default::default();
        Measured { test, latencies, series, senders, failure }
    }

    /// Begins the measurement of a flow.
    pub fn join(&self) {
        self.series.borrow_mut().join();
    }

    /// Ends the run with a request that failed.
    pub fn fail(&self, failure: String) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Records the round trip of request `number` of a flow.
    pub fn record_latency(&self, number: u64, from: Time, to: Time) {
        if number < self.test.warm_up {
            return;
        }
        let latency = Time::from_ps((to - from).ps() / self.test.operation.latencies_per_round_trip());
        self.latencies.borrow_mut().add(latency);
        self.series.borrow_mut().add(number - self.test.warm_up, latency, to);
    }

    /// Adds an endpoint that posts requests, and returns its index.
    pub fn add_sender(&self, poster: &Poster) -> usize {
        self.series.borrow_mut().join();
        let queues = poster.queues.iter().filter(|queue| queue.connection.posts).count() as u64;
        let (warm_up, total) = (self.test.warm_up * queues, self.test.total() * queues);
        let mut senders = self.senders.borrow_mut();
        senders.push(SenderMeasurement { warm_up, total, ..SenderMeasurement::default() });
        senders.len() - 1
    }

    /// Records a post of sender `sender`.
    pub fn record_post(&self, sender: usize, now: Time) {
        let sender = &mut self.senders.borrow_mut()[sender];
        if sender.posted == 0 && sender.warm_up == 0 {
            sender.start = Some((now, 0));
        }
        sender.posted += 1;
        sender.peak.post(now);
    }

    /// Records completed requests of sender `sender`.
    pub fn record_completion(&self, sender: usize, requests: CompletedRequests, now: Time) {
        let sender = &mut self.senders.borrow_mut()[sender];
        sender.completed += requests.count;
        sender.peak.complete(requests.count, now);
        if sender.start.is_none() && sender.completed >= sender.warm_up {
            sender.start = Some((now, sender.completed));
        } else if sender.start.is_some() {
            sender.end = Some((now, sender.completed));
            self.series.borrow_mut().add(sender.samples, now.since(requests.posted_at), now);
            sender.samples += 1;
        }
        if sender.completed == sender.total {
            self.series.borrow_mut().end();
        }
    }

    fn latency_metrics(&self) -> Vec<Metric> {
        let latencies = self.latencies.borrow();
        let mut metrics = Distribution::metrics(LATENCY, SampleUnit::Picoseconds, &latencies.summary);
        metrics.push(Metric::latency("verbs.latency_stdev", latencies.deviation_us(), "us"));
        metrics
    }

    fn bandwidth_metrics(&self) -> Vec<Metric> {
        let senders = self.senders.borrow();
        // Requests per microsecond; the rates of all senders are added, as perftest adds those of both directions.
        let rate = |of: &dyn Fn(&SenderMeasurement) -> Option<(u64, Time)>| {
            let rates = senders.iter().map(|sender| of(sender).map(|(count, time)| count as f64 / time.as_us()));
            rates.sum::<Option<f64>>().filter(|_| !senders.is_empty()).unwrap_or(f64::NAN)
        };
        let average = rate(&SenderMeasurement::window);
        // The measured window begins at a completion, so it may be better than any that begins at a post.
        let peak = rate(&|sender| sender.peak.best()).max(average);
        let bytes = self.test.size.get() as f64;
        vec![
            Metric::rate(BANDWIDTH, average * bytes, "MB/s"),
            Metric::rate("verbs.bandwidth_peak", peak * bytes, "MB/s"),
            Metric::rate("verbs.bandwidth_bits", average * bytes * 8e-3, "Gbit/s"),
            Metric::rate("verbs.message_rate", average, "M/s"),
        ]
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let VerbsTest { test, size, iterations, .. } = &*self.test;
        let mut metrics = match test {
            VerbsMeasure::Latency => self.latency_metrics(),
            VerbsMeasure::Bandwidth => self.bandwidth_metrics(),
        };
        metrics.push(Metric::new("verbs.size", size.get() as f64, "B"));
        let requests = iterations * u64::from(if *test == VerbsMeasure::Latency { 1 } else { self.test.queue_pairs });
        metrics.push(Metric::new("verbs.iterations", requests as f64, ""));
        metrics.extend(interface_metrics(world));
        metrics
    }

    fn distributions(&self, _: &World, _: &Outcome) -> Vec<Distribution> {
        let distribution = || Distribution::new(LATENCY, SampleUnit::Picoseconds, &self.latencies.borrow().summary);
        (self.test.test == VerbsMeasure::Latency).then(distribution).into_iter().collect()
    }

    fn final_outcome(&self, _: &World, outcome: Outcome) -> Outcome {
        self.failure.borrow().clone().map_or(outcome, Outcome::Loss)
    }

    fn note(&self, world: &World, outcome: &Outcome) -> Option<String> {
        let (stated, bandwidth) = (self.test.outstanding, self.test.test == VerbsMeasure::Bandwidth);
        let verbs = world.nodes[0].endpoint().driver().verbs()?.verbs_limits();
        let entries = u64::from(verbs.send_entries);
        (bandwidth && *outcome == Outcome::Done && entries < stated).then(|| {
            format!(
                "At most {entries} requests of a queue pair were outstanding: its send queue has no more entries, so that \
                 `workload.verbs.outstanding`, {stated}, limits nothing."
            )
        })
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&self.series.borrow(), ("workload.verbs.warm-up", self.test.warm_up, "requests"));
        let of =
            if self.test.operation == VerbsOperation::Read { "the time of a read" } else { "the time of a request" };
        Some(WarmUpCheck::of_flows(world, series, warm_up, (of, "us", 1e6)))
    }
}
