//! The ideal fabric: a fixed latency, no topology, no contention inside.
//!
//! Models (Mukherjee and Hill 1998, §5.1.2): the first byte of a packet leaves 40 ns after its
//! last byte entered. A node's link takes packets one after the other at a rate, and gives them
//! at the same rate, each class on a link of its own; packets to one node come out in the order in
//! which they left their sources, and what the node does not take holds up what is behind it, in
//! room without end.
//! Leaves out: routing, contention, loss.
//!
//! Parameters: latency (Table 3: 40 ns), rate (the paper says nothing; 8 GB/s, the memory bus's).
//! Statistics: how long each link, each way, has moved bytes.

use super::packet::Packet;
use super::port::{Dropped, Facts, Inlet, Loss, Outlet, Piece};
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Sim, Time};
use crate::text::Table;
use std::cell::Cell;
use std::rc::Rc;

/// What an ideal fabric is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdealParameters {
    /// From the last byte in to the first byte out: 40 ns (Table 3).
    pub latency: Time,
    /// The rate of a node's link, each way: 8 GB/s, the bus's peak (chosen).
    pub rate: Rate,
}

/// Logical networks, each a fabric of its own: requests and replies.
pub const CLASSES: u8 = 2;

/// What moves at once for an engine that streams (chosen: a Myrinet flit of the model).
const GRAIN: Bytes = Bytes(128);

impl IdealParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> IdealParameters {
        IdealParameters {
            latency: t.time("latency", "From the last byte in to the first byte out").required(),
            rate: t.rate("rate", "Rate of a node's link, each way").required(),
        }
    }

    /// The network of Table 3.
    pub const PAPER: IdealParameters =
        IdealParameters { latency: Time::from_ns(40), rate: Rate::from_bytes_per_s(8_000_000_000) };

    /// What can be said before time 0.
    pub fn facts(&self) -> Facts {
        Facts { nodes_max: None, classes: CLASSES, in_order: true, loss: Loss::Never, packet_max: None }
    }
}

/// An ideal fabric.
pub struct Ideal {
    sim: Sim,
    parameters: IdealParameters,
    /// By class and node.
    links: Vec<Vec<Link>>,
}

/// A node's link into and out of a class.
struct Link {
    arrivals: Mailbox<Rc<Packet>>,
    moved_in: Cell<Time>,
    moved_out: Cell<Time>,
}

impl Ideal {
    /// A fabric between `nodes` nodes.
    pub fn new(sim: &Sim, nodes: usize, parameters: IdealParameters) -> Rc<Ideal> {
        let link = |class: u8, node| Link {
            arrivals: Mailbox::new(sim, format!("{node}: a packet of class {class}")),
            moved_in: Cell::default(),
            moved_out: Cell::default(),
        };
        let links = (0..CLASSES).map(|class| NodeId::all(nodes).map(|node| link(class, node)).collect()).collect();
        Rc::new(Ideal { sim: sim.clone(), parameters, links })
    }

    /// The way of `node` into `class`.
    pub fn outlet(self: &Rc<Self>, node: NodeId, class: Class) -> IdealOutlet {
        IdealOutlet { fabric: self.clone(), node, class, packet: None }
    }

    /// Its way out.
    pub fn inlet(self: &Rc<Self>, node: NodeId, class: Class) -> IdealInlet {
        IdealInlet { fabric: self.clone(), node, class, coming: None }
    }

    /// For how long the links of `node` have moved bytes: in and out, by class.
    pub fn link_use(&self, node: NodeId) -> Vec<[Time; 2]> {
        let of = |links: &Vec<Link>| [links[node.index()].moved_in.get(), links[node.index()].moved_out.get()];
        self.links.iter().map(of).collect()
    }

    fn link(&self, node: NodeId, class: Class) -> &Link {
        &self.links[class.index()][node.index()]
    }
}

fn add(total: &Cell<Time>, time: Time) {
    total.set(total.get() + time);
}

/// A node's way in. One engine uses it, so the link needs no arbitration.
pub struct IdealOutlet {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    packet: Option<Rc<Packet>>,
}

impl Outlet for IdealOutlet {
    fn grain(&self) -> Bytes {
        GRAIN
    }

    fn rate(&self) -> Rate {
        self.fabric.parameters.rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped> {
        self.packet = Some(packet.clone());
        Ok(())
    }

    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped> {
        Ok(most)
    }

    async fn send(&mut self, bytes: Bytes, no_less: Time, _last: bool) {
        let moving = self.rate().time_for(bytes);
        self.fabric.sim.delay(moving.max(no_less)).await;
        add(&self.fabric.link(self.node, self.class).moved_in, moving);
    }

    fn close(&mut self) {
        let packet = self.packet.take().expect("a way is let go that was taken");
        let Ideal { sim, parameters, .. } = &*self.fabric;
        let arrivals = &self.fabric.link(packet.label().destination, self.class).arrivals;
        arrivals.send_at(sim.now() + parameters.latency, packet);
    }
}

/// A node's way out.
pub struct IdealInlet {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    /// The packet that is coming out, and how much of it has.
    coming: Option<(Rc<Packet>, Bytes)>,
}

impl Inlet for IdealInlet {
    async fn next(&mut self, most: Bytes) -> Piece {
        let (packet, out) = match self.coming.take() {
            Some(coming) => coming,
            None => (self.fabric.link(self.node, self.class).arrivals.receive().await, Bytes::ZERO),
        };
        let bytes = most.min(packet.label().length - out);
        let (first, last) = (out.is_empty(), out + bytes == packet.label().length);
        if !last {
            self.coming = Some((packet.clone(), out + bytes));
        }
        let time = self.fabric.parameters.rate.time_for(bytes);
        add(&self.fabric.link(self.node, self.class).moved_out, time);
        Piece::Bytes { packet, bytes, time, first, last }
    }

    fn taken(&mut self, _bytes: Bytes) {}

    fn waits_outside(&self) -> bool {
        false
    }
}
