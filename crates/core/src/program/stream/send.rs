//! Senders of streams: the closed loop, and the open loop with its backlog.

use super::Stream;
use crate::engine::{Deliveries, EndpointId, Time};
use crate::messaging::{Endpoint, Outgoing, World};
use crate::program::arrivals::ArrivalTimes;
use crate::program::backlog::Backlog;
use crate::program::pattern::PatternBuffers;
use std::cell::RefCell;
use std::iter::Peekable;
use std::rc::Rc;

/// Number of windows of a flow's measured messages. The backlog is sampled at the beginning of each.
pub(super) const WINDOWS: u64 = 5;
/// Number of consecutive windows in which the backlog of a saturated flow grows. In the first window, queues may fill.
pub(super) const GROWING_WINDOWS: u64 = WINDOWS - 1;
/// Smallest number of measured messages with which a flow is tested for saturation, since a few messages are no load.
pub(super) const MESSAGES_MIN: u64 = 100;

/// A flow's sender: the sending endpoint of the flow, and its counts.
pub(super) struct Sender {
    pub stream: Rc<Stream>,
    pub world: World,
    /// Number of the flow.
    pub flow: usize,
    pub from: EndpointId,
    pub to: EndpointId,
    pub counts: Rc<RefCell<SenderCounts>>,
}

/// Counts of a flow at its sender.
pub(super) enum SenderCounts {
    Closed(ClosedCounts),
    Open(OpenCounts),
}

/// Counts of a closed loop.
#[derive(Default)]
pub(super) struct ClosedCounts {
    /// Largest number of messages in flight, if there is a limit.
    pub in_flight_max: u64,
}

/// Counts of an open loop.
pub(super) struct OpenCounts {
    /// Time from which arrivals are scheduled.
    pub start: Option<Time>,
    /// Detector of a growing backlog; `None` if the flow has too few messages.
    pub backlog: Option<Backlog>,
    /// Largest number of messages that waited at once.
    pub backlog_max: u64,
    /// Scheduled arrival of the first measured message, with the number of messages that waited then.
    pub first_arrival: Option<(Time, u64)>,
    /// Scheduled arrival of the last measured message, with the number of messages that waited then.
    pub last_arrival: Option<(Time, u64)>,
}

impl SenderCounts {
    /// Creates the counts of a flow of `stream`.
    pub fn new(stream: &Stream) -> SenderCounts {
        if !stream.arrivals.is_open() {
            return SenderCounts::Closed(ClosedCounts::default());
        }
        let detector = || Backlog::new(stream.messages / WINDOWS, GROWING_WINDOWS, stream.arrivals.dispersion());
        let backlog = (stream.messages >= MESSAGES_MIN).then(detector);
        SenderCounts::Open(OpenCounts { start: None, backlog, backlog_max: 0, first_arrival: None, last_arrival: None })
    }

    /// Returns the counts of an open loop, or `None` for a closed one.
    pub fn open(&self) -> Option<&OpenCounts> {
        match self {
            SenderCounts::Open(counts) => Some(counts),
            SenderCounts::Closed(_) => None,
        }
    }
}

impl Sender {
    /// Sends the flow's messages from a few buffers in turn, each with a different pattern.
    pub async fn run(self) {
        let endpoint = self.world.endpoint(self.from).clone();
        let patterns = PatternBuffers::prepare(&endpoint, self.stream.payload).await;
        if self.stream.arrivals.is_open() {
            self.send_open_loop(&endpoint, &patterns).await;
        } else {
            self.send_closed_loop(&endpoint, &patterns).await;
        }
    }

    fn outgoing<'a>(&self, patterns: &PatternBuffers, number: u64) -> Outgoing<'a> {
        let (tag, address) = patterns.tag_and_buffer(number);
        Outgoing { destination: self.to, tag, address, payload: self.stream.payload, words: &[] }
    }

    /// Runs a closed loop, which sends each message when earlier ones allow it.
    async fn send_closed_loop(&self, endpoint: &Endpoint, patterns: &PatternBuffers) {
        let (outstanding, think_time) = self.stream.arrivals.closed_loop();
        let mut in_flight_limit =
            outstanding.map(|limit| InFlightLimit::new(limit, self.world.tally.deliveries(self.from, self.to)));
        for number in 0..self.stream.total_messages() {
            if let Some(in_flight_limit) = &mut in_flight_limit {
                let delivery_time = in_flight_limit.wait_until_allowed().await;
                endpoint.until(delivery_time.map_or(Time::ZERO, |time| time.saturating_add(think_time))).await;
            }
            let reaches_limit =
                in_flight_limit.as_ref().is_some_and(|in_flight_limit| in_flight_limit.next_reaches_limit());
            let sends_next_at_once =
                think_time == Time::ZERO && !reaches_limit && number + 1 < self.stream.total_messages();
            endpoint.send_in_burst(self.outgoing(patterns, number), endpoint.now(), sends_next_at_once).await;
            match &mut in_flight_limit {
                Some(in_flight_limit) => in_flight_limit.count_sent(&self.counts),
                None if think_time > Time::ZERO => endpoint.until(endpoint.now().saturating_add(think_time)).await,
                None => {}
            }
        }
    }

    /// Runs an open loop, which sends each message at its scheduled arrival, or as soon after it as the interface takes
    /// it.
    async fn send_open_loop(&self, endpoint: &Endpoint, patterns: &PatternBuffers) {
        let start = endpoint.now();
        if let SenderCounts::Open(counts) = &mut *self.counts.borrow_mut() {
            counts.start = Some(start);
        }
        let total_messages = self.stream.total_messages();
        let mut observer = BacklogObserver {
            arrivals: self.schedule().peekable(),
            arrival_count: 0,
            warm_up: self.stream.warm_up,
            total_messages,
            counts: self.counts.clone(),
        };
        let mut arrivals = self.schedule().peekable();
        for number in 0..total_messages {
            let Some(arrival) = arrivals.next() else { break };
            let scheduled_time = start.saturating_add(arrival);
            endpoint.until(scheduled_time).await;
            observer.count_arrivals(number, endpoint.now().since(start));
            let next_time =
                arrivals.peek().map(|arrival| start.saturating_add(*arrival)).filter(|_| number + 1 < total_messages);
            let sends_next_at_once = next_time.is_some_and(|time| time <= endpoint.now());
            endpoint.send_in_burst(self.outgoing(patterns, number), scheduled_time, sends_next_at_once).await;
        }
        observer.count_arrivals(total_messages, Time::MAX);
    }

    fn schedule(&self) -> ArrivalTimes {
        self.stream.arrivals.schedule(self.world.seed, self.flow)
    }
}

/// The limit of a closed loop, and the number of messages in flight.
struct InFlightLimit {
    limit: u64,
    deliveries: Rc<Deliveries>,
    /// Messages sent whose delivery the sender has not taken yet.
    outstanding: u64,
}

impl InFlightLimit {
    fn new(limit: u64, deliveries: Rc<Deliveries>) -> InFlightLimit {
        InFlightLimit { limit, deliveries, outstanding: 0 }
    }

    /// Waits until one more message may be sent. Returns the time of the delivery that allows it, if the sender took
    /// one.
    async fn wait_until_allowed(&mut self) -> Option<Time> {
        if self.outstanding < self.limit {
            return None;
        }
        let delivery_time = self.deliveries.next().await;
        self.outstanding -= 1;
        Some(delivery_time)
    }

    /// Returns whether the next message reaches the limit, so that the one after it has to wait for a delivery.
    fn next_reaches_limit(&self) -> bool {
        self.outstanding.saturating_sub(self.deliveries.pending()) + 1 >= self.limit
    }

    fn count_sent(&mut self, counts: &RefCell<SenderCounts>) {
        self.outstanding += 1;
        // Pending deliveries may include those of other flows between the same endpoints.
        let in_flight = self.outstanding.saturating_sub(self.deliveries.pending());
        if let SenderCounts::Closed(counts) = &mut *counts.borrow_mut() {
            counts.in_flight_max = counts.in_flight_max.max(in_flight);
        }
    }
}

/// Counts, at each arrival, the messages that have been scheduled and not been sent.
struct BacklogObserver {
    arrivals: Peekable<ArrivalTimes>,
    /// Arrivals counted so far.
    arrival_count: u64,
    warm_up: u64,
    total_messages: u64,
    counts: Rc<RefCell<SenderCounts>>,
}

impl BacklogObserver {
    /// Counts the arrivals before `now`, when `sent_messages` messages have been sent and one more is about to be sent.
    fn count_arrivals(&mut self, sent_messages: u64, now: Time) {
        let SenderCounts::Open(counts) = &mut *self.counts.borrow_mut() else { return };
        while self.arrival_count < self.total_messages {
            let Some(arrival) = self.arrivals.next_if(|arrival| *arrival < now) else { return };
            self.arrival_count += 1;
            let waiting_messages = self.arrival_count.saturating_sub(sent_messages);
            counts.record_arrival(arrival, waiting_messages, (self.arrival_count - 1).checked_sub(self.warm_up));
        }
    }
}

impl OpenCounts {
    fn record_arrival(&mut self, arrival: Time, waiting_messages: u64, measured_number: Option<u64>) {
        let Some(number) = measured_number else { return };
        self.backlog_max = self.backlog_max.max(waiting_messages);
        if let Some(backlog) = &mut self.backlog {
            backlog.sample(number + 1, waiting_messages, number + 1);
        }
        self.first_arrival = self.first_arrival.or(Some((arrival, waiting_messages)));
        self.last_arrival = Some((arrival, waiting_messages));
    }

    /// Returns the time from the first measured arrival to the last.
    pub fn window(&self) -> Option<Time> {
        let window = self.last_arrival?.0 - self.first_arrival?.0;
        (window > Time::ZERO).then_some(window)
    }
}
