//! A few nodes and the two networks between them. Both networks deliver in any order, after any delay: a frame in
//! transit moves when a test calls [`Net::deliver`].

use super::super::*;
use crate::engine::Time;
use std::collections::BTreeMap;

pub const A: NodeId = NodeId(0);
pub const B: NodeId = NodeId(1);
pub const C: NodeId = NodeId(2);

/// A node and one of its outgoing buffers, whose packet, or the reply to it, is in transit.
pub type Flight = (NodeId, OutgoingBuffer);

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum InTransit<P> {
    OnFirstNetwork(DataPacket<P>),
    OnSecondNetwork(Reply<P>),
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Net<P> {
    parameters: FlowControlParameters,
    pub nodes: Vec<FlowControl<P>>,
    /// Frames in transit, by the outgoing buffer that they belong to; a buffer never has two frames in transit.
    pub transit: BTreeMap<Flight, InTransit<P>>,
}

/// Returns parameters with `count` flow-control buffers and no delay before a retry.
pub fn buffers(count: u32) -> FlowControlParameters {
    FlowControlParameters::symmetric(Buffers::finite(count).unwrap(), Retry::constant(Time::ZERO))
}

impl<P> Net<P> {
    pub fn pair(parameters: FlowControlParameters) -> Net<P> {
        Net::new(2, parameters)
    }

    pub fn with_three_nodes(parameters: FlowControlParameters) -> Net<P> {
        Net::new(3, parameters)
    }

    pub fn new(nodes: u32, parameters: FlowControlParameters) -> Net<P> {
        let nodes = (0..nodes).map(|n| FlowControl::new(NodeId(n), parameters)).collect();
        Net { parameters, nodes, transit: BTreeMap::new() }
    }

    pub fn node(&mut self, node: NodeId) -> &mut FlowControl<P> {
        &mut self.nodes[node.0 as usize]
    }

    /// Injects a packet into the first network.
    pub fn inject(&mut self, packet: DataPacket<P>) -> Flight {
        let flight = (packet.from, packet.buffer);
        let previous_frame = self.transit.insert(flight, InTransit::OnFirstNetwork(packet));
        assert!(previous_frame.is_none(), "a buffer has one frame in transit");
        flight
    }

    pub fn send(&mut self, from: NodeId, to: NodeId, payload: P) -> Result<Flight, P> {
        let packet = self.node(from).outgoing.send(to, payload)?;
        Ok(self.inject(packet))
    }

    pub fn retry(&mut self, node: NodeId, now: Time) -> Option<Flight> {
        let packet = self.node(node).outgoing.retry(now)?;
        Some(self.inject(packet))
    }

    /// Delivers the frame in transit: a packet to its receiver, whose reply is then in transit, or a reply to the
    /// sender, in which case the outcome is returned.
    pub fn deliver(&mut self, flight: Flight, now: Time) -> Option<ReplyOutcome> {
        match self.transit.remove(&flight).expect("the frame is in transit") {
            InTransit::OnFirstNetwork(packet) => {
                let reply = self.node(packet.to).incoming.arrive(packet);
                assert_eq!((reply.to, reply.buffer), flight, "a reply goes to its packet's buffer");
                self.transit.insert(flight, InTransit::OnSecondNetwork(reply));
                None
            }
            InTransit::OnSecondNetwork(reply) => Some(self.node(reply.to).outgoing.reply(reply, now)),
        }
    }

    /// Carries a packet to its receiver and the reply back to the sender.
    pub fn round_trip(&mut self, flight: Flight, now: Time) -> ReplyOutcome {
        assert!(self.deliver(flight, now).is_none());
        self.deliver(flight, now).expect("the receiver replies")
    }

    /// Returns the number of messages between send and take.
    pub fn messages_in_transit(&self) -> u64 {
        let carries_payload = |item: &&InTransit<P>| match item {
            InTransit::OnFirstNetwork(_) => true,
            InTransit::OnSecondNetwork(reply) => !reply.is_accepted(),
        };
        let in_buffers = |node: &FlowControl<P>| node.outgoing.census().bounced + node.incoming.census().waiting;
        let in_transit = self.transit.values().filter(carries_payload).count() as u64;
        in_transit + self.nodes.iter().map(|node| u64::from(in_buffers(node))).sum::<u64>()
    }

    /// Returns whether the outgoing buffers in flight are exactly those with a frame in transit.
    pub fn both_sides_agree(&self) -> bool {
        (0..).zip(&self.nodes).all(|(n, node)| {
            let transit = self.transit.keys().filter(|(owner, _)| *owner == NodeId(n)).count();
            let in_flight =
                node.outgoing.buffer_waits().filter(|(_, wait)| matches!(wait, BufferWait::InFlight(_))).count();
            in_flight == transit && node.outgoing.census().in_flight as usize == transit
        })
    }

    /// Returns whether each node uses at most as many buffers as it has, and the other buffers are free.
    pub fn within_buffers(&self) -> bool {
        let (outgoing, incoming) = (self.parameters.outgoing.count(), self.parameters.incoming.count());
        self.nodes.iter().all(|node| {
            let (sent_census, received_census) = (node.outgoing.census(), node.incoming.census());
            sent_census.free.map(|free| free + sent_census.used()) == outgoing
                && received_census.free.map(|free| free + received_census.used()) == incoming
        })
    }

    pub fn is_idle(&self) -> bool {
        self.transit.is_empty() && self.nodes.iter().all(FlowControl::is_idle)
    }
}
