//! Ping-pong: one message at a time, each answered by a message.
//!
//! The one-way latency is that of the messages from the first node to the second. It is measured directly, and is not
//! half of a round trip, because all nodes share one simulated clock.

use super::pattern::{ExpectedPayloads, PatternBuffers};
use super::{EndpointPair, RunningWorkload};
use crate::engine::stats::Summary;
use crate::engine::{Bytes, Distribution, EndpointId, Metric, Outcome};
use crate::messaging::{Outgoing, World};
use crate::part::{Part, PartInfo, ResultName};
use crate::program::{PlannedFlow, WARM_UP, WarmUpCheck, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of ping-pong.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct PingPong {
    /// Payload of each message from the first node.
    #[param(max = "16 MiB")]
    pub payload: Bytes,
    /// Node that begins, and node that answers.
    #[param(flatten)]
    pub endpoints: EndpointPair,
    /// Number of round trips that are measured.
    #[param(min = 1, max = 10_000_000, default = 100, meaning = Repetitions)]
    pub messages: u64,
    /// Number of round trips before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Payload of each reply. The default is the payload of the message.
    #[param(key = "reply-payload", was = "answer", optional_or = payload)]
    pub reply_payload: Bytes,
}

struct Measurements {
    warm_up: u64,
    forward_flow: (EndpointId, EndpointId),
    round_trips: RefCell<Summary>,
}

impl PingPong {
    async fn send_messages(self, world: World, from: EndpointId, to: EndpointId, measurements: Rc<Measurements>) {
        let endpoint = world.endpoint(from);
        let patterns = PatternBuffers::prepare(endpoint, self.payload).await;
        let expected_payloads = ExpectedPayloads::new(self.reply_payload);
        world.tally.set_measuring(false);
        for number in 0..self.warm_up + self.messages {
            if number == self.warm_up {
                world.tally.set_measuring(true);
            }
            let start = endpoint.now();
            let (tag, address) = patterns.tag_and_buffer(number);
            let outgoing = Outgoing { destination: to, tag, address, payload: self.payload, words: &[] };
            endpoint.send(outgoing).await;
            let reply = endpoint.receive().await;
            expected_payloads.check(endpoint, &reply);
            endpoint.release(reply).await;
            if number >= self.warm_up {
                measurements.round_trips.borrow_mut().add(endpoint.now() - start);
            }
        }
    }

    async fn send_replies(self, world: World, from: EndpointId, to: EndpointId) {
        let endpoint = world.endpoint(from);
        let patterns = PatternBuffers::prepare(endpoint, self.reply_payload).await;
        let expected_payloads = ExpectedPayloads::new(self.payload);
        for number in 0..self.warm_up + self.messages {
            let message = endpoint.receive().await;
            expected_payloads.check(endpoint, &message);
            endpoint.release(message).await;
            let (tag, address) = patterns.tag_and_buffer(number);
            let outgoing = Outgoing { destination: to, tag, address, payload: self.reply_payload, words: &[] };
            endpoint.send(outgoing).await;
        }
    }
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[ResultName::metric(
    "round_trip.latency",
    "us",
    "Time from the call that sends a message until the reply has arrived; the mean over all measured round trips",
)];

impl Part for PingPong {
    const INFO: PartInfo = PartInfo::new("ping-pong", "A message to another node, then its reply, one at a time")
        .results(RESULTS)
        .example("payload = \"64 B\"")
        .small_input("payload = \"300 B\"\nmessages = 2\nwarm-up = 0");
}

impl WorkloadSpec for PingPong {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.endpoints.endpoint_names()
    }

    fn endpoint_pairs<'a>(&'a self, defaults: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        self.endpoints.endpoint_pairs(defaults)
    }

    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        Some(if self.reply_payload > self.payload {
            ("reply-payload", self.reply_payload)
        } else {
            ("payload", self.payload)
        })
    }

    fn flows(&self) -> Vec<PlannedFlow<'_>> {
        // Only one of the two flows has a message in flight at a time.
        vec![self.endpoints.flow(self.payload), self.endpoints.reply_flow(self.reply_payload)]
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (from, to) = self.endpoints.endpoint_ids(world);
        let measurements =
            Rc::new(Measurements { warm_up: self.warm_up, forward_flow: (from, to), round_trips: RefCell::default() });
        world.tally.limit_ledgers_to(from);
        world.tally.test_for_transient(from, to, self.messages);
        let name = |node: EndpointId| format!("{} program", world.endpoint(node).name());
        world.sim.spawn(name(from), self.clone().send_messages(world.clone(), from, to, measurements.clone()));
        world.sim.spawn(name(to), self.clone().send_replies(world.clone(), to, from));
        measurements
    }
}

impl Measurements {
    /// Returns the latencies of the messages from the first node.
    fn latencies(&self, world: &World) -> Summary {
        let (from, to) = self.forward_flow;
        world.tally.flow(from, to).latencies
    }
}

impl RunningWorkload for Measurements {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let round_trips = self.round_trips.borrow();
        let mut metrics = super::message_latency_metrics(&self.latencies(world));
        metrics.push(Metric::latency(
            "round_trip.latency",
            super::value_if(!round_trips.is_empty(), round_trips.mean_us()),
            "us",
        ));
        metrics.extend(super::delivery_metrics(world));
        metrics
    }

    fn distributions(&self, world: &World, _: &Outcome) -> Vec<Distribution> {
        vec![super::message_latencies(&self.latencies(world))]
    }

    fn warm_up_check(&self, world: &World) -> Option<WarmUpCheck> {
        let (series, warm_up) = (&world.tally.flow_series(), ("workload.ping-pong.warm-up", self.warm_up, "messages"));
        Some(WarmUpCheck::for_flows(world, series, warm_up, (super::MESSAGE_LATENCY, "us", 1e6)))
    }
}
