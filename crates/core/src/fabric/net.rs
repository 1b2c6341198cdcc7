//! A fabric in a simulation: the trait that each fabric implements, and the type that interfaces use.
//!
//! A fabric has stream ports, packet ports or both; an adapter makes the kind that the fabric does not have.

use super::any::{AnyStreamRx, AnyStreamTx};
use super::capabilities::FabricCapabilities;
use super::hub::{DeliveryHub, PacketCounts};
use super::packet_adapter::PacketOverStream;
use super::port::{LinkUse, PacketPort};
use super::stream_adapter::streams_over_packets;
use crate::engine::{Bytes, Class, NodeId, Sim};
use std::rc::Rc;

/// The two sides of a node's stream of one class.
pub type StreamPair = (AnyStreamTx, AnyStreamRx);

/// The ports that a fabric has for a node. An adapter makes the kind that is missing.
pub enum NodePorts {
    /// A stream for each class.
    Streams(Vec<StreamPair>),
    /// A port for whole packets.
    Packets(Rc<dyn PacketPort>),
    /// Ports of both kinds, of which a node uses one. The streams are made when the node asks for them.
    StreamsAndPackets {
        /// Makes a stream for each class.
        streams: Box<dyn FnOnce() -> Vec<StreamPair>>,
        /// The port for whole packets.
        packets: Rc<dyn PacketPort>,
    },
}

/// A fabric in a simulation.
pub trait FabricNet {
    /// Returns the ports of a node.
    fn ports(&self, node: NodeId) -> NodePorts;

    /// Returns the use of each link in each direction.
    fn links(&self) -> Vec<LinkUse>;

    /// Returns the counts of packets at the fabric's packet ports, without those of its adapters.
    fn packet_counts(&self) -> PacketCounts {
        PacketCounts::default()
    }

    /// Returns the bytes of cross-traffic that have entered, if there is cross-traffic.
    fn cross_traffic(&self) -> Option<Bytes> {
        None
    }
}

/// A fabric in a simulation, with the adapters that give each interface the kind of port that it uses.
#[derive(Clone)]
pub struct Fabric {
    net: Rc<dyn FabricNet>,
    capabilities: FabricCapabilities,
    /// Listeners and counts of the packets that pass through adapters.
    hub: Rc<DeliveryHub>,
}

impl Fabric {
    /// Returns the fabric `net`, which has these capabilities.
    pub fn new(net: Rc<dyn FabricNet>, capabilities: FabricCapabilities) -> Fabric {
        Fabric { net, capabilities, hub: Rc::default() }
    }

    /// Returns the fabric's capabilities.
    pub fn capabilities(&self) -> FabricCapabilities {
        self.capabilities
    }

    /// Returns the stream of one class at `node`, whose name is `name`. This method is called once for each node and
    /// class.
    pub fn streams(&self, sim: &Sim, node: NodeId, name: &str, class: Class) -> StreamPair {
        let mut stream_pairs = match self.net.ports(node) {
            NodePorts::Streams(streams) => streams,
            NodePorts::StreamsAndPackets { streams, .. } => streams(),
            NodePorts::Packets(port) => {
                let FabricCapabilities { classes, link_rate, .. } = self.capabilities;
                let pairs = streams_over_packets(sim, name, &port, classes, link_rate).into_iter();
                pairs.map(|(tx, rx)| (AnyStreamTx::custom(tx), AnyStreamRx::custom(rx))).collect()
            }
        };
        stream_pairs.swap_remove(class.index())
    }

    /// Returns the port for whole packets at `node`, whose name is `name`. This method is called once for each node.
    pub fn packet_port(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn PacketPort> {
        match self.net.ports(node) {
            NodePorts::Streams(streams) => PacketOverStream::start(sim, node, name, streams, &self.hub),
            NodePorts::Packets(packets) | NodePorts::StreamsAndPackets { packets, .. } => packets,
        }
    }

    /// Returns the bytes of cross-traffic that have entered, if there is cross-traffic.
    pub fn cross_traffic(&self) -> Option<Bytes> {
        self.net.cross_traffic()
    }

    /// Returns the counts of packets, without what was sent as streams.
    pub fn packet_counts(&self) -> PacketCounts {
        self.net.packet_counts() + self.hub.counts()
    }

    /// Returns the use of each link in each direction.
    pub fn links(&self) -> Vec<LinkUse> {
        self.net.links()
    }
}
