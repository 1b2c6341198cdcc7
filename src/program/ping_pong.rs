//! Ping-pong: one message at a time, answered by one as large.
//!
//! The one-way latency is that of the messages from the first node to the second: the simulated
//! clock is one for all nodes, so no halving of round trips is needed.

use super::pattern::{Expected, Patterns};
use super::{EndpointPair, RunningWorkload};
use crate::engine::stats::Summary;
use crate::engine::{Bytes, EndId, Metric, Outcome};
use crate::messaging::{Outgoing, World};
use crate::part::{Part, PartInfo};
use crate::program::{PlannedFlow, WorkloadNeeds, WorkloadSpec};
use crate::text::{Parameters, Table};
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of ping-pong.
#[derive(Clone, Debug)]
pub struct PingPong {
    /// The node that begins, and the one that answers.
    pub ends: EndpointPair,
    /// How many messages go there, and how many come back.
    pub messages: u64,
    /// How many go there and back before anything is measured.
    pub warm_up: u64,
    /// The payload of each message there.
    pub payload: Bytes,
    /// The payload of each answer.
    pub answer: Bytes,
}

struct Measured {
    forward: (EndId, EndId),
    round_trips: RefCell<Summary>,
}

impl PingPong {
    async fn begin(self, world: World, from: EndId, to: EndId, measured: Rc<Measured>) {
        let endpoint = world.end(from);
        let patterns = Patterns::prepare(endpoint, self.payload).await;
        let expected = Expected::new(self.answer);
        world.tally.measure(false);
        for number in 0..self.warm_up + self.messages {
            if number == self.warm_up {
                world.tally.measure(true);
            }
            let start = endpoint.now();
            let (tag, address) = patterns.of(number);
            let outgoing = Outgoing { destination: to, tag, address, payload: self.payload, words: &[] };
            endpoint.send(outgoing).await;
            let answer = endpoint.receive().await;
            expected.check(endpoint, &answer);
            endpoint.release(answer).await;
            if number >= self.warm_up {
                measured.round_trips.borrow_mut().add(endpoint.now() - start);
            }
        }
    }

    async fn answer(self, world: World, from: EndId, to: EndId) {
        let endpoint = world.end(from);
        let patterns = Patterns::prepare(endpoint, self.answer).await;
        let expected = Expected::new(self.payload);
        for number in 0..self.warm_up + self.messages {
            let message = endpoint.receive().await;
            expected.check(endpoint, &message);
            endpoint.release(message).await;
            let (tag, address) = patterns.of(number);
            let outgoing = Outgoing { destination: to, tag, address, payload: self.answer, words: &[] };
            endpoint.send(outgoing).await;
        }
    }
}

impl Parameters for PingPong {
    fn read(t: &mut Table<'_>) -> PingPong {
        let payload = t.bytes("payload", "Payload of each message there").max("16 MiB").required();
        PingPong {
            ends: EndpointPair::read(t),
            messages: t.count("messages", "Messages there, and as many back").range(1, 10_000_000).or(100),
            warm_up: t.count("warm-up", "Messages there and back before anything is measured").max(10_000_000).or(0),
            answer: t
                .bytes("answer", "Payload of each answer; by default that of the message")
                .optional()
                .unwrap_or(payload),
            payload,
        }
    }
}

impl Part for PingPong {
    const INFO: PartInfo =
        PartInfo::new("ping-pong", "One message at a time, there and back").example("payload = \"64 B\"");
}

impl WorkloadSpec for PingPong {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.ends.names()
    }

    fn endpoint_pairs<'a>(&'a self, defaults: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        self.ends.pair(defaults)
    }

    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        Some(if self.answer > self.payload { ("answer", self.answer) } else { ("payload", self.payload) })
    }

    fn flows(&self) -> Vec<PlannedFlow<'_>> {
        // One is under way at a time.
        vec![self.ends.flow(self.payload), self.ends.reply_flow(self.answer)]
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let (from, to) = self.ends.of(world);
        let measured = Rc::new(Measured { forward: (from, to), round_trips: RefCell::default() });
        world.tally.tell_of(from);
        let name = |node: EndId| format!("{} program", world.end(node).name());
        world.sim.spawn(name(from), self.clone().begin(world.clone(), from, to, measured.clone()));
        world.sim.spawn(name(to), self.clone().answer(world.clone(), to, from));
        measured
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let (from, to) = self.forward;
        let latencies = world.tally.flow(from, to).latencies;
        let round_trips = self.round_trips.borrow();
        let mut metrics = super::latency_metrics("message.latency_one_way", &latencies);
        metrics.push(Metric::new(
            "round_trip.latency",
            super::once(!round_trips.is_empty(), round_trips.mean_us()),
            "us",
        ));
        metrics.extend(super::fate_metrics(world));
        metrics
    }
}
