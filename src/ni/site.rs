//! What an interface is built on, and what its port is wired to there.

use super::driver::Costs;
use super::pending::Pending;
use super::wiring::PortWiring;
use crate::engine::{Addresses, Bytes, MessageTally, NodeId, Sim};
use crate::fabric::Fabric;
use crate::host::{Host, Processor};
use crate::protocol::ProtocolBinding;
use std::rc::Rc;

/// What an interface is built on.
pub struct Site<'a> {
    /// The simulation.
    pub sim: &'a Sim,
    /// The host.
    pub host: &'a Host,
    /// The fabric.
    pub fabric: &'a Fabric,
    /// The protocol.
    pub protocol: &'a ProtocolBinding,
    /// What messaging costs there.
    pub costs: Costs,
    /// What became of messages.
    pub tally: &'a Rc<MessageTally>,
    /// Packets under way.
    pub pending: &'a Rc<Pending>,
    /// Which node each endpoint is on.
    pub addresses: &'a Rc<Addresses>,
}

impl Site<'_> {
    /// The node's number.
    pub fn node(&self) -> NodeId {
        self.host.node
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.host.name
    }

    /// What a port here is wired to; `packet` is the largest.
    pub(super) fn wiring(&self, packet: Bytes) -> PortWiring<'_> {
        PortWiring {
            sim: self.sim,
            node: self.node(),
            name: self.name(),
            clock: self.host.cpu().clock(),
            wire: self.fabric.packet_port(self.sim, self.node(), self.name()),
            classes: self.fabric.capabilities().classes,
            protocol: self.protocol,
            tally: self.tally,
            pending: self.pending,
            addresses: self.addresses,
            packet,
        }
    }
}
