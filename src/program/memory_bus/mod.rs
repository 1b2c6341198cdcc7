//! Two nodes built by hand, for tests of every interface: the microbenchmarks of Mukherjee and Hill (HPCA 1998), §6.1: round trip and bandwidth, process to
//! process, between two nodes with interfaces on their memory buses.
//!
//! Data begins in the sending processor's cache and ends where the interface leaves it for the
//! user: in the receiving processor's cache, or by user-level DMA in its memory. Warm-up messages
//! fill caches and go through every slot of a queue before anything is measured.

use crate::engine::{Limits, Outcome, Recorder, Simulation, Time};
use crate::fabric::ideal::IdealParameters;
use crate::host::memory_bus::{Node, NodeParameters, Problem};
use crate::messaging::polled::{Endpoint, MessagingParameters, Received};
use crate::ni::memory_bus::port::{Networks, Port};
use crate::ni::memory_bus::{Interface, InterfaceParameters, Kind};
use std::cell::Cell;
use std::rc::Rc;

/// Two equal nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairParameters {
    /// Processor, cache, bus, memory.
    pub node: NodeParameters,
    /// The interface.
    pub interface: InterfaceParameters,
    /// The network.
    pub network: IdealParameters,
    /// The messaging layer.
    pub messaging: MessagingParameters,
}

impl PairParameters {
    /// The nodes of Table 5 with interface `kind`.
    pub fn paper(kind: Kind) -> PairParameters {
        PairParameters {
            node: NodeParameters::PAPER,
            interface: InterfaceParameters::paper(kind),
            network: IdealParameters::PAPER,
            messaging: MessagingParameters::PAPER,
        }
    }

    /// Everything that is wrong with these parameters.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = self.node.check();
        problems.extend(self.interface.check());
        problems.extend(self.messaging.check(self.interface.message_bytes_max.len().max(16)));
        problems
    }
}

/// Two nodes, built.
pub struct Pair {
    /// The simulation.
    pub simulation: Simulation,
    /// The programs' ends.
    pub ends: [Rc<Endpoint>; 2],
}

impl Pair {
    /// Builds two nodes, or says what is wrong.
    pub fn new(parameters: &PairParameters, recorder: Recorder) -> Result<Pair, Vec<Problem>> {
        let problems = parameters.check();
        if !problems.is_empty() {
            return Err(problems);
        }
        let simulation = Simulation::new(recorder);
        let sim = simulation.sim();
        let networks = Networks::new(&sim, 2, parameters.network);
        let ends = [0, 1].map(|number: u16| {
            let node = Rc::new(Node::new(&sim, &format!("node {number}"), &parameters.node));
            let port = Port::new(&sim, number.into(), 2, parameters.interface.flow, &networks);
            let interface = Rc::new(Interface::new(&sim, &node, port, parameters.interface));
            Rc::new(Endpoint::new(node, interface, number, parameters.messaging))
        });
        Ok(Pair { simulation, ends })
    }

    /// Bus transactions so far, on both buses.
    pub fn bus_transactions(&self) -> u64 {
        self.ends.iter().map(|end| end.node().bus.counts().iter().sum::<u64>()).sum()
    }
}

/// What a microbenchmark measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The time they took: for the round trip, of the whole way there and back.
    pub time: Time,
    /// Bus transactions of the whole run, both nodes.
    pub bus_transactions: u64,
    /// How the run ended.
    pub outcome: Outcome,
}

/// Byte `at` of message `message`, in the patterns sent.
fn pattern(message: u64, at: usize) -> u8 {
    (message.wrapping_mul(37).wrapping_add(at as u64 * 11) >> 1) as u8
}

/// Writes message number `message` through the cache, eight bytes at a time. Costs no time, as the
/// paper's data begins in the cache.
async fn write_pattern(end: &Endpoint, buffer: u64, message: u64, bytes: usize) {
    for at in (0..bytes).step_by(8) {
        let mut word = [0; 8];
        word.iter_mut().enumerate().for_each(|(byte, value)| *value = pattern(message, at + byte));
        end.processor().store(buffer + at as u64, 8, u64::from_le_bytes(word)).await;
    }
    end.processor().fence().await;
}

fn assert_pattern(bytes: &[u8], message: u64, expected: usize) {
    assert_eq!(bytes.len(), expected, "all bytes arrive");
    let wrong = bytes.iter().enumerate().find(|&(at, &byte)| byte != pattern(message, at));
    assert_eq!(wrong, None, "the bytes that arrive are those that were sent");
}

/// How many messages a microbenchmark sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Before measuring.
    pub warm_up: u64,
    /// Measured.
    pub measured: u64,
}

impl Counts {
    /// Before measuring and measured.
    fn all(self) -> u64 {
        self.warm_up + self.measured
    }
}

/// The distinct messages sent in turn, so that a stale one is noticed.
const PATTERNS: u64 = 4;

/// Message buffers in the sender's cache, written before anything is measured.
async fn prepare(end: &Endpoint, bytes: usize) -> Vec<u64> {
    let mut buffers = Vec::new();
    for message in 0..PATTERNS {
        let buffer = end.node().allocate(bytes.next_multiple_of(8));
        write_pattern(end, buffer, message, bytes).await;
        buffers.push(buffer);
    }
    buffers
}

/// Sends a pattern, and says which: messages may overtake each other.
async fn send_pattern(end: &Endpoint, destination: u16, buffers: &[u64], message: u64, bytes: usize) {
    let pattern = (message % PATTERNS) as u8;
    end.send(destination, pattern, buffers[usize::from(pattern)], bytes).await;
}

struct Log {
    start: Cell<Time>,
    end: Cell<Time>,
}

impl Log {
    fn new() -> Rc<Log> {
        Rc::new(Log { start: Cell::default(), end: Cell::default() })
    }

    fn measured(&self, pair: &Pair, outcome: Outcome) -> Measured {
        Measured { time: self.end.get().since(self.start.get()), bus_transactions: pair.bus_transactions(), outcome }
    }
}

impl Log {
    /// Message `message` is about to be sent, or received.
    fn begin(&self, message: u64, counts: Counts, end: &Endpoint) {
        if message == counts.warm_up {
            self.start.set(end.processor().time());
        }
    }

    /// A message was received.
    fn received(&self, end: &Endpoint, received: Received, bytes: usize) {
        assert_pattern(&received.bytes, received.handler.into(), bytes);
        self.end.set(end.processor().time());
        end.free(received);
    }
}

/// Sends each message back.
async fn echo(end: Rc<Endpoint>, bytes: usize, counts: Counts) {
    let buffers = prepare(&end, bytes).await;
    for message in 0..counts.all() {
        let received = end.receive().await;
        assert_pattern(&received.bytes, received.handler.into(), bytes);
        end.free(received);
        send_pattern(&end, 0, &buffers, message, bytes).await;
    }
}

/// Sends a message when the one before has come back.
async fn ping(end: Rc<Endpoint>, bytes: usize, counts: Counts, log: Rc<Log>) {
    let buffers = prepare(&end, bytes).await;
    for message in 0..counts.all() {
        log.begin(message, counts, &end);
        send_pattern(&end, 1, &buffers, message, bytes).await;
        let received = end.receive().await;
        log.received(&end, received, bytes);
    }
}

/// Sends messages as fast as they go.
async fn source(end: Rc<Endpoint>, bytes: usize, counts: Counts) {
    let buffers = prepare(&end, bytes).await;
    for message in 0..counts.all() {
        send_pattern(&end, 1, &buffers, message, bytes).await;
    }
}

/// Receives messages as fast as they come.
async fn sink(end: Rc<Endpoint>, bytes: usize, counts: Counts, log: Rc<Log>) {
    for message in 0..counts.all() {
        log.begin(message, counts, &end);
        let received = end.receive().await;
        log.received(&end, received, bytes);
    }
}

/// Sends messages of `bytes` bytes to and fro, one at a time.
pub fn round_trip(pair: &Pair, bytes: usize, counts: Counts, limits: Limits) -> Measured {
    let (sim, log) = (pair.simulation.sim(), Log::new());
    let [first, second] = pair.ends.clone();
    sim.spawn("node 1 program", echo(second, bytes, counts));
    sim.spawn("node 0 program", ping(first, bytes, counts, log.clone()));
    let outcome = pair.simulation.run(limits);
    log.measured(pair, outcome)
}

/// Sends messages of `bytes` bytes one way, as fast as they go.
pub fn bandwidth(pair: &Pair, bytes: usize, counts: Counts, limits: Limits) -> Measured {
    let (sim, log) = (pair.simulation.sim(), Log::new());
    let [first, second] = pair.ends.clone();
    sim.spawn("node 0 program", source(first, bytes, counts));
    sim.spawn("node 1 program", sink(second, bytes, counts, log.clone()));
    let outcome = pair.simulation.run(limits);
    log.measured(pair, outcome)
}

mod tests;
