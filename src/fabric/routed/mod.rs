//! A routed fabric in a simulation: the network of routers behind one task.
//!
//! The task steps the routers cycle by cycle while there is work, and sleeps while there is none.
//! Cycle *n* is simulated one picosecond after it begins (cycle *n* of the clock ends at
//! ⌊n·10¹²/f⌋ ps), so that whatever interfaces do at that instant is seen by it, whatever the order
//! of events. Packets may be lost on their way (`loss`): such a one crosses the fabric and is
//! dropped at its end, and gives back the place it took. Over a mesh there may be cross-traffic (`cross.rs`).
//! A workload that needs no nodes steps the routers itself (`fabric_only.rs`).

mod cross;
mod fabric_only;
mod flying;
mod links;
mod parameters;
mod stream;

pub use cross::CrossTraffic;
pub use fabric_only::FabricOnly;
pub use parameters::RoutedParameters;
pub use stream::{RoutedInlet, RoutedOutlet};

use super::LinkUse;
use super::packet::Packet;
use super::port::{Desk, Listener, Told, Whole};
use super::router::{Crossing, EventKind, Network, PacketEvent, Switching};
use super::topology::Topology;
use super::wire;
use crate::engine::{Class, Doing, Hertz, Mailbox, NodeId, Signal, Sim, Time};
use cross::CrossPlace;
use flying::{Flying, Losing};
use links::{Links, Spans};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use stream::Ways;

/// A routed fabric.
pub struct Routed {
    sim: Sim,
    clock: Hertz,
    buffer_flits: u32,
    links: Links,
    spans: RefCell<Spans>,
    /// Whether a packet is told of only when all of it is there.
    whole: bool,
    /// What has come out of the fabric, and will be in its interface some cycles later.
    exits: Mailbox<(Time, PacketEvent)>,
    exit_delay: u64,
    network: RefCell<Network>,
    desk: Rc<Desk>,
    flying: RefCell<Flying>,
    lost: RefCell<Losing>,
    /// The ways of the nodes and classes that stream.
    streams: RefCell<BTreeMap<(u32, u8), Rc<Ways>>>,
    cross: Option<CrossTraffic>,
    crossing: RefCell<Vec<Rc<CrossPlace>>>,
    /// Logical networks.
    networks: u8,
    kick: Signal,
    /// Whether the task sleeps until it is kicked.
    asleep: Cell<bool>,
}

impl Routed {
    /// The fabric, its task started.
    pub(super) fn start(
        sim: &Sim,
        topology: &Topology,
        parameters: &RoutedParameters,
        nodes: &[String],
        seed: u64,
        desk: &Rc<Desk>,
    ) -> Rc<Routed> {
        let router = &parameters.router;
        let (shape, places) = parameters.shape(topology);
        let fabric = Rc::new(Routed {
            sim: sim.clone(),
            clock: router.clock,
            buffer_flits: u32::from(router.buffer_flits),
            links: Links::new(router, nodes),
            spans: RefCell::default(),
            streams: RefCell::default(),
            whole: router.switching == Switching::StoreAndForward,
            exits: Mailbox::new(sim, "packets that come out of the fabric"),
            exit_delay: parameters.router.exit_delay,
            network: RefCell::new(Network::new(shape, router, seed)),
            desk: desk.clone(),
            flying: RefCell::default(),
            lost: RefCell::new(Losing::new(parameters.loss, seed)),
            cross: parameters.cross,
            crossing: RefCell::default(),
            networks: router.networks,
            kick: Signal::new(sim, "work for the fabric"),
            asleep: Cell::new(false),
        });
        if sim.recorder().is_on() {
            fabric.network.borrow_mut().keep_crossings();
        }
        sim.spawn_server("fabric", fabric.clone().run());
        if parameters.router.exit_delay > 0 {
            sim.spawn_server("fabric exits", fabric.clone().come_out());
        }
        if let Some(traffic) = parameters.cross {
            fabric.start_crossing(traffic, &places, seed);
        }
        fabric
    }

    async fn run(self: Rc<Self>) {
        let mut events = Vec::new();
        loop {
            let (work, next) = {
                let network = self.network.borrow();
                (network.next_work(), network.cycle())
            };
            let at = work.map_or(Time::MAX, |cycle| self.instant(cycle));
            if at > self.sim.now() {
                self.asleep.set(true);
                // What comes before the next cycle is for no earlier one: nothing need be asked again.
                let is_next = work == Some(next);
                let mut kicked = self.kick.wait_until(at).await;
                while kicked && is_next && at > self.sim.now() {
                    kicked = self.kick.wait_until(at).await;
                }
                self.asleep.set(false);
                if kicked && !is_next {
                    continue;
                }
            }
            self.step(work.expect("only work has an instant"), &mut events);
        }
    }

    /// Tells of what comes out late.
    async fn come_out(self: Rc<Self>) {
        loop {
            let (at, event) = self.exits.receive().await;
            if at > self.sim.now() {
                self.sim.until(at).await;
            }
            self.out(event);
        }
    }

    /// When cycle `cycle` is simulated.
    fn instant(&self, cycle: u64) -> Time {
        self.clock.end_of_cycle(cycle) + Time::from_ps(1)
    }

    fn step(&self, cycle: u64, events: &mut Vec<PacketEvent>) {
        {
            let mut network = self.network.borrow_mut();
            network.skip_to(cycle);
            network.step();
            network.take_events(events);
            self.spans.borrow_mut().tell(self.sim.recorder(), &mut network, &self.links, |one| self.doing(one));
        }
        for event in events.drain(..) {
            self.tell(event);
        }
    }

    /// What is known of a packet that has left a channel; little of one that is lost.
    fn doing(&self, crossing: &Crossing) -> Doing {
        match self.flying.borrow().of(crossing.tag) {
            Some(Some(packet)) => wire::doing(packet),
            Some(None) => Doing { what: "lost", ..Doing::default() },
            None => Doing { what: "cross-traffic", ..Doing::default() },
        }
    }

    /// How the links were used.
    pub fn links(&self) -> Vec<LinkUse> {
        self.links.used(&self.network.borrow())
    }

    fn tell(&self, event: PacketEvent) {
        if self.crossed(&event) {
            return;
        }
        match event.kind {
            EventKind::Left(_) => _ = self.streamed(&event),
            EventKind::Entered => self.desk.tell(NodeId(event.node), Told::Free(Class(event.network))),
            _ if self.exit_delay > 0 => self.exits.send((self.instant(event.cycle + self.exit_delay), event)),
            _ => self.out(event),
        }
    }

    /// A packet's header, or all of it, is at its interface.
    fn out(&self, event: PacketEvent) {
        if self.streamed(&event) {
            return;
        }
        match event.kind {
            EventKind::Entered | EventKind::Left(_) | EventKind::Came(_) => {}
            EventKind::Header if !self.whole => self.arrived(event),
            EventKind::Header => {}
            EventKind::Delivered => {
                if self.whole {
                    self.arrived(event);
                }
                let packet = self.flying.borrow_mut().take(event.tag);
                if let Some(packet) = packet {
                    packet.set_whole();
                    self.desk.tell(NodeId(event.node), Told::All(packet));
                }
            }
        }
    }

    /// The header, or all, of a packet is there, unless the packet is lost.
    fn arrived(&self, event: PacketEvent) {
        let lost = self.lost.borrow_mut().next();
        let packet = match lost {
            true => self.flying.borrow_mut().lose(event.tag),
            false => self.flying.borrow().packet(event.tag),
        };
        if self.whole {
            packet.set_whole();
        }
        if !lost {
            self.desk.count(|fate| fate.delivered += 1);
            self.desk.tell(NodeId(event.node), Told::Head(packet));
            return;
        }
        if packet.label().takes_place {
            self.add_place(NodeId(event.node), Class(event.network));
        }
        self.desk.lose(packet);
    }

    /// Has the task look again, for there may be work before the cycle it waits for.
    fn wake(&self) {
        if self.asleep.get() {
            self.kick.notify();
        }
    }
}

impl Routed {
    /// The view of `node`.
    pub fn whole(self: &Rc<Self>, node: NodeId) -> Rc<dyn Whole> {
        Rc::new(AtNode { fabric: self.clone(), node })
    }

    fn send(&self, packet: Rc<Packet>) {
        self.offer(packet, u16::MAX, 0);
    }

    /// A packet joins its source's queue, up to `ready` flits of it there; its tag.
    fn offer(&self, packet: Rc<Packet>, ready: u16, grain: u16) -> u32 {
        let flits = self.flits(&packet);
        let tag = self.flying.borrow_mut().put(packet.clone());
        self.desk.count(|fate| fate.injected += 1);
        self.catch_up();
        self.network.borrow_mut().offer(stream::injection(&packet, tag, flits, ready.min(flits), grain));
        self.wake();
        tag
    }

    fn flits(&self, packet: &Packet) -> u16 {
        let flits = packet.label().length.get().div_ceil(u64::from(self.links.flit_bytes));
        u16::try_from(flits).expect("a checked packet has at most 65535 flits")
    }

    fn add_place(&self, node: NodeId, class: Class) {
        self.catch_up();
        self.network.borrow_mut().add_place(node.0, class.0);
        self.wake();
    }

    /// Has the network know what cycle it is before it is given something.
    fn catch_up(&self) {
        let now = self.sim.now();
        // The first cycle whose instant is not over.
        let cycle = self.clock.cycle_at(now.since(Time::from_ps(1)));
        let mut network = self.network.borrow_mut();
        if cycle > network.cycle() {
            let work = network.next_work().unwrap_or(u64::MAX);
            network.skip_to(cycle.min(work));
        }
    }
}

/// The view of a node.
struct AtNode {
    fabric: Rc<Routed>,
    node: NodeId,
}

impl Whole for AtNode {
    fn attach(&self, listener: Listener) {
        self.fabric.desk.attach(self.node, listener);
    }

    fn send(&self, packet: Rc<Packet>) {
        self.fabric.send(packet);
    }

    fn set_places(&self, class: Class, places: u32) {
        self.fabric.network.borrow_mut().set_places(self.node.0, class.0, places);
    }

    fn add_place(&self, class: Class) {
        self.fabric.add_place(self.node, class);
    }
}
