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
pub struct VerbsMeasurements {
    test: Rc<VerbsTest>,
    latencies: RefCell<Latencies>,
    /// Durations of requests: of all requests in a latency test, of those with a requested completion in a bandwidth
    /// test.
    durations: RefCell<FlowSeries>,
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
    /// Number of requests before the measurement begins.
    warm_up: u64,
    /// Number of all requests.
    total_requests: u64,
    posted_requests: u64,
    completed_requests: u64,
    /// Signaled completions after the warm-up.
    sample_count: u64,
    /// Begin of the measurement: time, and number of requests completed by then.
    measurement_start: Option<(Time, u64)>,
    /// Last completion: time, and number of requests completed by then.
    last_completion: Option<(Time, u64)>,
    peak: PeakRate,
}

impl SenderMeasurement {
    /// Returns the requests that were measured, and their time.
    fn window(&self) -> Option<(u64, Time)> {
        let ((from, first), (to, last)) = (self.measurement_start?, self.last_completion?);
        (to > from).then(|| (last - first, to - from))
    }
}

impl VerbsMeasurements {
    pub fn new(test: Rc<VerbsTest>) -> VerbsMeasurements {
        let (latencies, durations, senders, failure) = Default::default();
        VerbsMeasurements { test, latencies, durations, senders, failure }
    }

    /// Adds a flow, before its first request.
    pub fn add_flow(&self) {
        self.durations.borrow_mut().add_flow();
    }

    /// Records the failure of a request. The first failure determines the outcome of the run.
    pub fn record_failure(&self, failure: String) {
        self.failure.borrow_mut().get_or_insert(failure);
    }

    /// Records the round trip of request `number` of a flow.
    pub fn record_latency(&self, number: u64, from: Time, to: Time) {
        if number < self.test.warm_up {
            return;
        }
        let latency = Time::from_ps((to - from).ps() / self.test.operation.latencies_per_round_trip());
        self.latencies.borrow_mut().add(latency);
        self.durations.borrow_mut().add(number - self.test.warm_up, latency, to);
    }

    /// Adds an endpoint that posts requests, and returns its index.
    pub fn add_sender(&self, poster: &Poster) -> usize {
        self.durations.borrow_mut().add_flow();
        let queues = poster.queues.iter().filter(|queue| queue.connection.posts_requests).count() as u64;
        let (warm_up, total_requests) = (self.test.warm_up * queues, self.test.total_requests() * queues);
        let mut senders = self.senders.borrow_mut();
        senders.push(SenderMeasurement { warm_up, total_requests, ..SenderMeasurement::default() });
        senders.len() - 1
    }

    /// Records a post of sender `sender`.
    pub fn record_post(&self, sender: usize, now: Time) {
        let sender = &mut self.senders.borrow_mut()[sender];
        if sender.posted_requests == 0 && sender.warm_up == 0 {
            sender.measurement_start = Some((now, 0));
        }
        sender.posted_requests += 1;
        sender.peak.post(now);
    }

    /// Records completed requests of sender `sender`.
    pub fn record_completion(&self, sender: usize, requests: CompletedRequests, now: Time) {
        let sender = &mut self.senders.borrow_mut()[sender];
        sender.completed_requests += requests.count;
        sender.peak.complete(requests.count, now);
        if sender.measurement_start.is_none() && sender.completed_requests >= sender.warm_up {
            sender.measurement_start = Some((now, sender.completed_requests));
        } else if sender.measurement_start.is_some() {
            sender.last_completion = Some((now, sender.completed_requests));
            self.durations.borrow_mut().add(sender.sample_count, now.since(requests.posted_at), now);
            sender.sample_count += 1;
        }
        if sender.completed_requests == sender.total_requests {
            self.durations.borrow_mut().end();
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
        let rate = |window_of: &dyn Fn(&SenderMeasurement) -> Option<(u64, Time)>| {
            let rates = senders.iter().map(|sender| window_of(sender).map(|(count, time)| count as f64 / time.as_us()));
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

impl RunningWorkload for VerbsMeasurements {
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
        let (stated_outstanding, is_bandwidth) = (self.test.outstanding, self.test.test == VerbsMeasure::Bandwidth);
        let verbs = world.nodes[0].endpoint().driver().verbs()?.verbs_limits();
        let entries = u64::from(verbs.send_entries);
        (is_bandwidth && *outcome == Outcome::Done && entries < stated_outstanding).then(|| {
            format!(
                "At most {entries} requests of a queue pair were outstanding: its send queue has no more entries, so that \
                 `workload.verbs.outstanding`, {stated_outstanding}, has no effect."
            )
        })
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&self.durations.borrow(), ("workload.verbs.warm-up", self.test.warm_up, "requests"));
        let quantity =
            if self.test.operation == VerbsOperation::Read { "the time of a read" } else { "the time of a request" };
        Some(WarmUpCheck::for_flows(world, series, warm_up, (quantity, "us", 1e6)))
    }
}
