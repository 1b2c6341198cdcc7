//! The ideal fabric: a fixed latency, no topology, no contention inside the fabric.
//!
//! The module models the network of Mukherjee and Hill (1998, §5.1.2): the first byte of a packet leaves 40 ns after
//! its last byte entered, or, with `cut-through`, 40 ns after its first byte entered. A node's link has one rate in
//! each direction and transmits one packet at a time; each class has a separate link. Packets to one node leave the
//! fabric in the order in which they left their sources; a packet that the node does not take blocks the packets behind
//! it, which wait in an unlimited buffer. A packet that is sent and received as a whole causes one event when its last
//! byte leaves, and one when its last byte arrives. The module does not model routing, contention or loss.
//!
//! Parameters: latency (Table 3: 40 ns), and rate (8 GB/s, that of the memory bus; the paper states none). Statistics:
//! for each link and direction, the time for which packets held it and for which bytes crossed it.

mod spec;

use super::link_statistics::LinkStatistics;
use super::packet::Packet;
use super::port::{LinkUse, PacketDropped, Piece, StreamRx, StreamTx, UncontendedTx};
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Sim, Time};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of an ideal fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct IdealParameters {
    /// Time from the last byte in to the first byte out.
    ///
    /// 40 ns (Table 3).
    #[param(resource = "network")]
    pub latency: Time,
    /// Rate of a node's link in each direction.
    ///
    /// 8 GB/s, the bus's peak (chosen).
    #[param(resource = "link")]
    pub rate: Rate,
    /// Whether the first byte of a packet leaves `latency` after its first byte entered, as through a cable or a switch
    /// that forwards headers at once, and not after its last byte. By default false.
    #[param(optional_or = false)]
    pub cut_through: bool,
}

/// Number of logical networks, one for requests and one for replies. Each is a separate fabric.
pub const CLASSES: u8 = 2;

/// Flow-control unit of an engine that streams (chosen: a Myrinet flit of the model).
const FLOW_UNIT: Bytes = Bytes(128);

impl IdealParameters {
    /// The network of Table 3.
    pub const PAPER: IdealParameters =
        IdealParameters { latency: Time::from_ns(40), rate: Rate::from_bytes_per_s(8_000_000_000), cut_through: false };
}

/// An ideal fabric.
pub struct Ideal {
    sim: Sim,
    parameters: IdealParameters,
    /// Links by class and node.
    links: Vec<Vec<Link>>,
}

/// A node's link into and out of a class of the fabric.
struct Link {
    /// Packets, each with the instant at which its first byte leaves the fabric.
    arrivals: Mailbox<(Time, Rc<Packet>)>,
    /// Whether packets are received as a whole: each is then delivered when its last byte has arrived.
    is_packet_mode: Cell<bool>,
    /// Time at which the link is free to deliver another packet.
    free_at: Cell<Time>,
    /// The two directions: into the fabric, and out of it.
    directions: [LinkStatistics; 2],
}

impl Ideal {
    /// Creates a fabric between nodes of these names.
    pub fn new(sim: &Sim, nodes: &[String], parameters: IdealParameters) -> Rc<Ideal> {
        let direction = |class: u8, name: &str, arrow: &str| {
            let suffix = if class == 0 { "" } else { ", replies" };
            LinkStatistics::new(sim, format!("{name} {arrow} fabric{suffix}"))
        };
        let link = |class: u8, (node, name): (NodeId, &String)| Link {
            arrivals: Mailbox::new(sim, format!("{node}: a packet of class {class}")),
            is_packet_mode: Cell::new(false),
            free_at: Cell::default(),
            directions: ["→", "←"].map(|arrow| direction(class, name, arrow)),
        };
        let nodes_with_ids = || NodeId::all(nodes.len()).zip(nodes);
        let links = (0..CLASSES).map(|class| nodes_with_ids().map(|node| link(class, node)).collect()).collect();
        Rc::new(Ideal { sim: sim.clone(), parameters, links })
    }

    /// Returns the transmit side of `node` in `class`.
    pub fn tx(self: &Rc<Self>, node: NodeId, class: Class) -> IdealTx {
        IdealTx { fabric: self.clone(), node, class, packet: None }
    }

    /// Returns the receive side of `node` in `class`.
    pub fn rx(self: &Rc<Self>, node: NodeId, class: Class) -> IdealRx {
        IdealRx { fabric: self.clone(), node, class, packet: None, piece: None }
    }

    /// Returns the use of the links: node by node, by class, in and out.
    pub fn links(&self) -> Vec<LinkUse> {
        let nodes = self.links.first().map_or(0, Vec::len);
        let directions = |node: usize| self.links.iter().flat_map(move |links| &links[node].directions);
        (0..nodes).flat_map(directions).map(LinkStatistics::link_use).collect()
    }

    fn link(&self, node: NodeId, class: Class) -> &Link {
        &self.links[class.index()][node.index()]
    }
}

/// The transmit side of a node's stream. Only one engine uses it, so the link needs no arbitration.
pub struct IdealTx {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    packet: Option<Rc<Packet>>,
}

impl IdealTx {
    fn statistics(&self) -> &LinkStatistics {
        &self.fabric.link(self.node, self.class).directions[0]
    }
}

impl StreamTx for IdealTx {
    fn flow_unit(&self) -> Bytes {
        FLOW_UNIT
    }

    fn rate(&self) -> Rate {
        self.fabric.parameters.rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), PacketDropped> {
        self.packet = Some(packet.clone());
        self.statistics().hold();
        Ok(())
    }

    async fn reserve(&mut self, bytes_max: Bytes) -> Result<Bytes, PacketDropped> {
        Ok(bytes_max)
    }

    async fn send(&mut self, bytes: Bytes, min_duration: Time, _last: bool) {
        let transfer_time = self.rate().time_for(bytes);
        self.fabric.sim.delay(transfer_time.max(min_duration)).await;
        self.statistics().add_transfer(transfer_time);
    }

    fn close(&mut self) {
        let packet = self.packet.take().expect("a stream is closed that was opened");
        self.statistics().release(&packet);
        let Ideal { sim, parameters, .. } = &*self.fabric;
        let link = self.fabric.link(packet.label().destination, self.class);
        let transfer_time = parameters.rate.time_for(packet.label().length);
        let full_latency_end = sim.now() + parameters.latency;
        let start = if parameters.cut_through { full_latency_end.since(transfer_time) } else { full_latency_end };
        let end = start.max(link.free_at.get()) + transfer_time;
        link.free_at.set(end);
        // The reader of a stream is notified of a packet when the packet's last byte has entered the fabric, even if
        // its first byte has left the fabric earlier.
        link.arrivals.send_at(if link.is_packet_mode.get() { end } else { start.max(sim.now()) }, (start, packet));
    }

    fn uncontended(&mut self) -> Option<&mut dyn UncontendedTx> {
        Some(self)
    }
}

impl UncontendedTx for IdealTx {
    fn complete(&mut self, packet: &Rc<Packet>) {
        let transfer_time = self.rate().time_for(packet.label().length);
        self.statistics().hold_since(self.fabric.sim.now() - transfer_time);
        self.statistics().add_transfer(transfer_time);
        self.packet = Some(packet.clone());
        self.close();
    }
}

/// The receive side of a node's stream.
pub struct IdealRx {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    /// Packet that the reader is receiving, and the number of its bytes that were passed on.
    packet: Option<(Rc<Packet>, Bytes)>,
    /// Packet of the most recent piece, the time that the piece takes on the link, and whether the piece is the last of
    /// its packet.
    piece: Option<(Rc<Packet>, Time, bool)>,
}

impl IdealRx {
    fn statistics(&self) -> &LinkStatistics {
        &self.fabric.link(self.node, self.class).directions[1]
    }
}

impl StreamRx for IdealRx {
    async fn next(&mut self, bytes_max: Bytes) -> Piece {
        let sim = &self.fabric.sim;
        let (called_at, link) = (sim.now(), self.fabric.link(self.node, self.class));
        let (start, packet, passed_bytes) = match self.packet.take() {
            Some((packet, passed_bytes)) => (called_at, packet, passed_bytes),
            None => {
                let (start, packet) = link.arrivals.receive().await;
                (start.max(called_at), packet, Bytes::ZERO)
            }
        };
        let bytes = bytes_max.min(packet.label().length - passed_bytes);
        let (first, last) = (passed_bytes.is_empty(), passed_bytes + bytes == packet.label().length);
        if !last {
            self.packet = Some((packet.clone(), passed_bytes + bytes));
        }
        let time = self.fabric.parameters.rate.time_for(bytes);
        if first {
            self.statistics().hold_since(start);
        }
        self.piece = Some((packet.clone(), time, last));
        let remaining = (start + time).since(sim.now());
        Piece::Bytes { packet, bytes, time: remaining, first, last }
    }

    fn set_packet_mode(&mut self) {
        self.fabric.link(self.node, self.class).is_packet_mode.set(true);
    }

    fn return_credit(&mut self, _bytes: Bytes) {
        let (packet, time, last) = self.piece.take().expect("a credit is returned for a piece");
        self.statistics().add_transfer(time);
        if last {
            self.statistics().release(&packet);
        }
    }

    fn blocks_channel(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
