//! A program's endpoint of active messages: its counters, its handlers, and the barrier.

use super::barrier::Barrier;
use super::handlers::{HandlerFuture, Handlers};
use super::overflow::Overflow;
use super::time_breakdown::{Cause, TimeBreakdown};
use super::transfer::Transfers;
use crate::engine::sim::{TaskId, WaitReasonId};
use crate::engine::{Bytes, Class, EndpointId, Hertz, Journey, NodeId, Sim, Time};
use crate::host::{Address, AnyProcessor, Processor};
use crate::messaging::active_message::{ActiveMessage, MessageWords, Received};
use crate::messaging::endpoint::Endpoint;
use crate::messaging::parameters::MessagingParameters;
use crate::ni::{CoherenceUnit, Driver, DriverExtensions};
use crate::protocol::Statistics;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Largest number of ledgers that a run keeps.
pub const LEDGERS_MAX: u64 = 2_000;

/// Bytes of a message's header in [`ActiveEndpoint::messages_by_size`], independent of the interface's header
/// (Mukherjee and Hill 1998, Table 5).
const HEADER_BYTES: u64 = 8;

/// An endpoint of active messages.
pub struct ActiveEndpoint {
    pub(super) endpoint: Rc<Endpoint>,
    pub(super) barrier: Rc<Barrier>,
    pub(super) parameters: MessagingParameters,
    pub(super) clock: Hertz,
    words_max: usize,
    pub(super) handlers: Handlers,
    /// Packets that handlers have asked to send.
    pub(super) replies: RefCell<VecDeque<ActiveMessage>>,
    pub(super) transfers: Transfers,
    pub(super) overflow: Overflow,
    sent_packets: Cell<u64>,
    accepted_packets: Cell<u64>,
    /// Number of messages sent of each size, in bytes.
    messages_by_size: RefCell<BTreeMap<u64, u64>>,
    /// Cycles of computation that the running handler is charged for.
    pub(super) handler_cycles: Cell<u64>,
    /// The reason for the program's wait, if it waits for something other than the next packet.
    pub(super) wait_reason: Cell<Option<WaitReasonId>>,
    pub(super) time_breakdown: TimeBreakdown,
    /// The words of the packet that is being received.
    pub(super) received_words: RefCell<Vec<u32>>,
}

impl ActiveEndpoint {
    /// Creates the endpoint of active messages over `endpoint`, and adds it to `barrier`.
    pub fn new(endpoint: &Rc<Endpoint>, barrier: &Rc<Barrier>) -> Rc<ActiveEndpoint> {
        barrier.join(endpoint.clone());
        Rc::new(ActiveEndpoint {
            parameters: endpoint.context.parameters,
            clock: endpoint.context.cpu.clock(),
            words_max: endpoint.context.driver.limits().words,
            endpoint: endpoint.clone(),
            barrier: barrier.clone(),
            handlers: Handlers::default(),
            replies: RefCell::default(),
            transfers: Transfers::default(),
            overflow: Overflow::default(),
            sent_packets: Cell::new(0),
            accepted_packets: Cell::new(0),
            messages_by_size: RefCell::default(),
            handler_cycles: Cell::new(0),
            wait_reason: Cell::new(None),
            time_breakdown: TimeBreakdown::default(),
            received_words: RefCell::default(),
        })
    }

    /// Returns the endpoint's number.
    pub fn id(&self) -> EndpointId {
        self.endpoint.id()
    }

    /// Returns the number of endpoints of active messages.
    pub fn endpoint_count(&self) -> usize {
        self.barrier.member_count()
    }

    /// Returns the processor's clock.
    pub fn clock(&self) -> Hertz {
        self.clock
    }

    /// Returns the node's local time.
    pub fn now(&self) -> Time {
        self.endpoint.now()
    }

    /// Returns the whole cycles since time 0, by the node's local time.
    pub fn cycle(&self) -> u64 {
        self.clock.cycle_before(self.endpoint.now())
    }

    /// Returns the largest number of words that a packet carries.
    pub fn words_max(&self) -> usize {
        self.words_max
    }

    /// Returns the number of packets sent.
    pub fn sent_packets(&self) -> u64 {
        self.sent_packets.get()
    }

    /// Returns the number of packets received.
    pub fn accepted_packets(&self) -> u64 {
        self.accepted_packets.get()
    }

    /// Returns the number of packets that the processor moved to the user's memory because a send inside a handler was
    /// blocked.
    pub fn overflowed_packets(&self) -> u64 {
        self.overflow.total()
    }

    /// Returns the number of messages sent of each size, in bytes, with a header of 8. A transfer counts as one
    /// message, whatever the number of its packets; its setup counts as another message, and so does the answer to the
    /// setup.
    pub fn messages_by_size(&self) -> BTreeMap<u64, u64> {
        self.messages_by_size.borrow().clone()
    }

    /// Counts a packet that was sent.
    pub(super) fn count_sent(&self) {
        self.sent_packets.set(self.sent_packets.get() + 1);
    }

    /// Counts a packet that was received.
    pub(super) fn count_accepted(&self) {
        self.accepted_packets.set(self.accepted_packets.get() + 1);
    }

    /// Counts a message of `words` words.
    pub(super) fn count_message(&self, words: usize) {
        *self.messages_by_size.borrow_mut().entry(HEADER_BYTES + 4 * words as u64).or_default() += 1;
    }

    /// Returns the program's time charged to `cause`.
    pub fn time_charged_to(&self, cause: Cause) -> Time {
        self.time_breakdown.time_of(cause)
    }

    /// Charges the program's time to `cause` from now on, and returns the previous cause.
    pub fn charge_to(&self, cause: Cause) -> Cause {
        self.time_breakdown.switch(cause, self.endpoint.now())
    }

    /// Begins the timed part of the program.
    pub fn begin_timed(&self) {
        self.time_breakdown.begin(self.endpoint.now());
    }

    /// Ends the timed part of the program.
    pub fn end_timed(&self) {
        self.time_breakdown.end(self.endpoint.now());
    }

    /// Returns the number of packets for the endpoint's node that have left their senders' interfaces, and that the
    /// node's processor has not accepted yet. The result is 0 on interfaces without ports.
    pub fn pending_packets(&self) -> u64 {
        self.endpoint.in_flight.packets_to(self.endpoint.node())
    }

    /// Returns the counters of the protocol of the endpoint's interface, and the bytes of the protocol's state.
    pub fn protocol_statistics(&self) -> Option<(Statistics, usize)> {
        self.endpoint.context.driver.accounts()
    }

    pub(super) fn sim(&self) -> &Sim {
        self.endpoint.context.cpu.sim()
    }

    /// Returns the class of replies if `is_reply` is true, otherwise the class of requests.
    pub(super) fn class(&self, is_reply: bool) -> Class {
        let classes = self.endpoint.context.driver.limits().classes;
        if is_reply && classes > 1 { Class::REPLIES } else { Class::REQUESTS }
    }

    /// Returns whether the run has fewer ledgers than the largest number that it keeps.
    pub(super) fn keeps_ledger(&self) -> bool {
        self.endpoint.tally.measured_count() < LEDGERS_MAX
    }

    /// Returns the journey of a packet to be sent, with a ledger if one is to be kept.
    pub(super) fn journey(&self, packet: &ActiveMessage) -> Journey {
        let tally = &self.endpoint.tally;
        if !self.keeps_ledger() {
            return tally.begin_journey_without_ledger(self.endpoint.now());
        }
        let payload = Bytes(4 * packet.words.len() as u64);
        tally.begin_journey(self.id(), packet.to, payload, self.endpoint.now())
    }

    /// Registers the handler of messages that consist of one packet.
    pub fn on_message(&self, handler: impl Fn(&Received<'_>) + 'static) {
        self.handlers.set_message(Rc::new(handler));
    }

    /// Registers the handler of transfers. The handler is passed the sending endpoint, the handler's number and the
    /// words.
    pub fn on_transfer(&self, handler: impl Fn(EndpointId, u8, Vec<u32>) + 'static) {
        self.handlers.set_transfer(Rc::new(handler));
    }

    /// Registers the handler of packets for [`PROTOCOL_HANDLERS`](super::PROTOCOL_HANDLERS), which may access memory.
    /// The handler may send only with [`answer`](ActiveEndpoint::answer).
    pub fn on_protocol(&self, handler: impl Fn(EndpointId, u8, MessageWords) -> HandlerFuture + 'static) {
        self.handlers.set_protocol(Rc::new(handler));
    }

    /// Returns the node's processor.
    #[inline]
    pub fn cpu(&self) -> &AnyProcessor {
        &self.endpoint.context.cpu
    }

    /// Returns the memory that the interface shares with other nodes, if it shares any.
    pub fn coherence(&self) -> Option<Rc<dyn CoherenceUnit>> {
        self.endpoint.context.driver.coherence()
    }

    /// Returns the cycles of the run-time system to dispatch a message.
    pub fn dispatch_cycles(&self) -> u64 {
        self.parameters.dispatch
    }

    /// Returns whether messages interrupt the program.
    pub fn is_interrupted(&self) -> bool {
        self.endpoint.context.driver.interrupts()
    }

    /// Returns the node of an endpoint.
    pub fn node_of(&self, id: EndpointId) -> NodeId {
        self.barrier.node_of(id)
    }

    /// Allocates a buffer in memory.
    pub fn allocate(&self, bytes: usize) -> Address {
        self.endpoint.context.host.allocate(bytes)
    }

    /// Charges the running handler for `cycles` of computation, which the processor does after the handler's return and
    /// before the next packet.
    pub fn charge(&self, cycles: u64) {
        self.handler_cycles.set(self.handler_cycles.get() + cycles);
    }

    /// Registers `task` as the endpoint's program.
    pub fn set_program(&self, task: TaskId) {
        self.barrier.set_program(self.id(), task);
    }

    /// Enters the next barrier, and returns the barrier's number.
    pub async fn enter_barrier(&self) -> u64 {
        let permit = self.endpoint.acquire_run_permit().await;
        self.endpoint.context.cpu.sync().await;
        let number = self.barrier.enter(self.id(), self.endpoint.now(), self.clock, self.parameters.barrier);
        self.endpoint.release_run_permit(permit).await;
        number
    }

    /// Returns whether barrier `number` is open by the node's local time.
    pub fn is_barrier_open(&self, number: u64) -> bool {
        self.barrier.is_open(number, self.endpoint.now())
    }
}
