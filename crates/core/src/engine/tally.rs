//! Statistics of a run's messages: their number, latencies and ledgers, for each flow and in total.
//!
//! Statistics are summed as messages are delivered, in memory that does not grow with the number of messages: latencies
//! as a [`Summary`], ledgers as [`LedgerSums`], instants as [`Milestones`]. The first messages and a sample of the
//! later ones are stored. The module does not control the flow of messages; programs do.

use super::endpoint::EndpointId;
use super::flow_series::FlowSeries;
use super::journey::{Journey, Message};
use super::ledger::{INITIAL_CAPACITY, Ledger};
use super::ledger_sums::LedgerSums;
use super::milestones::Milestones;
use super::signal::Signal;
use super::sim::{Sim, TaskId};
use super::stats::Summary;
use super::time::Time;
use super::time_series::TimeSeries;
use super::units::Bytes;
use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The number of messages that an endpoint is to receive.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedMessages {
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The number of messages.
    pub messages: u64,
    /// The task that receives them, for deadlock reports.
    pub receiver: TaskId,
}

/// The delivered and measured messages from one endpoint to another.
#[derive(Clone, Default, Debug)]
pub struct FlowTally {
    /// Latencies of the messages.
    pub latencies: Summary,
    /// The instants of their delivery, by the receiver's clock.
    pub delivery_times: Milestones,
    /// The instants of the warm-up deliveries that are not measured.
    warm_up_delivery_times: Milestones,
    /// The number of warm-up messages that are still to be delivered. The last message of the warm-up is measured, like
    /// those after it, because bandwidth is counted from its delivery.
    remaining_warm_up: u64,
    /// The number of flows between these endpoints that are tested for an initial transient.
    tested_flows: u64,
    /// The number of measured messages of all these flows.
    tested_messages: u64,
}

impl FlowTally {
    /// Returns the number of messages that were delivered up to and including `time`, with those of the warm-up.
    pub fn delivered_until(&self, time: Time) -> u64 {
        self.warm_up_delivery_times.count_up_to(time) + self.delivery_times.count_up_to(time)
    }
}

/// The deliveries of a flow, for senders that limit their messages in flight. Several flows may share the same pair of
/// endpoints, so several tasks may wait here; a [`Mailbox`](super::Mailbox) allows one.
pub struct Deliveries {
    /// Instants of deliveries and losses that no sender has taken yet, by the receiver's clock.
    settled_times: RefCell<VecDeque<Time>>,
    change_signal: Signal,
}

impl Deliveries {
    /// Waits for the next delivery or loss of a message, and returns its instant.
    pub async fn next(&self) -> Time {
        loop {
            if let Some(instant) = self.settled_times.borrow_mut().pop_front() {
                return instant;
            }
            self.change_signal.wait().await;
        }
    }

    /// Returns the number of messages that were delivered or lost and that no sender has taken yet.
    pub fn pending(&self) -> u64 {
        self.settled_times.borrow().len() as u64
    }
}

/// Statistics of a run's messages.
pub struct MessageTally {
    sim: Sim,
    messages_created: Cell<u64>,
    /// Capacity of the ledger of a new message, in stages: the number of stages of the message that was delivered last,
    /// since most messages have the same number.
    expected_stages: Cell<usize>,
    is_measuring: Cell<bool>,
    delivered_count: Cell<u64>,
    /// The first messages that were delivered and measured, each with its time of delivery: as many as the recorder
    /// keeps.
    first_delivered: RefCell<Vec<(Rc<Message>, Time)>>,
    /// The number of messages that were delivered and measured.
    measured_count: Cell<u64>,
    /// The delivered and measured messages, by sender and receiver.
    flows: RefCell<BTreeMap<(EndpointId, EndpointId), FlowTally>>,
    /// The endpoint whose messages the ledger sums cover; all endpoints if `None`.
    ledger_source: Cell<Option<EndpointId>>,
    /// The sums of the ledgers of the messages of `ledger_source`.
    ledger_sums: RefCell<LedgerSums>,
    /// The latencies of all measured messages, whether their ledgers were kept or not.
    latencies: RefCell<Summary>,
    /// The latencies over time, in picoseconds.
    latency_series: RefCell<TimeSeries>,
    /// The latencies of the flows that are tested for an initial transient.
    flow_series: RefCell<FlowSeries>,
    /// The latest instant at which a measured message was delivered, by its receiver's clock.
    last_delivery: Cell<Time>,
    lost_messages: RefCell<BTreeSet<u64>>,
    /// The numbers of packets that software dropped, by reason.
    dropped_packets: RefCell<BTreeMap<&'static str, u64>>,
    /// The number of messages that were delivered or lost, by receiving endpoint.
    settled_counts: RefCell<Vec<u64>>,
    change_signal: Signal,
    /// Deliveries by sender and receiver, for senders that limit their messages in flight.
    deliveries: RefCell<BTreeMap<(EndpointId, EndpointId), Rc<Deliveries>>>,
}

impl MessageTally {
    /// Creates a tally without messages.
    pub fn new(sim: &Sim) -> Rc<MessageTally> {
        Rc::new(MessageTally {
            sim: sim.clone(),
            messages_created: Cell::new(0),
            expected_stages: Cell::new(INITIAL_CAPACITY),
            is_measuring: Cell::new(true),
            delivered_count: Cell::new(0),
            first_delivered: RefCell::default(),
            measured_count: Cell::default(),
            flows: RefCell::default(),
            ledger_source: Cell::default(),
            ledger_sums: RefCell::default(),
            latencies: RefCell::default(),
            latency_series: RefCell::default(),
            flow_series: RefCell::default(),
            last_delivery: Cell::default(),
            lost_messages: RefCell::default(),
            dropped_packets: RefCell::default(),
            settled_counts: RefCell::default(),
            change_signal: Signal::new(sim, "messages to be delivered"),
            deliveries: RefCell::default(),
        })
    }

    /// Begins the journey of a new message, sent at `start` by the sender's clock.
    pub fn begin_journey(&self, source: EndpointId, destination: EndpointId, payload: Bytes, start: Time) -> Journey {
        let ledger = Ledger::with_capacity(start, self.expected_stages.get());
        Journey::with_ledger(self.next_id(), source, destination, payload, ledger)
    }

    /// Begins the journey of a new message without a ledger, sent at `start` by the sender's clock.
    pub fn begin_journey_without_ledger(&self, start: Time) -> Journey {
        Journey::without_ledger(self.next_id(), start)
    }

    fn next_id(&self) -> u64 {
        let id = self.messages_created.get();
        self.messages_created.set(id + 1);
        id
    }

    /// Sets whether messages delivered from now on are measured or only counted. Messages of the warm-up are only
    /// counted.
    pub fn set_measuring(&self, is_measuring: bool) {
        self.is_measuring.set(is_measuring);
    }

    /// Adds the latency of a message that is delivered at `time` by the receiver's clock.
    pub fn add_latency(&self, journey: &Journey, time: Time) {
        if let Some(start) = journey.start().filter(|_| self.is_measuring.get()) {
            self.latencies.borrow_mut().add(time.since(start));
            self.latency_series.borrow_mut().add(time.ps(), time.since(start).ps());
            self.last_delivery.set(self.last_delivery.get().max(time));
        }
    }

    /// Records that the message of `journey` was received at `time` by the receiver's clock, with its ledger if it has
    /// one.
    pub fn deliver(&self, journey: &Journey, time: Time) {
        let Some(message) = journey.message() else { return self.add_latency(journey, time) };
        self.delivered_count.set(self.delivered_count.get() + 1);
        if self.add_to_sums(message, time) {
            self.add_latency(journey, time);
        }
        self.count_settled(message, time);
    }

    /// Adds a delivered message to the sums, unless it belongs to the warm-up of its flow. Returns whether it was
    /// added.
    fn add_to_sums(&self, message: &Rc<Message>, time: Time) -> bool {
        let ledger = message.borrow_ledger();
        assert_eq!(ledger.start() + ledger.total(), time, "the stages of a message sum to its latency");
        self.expected_stages.set(ledger.stages().len().min(INITIAL_CAPACITY));
        if !self.is_measuring.get() {
            return false;
        }
        let mut flows = self.flows.borrow_mut();
        let flow = flows.entry((message.source, message.destination)).or_default();
        if flow.remaining_warm_up > 1 {
            flow.remaining_warm_up -= 1;
            flow.warm_up_delivery_times.add(time);
            return false;
        }
        self.measured_count.set(self.measured_count.get() + 1);
        let mut first_delivered = self.first_delivered.borrow_mut();
        if first_delivered.len() < self.sim.recorder().messages_max() {
            first_delivered.push((message.clone(), time));
        }
        if let Some(number) = flow.latencies.count().checked_div(flow.tested_flows) {
            self.flow_series.borrow_mut().add(number, ledger.total(), time);
        }
        flow.latencies.add(ledger.total());
        flow.delivery_times.add(time);
        if flow.tested_flows > 0 && flow.latencies.count() == flow.tested_messages {
            self.flow_series.borrow_mut().end();
        }
        if self.keeps_ledger_of(message.source) {
            self.ledger_sums.borrow_mut().add(&ledger);
        }
        true
    }

    /// Excludes the next `messages` messages of a flow, all but the last, from all measurements, since they warm up
    /// caches and queues. The last one is measured, because bandwidth is counted from its delivery. Several calls add
    /// up.
    pub fn exclude_warm_up(&self, from: EndpointId, to: EndpointId, messages: u64) {
        self.flows.borrow_mut().entry((from, to)).or_default().remaining_warm_up += messages;
    }

    /// Tests the latencies of a flow of `messages` measured messages for an initial transient, together with the
    /// latencies of the other tested flows.
    pub fn test_for_transient(&self, from: EndpointId, to: EndpointId, messages: u64) {
        let mut flows = self.flows.borrow_mut();
        let flow = flows.entry((from, to)).or_default();
        flow.tested_flows += 1;
        flow.tested_messages += messages;
        self.flow_series.borrow_mut().add_flow();
    }

    /// Returns the latencies of the flows that are tested for an initial transient.
    pub fn flow_series(&self) -> Ref<'_, FlowSeries> {
        self.flow_series.borrow()
    }

    /// Returns the deliveries of a flow from now on, for a sender that limits its messages in flight.
    pub fn deliveries(&self, from: EndpointId, to: EndpointId) -> Rc<Deliveries> {
        let new_deliveries = || {
            let change_signal = Signal::new(&self.sim, "the delivery of an earlier message");
            Rc::new(Deliveries { settled_times: RefCell::default(), change_signal })
        };
        self.deliveries.borrow_mut().entry((from, to)).or_insert_with(new_deliveries).clone()
    }

    /// Records that a packet of the message of `journey` was lost and will not be retransmitted.
    pub fn record_loss(&self, journey: &Journey) {
        let Some(message) = journey.message() else { return };
        if self.lost_messages.borrow_mut().insert(message.id) {
            self.count_settled(message, self.sim.now());
        }
    }

    /// Counts a packet or datagram that software dropped for `reason`.
    pub fn count_dropped_packet(&self, reason: &'static str) {
        *self.dropped_packets.borrow_mut().entry(reason).or_default() += 1;
    }

    /// Returns the numbers of packets or datagrams that software dropped, by reason.
    pub fn dropped_packets(&self) -> Vec<(&'static str, u64)> {
        self.dropped_packets.borrow().iter().map(|(reason, times)| (*reason, *times)).collect()
    }

    /// Counts a message that was delivered or lost, and wakes the tasks that wait for it.
    fn count_settled(&self, message: &Message, time: Time) {
        let (source, destination) = (message.source, message.destination);
        if let Some(deliveries) = self.deliveries.borrow().get(&(source, destination)) {
            deliveries.settled_times.borrow_mut().push_back(time);
            deliveries.change_signal.notify();
        }
        let mut settled_counts = self.settled_counts.borrow_mut();
        let endpoint_count = settled_counts.len().max(destination.index() + 1);
        settled_counts.resize(endpoint_count, 0);
        settled_counts[destination.index()] += 1;
        self.sim.progress();
        self.change_signal.notify();
    }

    /// Returns the number of messages sent so far.
    pub fn sent_count(&self) -> u64 {
        self.messages_created.get()
    }

    /// Returns the number of messages delivered so far, measured or not.
    pub fn delivered_count(&self) -> u64 {
        self.delivered_count.get()
    }

    /// Returns the number of messages lost so far.
    pub fn lost_count(&self) -> u64 {
        self.lost_messages.borrow().len() as u64
    }

    /// Limits the ledger sums to the messages of `source` from now on.
    pub fn limit_ledgers_to(&self, source: EndpointId) {
        self.ledger_source.set(Some(source));
    }

    /// Returns whether the ledger sums cover the messages of `source`.
    pub fn keeps_ledger_of(&self, source: EndpointId) -> bool {
        self.ledger_source.get().is_none_or(|ledger_source| ledger_source == source)
    }

    /// Returns the number of messages delivered and measured so far.
    pub fn measured_count(&self) -> u64 {
        self.measured_count.get()
    }

    /// Returns the first messages that were delivered and measured, in the order of delivery, each with its time of
    /// delivery: as many as the recorder keeps.
    pub fn delivered(&self) -> Ref<'_, [(Rc<Message>, Time)]> {
        Ref::map(self.first_delivered.borrow(), Vec::as_slice)
    }

    /// Returns the tally of the messages from `from` to `to`.
    pub fn flow(&self, from: EndpointId, to: EndpointId) -> FlowTally {
        self.flows.borrow().get(&(from, to)).cloned().unwrap_or_default()
    }

    /// Returns the sums of the ledgers.
    pub fn ledger_sums(&self) -> LedgerSums {
        self.ledger_sums.borrow().clone()
    }

    /// Returns the latencies of all messages delivered and measured so far.
    pub fn latencies(&self) -> Ref<'_, Summary> {
        self.latencies.borrow()
    }

    /// Returns the latencies over the time of delivery, in picoseconds.
    pub fn latency_series(&self) -> Ref<'_, TimeSeries> {
        self.latency_series.borrow()
    }

    /// Returns the latest instant at which a measured message was delivered, by its receiver's clock, which may be
    /// ahead of the simulation.
    pub fn last_delivery(&self) -> Time {
        self.last_delivery.get()
    }

    /// Waits until each endpoint has received or lost the number of messages that it expects. A deadlock report names
    /// the first endpoint that has not.
    pub async fn wait_until_settled(&self, expected: &[ExpectedMessages]) {
        for expectation in expected {
            self.sim.set_holder(self.change_signal.wait_reason(), expectation.receiver);
            while self.settled_counts.borrow().get(expectation.endpoint.index()).copied().unwrap_or(0)
                < expectation.messages
            {
                self.change_signal.wait().await;
            }
        }
    }
}
