//! What a port is wired to, and the names of the stages that end at it.

use super::Pending;
use crate::engine::{Addresses, Bytes, Hertz, MessageTally, NodeId, Sim};
use crate::fabric::PacketPort;
use crate::protocol::ProtocolBinding;
use std::rc::Rc;

/// The stages of a packet between the interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// Until the interface first gives it to the fabric, which is told if it lasts.
    pub pool: &'static str,
    /// Whether it is told even if it takes no time.
    pub always: bool,
    /// Until it is at the receiving interface.
    pub fabric: &'static str,
}

/// What a port is wired to.
pub struct PortWiring<'a> {
    /// The simulation.
    pub sim: &'a Sim,
    /// The node.
    pub node: NodeId,
    /// Its name.
    pub name: &'a str,
    /// The clock of the interface.
    pub clock: Hertz,
    /// Its place in the fabric.
    pub wire: Rc<dyn PacketPort>,
    /// The fabric's classes.
    pub classes: u8,
    /// The protocol.
    pub protocol: &'a ProtocolBinding,
    /// What became of messages.
    pub tally: &'a Rc<MessageTally>,
    /// What is under way.
    pub pending: &'a Rc<Pending>,
    /// Which node each endpoint is on.
    pub addresses: &'a Rc<Addresses>,
    /// The largest packet.
    pub packet: Bytes,
}
