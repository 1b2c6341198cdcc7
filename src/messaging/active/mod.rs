//! Active messages: a packet names a handler, and a few words go with it; the receiving processor
//! polls, and runs the handler (von Eicken 1993).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | packets, and a node's end |
//! | `parameters.rs` | the costs |
//! | `polling.rs` | how a processor sends, polls and waits |
//! | `transfer.rs` | messages of many packets: how they are packed, and put together again |
//! | `barrier.rs` | all nodes wait for one another |
//! | `wire.rs` | what an end needs of what joins the ends |
//! | `interfaces.rs` | that, over network interfaces and a fabric |
//! | `ideal.rs` | that, for tests: a fixed latency and room without end |
//!
//! Models: processor cycles to send, to poll in vain and to receive; a processor that takes
//! messages in only while it polls; a barrier beside the network; transfers with and without the
//! use of in-order delivery.
//! Leaves out: interrupts, and handlers that wait.

mod barrier;
#[cfg(test)]
mod ideal;
mod interfaces;
mod parameters;
mod polling;
#[cfg(test)]
mod tests;
mod transfer;
mod wire;

pub use crate::ni::nifdy::Words;
#[cfg(test)]
pub use ideal::connect;
pub use interfaces::{Interfaces, join};
pub use parameters::{MessagingParameters, Parameters};

use crate::engine::{Hertz, Sim, Time};
use barrier::Barrier;
use interfaces::Told;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use transfer::Transfers;
use wire::Wire;

/// A packet to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The receiving node.
    pub to: usize,
    /// Whether it answers another, and so takes the reply network.
    pub reply: bool,
    /// Which handler it runs; programs have those below [`HANDLERS`].
    pub handler: u8,
    /// What goes with it.
    pub words: Words,
    /// Asks for a bulk dialog.
    pub bulk: bool,
    /// The last of a bulk dialog.
    pub last: bool,
    /// Whether the interface's protocol applies to it.
    pub acknowledged: bool,
}

impl Packet {
    /// A request of one packet.
    pub fn new(to: usize, handler: u8, words: &[u32]) -> Packet {
        Packet { to, reply: false, handler, words: Words::new(words), bulk: false, last: false, acknowledged: true }
    }
}

/// Handlers of programs; those from here on are the messaging layer's.
pub const HANDLERS: u8 = 0xF0;

/// A packet received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// The sending node.
    pub from: usize,
    /// Which handler it runs.
    pub handler: u8,
    /// What came with it.
    pub words: Words,
}

type OnMessage = Rc<dyn Fn(&Received)>;
type OnTransfer = Rc<dyn Fn(usize, u8, Vec<u32>)>;

/// A node's end.
pub struct Endpoint {
    sim: Sim,
    wire: Rc<dyn Wire>,
    barrier: Rc<Barrier>,
    node: usize,
    parameters: Parameters,
    on_message: RefCell<Option<OnMessage>>,
    on_transfer: RefCell<Option<OnTransfer>>,
    answers: RefCell<VecDeque<Packet>>,
    transfers: Transfers,
    sent: Cell<u64>,
    accepted: Cell<u64>,
    /// How long its processor has worked.
    busy: Cell<Time>,
    told: Told,
}

impl Endpoint {
    fn new(
        sim: &Sim,
        wire: &Rc<dyn Wire>,
        barrier: &Rc<Barrier>,
        node: usize,
        parameters: Parameters,
        told: Told,
    ) -> Rc<Endpoint> {
        Rc::new(Endpoint {
            sim: sim.clone(),
            wire: wire.clone(),
            barrier: barrier.clone(),
            node,
            parameters,
            on_message: RefCell::default(),
            on_transfer: RefCell::default(),
            answers: RefCell::default(),
            transfers: Transfers::default(),
            sent: Cell::new(0),
            accepted: Cell::new(0),
            busy: Cell::default(),
            told,
        })
    }

    /// Its node.
    pub fn node(&self) -> usize {
        self.node
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.wire.nodes()
    }

    /// The processor's clock.
    pub fn clock(&self) -> Hertz {
        self.parameters.clock
    }

    /// Whole cycles since time 0.
    pub fn cycle(&self) -> u64 {
        self.parameters.clock.cycle_before(self.sim.now())
    }

    /// The most words that go with a packet.
    pub fn words_max(&self) -> usize {
        self.parameters.words_max()
    }

    /// Packets this node has put into its interface.
    pub fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// Packets this node's processor has accepted.
    pub fn accepted(&self) -> u64 {
        self.accepted.get()
    }

    /// Packets for this node that left their interfaces and that its processor has not yet accepted.
    pub fn pending(&self) -> u64 {
        self.wire.pending(self.node)
    }

    /// How long its processor has worked.
    pub fn busy(&self) -> Time {
        self.busy.get()
    }

    /// Its interface, if it has one.
    pub fn interfaces(&self) -> Option<&Interfaces> {
        self.wire.interfaces()
    }

    /// What packets run.
    pub fn on_message(&self, handler: impl Fn(&Received) + 'static) {
        *self.on_message.borrow_mut() = Some(Rc::new(handler));
    }

    /// What whole transfers run: the sending node, the handler, the words.
    pub fn on_transfer(&self, handler: impl Fn(usize, u8, Vec<u32>) + 'static) {
        *self.on_transfer.borrow_mut() = Some(Rc::new(handler));
    }

    /// Waits until all nodes have entered the barrier, and polls meanwhile.
    pub async fn barrier(&self) {
        let barrier = self.enter_barrier();
        self.wait_until(|| self.has_passed(barrier)).await;
    }

    /// Enters the next barrier; its number.
    pub fn enter_barrier(&self) -> u64 {
        let opened = self.barrier.enter(self.sim.now(), self.parameters.clock, self.parameters.barrier);
        if opened {
            (0..self.wire.nodes()).for_each(|node| self.wire.attention(node).notify());
        }
        self.barrier.last_opened() - u64::from(opened)
    }

    /// Whether all nodes have entered the barrier, and this one may know.
    pub fn has_passed(&self, barrier: u64) -> bool {
        self.barrier.has_passed(barrier, self.sim.now())
    }

    /// Sends a message of any length; returns when its last packet is in the interface.
    pub async fn transfer(&self, to: usize, handler: u8, words: &[u32]) {
        transfer::send(self, to, handler, words).await;
    }
}
