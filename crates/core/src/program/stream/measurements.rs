//! The measurements of a stream: latencies, rates and the backlog of its open loops.

use super::Stream;
use super::send::{ClosedCounts, GROWING_WINDOWS, OpenCounts, SenderCounts, WINDOWS};
use super::undelivered::{self, OpenFlows};
use crate::engine::metric::name_word;
use crate::engine::{Bytes, EndpointId, FlowTally, Metric, Outcome, Time};
use crate::messaging::World;
use crate::program::arrivals::Arrivals;
use crate::program::{
    LoadCheck, MESSAGE_LATENCY, RunningWorkload, WarmUpCheck, delivery_metrics, message_latency_metrics,
};
use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A stream in progress.
pub(super) struct StreamMeasurements {
    /// Sender and receiver of each flow.
    flows: Vec<(EndpointId, EndpointId)>,
    payload: Bytes,
    arrivals: Arrivals,
    messages: u64,
    warm_up: u64,
    /// Counts of each flow's sender.
    senders: Vec<Rc<RefCell<SenderCounts>>>,
    copied_bytes: Vec<(EndpointId, Rc<Cell<Bytes>>)>,
}

/// Returns the window in which bandwidths are counted, or `None` if no flow delivered a message.
fn bandwidth_window(flows: &[FlowTally]) -> Option<(Time, Time)> {
    let first_deliveries = flows.iter().filter_map(|flow| flow.delivery_times.first_at_or_after(Time::ZERO));
    let last_deliveries = flows.iter().filter_map(|flow| flow.delivery_times.last_at_or_after(Time::ZERO));
    let common_window = (first_deliveries.clone().max()?, last_deliveries.clone().min()?);
    let window = if common_window.0 < common_window.1 {
        common_window
    } else {
        (first_deliveries.min()?, last_deliveries.max()?)
    };
    (window.0 < window.1).then_some(window)
}

impl StreamMeasurements {
    pub fn new(
        stream: &Stream,
        flows: &[(EndpointId, EndpointId)],
        senders: Vec<Rc<RefCell<SenderCounts>>>,
        copied_bytes: Vec<(EndpointId, Rc<Cell<Bytes>>)>,
    ) -> StreamMeasurements {
        let Stream { payload, arrivals, messages, warm_up, .. } = stream.clone();
        StreamMeasurements { flows: flows.to_vec(), payload, arrivals, messages, warm_up, senders, copied_bytes }
    }

    /// Returns the pairs of endpoints that have flows, each once: messages of one pair are counted together.
    fn pairs(&self) -> Vec<(EndpointId, EndpointId)> {
        let mut seen_pairs = BTreeSet::new();
        self.flows.iter().filter(|flow| seen_pairs.insert(**flow)).copied().collect()
    }

    /// Returns the measurements of the messages of each pair.
    fn tallies(&self, world: &World) -> Vec<FlowTally> {
        self.pairs().iter().map(|&(from, to)| world.tally.flow(from, to)).collect()
    }

    /// Returns the rate of `messages` in a window in MB/s, or NaN without a window.
    fn rate(&self, messages: u64, window: Option<(Time, Time)>) -> f64 {
        window.map_or(f64::NAN, |(from, to)| (messages * self.payload.get()) as f64 / (to - from).as_us())
    }

    /// Returns the counts of each flow if flows are open loops, otherwise an empty vector.
    fn open_counts(&self) -> Vec<Ref<'_, OpenCounts>> {
        self.senders.iter().filter_map(|sender| Ref::filter_map(sender.borrow(), SenderCounts::open).ok()).collect()
    }

    /// Returns the metrics of open loops; `accepted` is the rate of deliveries in MB/s.
    fn open_metrics(&self, accepted: f64) -> Vec<Metric> {
        let open_counts = self.open_counts();
        if open_counts.is_empty() {
            return Vec::new();
        }
        let rate_per_us =
            |counts: &OpenCounts, number: f64| counts.window().map_or(f64::NAN, |window| number / window.as_us());
        let bytes = ((self.messages - 1) * self.payload.get()) as f64;
        let offered: f64 = open_counts.iter().map(|counts| rate_per_us(counts, bytes)).sum();
        let waiting_count = |counts: &OpenCounts| counts.last_arrival.map_or(0, |(_, waiting_count)| waiting_count);
        let backlog_growth = |counts: &OpenCounts| {
            waiting_count(counts) as f64 - counts.first_arrival.map_or(0, |(_, waiting_count)| waiting_count) as f64
        };
        let growth: f64 = open_counts.iter().map(|counts| rate_per_us(counts, backlog_growth(counts))).sum();
        let total = |quantity: &dyn Fn(&OpenCounts) -> u64| {
            open_counts.iter().map(|counts| quantity(counts)).sum::<u64>() as f64
        };
        vec![
            Metric::new("message.offered", offered, "MB/s"),
            Metric::rate("message.accepted", accepted, "MB/s"),
            Metric::count("message.backlog", total(&waiting_count), ""),
            Metric::count(
                "message.backlog_max",
                open_counts.iter().map(|counts| counts.backlog_max).max().unwrap_or(0) as f64,
                "",
            ),
            Metric::cost("message.backlog_growth", growth * 1e6, "1/s"),
        ]
    }

    /// Returns the offered and the accepted load of an open loop.
    fn load_check(&self, world: &World) -> Option<LoadCheck> {
        let metrics = self.metrics(world, &Outcome::Done);
        let rate = |name: &str| metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value);
        let (offered, accepted) = (rate("message.offered")?, rate("message.accepted")?);
        Some(LoadCheck { offered, accepted, key: "workload.stream.messages", value: self.messages })
    }

    /// Describes the first flow whose backlog, or number of undelivered messages, only grows.
    fn saturation_evidence(&self, world: &World) -> Option<String> {
        let open_counts = self.open_counts();
        if open_counts.is_empty() {
            return None;
        }
        let mut backlogs =
            self.flows.iter().zip(&open_counts).filter_map(|(flow, counts)| Some((flow, counts.backlog.as_ref()?)));
        let Some((&(from, to), backlog)) = backlogs.find(|(_, backlog)| backlog.is_growing()) else {
            let StreamMeasurements { flows, arrivals, messages, warm_up, senders, .. } = self;
            let (pairs, messages, warm_up) = (self.pairs(), *messages, *warm_up);
            return undelivered::describe_growth(
                &OpenFlows { flows, pairs: &pairs, senders, arrivals, messages, warm_up },
                world,
            );
        };
        let (growth, waiting) = backlog.growth_and_size();
        Some(format!(
            "the backlog of {} -> {} grew in each of the last {GROWING_WINDOWS} of {WINDOWS} windows of {} messages, by {growth} \
             messages to {waiting}",
            world.endpoint(from).name(),
            world.endpoint(to).name(),
            backlog.window(),
        ))
    }
}

impl RunningWorkload for StreamMeasurements {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let (pairs, flows) = (self.pairs(), self.tallies(world));
        let window = bandwidth_window(&flows);
        let delivered_count =
            |flow: &FlowTally| window.map_or(0, |(from, to)| flow.delivery_times.count_between(from, to));
        let counts: Vec<u64> = flows.iter().map(delivered_count).collect();
        let total_rate = self.rate(counts.iter().sum(), window);
        let mut metrics = vec![Metric::rate("message.bandwidth", total_rate, "MB/s")];
        metrics.extend(message_latency_metrics(&world.tally.latencies()));
        metrics.extend(self.open_metrics(total_rate));
        metrics.extend(delivery_metrics(world));
        if flows.len() > 1 {
            for ((from, to), count) in pairs.iter().zip(counts) {
                let [from, to] = [from, to].map(|endpoint| name_word(world.endpoint(*endpoint).name()));
                let name = format!("flow.{from}.{to}.bandwidth");
                metrics.push(Metric::rate(name, self.rate(count, window), "MB/s"));
            }
        }
        for (node, copied_bytes) in &self.copied_bytes {
            let rate = copied_bytes.get().get() as f64 / world.sim.now().as_us();
            let name = name_word(world.endpoint(*node).name());
            metrics.push(Metric::rate(format!("copy.{name}.bandwidth"), rate, "MB/s"));
        }
        metrics
    }

    fn note(&self, _: &World, outcome: &Outcome) -> Option<String> {
        let (limit, _) = self.arrivals.closed_loop();
        let limit = limit?;
        let in_flight_max_of = |sender: &Rc<RefCell<SenderCounts>>| match &*sender.borrow() {
            SenderCounts::Closed(ClosedCounts { in_flight_max }) => *in_flight_max,
            SenderCounts::Open(_) => 0,
        };
        let in_flight_max = self.senders.iter().map(in_flight_max_of).max()?;
        (*outcome == Outcome::Done && in_flight_max < limit && in_flight_max < self.messages).then(|| {
            format!(
                "At most {in_flight_max} messages of a flow were in flight: the interface takes no more at once, so that \
                 `workload.stream.arrivals.closed-loop.outstanding`, {limit}, has no effect."
            )
        })
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&world.tally.flow_series(), ("workload.stream.warm-up", self.warm_up, "messages"));
        let mut check = WarmUpCheck::for_flows(world, series, warm_up, (MESSAGE_LATENCY, "us", 1e6));
        if check.test.is_transient() == Some(true) {
            check.load = self.load_check(world);
        }
        Some(check)
    }

    fn final_outcome(&self, world: &World, outcome: Outcome) -> Outcome {
        match (outcome, self.saturation_evidence(world)) {
            (Outcome::Done, Some(evidence)) => Outcome::Saturated(evidence),
            (other, _) => other,
        }
    }
}
