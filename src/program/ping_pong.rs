//! Ping-pong: one message at a time, answered by one as large.
//!
//! The one-way latency is that of the messages from the first node to the second: the simulated
//! clock is one for all nodes, so no halving of round trips is needed.

use super::{Running, pattern};
use crate::engine::stats::Summary;
use crate::engine::{Bytes, Metric, NodeId, Outcome, Time};
use crate::messaging::{Outgoing, World};
use std::cell::RefCell;
use std::rc::Rc;

/// The parameters of ping-pong.
#[derive(Clone, Debug)]
pub struct PingPong {
    /// The node that begins.
    pub from: NodeId,
    /// The node that answers.
    pub to: NodeId,
    /// How many messages go there, and how many come back.
    pub messages: u64,
    /// The payload of each message there.
    pub payload: Bytes,
    /// The payload of each answer.
    pub answer: Bytes,
}

struct Measured {
    forward: NodeId,
    round_trips: RefCell<Vec<Time>>,
}

impl PingPong {
    pub(super) fn start(&self, world: &World) -> Rc<dyn Running> {
        let measured = Rc::new(Measured { forward: self.from, round_trips: RefCell::default() });
        let name = |node: NodeId| format!("{} program", world.node(node).name);
        world.sim.spawn(name(self.from), self.clone().begin(world.clone(), measured.clone()));
        world.sim.spawn(name(self.to), self.clone().answer(world.clone()));
        measured
    }

    async fn begin(self, world: World, measured: Rc<Measured>) {
        let endpoint = &world.node(self.from).endpoint;
        let memory = &endpoint.host().memory;
        let page = memory.allocate(self.payload, 4096);
        for number in 0..self.messages {
            let start = world.sim.now();
            pattern::write(memory, page, self.payload, number);
            let outgoing = Outgoing { destination: self.to, tag: 0, address: page, payload: self.payload, words: &[] };
            endpoint.send(self.from, &world.tally, outgoing).await;
            let answer = endpoint.receive().await;
            pattern::check(memory, answer.address, self.answer, number);
            endpoint.release(answer).await;
            measured.round_trips.borrow_mut().push(world.sim.now() - start);
        }
    }

    async fn answer(self, world: World) {
        let endpoint = &world.node(self.to).endpoint;
        let memory = &endpoint.host().memory;
        let page = memory.allocate(self.answer, 4096);
        for number in 0..self.messages {
            let message = endpoint.receive().await;
            pattern::check(memory, message.address, self.payload, number);
            endpoint.release(message).await;
            pattern::write(memory, page, self.answer, number);
            let outgoing = Outgoing { destination: self.from, tag: 0, address: page, payload: self.answer, words: &[] };
            endpoint.send(self.to, &world.tally, outgoing).await;
        }
    }
}

impl Running for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let delivered = world.tally.delivered();
        let there = delivered.iter().filter(|(message, _)| message.source == self.forward);
        let latencies: Summary = there.map(|(message, _)| message.ledger().total()).collect();
        let round_trips: Summary = self.round_trips.borrow().iter().copied().collect();
        let mut metrics = super::latency_metrics("message.latency_one_way", &latencies);
        metrics.push(Metric::new("round_trip.latency", round_trips.mean_us(), "us"));
        metrics.extend(super::fate_metrics(world));
        metrics
    }
}
