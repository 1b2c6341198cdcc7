//! The record of a message for measurement: its source, destination and payload, and the ledgers of its packets.
//!
//! A [`Journey`] is a measurement instrument, not a part of the modelled machine: models of hardware pass it along with
//! the bytes, and no model bases a decision on it. Without a ledger it consists of the message's number and start, and
//! needs no allocation.
//!
//! A message of several packets has one journey for each packet, which begins at the message's start; the journey of
//! the packet that completes the message is reported as the message's. A retransmitted copy has a separate journey from
//! its transmission on ([`Journey::fork`]); the journey of the copy that the receiver accepts is reported.

use super::endpoint::EndpointId;
use super::ledger::Ledger;
use super::time::Time;
use super::units::Bytes;
use std::cell::RefCell;
use std::rc::Rc;

/// The properties of a message, carried with one of its packets.
#[derive(Clone, Debug)]
pub struct Message {
    /// The number of the message in the run.
    pub id: u64,
    /// The sending endpoint.
    pub source: EndpointId,
    /// The receiving endpoint.
    pub destination: EndpointId,
    /// The payload, without headers and control words.
    pub payload: Bytes,
    ledger: RefCell<Ledger>,
}

impl Message {
    /// Returns a copy of the ledger.
    pub fn ledger(&self) -> Ledger {
        self.ledger.borrow().clone()
    }

    /// Borrows the ledger.
    pub(super) fn borrow_ledger(&self) -> std::cell::Ref<'_, Ledger> {
        self.ledger.borrow()
    }
}

/// The record of a packet's journey, with or without a ledger.
#[derive(Clone, Debug, Default)]
pub struct Journey(JourneyState);

#[derive(Clone, Debug, Default)]
enum JourneyState {
    /// The packet is not recorded.
    #[default]
    Unrecorded,
    /// The message is counted, and its latency is measured from `start`.
    WithoutLedger { id: u64, start: Time },
    /// The message has a ledger.
    WithLedger(Rc<Message>),
}

impl Journey {
    /// The journey of a packet that is not recorded.
    pub const NONE: Journey = Journey(JourneyState::Unrecorded);

    /// Returns the journey of a message whose latency is counted from `start`.
    pub fn new(id: u64, source: EndpointId, destination: EndpointId, payload: Bytes, start: Time) -> Journey {
        Journey::with_ledger(id, source, destination, payload, Ledger::new(start))
    }

    /// Begins the journey of a message whose ledger is `ledger`.
    pub(super) fn with_ledger(
        id: u64,
        source: EndpointId,
        destination: EndpointId,
        payload: Bytes,
        ledger: Ledger,
    ) -> Journey {
        let ledger = RefCell::new(ledger);
        Journey(JourneyState::WithLedger(Rc::new(Message { id, source, destination, payload, ledger })))
    }

    /// Returns the journey of another packet of the same message, from the message's start.
    pub fn for_another_packet(&self) -> Journey {
        match self.message() {
            None => self.clone(),
            Some(message) => {
                let Message { id, source, destination, payload, .. } = **message;
                Journey::new(id, source, destination, payload, message.ledger.borrow().start())
            }
        }
    }

    /// Returns the journey of a copy of the packet, which is separate from now on.
    pub fn fork(&self) -> Journey {
        match self.message() {
            None => self.clone(),
            Some(message) => Journey(JourneyState::WithLedger(Rc::new((**message).clone()))),
        }
    }

    #[inline]
    pub(super) fn message(&self) -> Option<&Rc<Message>> {
        match &self.0 {
            JourneyState::WithLedger(message) => Some(message),
            JourneyState::Unrecorded | JourneyState::WithoutLedger { .. } => None,
        }
    }

    /// Returns the message's number, for spans.
    #[inline]
    pub fn id(&self) -> Option<u64> {
        match &self.0 {
            JourneyState::Unrecorded => None,
            JourneyState::WithoutLedger { id, .. } => Some(*id),
            JourneyState::WithLedger(message) => Some(message.id),
        }
    }

    /// Returns whether the message has a ledger.
    pub fn has_ledger(&self) -> bool {
        self.message().is_some()
    }

    /// Returns the journey of a message that started at `start`, without a ledger.
    pub(super) fn without_ledger(id: u64, start: Time) -> Journey {
        Journey(JourneyState::WithoutLedger { id, start })
    }

    /// Returns the instant at which the message started, if the packet is recorded.
    pub(super) fn start(&self) -> Option<Time> {
        match &self.0 {
            JourneyState::Unrecorded => None,
            JourneyState::WithoutLedger { start, .. } => Some(*start),
            JourneyState::WithLedger(message) => Some(message.ledger.borrow().start()),
        }
    }

    /// Adds to the present stage an interval in which a resource worked for this message.
    #[inline]
    pub fn add_service(&self, from: Time, to: Time) {
        if let Some(message) = self.message() {
            message.ledger.borrow_mut().add_service(from, to);
        }
    }

    /// Ends the present stage at `time`, and names it `stage`.
    #[inline]
    pub fn close(&self, stage: &'static str, time: Time) {
        if let Some(message) = self.message() {
            message.ledger.borrow_mut().close(stage, time);
        }
    }

    /// Ends the present stage as [`close`](Journey::close) does, if the stage lasted longer than zero.
    pub fn close_if_lasted(&self, stage: &'static str, time: Time) {
        if let Some(message) = self.message() {
            let mut ledger = message.ledger.borrow_mut();
            if ledger.stage_start() < time {
                ledger.close(stage, time);
            }
        }
    }
}
