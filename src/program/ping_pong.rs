//! Ping-pong: one message at a time, answered by one as large.
//!
//! The one-way latency is that of the messages from the first node to the second: the simulated
//! clock is one for all nodes, so no halving of round trips is needed.

use super::pattern::{Expected, Patterns};
use super::{EndpointPair, Running};
use crate::engine::stats::Summary;
use crate::engine::{Bytes, EndId, Metric, Outcome};
use crate::messaging::{Outgoing, World};
use crate::text::Table;
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
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> PingPong {
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

    pub(super) fn start(&self, world: &World) -> Rc<dyn Running> {
        let (from, to) = self.ends.of(world);
        let measured = Rc::new(Measured { forward: (from, to), round_trips: RefCell::default() });
        world.tally.tell_of(from);
        let name = |node: EndId| format!("{} program", world.end(node).name());
        world.sim.spawn(name(from), self.clone().begin(world.clone(), from, to, measured.clone()));
        world.sim.spawn(name(to), self.clone().answer(world.clone(), to, from));
        measured
    }

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

impl Running for Measured {
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
