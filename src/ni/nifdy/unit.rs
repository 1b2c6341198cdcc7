//! What stands between the queues: the protocol's unit, or plain buffers.

use super::parameters::{InterfaceParameters, Kind};
use super::{InterfaceParameters as Parameters, Shared};
use crate::engine::Time;
use crate::protocol::nifdy::{self, Answer, Delivered, Frame, Outgoing, Plain, Statistics};

/// A unit of either kind; see `protocol::nifdy` for what its methods mean.
pub enum Unit {
    /// With the protocol.
    Nifdy(Box<nifdy::Unit<Shared>>),
    /// Without.
    Plain(Plain<Shared>),
}

macro_rules! either {
    ($unit:expr, $inner:ident => $does:expr) => {
        match $unit {
            Unit::Nifdy($inner) => $does,
            Unit::Plain($inner) => $does,
        }
    };
}

impl Unit {
    pub(super) fn new(own: u32, parameters: &Parameters) -> Unit {
        let InterfaceParameters { kind, .. } = parameters;
        match kind {
            Kind::Nifdy(parameters) => Unit::Nifdy(Box::new(nifdy::Unit::new(own, parameters))),
            Kind::Plain { outgoing, arrivals } => Unit::Plain(Plain::new(own, *outgoing, *arrivals)),
        }
    }

    pub(super) fn offer(&mut self, packet: Outgoing<Shared>) -> Result<(), Outgoing<Shared>> {
        either!(self, unit => unit.offer(packet))
    }

    pub(super) fn next_acknowledgement(&mut self) -> Option<Frame<Shared>> {
        either!(self, unit => unit.next_acknowledgement())
    }

    pub(super) fn next_packet(&mut self, now: Time) -> Option<Frame<Shared>> {
        either!(self, unit => unit.next_packet(now))
    }

    pub(super) fn arrive(&mut self, frame: Frame<Shared>) -> bool {
        either!(self, unit => unit.arrive(frame))
    }

    pub(super) fn front(&self) -> Option<(u32, Shared)> {
        either!(self, unit => unit.front().map(|(source, body)| (source, body.clone())))
    }

    pub(super) fn accept(&mut self, answer: Answer) -> Option<Delivered<Shared>> {
        either!(self, unit => unit.accept(answer))
    }

    pub(super) fn arrived(&self) -> usize {
        either!(self, unit => unit.arrived())
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        either!(self, unit => unit.next_timer())
    }

    pub(super) fn on_time(&mut self, now: Time) {
        either!(self, unit => unit.on_time(now));
    }

    pub(super) fn state_bytes(&self, packet_bytes: usize) -> usize {
        either!(self, unit => unit.state_bytes(packet_bytes))
    }

    pub(super) fn statistics(&self) -> Statistics {
        either!(self, unit => unit.statistics())
    }
}
