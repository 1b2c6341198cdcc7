//! Random tests: with random delays on both networks, slow receivers and any parameters, every message is delivered
//! exactly once.

use super::super::*;
use super::net::*;
use crate::engine::Time;
use crate::engine::rng::{RandomStream, stream};
use proptest::prelude::*;
use rand::RngExt;
use std::collections::BTreeSet;

/// An event at a node or in the networks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// The frame in transit arrives.
    Arrives(Flight),
    /// A program sends its next message if a buffer is free; otherwise it tries again later.
    Sends(NodeId),
    /// A retry may be due.
    Retries(NodeId),
    /// A program begins to read a message, if there is any.
    Reads(NodeId),
    /// A program has read a message.
    HasRead(NodeId, IncomingBuffer),
}

struct Run {
    net: Net<usize>,
    rng: RandomStream,
    delay_max_ns: u64,
    read_ns: u64,
    now: Time,
    scheduled_events: BTreeSet<(Time, u64, Event)>,
    scheduled_count: u64,
    /// Sender and receiver of each message; `times_taken` counts how often each was taken.
    messages: Vec<(NodeId, NodeId)>,
    sent_messages: BTreeSet<usize>,
    times_taken: Vec<u32>,
}

impl Run {
    fn schedule(&mut self, time: Time, event: Event) {
        self.scheduled_events.insert((time, self.scheduled_count, event));
        self.scheduled_count += 1;
    }

    fn schedule_arrival(&mut self, flight: Flight) {
        let delay = Time::from_ns(self.rng.random_range(0..=self.delay_max_ns));
        self.schedule(self.now + delay, Event::Arrives(flight));
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Arrives(flight) => self.handle_arrival(flight),
            Event::Sends(node) => self.send_next_message(node),
            Event::Retries(node) => {
                while let Some(flight) = self.net.retry(node, self.now) {
                    self.schedule_arrival(flight);
                }
            }
            Event::Reads(node) => self.read_next_message(node),
            Event::HasRead(node, buffer) => {
                self.net.node(node).incoming.release(buffer);
                self.schedule(self.now, Event::Reads(node));
            }
        }
    }

    fn handle_arrival(&mut self, flight: Flight) {
        match self.net.deliver(flight, self.now) {
            None => self.schedule_arrival(flight),
            Some(ReplyOutcome::Freed(_)) => {}
            Some(ReplyOutcome::Bounced { retry_at, .. }) => self.schedule(retry_at, Event::Retries(flight.0)),
        }
    }

    fn send_next_message(&mut self, node: NodeId) {
        let mut unsent = (0..self.messages.len()).filter(|id| !self.sent_messages.contains(id));
        let Some(id) = unsent.find(|&id| self.messages[id].0 == node) else { return };
        if let Ok(flight) = self.net.send(node, self.messages[id].1, id) {
            self.sent_messages.insert(id);
            self.schedule_arrival(flight);
        }
        self.schedule(self.now + Time::from_ns(5), Event::Sends(node));
    }

    fn read_next_message(&mut self, node: NodeId) {
        match self.net.node(node).incoming.take() {
            Some(PacketBeingRead { buffer, from, payload }) => {
                assert_eq!((from, node), self.messages[payload], "each message is taken at its destination");
                self.times_taken[payload] += 1;
                self.schedule(self.now + Time::from_ns(self.read_ns), Event::HasRead(node, buffer));
            }
            None if self.times_taken.iter().all(|&times| times > 0) => {}
            None => self.schedule(self.now + Time::from_ns(11), Event::Reads(node)),
        }
    }

    fn run_to_end(mut self) -> Run {
        for node in (0..self.net.nodes.len() as u32).map(NodeId) {
            self.schedule(Time::ZERO, Event::Sends(node));
            self.schedule(Time::ZERO, Event::Reads(node));
        }
        while let Some((time, _, event)) = self.scheduled_events.pop_first() {
            assert!(time < Time::from_us(10_000), "all messages are delivered in time");
            self.now = time;
            self.apply(event);
            assert!(self.net.both_sides_agree() && self.net.within_buffers());
            let taken: u64 = self.times_taken.iter().map(|&times| u64::from(times)).sum();
            assert_eq!(
                self.net.messages_in_transit() + taken,
                self.sent_messages.len() as u64,
                "no message is lost or duplicated"
            );
        }
        self
    }
}

fn some_buffers() -> impl Strategy<Value = Buffers> {
    prop_oneof![4 => (1u32..4).prop_map(|count| Buffers::finite(count).unwrap()), 1 => Just(Buffers::Infinite)]
}

fn some_retry() -> impl Strategy<Value = Retry> {
    prop_oneof![
        (0u64..300).prop_map(|ns| Retry::constant(Time::from_ns(ns))),
        (1u64..100, 100u64..1_000).prop_map(|(first, longest)| Retry::doubling(
            Time::from_ns(first),
            Time::from_ns(longest)
        )
        .unwrap()),
    ]
}

fn some_run() -> impl Strategy<Value = Run> {
    let parameters = (some_buffers(), some_buffers(), some_retry())
        .prop_map(|(outgoing, incoming, retry)| FlowControlParameters { outgoing, incoming, retry });
    // Delays of at least 1 ns are drawn, so that time advances even if retries have no delay.
    (parameters, 2u32..5, any::<u64>(), 1u64..200, 0u64..300).prop_flat_map(
        |(parameters, nodes, seed, delay_max_ns, read_ns)| {
            prop::collection::vec((0..nodes, 0..nodes), 1..60).prop_map(move |messages| Run {
                net: Net::new(nodes, parameters),
                rng: stream(seed, "networks"),
                delay_max_ns,
                read_ns,
                now: Time::ZERO,
                scheduled_events: BTreeSet::new(),
                scheduled_count: 0,
                times_taken: vec![0; messages.len()],
                messages: messages.into_iter().map(|(from, to)| (NodeId(from), NodeId(to))).collect(),
                sent_messages: BTreeSet::new(),
            })
        },
    )
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Run { net, delay_max_ns, read_ns, messages, .. } = self;
        write!(f, "{messages:?} over delays to {delay_max_ns} ns, read in {read_ns} ns, on {:?}", net.nodes[0])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_message_is_delivered_exactly_once(run in some_run()) {
        let run = run.run_to_end();
        prop_assert!(run.times_taken.iter().all(|&times| times == 1));
        prop_assert!(run.net.is_idle());
        let totals = |count: fn(&FlowControl<usize>) -> u64| run.net.nodes.iter().map(count).sum::<u64>();
        let messages = run.messages.len() as u64;
        prop_assert_eq!(totals(|node| node.outgoing.statistics().sent), messages);
        prop_assert_eq!(totals(|node| node.incoming.statistics().released), messages);
        let bounced = totals(|node| node.outgoing.statistics().bounced);
        prop_assert_eq!(bounced, totals(|node| node.incoming.statistics().returned));
        prop_assert_eq!(bounced, totals(|node| node.outgoing.statistics().retried));
    }
}
