//! The context in which an interface is built: the simulation, the node's host, the fabric, the protocol, and the
//! records that all nodes share.

use super::connections::ConnectionTable;
use super::driver::Costs;
use super::in_flight::InFlight;
use super::port::Port;
use super::port_config::{PortConfig, Stages};
use crate::engine::{Bytes, EndpointMap, MessageTally, NodeId, Sim};
use crate::fabric::Fabric;
use crate::host::{Host, Processor};
use crate::protocol::ProtocolBinding;
use std::rc::Rc;

/// The context in which the interface of a node is built.
pub struct BuildContext<'a> {
    /// Simulation.
    pub sim: &'a Sim,
    /// Host that the interface is attached to.
    pub host: &'a Host,
    /// Fabric between the nodes.
    pub fabric: &'a Fabric,
    /// Protocol that the interfaces agree on.
    pub protocol: &'a ProtocolBinding,
    /// Cycles of the messaging layer.
    pub costs: Costs,
    /// Record of all messages.
    pub tally: &'a Rc<MessageTally>,
    /// Counters of packets in flight.
    pub in_flight: &'a Rc<InFlight>,
    /// Map from endpoints to nodes.
    pub addresses: &'a Rc<EndpointMap>,
    /// Queue pairs that the nodes have connected.
    pub connections: &'a Rc<ConnectionTable>,
}

impl BuildContext<'_> {
    /// Returns the node's number.
    pub fn node(&self) -> NodeId {
        self.host.node
    }

    /// Returns the node's name.
    pub fn name(&self) -> &str {
        &self.host.name
    }

    /// Starts a port for whole packets of at most `packet` bytes, which runs the machine's protocol over its fabric. A
    /// packet may be taken when all of it has arrived.
    pub fn port(&self, packet: Bytes, stages: Stages) -> Rc<Port> {
        Port::start(self.port_config(packet, stages))
    }

    /// Starts a port as [`port`](Self::port) does, except that a packet may be taken as soon as its header has arrived.
    pub fn port_accepting_on_header(&self, packet: Bytes, stages: Stages) -> Rc<Port> {
        Port::start(PortConfig { accepts_on_header: true, ..self.port_config(packet, stages) })
    }

    fn port_config(&self, packet: Bytes, stages: Stages) -> PortConfig<'_> {
        PortConfig {
            sim: self.sim,
            node: self.node(),
            name: self.name(),
            clock: self.host.cpu().clock(),
            wire: self.fabric.packet_port(self.sim, self.node(), self.name()),
            classes: self.fabric.capabilities().classes,
            protocol: self.protocol,
            tally: self.tally,
            in_flight: self.in_flight,
            addresses: self.addresses,
            packet_max: packet,
            accepts_on_header: false,
            stages,
        }
    }
}
