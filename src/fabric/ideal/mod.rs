//! The ideal fabric: a fixed latency, no topology, no contention inside.
//!
//! Models (Mukherjee and Hill 1998, §5.1.2): the first byte of a packet leaves 40 ns after its
//! last byte entered. A node's link takes packets one after the other at a rate, and gives them
//! at the same rate, each class on a link of its own; packets to one node come out in the order in
//! which they left their sources, and what the node does not take holds up what is behind it, in
//! room without end.
//! A packet that goes and comes as a whole costs an event at each end of its way, when its last byte has left and is
//! there.
//! Leaves out: routing, contention, loss.
//!
//! Parameters: latency (Table 3: 40 ns), rate (the paper says nothing; 8 GB/s, the memory bus's).
//! Statistics: how long each link, each way, was held by packets, and moved bytes.

use super::LinkUse;
use super::packet::Packet;
use super::port::{Dropped, Facts, Inlet, Loss, Outlet, Piece, Unhindered};
use super::wire::Wire;
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Sim, Time};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// What an ideal fabric is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct IdealParameters {
    /// From the last byte in to the first byte out.
    ///
    /// 40 ns (Table 3).
    pub latency: Time,
    /// Rate of a node's link, each way.
    ///
    /// 8 GB/s, the bus's peak (chosen).
    pub rate: Rate,
}

/// Logical networks, each a fabric of its own: requests and replies.
pub const CLASSES: u8 = 2;

/// What moves at once for an engine that streams (chosen: a Myrinet flit of the model).
const GRAIN: Bytes = Bytes(128);

impl IdealParameters {
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
    /// Each with the instant at which its first byte comes out.
    arrivals: Mailbox<(Time, Rc<Packet>)>,
    /// Whether they come out as a whole: then they are given when their last byte is there.
    whole: Cell<bool>,
    /// When the last of them is out at the earliest.
    out: Cell<Time>,
    /// In and out.
    wires: [Wire; 2],
}

impl Ideal {
    /// A fabric between the nodes of these names.
    pub fn new(sim: &Sim, nodes: &[String], parameters: IdealParameters) -> Rc<Ideal> {
        let wire = |class: u8, name: &str, way: &str| {
            let of = if class == 0 { "" } else { ", replies" };
            Wire::new(sim, format!("{name} {way} fabric{of}"))
        };
        let link = |class: u8, (node, name): (NodeId, &String)| Link {
            arrivals: Mailbox::new(sim, format!("{node}: a packet of class {class}")),
            whole: Cell::new(false),
            out: Cell::default(),
            wires: ["→", "←"].map(|way| wire(class, name, way)),
        };
        let all = || NodeId::all(nodes.len()).zip(nodes);
        let links = (0..CLASSES).map(|class| all().map(|node| link(class, node)).collect()).collect();
        Rc::new(Ideal { sim: sim.clone(), parameters, links })
    }

    /// The way of `node` into `class`.
    pub fn outlet(self: &Rc<Self>, node: NodeId, class: Class) -> IdealOutlet {
        IdealOutlet { fabric: self.clone(), node, class, packet: None }
    }

    /// Its way out.
    pub fn inlet(self: &Rc<Self>, node: NodeId, class: Class) -> IdealInlet {
        IdealInlet { fabric: self.clone(), node, class, coming: None, taking: None }
    }

    /// How the links were used: node by node, by class, in and out.
    pub fn links(&self) -> Vec<LinkUse> {
        let nodes = self.links.first().map_or(0, Vec::len);
        let of = |node: usize| self.links.iter().flat_map(move |links| &links[node].wires);
        (0..nodes).flat_map(of).map(Wire::used).collect()
    }

    fn link(&self, node: NodeId, class: Class) -> &Link {
        &self.links[class.index()][node.index()]
    }
}

/// A node's way in. One engine uses it, so the link needs no arbitration.
pub struct IdealOutlet {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    packet: Option<Rc<Packet>>,
}

impl IdealOutlet {
    fn wire(&self) -> &Wire {
        &self.fabric.link(self.node, self.class).wires[0]
    }
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
        self.wire().take();
        Ok(())
    }

    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped> {
        Ok(most)
    }

    async fn send(&mut self, bytes: Bytes, no_less: Time, _last: bool) {
        let moving = self.rate().time_for(bytes);
        self.fabric.sim.delay(moving.max(no_less)).await;
        self.wire().moves(moving);
    }

    fn close(&mut self) {
        let packet = self.packet.take().expect("a way is let go that was taken");
        self.wire().let_go(&packet);
        let Ideal { sim, parameters, .. } = &*self.fabric;
        let link = self.fabric.link(packet.label().destination, self.class);
        let begins = sim.now() + parameters.latency;
        let out = begins.max(link.out.get()) + parameters.rate.time_for(packet.label().length);
        link.out.set(out);
        link.arrivals.send_at(if link.whole.get() { out } else { begins }, (begins, packet));
    }

    fn unhindered(&mut self) -> Option<&mut dyn Unhindered> {
        Some(self)
    }
}

impl Unhindered for IdealOutlet {
    fn went(&mut self, packet: &Rc<Packet>) {
        let moving = self.rate().time_for(packet.label().length);
        self.wire().take_since(self.fabric.sim.now() - moving);
        self.wire().moves(moving);
        self.packet = Some(packet.clone());
        self.close();
    }
}

/// A node's way out.
pub struct IdealInlet {
    fabric: Rc<Ideal>,
    node: NodeId,
    class: Class,
    /// The packet that is coming out, and how much of it has.
    coming: Option<(Rc<Packet>, Bytes)>,
    /// What is coming out of it just now, how long that takes, and whether the packet ends with it.
    taking: Option<(Rc<Packet>, Time, bool)>,
}

impl IdealInlet {
    fn wire(&self) -> &Wire {
        &self.fabric.link(self.node, self.class).wires[1]
    }
}

impl Inlet for IdealInlet {
    async fn next(&mut self, most: Bytes) -> Piece {
        let sim = &self.fabric.sim;
        let (asked, link) = (sim.now(), self.fabric.link(self.node, self.class));
        let (begun, packet, out) = match self.coming.take() {
            Some((packet, out)) => (asked, packet, out),
            None => {
                let (begun, packet) = link.arrivals.receive().await;
                (begun.max(asked), packet, Bytes::ZERO)
            }
        };
        let bytes = most.min(packet.label().length - out);
        let (first, last) = (out.is_empty(), out + bytes == packet.label().length);
        if !last {
            self.coming = Some((packet.clone(), out + bytes));
        }
        let time = self.fabric.parameters.rate.time_for(bytes);
        if first {
            self.wire().take_since(begun);
        }
        self.taking = Some((packet.clone(), time, last));
        let left = (begun + time).since(sim.now());
        Piece::Bytes { packet, bytes, time: left, first, last }
    }

    fn takes_whole(&mut self) {
        self.fabric.link(self.node, self.class).whole.set(true);
    }

    fn taken(&mut self, _bytes: Bytes) {
        let (packet, time, last) = self.taking.take().expect("what is taken was given");
        self.wire().moves(time);
        if last {
            self.wire().let_go(&packet);
        }
    }

    fn waits_outside(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Journey, Limits, Outcome, Recorder, Simulation};
    use crate::fabric::packet::Label;
    use crate::fabric::{Fabric, Told};
    use std::cell::RefCell;

    /// When packets of these lengths come from one node to another, as a whole, in the order in which they come.
    fn arrivals(lengths: &'static [u64]) -> Vec<(u64, u64)> {
        let simulation = Simulation::new(Recorder::off());
        let sim = simulation.sim();
        let parameters = IdealParameters { latency: Time::from_ns(40), rate: Rate::from_bytes_per_s(1_000_000_000) };
        let names = ["a", "b"].map(str::to_owned);
        let fabric = Fabric::ideal(Ideal::new(&sim, &names, parameters), parameters.facts());
        let [sender, receiver] = [0, 1].map(|node| fabric.whole(&sim, NodeId(node), "end"));
        let (came, all) = (Rc::new(RefCell::new(Vec::new())), lengths.iter());
        let (seen, now, next) = (came.clone(), sim.clone(), Rc::new(RefCell::new(all)));
        receiver.attach(Box::new(move |told| {
            if let Told::Whole(packet) = told {
                seen.borrow_mut().push((packet.label().length.0, now.now().ps() / 1000));
            }
        }));
        let send = {
            let sender = sender.clone();
            move || {
                if let Some(length) = next.borrow_mut().next() {
                    let (source, destination, length) = (NodeId(0), NodeId(1), Bytes(*length));
                    let label = Label { source, destination, length, ..Label::default() };
                    sender.send(Packet::of(label, Journey::default(), &[]));
                }
            }
        };
        let goes_on = send.clone();
        sender.attach(Box::new(move |told| {
            if let Told::Free(_) = told {
                goes_on();
            }
        }));
        send();
        let wait = sim.clone();
        sim.spawn("wait", async move { wait.delay(Time::from_ns(10_000)).await });
        assert_eq!(simulation.run(Limits::default()), Outcome::Done);
        came.take()
    }

    #[test]
    fn a_short_packet_comes_after_the_long_one_before_it() {
        assert_eq!(arrivals(&[100]), [(100, 240)]);
        assert_eq!(arrivals(&[100, 10, 10]), [(100, 240), (10, 250), (10, 260)]);
        assert_eq!(arrivals(&[10, 100, 10]), [(10, 60), (100, 250), (10, 260)]);
    }
}
