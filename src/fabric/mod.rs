//! What carries packets between interfaces.
//!
//! | file or folder | models |
//! |---|---|
//! | `packet.rs` | a packet: bytes, and the label by which it is carried |
//! | `port.rs` | where a node meets a fabric: byte by byte, or in whole packets |
//! | `whole.rs` | whole packets over a fabric that streams |
//! | `wire.rs` | a link, as instruments know it |
//! | `ideal.rs` | a fixed latency, no topology |
//! | `myrinet/` | source-routed wormhole crossbar switches with link-level back-pressure |
//! | `routed/` | routers in a simulation, both views of them |
//! | `router/` | routers, flit by flit |
//! | `topology/` | shapes of routed fabrics, and the ways through them |
//!
//! A fabric knows no host and no interface: it moves packets between ports. A new one is a file or
//! folder, and a variant of [`Fabric`] with its ways in and out.

pub mod ideal;
pub mod myrinet;
pub mod packet;
pub mod port;
pub mod routed;
pub mod router;
pub mod topology;
mod whole;
mod wire;

pub use packet::{Label, Packet};
pub use port::{Dropped, Facts, Fate, Inlet, Longest, Loss, Outlet, Piece, Told, Whole};

use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Class, NodeId, Rate, Sim, Time};
use ideal::Ideal;
use myrinet::Myrinet;
use port::Desk;
use routed::{Routed, RoutedParameters};
use std::rc::Rc;
use topology::Topology;
use whole::OverStreams;

/// A fabric in a simulation.
#[derive(Clone)]
pub struct Fabric {
    kind: Kind,
    facts: Facts,
    desk: Rc<Desk>,
}

/// The fabrics.
#[derive(Clone)]
enum Kind {
    Ideal(Rc<Ideal>),
    Myrinet(Rc<Myrinet>),
    Routed(Rc<Routed>),
}

/// How one direction of a link was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkUse {
    /// The link, by name.
    pub name: String,
    /// For how long packets held it, whether their bytes moved or waited.
    pub held: Time,
    /// For how long bytes crossed it, at its own rate.
    pub moving: Time,
}

impl Fabric {
    /// An ideal fabric.
    pub fn ideal(fabric: Rc<Ideal>, facts: Facts) -> Fabric {
        Fabric { kind: Kind::Ideal(fabric), facts, desk: Rc::default() }
    }

    /// Source-routed switches.
    pub fn myrinet(fabric: Rc<Myrinet>, facts: Facts) -> Fabric {
        Fabric { kind: Kind::Myrinet(fabric), facts, desk: Rc::default() }
    }

    /// Routers of this shape between the nodes of these names, their task started; `seed` is for their
    /// choices and losses.
    pub fn routed(
        sim: &Sim,
        topology: &Topology,
        parameters: &RoutedParameters,
        nodes: &[String],
        seed: u64,
        facts: Facts,
    ) -> Fabric {
        let desk = Rc::default();
        Fabric { kind: Kind::Routed(Routed::start(sim, topology, parameters, nodes, seed, &desk)), facts, desk }
    }

    /// What could be said of it before time 0.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// A node's way into a class, byte by byte.
    pub fn outlet(&self, node: NodeId, class: Class) -> AnyOutlet {
        match &self.kind {
            Kind::Ideal(fabric) => AnyOutlet::Ideal(fabric.outlet(node, class)),
            Kind::Myrinet(fabric) => AnyOutlet::Myrinet(myrinet::MyrinetOutlet::new(fabric)),
            Kind::Routed(fabric) => AnyOutlet::Routed(fabric.outlet(node, class)),
        }
    }

    /// A node's way out of a class, byte by byte.
    pub fn inlet(&self, node: NodeId, class: Class) -> AnyInlet {
        match &self.kind {
            Kind::Ideal(fabric) => AnyInlet::Ideal(fabric.inlet(node, class)),
            Kind::Myrinet(fabric) => AnyInlet::Myrinet(myrinet::MyrinetInlet::new(fabric, node)),
            Kind::Routed(fabric) => AnyInlet::Routed(fabric.inlet(node, class)),
        }
    }

    /// A node's place for whole packets; `name` is the node's.
    pub fn whole(&self, sim: &Sim, node: NodeId, name: &str) -> Rc<dyn Whole> {
        if let Kind::Routed(fabric) = &self.kind {
            return fabric.whole(node);
        }
        let ways = Class::all(self.facts.classes).map(|class| (self.outlet(node, class), self.inlet(node, class)));
        OverStreams::start(sim, node, name, ways.collect(), &self.desk)
    }

    /// Bytes of cross-traffic that have gone in; none where there is none.
    pub fn cross_traffic(&self) -> Option<Bytes> {
        if let Kind::Routed(fabric) = &self.kind { fabric.cross_traffic() } else { None }
    }

    /// What became of whole packets.
    pub fn fate(&self) -> Fate {
        self.desk.fate()
    }

    /// How long each link was held, and moved bytes, by name.
    pub fn links(&self) -> Vec<LinkUse> {
        match &self.kind {
            Kind::Ideal(fabric) => fabric.links(),
            Kind::Myrinet(fabric) => fabric.link_use(),
            Kind::Routed(fabric) => fabric.links(),
        }
    }
}

/// A way in of any fabric.
pub enum AnyOutlet {
    /// Of the ideal fabric.
    Ideal(ideal::IdealOutlet),
    /// Of switches.
    Myrinet(myrinet::MyrinetOutlet),
    /// Of routers.
    Routed(routed::RoutedOutlet),
}

/// A way out of any fabric.
pub enum AnyInlet {
    /// Of the ideal fabric.
    Ideal(ideal::IdealInlet),
    /// Of switches.
    Myrinet(myrinet::MyrinetInlet),
    /// Of routers.
    Routed(routed::RoutedInlet),
}

/// Evaluates an expression for the way that there is.
macro_rules! on_way {
    ($way:expr, $family:ident, $name:ident => $call:expr) => {
        match $way {
            $family::Ideal($name) => $call,
            $family::Myrinet($name) => $call,
            $family::Routed($name) => $call,
        }
    };
}

impl Outlet for AnyOutlet {
    fn grain(&self) -> Bytes {
        on_way!(self, AnyOutlet, way => way.grain())
    }
    fn rate(&self) -> Rate {
        on_way!(self, AnyOutlet, way => way.rate())
    }
    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped> {
        on_way!(self, AnyOutlet, way => way.open(packet).await)
    }
    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped> {
        on_way!(self, AnyOutlet, way => way.room(most).await)
    }
    async fn send(&mut self, bytes: Bytes, no_less: Time, last: bool) {
        on_way!(self, AnyOutlet, way => way.send(bytes, no_less, last).await)
    }
    fn close(&mut self) {
        on_way!(self, AnyOutlet, way => way.close())
    }
}

impl Inlet for AnyInlet {
    async fn next(&mut self, most: Bytes) -> Piece {
        on_way!(self, AnyInlet, way => way.next(most).await)
    }
    fn taken(&mut self, bytes: Bytes) {
        on_way!(self, AnyInlet, way => way.taken(bytes))
    }
    fn waits_outside(&self) -> bool {
        on_way!(self, AnyInlet, way => way.waits_outside())
    }
}

/// States which task takes what arrives at a node, for the tale of a stuck run.
pub struct ReceiverTask(Option<(Rc<Myrinet>, NodeId)>);

impl ReceiverTask {
    /// It is this task.
    pub fn set(self, task: TaskId) {
        if let Some((fabric, node)) = self.0 {
            fabric.set_receiver(node, task);
        }
    }
}

impl AnyInlet {
    /// By which who takes what arrives is stated.
    pub fn receiver(&self) -> ReceiverTask {
        match self {
            AnyInlet::Myrinet(way) => ReceiverTask(Some(way.port())),
            AnyInlet::Ideal(_) | AnyInlet::Routed(_) => ReceiverTask(None),
        }
    }
}
