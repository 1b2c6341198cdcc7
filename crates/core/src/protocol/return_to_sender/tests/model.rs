//! A model for exhaustive exploration of small cases. Networks delay and reorder frames at will, and programs compose,
//! send, read and release at any time.
//!
//! A retry has no delay in the model and may happen at any step after the bounce. The networks reorder packets, so it
//! does not matter which of two bounced packets of a node is retried first; the model therefore covers every rule for
//! retries. The absence of deadlock is checked in two ways: in every state without a further step, all messages are
//! delivered; and from *every* state some schedule leads to such a state, so that no state is a livelock.

use super::super::*;
use super::net::*;
use crate::engine::Time;
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::collections::VecDeque;

/// A case: numbers of nodes and buffers, and the messages with their sources and destinations. A payload is an index in
/// `messages`. Each node sends its messages in this order, and sends answers after it has taken their requests.
#[derive(Clone)]
struct Case {
    nodes: u32,
    buffers: u32,
    messages: Vec<(NodeId, NodeId)>,
    /// Number of messages that are sent without a request. Each later message answers one of these messages, in the
    /// same order, and may be sent after that message was taken.
    without_request: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
struct State {
    net: Net<usize>,
    programs: Vec<Program>,
    /// Number of times that each message was taken.
    times_taken: Vec<u8>,
}

/// State of a node's program, which may read at any time.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
struct Program {
    /// Messages to be sent, in this order.
    unsent: VecDeque<usize>,
    composing_buffers: Vec<OutgoingBuffer>,
    open_buffers: Vec<IncomingBuffer>,
}

/// A step; the variants are in the order in which the fair schedule prefers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Release(NodeId, IncomingBuffer),
    Take(NodeId),
    Deliver(Flight),
    Retry(NodeId),
    Transmit(NodeId, OutgoingBuffer),
    Reserve(NodeId),
}

impl State {
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = self.net.transit.keys().map(|&flight| Step::Deliver(flight)).collect();
        for ((node, program), endpoint) in (0..).map(NodeId).zip(&self.programs).zip(&self.net.nodes) {
            steps.extend(program.open_buffers.iter().map(|&buffer| Step::Release(node, buffer)));
            steps.extend(program.composing_buffers.iter().map(|&buffer| Step::Transmit(node, buffer)));
            let enabled = [
                (endpoint.incoming.has_waiting(), Step::Take(node)),
                (endpoint.outgoing.next_retry().is_some(), Step::Retry(node)),
                (program.needs_buffer() && endpoint.outgoing.has_capacity(), Step::Reserve(node)),
            ];
            steps.extend(enabled.iter().filter(|(possible, _)| *possible).map(|&(_, step)| step));
        }
        steps
    }

    fn step(&mut self, step: Step, case: &Case) {
        match step {
            Step::Deliver(flight) => {
                self.net.deliver(flight, Time::ZERO);
            }
            Step::Retry(node) => {
                self.net.retry(node, Time::ZERO).expect("a packet is due");
            }
            Step::Reserve(node) => {
                let buffer = self.net.node(node).outgoing.reserve().expect("a buffer is free");
                self.program(node).composing_buffers.push(buffer);
            }
            Step::Transmit(node, buffer) => {
                self.program(node).composing_buffers.retain(|&other| other != buffer);
                let message = self.program(node).unsent.pop_front().expect("a message is to be sent");
                let packet = self.net.node(node).outgoing.transmit(buffer, case.messages[message].1, message);
                self.net.inject(packet);
            }
            Step::Take(node) => {
                let PacketBeingRead { buffer, from, payload } =
                    self.net.node(node).incoming.take().expect("a packet waits");
                assert_eq!((from, node), case.messages[payload], "each message is taken at its destination");
                self.times_taken[payload] += 1;
                let answer = payload + case.without_request;
                if answer < case.messages.len() {
                    self.program(node).unsent.push_back(answer);
                }
                self.program(node).open_buffers.push(buffer);
                self.program(node).open_buffers.sort();
            }
            Step::Release(node, buffer) => {
                self.program(node).open_buffers.retain(|&other| other != buffer);
                self.net.node(node).incoming.release(buffer);
            }
        }
    }

    fn program(&mut self, node: NodeId) -> &mut Program {
        &mut self.programs[node.0 as usize]
    }

    fn is_complete(&self) -> bool {
        self.net.is_idle() && self.times_taken.iter().all(|&times| times == 1)
    }

    /// Returns whether the fair schedule (read, then carry, then retry, then send) delivers all messages, in no more
    /// steps than all messages need from the initial state.
    fn can_complete(&self, case: &Case) -> bool {
        let mut state = self.clone();
        for _ in 0..=8 * case.messages.len() {
            match state.steps().into_iter().min() {
                Some(step) => state.step(step, case),
                None => return state.is_complete(),
            }
        }
        false
    }

    fn delivers_without_loss_or_duplicate(&self, case: &Case) -> bool {
        let unsent: usize = self.programs.iter().map(|program| program.unsent.len()).sum();
        let taken: usize = self.times_taken.iter().map(|&times| usize::from(times)).sum();
        let answers = case.without_request..case.messages.len();
        let not_requested = answers.filter(|answer| self.times_taken[answer - case.without_request] == 0).count();
        let in_transit = self.net.messages_in_transit() as usize;
        let is_conserved = unsent + not_requested + in_transit + taken == case.messages.len();
        is_conserved && self.times_taken.iter().all(|&times| times <= 1)
    }

    fn bounced(&self) -> u32 {
        self.net.nodes.iter().map(|node| node.outgoing.census().bounced).sum()
    }
}

impl Program {
    fn needs_buffer(&self) -> bool {
        self.composing_buffers.len() < self.unsent.len()
    }
}

impl Case {
    /// Returns whether a message was taken before an earlier message of its pair.
    fn is_overtaken(&self, state: &State) -> bool {
        let overtakes = |later_index: usize| {
            let earlier =
                (0..later_index).find(|&n| self.messages[n] == self.messages[later_index] && state.times_taken[n] == 0);
            state.times_taken[later_index] > 0 && earlier.is_some()
        };
        (0..self.messages.len()).any(overtakes)
    }

    /// Explores every state, and asserts all properties.
    fn check(self) {
        let Case { nodes, buffers, .. } = self;
        let messages = self.messages.len();
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        assert!(checker.is_done());
        checker.assert_properties();
        println!("{nodes} nodes, buffers {buffers}, messages {messages}: {} states", checker.unique_state_count());
    }
}

impl Model for Case {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let mut programs = vec![Program::default(); self.nodes as usize];
        for (message, (from, _)) in self.messages[..self.without_request].iter().enumerate() {
            programs[from.0 as usize].unsent.push_back(message);
        }
        vec![State {
            net: Net::new(self.nodes, buffers(self.buffers)),
            programs,
            times_taken: vec![0; self.messages.len()],
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        steps.extend(state.steps());
    }

    fn next_state(&self, previous: &State, step: Step) -> Option<State> {
        let mut next_state = previous.clone();
        next_state.step(step, self);
        Some(next_state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no message is lost or duplicated", |case: &Case, state: &State| {
                state.delivers_without_loss_or_duplicate(case)
            }),
            Property::always("no more packets than buffers", |_, state: &State| state.net.within_buffers()),
            Property::always("both sides agree", |_, state: &State| state.net.both_sides_agree()),
            Property::always("all messages are delivered when no step is possible", |_, state: &State| {
                !state.steps().is_empty() || state.is_complete()
            }),
            Property::always("completion is always reachable", |case: &Case, state: &State| state.can_complete(case)),
            Property::sometimes("packets bounce", |_, state: &State| state.bounced() > 0),
            match self.buffers {
                1 => Property::always("one buffer keeps order", |case: &Case, state| !case.is_overtaken(state)),
                _ => Property::sometimes("a packet is overtaken", |case: &Case, state| case.is_overtaken(state)),
            },
        ]
    }
}

fn check(nodes: u32, buffers: u32, messages: &[(NodeId, NodeId)]) {
    Case { nodes, buffers, messages: messages.to_vec(), without_request: messages.len() }.check();
}

fn check_answered(nodes: u32, buffers: u32, requests: &[(NodeId, NodeId)]) {
    let answers = requests.iter().map(|&(from, to)| (to, from));
    let messages = requests.iter().copied().chain(answers).collect();
    Case { nodes, buffers, messages, without_request: requests.len() }.check();
}

#[test]
fn a_pair_with_two_buffers_delivers_all_messages() {
    check(2, 2, &[(A, B); 5]);
}

#[test]
fn a_pair_with_one_buffer_that_answers_delivers_all_messages() {
    check_answered(2, 1, &[(A, B), (A, B), (B, A), (B, A)]);
}

#[test]
fn a_pair_with_two_buffers_that_answers_delivers_all_messages() {
    check_answered(2, 2, &[(A, B), (A, B), (A, B)]);
}

#[test]
fn all_messages_are_delivered_by_three_nodes_with_one_buffer_that_send_to_each_other() {
    check(3, 1, &[(A, B), (A, C), (B, C), (B, A), (C, A), (C, B)]);
}

#[test]
fn all_messages_are_delivered_by_three_nodes_with_one_buffer_and_two_senders_to_a_receiver_that_answers() {
    check_answered(3, 1, &[(A, C), (A, C), (B, C), (B, C)]);
}

#[test]
fn all_messages_are_delivered_by_three_nodes_with_two_buffers_and_two_senders_to_one_receiver() {
    check(3, 2, &[(A, C), (A, C), (B, C), (B, C), (C, A)]);
}
