//! The connections of a port, and the names of the stages that end at it.

use super::in_flight::InFlight;
use crate::engine::{Bytes, EndpointMap, Hertz, MessageTally, NodeId, Sim};
use crate::fabric::PacketPort;
use crate::protocol::ProtocolBinding;
use std::rc::Rc;

/// Stages of a packet between two interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// Stage that ends when the interface first gives the packet to the fabric; recorded if it takes time.
    pub pool: &'static str,
    /// Whether `pool` is recorded even if it takes no time.
    pub records_zero_pool_time: bool,
    /// Stage that ends when the packet is at the receiving interface.
    pub fabric: &'static str,
}

/// The connections of a port, and the names of its stages.
pub struct PortConfig<'a> {
    /// Simulation.
    pub sim: &'a Sim,
    /// Node.
    pub node: NodeId,
    /// Name of the node.
    pub name: &'a str,
    /// Clock of the interface.
    pub clock: Hertz,
    /// The node's connection to the fabric.
    pub wire: Rc<dyn PacketPort>,
    /// Number of the fabric's classes.
    pub classes: u8,
    /// Protocol between the port and the fabric.
    pub protocol: &'a ProtocolBinding,
    /// Record of all messages.
    pub tally: &'a Rc<MessageTally>,
    /// Counters of packets in flight.
    pub in_flight: &'a Rc<InFlight>,
    /// Map from endpoints to nodes.
    pub addresses: &'a Rc<EndpointMap>,
    /// Longest packet.
    pub packet_max: Bytes,
    /// Whether a packet may be taken as soon as its header has arrived; otherwise all of it must have arrived.
    pub accepts_on_header: bool,
    /// Names of the stages.
    pub stages: Stages,
}
