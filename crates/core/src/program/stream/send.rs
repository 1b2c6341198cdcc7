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
    /// Scheduled arrivals of the first and the last measured message, each with the number of messages that waited at
    /// that time.
    pub first: Option<(Time, u64)>,
    pub last: Option<(Time, u64)>,
}

impl SenderCounts {
    /// Creates the counts of a flow of `stream`.
    pub fn new(stream: &Stream) -> SenderCounts {
        if !stream.arrivals.is_open() {
            return SenderCounts::Closed(ClosedCounts::default());
        }
        let observer = || Backlog::new(stream.messages / WINDOWS, GROWING_WINDOWS, stream.arrivals.dispersion());
        let backlog = (stream.messages >= MESSAGES_MIN).then(observer);
        SenderCounts::Open(OpenCounts { start: None, backlog, backlog_max: 0, first: None, last: None })
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
        let (tag, address) = patterns.message(number);
        Outgoing { destination: self.to, tag, address, payload: self.stream.payload, words: &[] }
    }

    /// Runs a closed loop, which sends each message when earlier ones allow it.
    async fn send_closed_loop(&self, endpoint: &Endpoint, patterns: &PatternBuffers) {
        let (outstanding, think_time) = self.stream.arrivals.closed_loop();
        let mut limit = outstanding.map(|limit| InFlight::new(limit, self.world.tally.deliveries(self.from, self.to)));
        for number in 0..self.stream.total() {
            if let Some(limit) = &mut limit {
                let delivered = limit.wait_until_allowed().await;
                endpoint.until(delivered.map_or(Time::ZERO, |at| at.saturating_add(think_time))).await;
            }
            let is_limited = limit.as_ref().is_some_and(|limit| limit.next_reaches_limit());
            let sends_next_at_once = think_time == Time::ZERO && !is_limited && number + 1 < self.stream.total();
            endpoint.send_in_burst(self.outgoing(patterns, number), endpoint.now(), sends_next_at_once).await;
            match &mut limit {
                Some(limit) => limit.count_sent(&self.counts),
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
        let total = self.stream.total();
        let mut observer = BacklogObserver {
            arrivals: self.schedule().peekable(),
            arrived: 0,
            warm_up: self.stream.warm_up,
            total,
            counts: self.counts.clone(),
        };
        let mut arrivals = self.schedule().peekable();
        for number in 0..total {
            let Some(arrival) = arrivals.next() else { break };
            let scheduled = start.saturating_add(arrival);
            endpoint.until(scheduled).await;
            observer.count_arrivals(number, endpoint.now().since(start));
            let next = arrivals.peek().map(|next| start.saturating_add(*next)).filter(|_| number + 1 < total);
            let sends_next_at_once = next.is_some_and(|next| next <= endpoint.now());
            endpoint.send_in_burst(self.outgoing(patterns, number), scheduled, sends_next_at_once).await;
        }
        observer.count_arrivals(total, Time::MAX);
    }

    fn schedule(&self) -> ArrivalTimes {
        self.stream.arrivals.schedule(self.world.seed, self.flow)
    }
}

/// The limit of a closed loop, and the number of messages in flight.
struct InFlight {
    limit: u64,
    deliveries: Rc<Deliveries>,
    /// Messages sent whose delivery the sender has not taken yet.
    untaken: u64,
}

impl InFlight {
    fn new(limit: u64, deliveries: Rc<Deliveries>) -> InFlight {
        InFlight { limit, deliveries, untaken: 0 }
    }

    /// Waits until one more message may be sent. Returns the time of the delivery that allows it, if the sender took
    /// one.
    async fn wait_until_allowed(&mut self) -> Option<Time> {
        if self.untaken < self.limit {
            return None;
        }
        let delivered = self.deliveries.next().await;
        self.untaken -= 1;
        Some(delivered)
    }

    /// Returns whether no message may be sent after the next one before one is delivered.
    fn next_reaches_limit(&self) -> bool {
        self.untaken.saturating_sub(self.deliveries.pending()) + 1 >= self.limit
    }

    fn count_sent(&mut self, counts: &RefCell<SenderCounts>) {
        self.untaken += 1;
        // Pending deliveries may include those of other flows between the same endpoints.
        let in_flight = self.untaken.saturating_sub(self.deliveries.pending());
        if let SenderCounts::Closed(counts) = &mut *counts.borrow_mut() {
            counts.in_flight_max = counts.in_flight_max.max(in_flight);
        }
    }
}

/// Counts, at each arrival, the messages that have been scheduled and not been sent.
struct BacklogObserver {
    arrivals: Peekable<ArrivalTimes>,
    /// Arrivals counted so far.
    arrived: u64,
    warm_up: u64,
    total: u64,
    counts: Rc<RefCell<SenderCounts>>,
}

impl BacklogObserver {
    /// Counts the arrivals before `now`, when `sent` messages have been sent and one more is about to be sent.
    fn count_arrivals(&mut self, sent: u64, now: Time) {
        let SenderCounts::Open(counts) = &mut *self.counts.borrow_mut() else { return };
        while self.arrived < self.total {
            let Some(arrival) = self.arrivals.next_if(|arrival| *arrival < now) else { return };
            self.arrived += 1;
            let waiting = self.arrived.saturating_sub(sent);
            counts.arrived(arrival, waiting, (self.arrived - 1).checked_sub(self.warm_up));
        }
    }
}

impl OpenCounts {
    fn arrived(&mut self, arrival: Time, waiting: u64, measured: Option<u64>) {
        let Some(number) = measured else { return };
        self.backlog_max = self.backlog_max.max(waiting);
        if let Some(backlog) = &mut self.backlog {
            backlog.sample(number + 1, waiting, number + 1);
        }
        self.first = self.first.or(Some((arrival, waiting)));
        self.last = Some((arrival, waiting));
    }

    /// Returns the time from the first measured arrival to the last.
    pub fn window(&self) -> Option<Time> {
        let window = self.last?.0 - self.first?.0;
        (window > Time::ZERO).then_some(window)
    }
}
