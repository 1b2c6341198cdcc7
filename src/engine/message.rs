//! A message as the workbench follows it: who sends what to whom, and its ledger.
//!
//! It is an instrument, not a part: hardware passes it along beside the bytes, and no model
//! decides anything by it.

use super::ledger::Ledger;
use super::signal::Signal;
use super::sim::{Sim, TaskId};
use super::time::Time;
use super::units::Bytes;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node's number.
pub type NodeId = usize;

/// A message in flight, shared by the parts it passes.
pub type Tracked = Rc<Message>;

/// What a program sends.
#[derive(Debug)]
pub struct Message {
    /// Its number in the run.
    pub id: u64,
    /// The sending node.
    pub source: NodeId,
    /// The receiving node.
    pub destination: NodeId,
    /// Its payload; headers and control words come on top.
    pub payload: Bytes,
    ledger: RefCell<Ledger>,
}

impl Message {
    /// A message whose latency is counted from `start`.
    pub fn new(id: u64, source: NodeId, destination: NodeId, payload: Bytes, start: Time) -> Tracked {
        Rc::new(Message { id, source, destination, payload, ledger: RefCell::new(Ledger::new(start)) })
    }

    /// Counts work for this message in its present stage.
    #[inline]
    pub fn served(&self, from: Time, to: Time) {
        self.ledger.borrow_mut().served(from, to);
    }

    /// Ends the present stage.
    pub fn close(&self, stage: &'static str, at: Time) {
        self.ledger.borrow_mut().close(stage, at);
    }

    /// The ledger so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger.borrow().clone()
    }
}

/// The messages a node is to receive.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// The node.
    pub node: NodeId,
    /// How many.
    pub messages: u64,
    /// The task that receives them, for the tale of a stuck run.
    pub receiver: TaskId,
}

/// What became of a run's messages.
pub struct Tally {
    sim: Sim,
    made: Cell<u64>,
    delivered: RefCell<Vec<(Tracked, Time)>>,
    dropped: Cell<u64>,
    /// By receiving node, how many were delivered or lost.
    settled: RefCell<Vec<u64>>,
    change: Signal,
}

impl Tally {
    /// No message yet.
    pub fn new(sim: &Sim) -> Rc<Tally> {
        Rc::new(Tally {
            sim: sim.clone(),
            made: Cell::new(0),
            delivered: RefCell::default(),
            dropped: Cell::new(0),
            settled: RefCell::default(),
            change: Signal::new(sim, "messages to be delivered"),
        })
    }

    /// A new message, sent now.
    pub fn message(&self, source: NodeId, destination: NodeId, payload: Bytes) -> Tracked {
        let id = self.made.get();
        self.made.set(id + 1);
        Message::new(id, source, destination, payload, self.sim.now())
    }

    /// A program has received `message`.
    pub fn deliver(&self, message: &Tracked) {
        self.delivered.borrow_mut().push((message.clone(), self.sim.now()));
        self.settle(message);
    }

    /// `message` was lost.
    pub fn lose(&self, message: &Tracked) {
        self.dropped.set(self.dropped.get() + 1);
        self.settle(message);
    }

    fn settle(&self, message: &Tracked) {
        let mut settled = self.settled.borrow_mut();
        let nodes = settled.len().max(message.destination + 1);
        settled.resize(nodes, 0);
        settled[message.destination] += 1;
        self.sim.progress();
        self.change.notify();
    }

    /// Messages sent so far.
    pub fn sent(&self) -> u64 {
        self.made.get()
    }

    /// Messages lost so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    /// Messages delivered so far, in the order of delivery, each with its instant.
    pub fn delivered(&self) -> std::cell::Ref<'_, Vec<(Tracked, Time)>> {
        self.delivered.borrow()
    }

    /// Waits until each node has been delivered, or has lost, as many messages as it expects. A
    /// stuck run is told of by the first that has not.
    pub async fn settled(&self, expected: &[Expected]) {
        for expected in expected {
            self.sim.set_holder(self.change.point(), expected.receiver);
            while self.settled.borrow().get(expected.node).copied().unwrap_or(0) < expected.messages {
                self.change.wait().await;
            }
        }
    }
}
