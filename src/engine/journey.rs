//! A message as the workbench follows it: who sends what to whom, and the ledgers of its packets.
//!
//! A [`Journey`] is an instrument, not a part: hardware passes it along beside the bytes, and no
//! model decides anything by it. Where no ledger is wanted it is no more than the message's number
//! and start, and costs no allocation.
//!
//! A message of several packets has a journey for each of them, all from the message's start; the
//! one of the packet that completes it is the message's. A copy that is sent again has a journey of
//! its own from then on ([`Journey::fork`]); that of the copy which is accepted is handed up.

use super::end::EndId;
use super::ledger::Ledger;
use super::signal::Signal;
use super::sim::{Sim, TaskId};
use super::stats::Summary;
use super::time::Time;
use super::time_series::TimeSeries;
use super::units::Bytes;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known of a message, on the way of one of its packets.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its number in the run.
    pub id: u64,
    /// The sending endpoint.
    pub source: EndId,
    /// The receiving endpoint.
    pub destination: EndId,
    /// Its payload; headers and control words come on top.
    pub payload: Bytes,
    ledger: RefCell<Ledger>,
}

impl Message {
    /// The ledger so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger.borrow().clone()
    }
}

/// A packet's way, as far as it is followed.
#[derive(Clone, Debug, Default)]
pub struct Journey(Way);

#[derive(Clone, Debug, Default)]
enum Way {
    /// Nobody asks.
    #[default]
    Unknown,
    /// The message is counted, and timed from its start.
    Timed { id: u64, start: Time },
    /// Its ledger is kept.
    Followed(Rc<Message>),
}

impl Journey {
    /// A way that nobody asks for.
    pub const NONE: Journey = Journey(Way::Unknown);

    /// The way of a message whose latency is counted from `start`.
    pub fn new(id: u64, source: EndId, destination: EndId, payload: Bytes, start: Time) -> Journey {
        let ledger = RefCell::new(Ledger::new(start));
        Journey(Way::Followed(Rc::new(Message { id, source, destination, payload, ledger })))
    }

    /// The way of another packet of the same message, from the message's start.
    pub fn of_another_packet(&self) -> Journey {
        match self.message() {
            None => self.clone(),
            Some(message) => {
                let Message { id, source, destination, payload, .. } = **message;
                Journey::new(id, source, destination, payload, message.ledger.borrow().start())
            }
        }
    }

    /// The way of a copy, which is the same until now.
    pub fn fork(&self) -> Journey {
        match self.message() {
            None => self.clone(),
            Some(message) => Journey(Way::Followed(Rc::new((**message).clone()))),
        }
    }

    fn message(&self) -> Option<&Rc<Message>> {
        match &self.0 {
            Way::Followed(message) => Some(message),
            Way::Unknown | Way::Timed { .. } => None,
        }
    }

    /// The message's number, for spans.
    pub fn id(&self) -> Option<u64> {
        match &self.0 {
            Way::Unknown => None,
            Way::Timed { id, .. } => Some(*id),
            Way::Followed(message) => Some(message.id),
        }
    }

    /// Whether its ledger is kept.
    pub fn is_followed(&self) -> bool {
        self.message().is_some()
    }

    /// When the message started, if anybody asks.
    fn start(&self) -> Option<Time> {
        match &self.0 {
            Way::Unknown => None,
            Way::Timed { start, .. } => Some(*start),
            Way::Followed(message) => Some(message.ledger.borrow().start()),
        }
    }

    /// Counts work for this message in its present stage.
    #[inline]
    pub fn served(&self, from: Time, to: Time) {
        if let Some(message) = self.message() {
            message.ledger.borrow_mut().served(from, to);
        }
    }

    /// Ends the present stage.
    #[inline]
    pub fn close(&self, stage: &'static str, at: Time) {
        if let Some(message) = self.message() {
            message.ledger.borrow_mut().close(stage, at);
        }
    }

    /// Ends the present stage, if it has lasted.
    pub fn close_if_lasted(&self, stage: &'static str, at: Time) {
        if let Some(message) = self.message() {
            let mut ledger = message.ledger.borrow_mut();
            if ledger.stage_start() < at {
                ledger.close(stage, at);
            }
        }
    }
}

/// The messages an endpoint is to receive.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The endpoint.
    pub end: EndId,
    /// How many.
    pub messages: u64,
    /// The task that receives them, for the tale of a stuck run.
    pub receiver: TaskId,
}

/// What became of a run's messages.
pub struct MessageTally {
    sim: Sim,
    made: Cell<u64>,
    measuring: Cell<bool>,
    arrived: Cell<u64>,
    delivered: RefCell<Vec<(Rc<Message>, Time)>>,
    /// Of all that were measured, whether their ledgers were kept or not.
    latencies: RefCell<Summary>,
    /// The same over time, in picoseconds.
    course: RefCell<TimeSeries>,
    lost: RefCell<BTreeSet<u64>>,
    /// Packets that software dropped, by why.
    dropped_packets: RefCell<BTreeMap<&'static str, u64>>,
    /// By receiving endpoint, how many were delivered or lost.
    settled: RefCell<Vec<u64>>,
    change: Signal,
}

impl MessageTally {
    /// No message yet.
    pub fn new(sim: &Sim) -> Rc<MessageTally> {
        Rc::new(MessageTally {
            sim: sim.clone(),
            made: Cell::new(0),
            measuring: Cell::new(true),
            arrived: Cell::new(0),
            delivered: RefCell::default(),
            latencies: RefCell::default(),
            course: RefCell::default(),
            lost: RefCell::default(),
            dropped_packets: RefCell::default(),
            settled: RefCell::default(),
            change: Signal::new(sim, "messages to be delivered"),
        })
    }

    /// A new message, sent at `start` by the sender's clock.
    pub fn message(&self, source: EndId, destination: EndId, payload: Bytes, start: Time) -> Journey {
        Journey::new(self.next_id(), source, destination, payload, start)
    }

    /// A new message, sent at `start` by the sender's clock, of which no ledger is kept.
    pub fn timed(&self, start: Time) -> Journey {
        Journey(Way::Timed { id: self.next_id(), start })
    }

    fn next_id(&self) -> u64 {
        let id = self.made.get();
        self.made.set(id + 1);
        id
    }

    /// Whether messages delivered from now on are measured, or only counted: those that warm
    /// caches and queues up are not.
    pub fn measure(&self, measuring: bool) {
        self.measuring.set(measuring);
    }

    /// A message is there for its program, by whose clock it is `at`; no more is kept of it than its latency.
    pub fn pass(&self, journey: &Journey, at: Time) {
        if let Some(start) = journey.start().filter(|_| self.measuring.get()) {
            self.latencies.borrow_mut().add(at.since(start));
            self.course.borrow_mut().add(at.ps(), at.since(start).ps());
        }
    }

    /// A program, by whose clock it is `at`, has received the message of `journey`; if that is followed,
    /// its ledger is kept.
    pub fn deliver(&self, journey: &Journey, at: Time) {
        self.pass(journey, at);
        let Some(message) = journey.message() else { return };
        let ledger = message.ledger.borrow();
        assert_eq!(ledger.start() + ledger.total(), at, "the stages of a message sum to its latency");
        drop(ledger);
        self.arrived.set(self.arrived.get() + 1);
        if self.measuring.get() {
            self.delivered.borrow_mut().push((message.clone(), at));
        }
        self.settle(message.destination);
    }

    /// A packet of the message of `journey` was lost, and nobody sends it again.
    pub fn lose(&self, journey: &Journey) {
        let Some(message) = journey.message() else { return };
        if self.lost.borrow_mut().insert(message.id) {
            self.settle(message.destination);
        }
    }

    /// Software dropped a packet, or a datagram, for this reason.
    pub fn drop_packet(&self, reason: &'static str) {
        *self.dropped_packets.borrow_mut().entry(reason).or_default() += 1;
    }

    /// How many packets or datagrams software dropped, by why.
    pub fn dropped_packets(&self) -> Vec<(&'static str, u64)> {
        self.dropped_packets.borrow().iter().map(|(reason, times)| (*reason, *times)).collect()
    }

    fn settle(&self, destination: EndId) {
        let mut settled = self.settled.borrow_mut();
        let ends = settled.len().max(destination.index() + 1);
        settled.resize(ends, 0);
        settled[destination.index()] += 1;
        self.sim.progress();
        self.change.notify();
    }

    /// Messages sent so far.
    pub fn sent(&self) -> u64 {
        self.made.get()
    }

    /// Messages delivered so far, measured or not.
    pub fn arrived(&self) -> u64 {
        self.arrived.get()
    }

    /// Messages lost so far.
    pub fn dropped(&self) -> u64 {
        self.lost.borrow().len() as u64
    }

    /// Messages delivered and measured so far, in the order of delivery, each with its instant.
    pub fn delivered(&self) -> std::cell::Ref<'_, Vec<(Rc<Message>, Time)>> {
        self.delivered.borrow()
    }

    /// The latencies of all messages delivered and measured so far.
    pub fn latencies(&self) -> std::cell::Ref<'_, Summary> {
        self.latencies.borrow()
    }

    /// The same latencies by the instants of delivery, in picoseconds.
    pub fn course(&self) -> std::cell::Ref<'_, TimeSeries> {
        self.course.borrow()
    }

    /// Waits until each endpoint has been delivered, or has lost, as many messages as it expects. A
    /// stuck run is told of by the first that has not.
    pub async fn settled(&self, expected: &[Expected]) {
        for expected in expected {
            self.sim.set_holder(self.change.point(), expected.receiver);
            while self.settled.borrow().get(expected.end.index()).copied().unwrap_or(0) < expected.messages {
                self.change.wait().await;
            }
        }
    }
}
