//! Active messages: a packet names a handler, and a few words go with it; the receiving processor
//! polls, and runs the handler (von Eicken 1993). Over any driver.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | packets, and a program's end |
//! | `polling.rs` | how a processor sends, polls and waits |
//! | `transfer.rs` | messages of many packets: how they are packed, and put together again |
//! | `barrier.rs` | all endpoints wait for one another |
//! | `spent.rs` | what a program's time goes into |
//!
//! Models: processor cycles to send, to poll in vain and to receive; a processor that takes
//! messages in only while it polls; a barrier beside the network; transfers with and without the
//! use of in-order delivery. A few packets' ledgers are kept, from the program that sends to the
//! handler's return: the first [`LEDGERS_MAX`] of a run; the latency of each is counted.
//! Leaves out: handlers of programs that wait; those of a protocol may wait for memory.

mod barrier;
mod polling;
mod spent;
#[cfg(test)]
mod tests;
mod transfer;

use super::Endpoint;
use super::parameters::ActiveParameters;
use crate::engine::sim::{PointId, TaskId};
use crate::engine::{Class, EndId, Hertz, Journey, NodeId, Sim, Time};
use crate::host::{Address, AnyProcessor, Processor};
use crate::ni::Driver;
use crate::ni::cmmu::Coherence;
use crate::protocol::Statistics;
pub use barrier::Barrier;
pub use spent::Cause;
use spent::Spent;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use transfer::Transfers;

/// How many ledgers are kept.
pub const LEDGERS_MAX: usize = 2_000;

/// Bytes of a message's header, where its size is told (Mukherjee and Hill 1998, Table 5), whatever an interface
/// makes of it.
const HEADER_BYTES: u64 = 8;

/// The words that go with a packet.
pub type MessageWords = smallvec::SmallVec<[u32; 8]>;

/// A packet to send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveMessage {
    /// The receiving endpoint.
    pub to: EndId,
    /// Whether it answers another, and so takes the reply network.
    pub reply: bool,
    /// Which handler it runs; programs have those below [`PROTOCOL_HANDLERS`].
    pub handler: u8,
    /// What goes with it.
    pub words: MessageWords,
    /// Asks for a bulk dialog.
    pub bulk: bool,
    /// The last of a bulk dialog.
    pub last: bool,
    /// Whether the interface's protocol applies to it.
    pub acknowledged: bool,
}

impl ActiveMessage {
    /// A request of one packet.
    pub fn new(to: EndId, handler: u8, words: &[u32]) -> ActiveMessage {
        let words = MessageWords::from_slice(words);
        ActiveMessage { to, reply: false, handler, words, bulk: false, last: false, acknowledged: true }
    }
}

/// Handlers of programs are below; from here on they are of a protocol in software, and wait.
pub const PROTOCOL_HANDLERS: u8 = 24;
/// Handlers from here on are the messaging layer's. A header has five bits for them.
pub const HANDLERS: u8 = 28;

/// A packet received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received<'a> {
    /// The sending endpoint.
    pub from: EndId,
    /// Which handler it runs.
    pub handler: u8,
    /// What came with it.
    pub words: &'a [u32],
}

type OnMessage = Rc<dyn Fn(&Received<'_>)>;
type OnTransfer = Rc<dyn Fn(EndId, u8, Vec<u32>)>;
/// What a handler that accesses memory still does.
type Handles = Pin<Box<dyn Future<Output = ()>>>;
type OnProtocol = Rc<dyn Fn(EndId, u8, MessageWords) -> Handles>;

/// An end of active messages.
pub struct Active {
    end: Rc<Endpoint>,
    barrier: Rc<Barrier>,
    parameters: ActiveParameters,
    words_max: usize,
    on_message: RefCell<Option<OnMessage>>,
    on_transfer: RefCell<Option<OnTransfer>>,
    on_protocol: RefCell<Option<OnProtocol>>,
    answers: RefCell<VecDeque<ActiveMessage>>,
    transfers: Transfers,
    sent: Cell<u64>,
    accepted: Cell<u64>,
    /// How many messages of each size it has sent, in bytes.
    sizes: RefCell<BTreeMap<u64, u64>>,
    /// Cycles that the handler that runs computes.
    charged: Cell<u64>,
    /// What its program waits for, where that is not just any packet.
    wants: Cell<Option<PointId>>,
    spent: Spent,
    /// The words of the packet that is being taken.
    words: RefCell<Vec<u32>>,
}

impl Active {
    /// The end over `end`, which enters barriers with others.
    pub fn new(end: &Rc<Endpoint>, barrier: &Rc<Barrier>) -> Rc<Active> {
        let messaging = end.parameters;
        let parameters = ActiveParameters {
            clock: end.cpu.clock(),
            in_order: messaging.in_order,
            drain_first: messaging.drain_first,
            dispatch: messaging.dispatch,
            barrier: messaging.barrier,
        };
        barrier.join(end.clone());
        Rc::new(Active {
            words_max: end.driver.limits().words,
            end: end.clone(),
            barrier: barrier.clone(),
            parameters,
            on_message: RefCell::default(),
            on_transfer: RefCell::default(),
            on_protocol: RefCell::default(),
            answers: RefCell::default(),
            transfers: Transfers::default(),
            sent: Cell::new(0),
            accepted: Cell::new(0),
            sizes: RefCell::default(),
            charged: Cell::new(0),
            wants: Cell::new(None),
            spent: Spent::default(),
            words: RefCell::default(),
        })
    }

    /// Its endpoint's number.
    pub fn id(&self) -> EndId {
        self.end.id
    }

    /// How many of them there are.
    pub fn ends(&self) -> usize {
        self.barrier.ends()
    }

    /// The processor's clock.
    pub fn clock(&self) -> Hertz {
        self.parameters.clock
    }

    /// The node's own time.
    pub fn now(&self) -> Time {
        self.end.now()
    }

    /// Whole cycles since time 0, by the node's own time.
    pub fn cycle(&self) -> u64 {
        self.parameters.clock.cycle_before(self.end.now())
    }

    /// The most words that go with a packet.
    pub fn words_max(&self) -> usize {
        self.words_max
    }

    /// Packets it has sent.
    pub fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// Packets it has taken in.
    pub fn accepted(&self) -> u64 {
        self.accepted.get()
    }

    /// How many messages of each size it has sent, in bytes with a header of 8. A transfer is one, of whatever
    /// packets; what sets its receiver up is one more, and so is the answer to that.
    pub fn sizes(&self) -> BTreeMap<u64, u64> {
        self.sizes.borrow().clone()
    }

    /// How much of its program's time went into `cause`.
    pub fn spent(&self, cause: Cause) -> Time {
        self.spent.of(cause)
    }

    /// Counts a message.
    fn count(&self, words: usize) {
        *self.sizes.borrow_mut().entry(HEADER_BYTES + 4 * words as u64).or_default() += 1;
    }

    /// The program's time goes into `cause` from now on; what it went into before.
    pub fn spend(&self, cause: Cause) -> Cause {
        self.spent.turn(cause, self.end.now())
    }

    /// The part of its program that is timed begins.
    pub fn begin_timed(&self) {
        self.spent.begin(self.end.now());
    }

    /// It ends.
    pub fn end_timed(&self) {
        self.spent.end(self.end.now());
    }

    /// Packets for its node that left their interfaces and that its processor has not yet accepted,
    /// where packets go by ports.
    pub fn pending(&self) -> u64 {
        self.end.pending.of(self.end.node())
    }

    /// What its interface's protocol counted, and the bytes of that one's state.
    pub fn accounts(&self) -> Option<(Statistics, usize)> {
        self.end.driver.accounts()
    }

    fn sim(&self) -> &Sim {
        self.end.cpu.sim()
    }

    /// The class of requests, or of answers.
    fn class(&self, reply: bool) -> Class {
        let classes = self.end.driver.limits().classes;
        if reply && classes > 1 { Class::REPLIES } else { Class::REQUESTS }
    }

    /// The journey of a packet to be sent; its ledger is kept while there are not enough.
    fn journey(&self, packet: &ActiveMessage) -> Journey {
        let tally = &self.end.tally;
        if tally.delivered().len() >= LEDGERS_MAX {
            return tally.timed(self.end.now());
        }
        let payload = crate::engine::Bytes(4 * packet.words.len() as u64);
        tally.message(self.id(), packet.to, payload, self.end.now())
    }

    /// What packets run.
    pub fn on_message(&self, handler: impl Fn(&Received<'_>) + 'static) {
        *self.on_message.borrow_mut() = Some(Rc::new(handler));
    }

    /// What whole transfers run: the sending endpoint, the handler, the words.
    pub fn on_transfer(&self, handler: impl Fn(EndId, u8, Vec<u32>) + 'static) {
        *self.on_transfer.borrow_mut() = Some(Rc::new(handler));
    }

    /// What packets of [`PROTOCOL_HANDLERS`] run: handlers that access memory. They send by
    /// [`answer`](Active::answer) alone.
    pub fn on_protocol(&self, handler: impl Fn(EndId, u8, MessageWords) -> Handles + 'static) {
        *self.on_protocol.borrow_mut() = Some(Rc::new(handler));
    }

    /// The node's processor.
    pub fn cpu(&self) -> &AnyProcessor {
        &self.end.cpu
    }

    /// Memory that the interface shares with other nodes, where it does.
    pub fn coherence(&self) -> Option<&Rc<Coherence>> {
        self.end.driver.coherence()
    }

    /// Whether messages interrupt its program.
    pub fn is_interrupted(&self) -> bool {
        self.end.driver.interrupts()
    }

    /// The node of an end.
    pub fn node_of(&self, end: EndId) -> NodeId {
        self.barrier.node_of(end)
    }

    /// A buffer in memory.
    pub fn allocate(&self, bytes: usize) -> Address {
        self.end.host.allocate(bytes)
    }

    /// The handler that runs computes for so many cycles: the processor does nothing else between its return and
    /// the next packet.
    pub fn charge(&self, cycles: u64) {
        self.charged.set(self.charged.get() + cycles);
    }

    /// Waits until all have entered the barrier, and polls meanwhile.
    pub async fn barrier(&self) {
        let barrier = self.enter_barrier().await;
        self.wait_for(self.barrier.point(), || self.has_passed(barrier)).await;
    }

    /// Waits until `condition` holds, which the program of `end` brings about; a run that is stuck says so.
    pub async fn wait_for_answer(&self, end: EndId, condition: impl Fn() -> bool) {
        self.wait_for(self.barrier.answer(end), condition).await;
    }

    async fn wait_for(&self, wants: PointId, condition: impl Fn() -> bool) {
        let before = self.wants.replace(Some(wants));
        self.wait_until(condition).await;
        self.wants.set(before);
    }

    /// Says which task its program is.
    pub fn runs(&self, task: TaskId) {
        self.barrier.runs(self.id(), task);
    }

    /// Enters the next barrier; its number.
    pub async fn enter_barrier(&self) -> u64 {
        let run = self.end.run().await;
        self.end.cpu.sync().await;
        let number = self.barrier.enter(self.id(), self.end.now(), self.parameters.clock, self.parameters.barrier);
        self.end.stop(run).await;
        number
    }

    /// Whether all have entered the barrier, and this one may know.
    pub fn has_passed(&self, barrier: u64) -> bool {
        self.barrier.has_passed(barrier, self.end.now())
    }

    /// Sends a message of any length; returns when its last packet is in the interface.
    pub async fn transfer(&self, to: EndId, handler: u8, words: &[u32]) {
        transfer::send(self, to, handler, words).await;
    }
}
