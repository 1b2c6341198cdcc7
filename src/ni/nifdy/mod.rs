//! NIFDY: an interface that admits packets to the fabric and delivers them in order; and the plain
//! interface that it is compared with.
//!
//! Datasheet (Callahan and Goldstein 1995, §2): the processor puts packets into the outgoing pool
//! and takes them from the arrivals queue; in between the protocol unit (`protocol::nifdy`)
//! decides what may enter the fabric, and makes and takes acknowledgements. Each logical network
//! has a unit of its own. Making and taking an acknowledgement takes `processing` cycles each (2,
//! §2.4.3); a packet's way through the interface is part of the fabric's interface delay. A
//! packet is in the arrivals queue when its header is there, and the processor may begin to
//! take it while the rest flows in. It leaves out: the processor's bus.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the interface of a node, as the processor sees it |
//! | `wires.rs` | its side towards the fabric |
//! | `unit.rs` | the protocol's unit, or the plain buffers |
//! | `body.rs` | a packet's words |
//! | `parameters.rs` | what is read |

mod body;
mod parameters;
mod unit;
mod wires;

pub use crate::protocol::nifdy::Statistics;
pub use body::{Body, Pending, Shared, Words};
pub use parameters::{InterfaceParameters, Kind};
pub use unit::Unit;

use crate::engine::{Hertz, Mailbox, Signal, Sim, Time};
use crate::fabric::carrier::{Carried, Carrier};
use crate::protocol::nifdy::{Answer, Frame, Outgoing};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A packet or an acknowledgement, with the protocol's header.
pub type Carries = Frame<Shared>;

/// What the fabric is for these interfaces.
pub type Fabric = dyn Carrier<Carries>;

/// The interface of a node.
pub struct Interface {
    sim: Sim,
    clock: Hertz,
    own: u32,
    parameters: InterfaceParameters,
    lanes: Vec<Lane>,
    fabric: Rc<Fabric>,
    pending: Rc<Pending>,
    /// Something that the processor may wait for changed: room in a pool, or an arrival.
    changed: Signal,
    later: Mailbox<Later>,
    /// A timer is set for an earlier instant.
    sooner: Signal,
}

/// What a logical network has of its own.
struct Lane {
    unit: RefCell<Unit>,
    /// Whether the channel into the fabric is free.
    free: Cell<bool>,
    /// Whether the packet in front was taken, and its acknowledgement is being made.
    taking: Cell<bool>,
    /// Whether the packet that was taken has a place, which is free when it has been read.
    reading: Cell<bool>,
    /// Whether it has been read before its acknowledgement was made.
    read: Cell<bool>,
}

/// What happens some cycles later.
enum Later {
    /// An acknowledgement has been taken in.
    Arrive(Rc<Carried<Frame<Shared>>>),
    /// A packet that the processor took is acknowledged.
    Accept(u8, Answer),
}

impl Interface {
    /// The interface of node `own`, its tasks started.
    pub fn start(
        sim: &Sim,
        clock: Hertz,
        (own, name): (u32, &str),
        networks: u8,
        parameters: &InterfaceParameters,
        (fabric, pending): (&Rc<Fabric>, &Rc<Pending>),
    ) -> Rc<Interface> {
        let lane = |_| Lane {
            unit: RefCell::new(Unit::new(own, parameters)),
            free: Cell::new(true),
            taking: Cell::new(false),
            reading: Cell::new(false),
            read: Cell::new(false),
        };
        let interface = Rc::new(Interface {
            sim: sim.clone(),
            clock,
            own,
            parameters: *parameters,
            lanes: (0..networks).map(lane).collect(),
            fabric: fabric.clone(),
            pending: pending.clone(),
            changed: Signal::new(sim, format!("a packet for {name}, or room in its interface")),
            later: Mailbox::new(sim, format!("work for the interface of {name}")),
            sooner: Signal::new(sim, format!("a timer of the interface of {name}")),
        });
        interface.join(name);
        interface
    }

    /// Tells of room for packets and of arrivals.
    pub fn changed(&self) -> &Signal {
        &self.changed
    }

    /// How many logical networks it is joined to.
    pub fn networks(&self) -> u8 {
        self.lanes.len() as u8
    }

    /// Takes a packet from the processor; gives it back if there is no room.
    pub fn offer(&self, network: u8, outgoing: Outgoing<Shared>) -> Result<(), Outgoing<Shared>> {
        let body = outgoing.body.clone();
        self.lane(network).unit.borrow_mut().offer(outgoing)?;
        body.offered.set(self.sim.now());
        self.pump(network);
        Ok(())
    }

    /// Whether a packet waits for the processor.
    pub fn has_arrived(&self, network: u8) -> bool {
        let lane = self.lane(network);
        !lane.taking.get() && lane.unit.borrow().arrived() > 0
    }

    /// Gives the processor the next packet, and its sender; `answer` says whether a handler will
    /// answer it. The packet keeps its place until [`Interface::release`].
    pub fn accept(&self, network: u8, answer: impl FnOnce(u8) -> Answer) -> Option<(u32, Shared)> {
        let lane = self.lane(network);
        if lane.taking.get() {
            return None;
        }
        let front = lane.unit.borrow().front()?;
        let answer = answer(front.1.handler);
        self.pending.remove(self.own);
        self.sim.progress();
        match self.parameters.processing {
            0 => self.accepted(network, answer),
            cycles => {
                lane.taking.set(true);
                self.later.send_at(self.clock.edge_since(self.sim.now(), cycles), Later::Accept(network, answer));
            }
        }
        Some(front)
    }

    /// The processor has read the packet that it took.
    pub fn release(&self, network: u8) {
        let lane = self.lane(network);
        if lane.taking.get() {
            lane.read.set(true);
        } else if lane.reading.replace(false) {
            self.fabric.add_place(self.own, network);
        }
    }

    /// The network that acknowledgements of a network's packets take.
    fn back(&self, network: u8) -> u8 {
        match self.parameters.acknowledges_on_other && self.networks() > 1 {
            true => 1 - network,
            false => network,
        }
    }

    /// Bytes of state of the interface.
    pub fn state_bytes(&self) -> usize {
        let packet = self.parameters.packet.len();
        self.lanes.iter().map(|lane| lane.unit.borrow().state_bytes(packet)).sum()
    }

    /// What its units counted.
    pub fn statistics(&self) -> Vec<Statistics> {
        self.lanes.iter().map(|lane| lane.unit.borrow().statistics()).collect()
    }

    fn lane(&self, network: u8) -> &Lane {
        &self.lanes[usize::from(network)]
    }

    /// When a timer goes off next.
    fn next_timer(&self) -> Time {
        let timers = self.lanes.iter().filter_map(|lane| lane.unit.borrow().next_timer());
        timers.min().unwrap_or(Time::MAX)
    }
}
