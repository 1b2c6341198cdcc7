//! A routed fabric in a simulation: a network of routers that one task steps.
//!
//! The task steps the routers cycle by cycle while they have work, and is idle otherwise. Cycle *n* begins at the clock
//! edge at ⌊n·10¹²/f⌋ ps, and is simulated one picosecond later. The cycle therefore includes everything that
//! interfaces do at that edge, whatever the order of events. Packets may be lost (`loss`). A lost packet crosses the
//! fabric, is dropped at its destination, and returns the receive slot that it took. A mesh may carry cross-traffic
//! (`cross_traffic.rs`). A workload that needs no nodes steps the routers itself (`fabric_only.rs`).

mod cross_traffic;
mod fabric_only;
mod in_flight;
mod known_deadlocks;
mod links;
mod memory_check;
mod parameters;
pub mod spec;
mod stream;

pub use cross_traffic::CrossTraffic;
pub use fabric_only::FabricOnly;
pub use parameters::{RoutedFabric, RoutedParameters};
pub use stream::{RoutedRx, RoutedTx};

use super::hub::DeliveryHub;
use super::link_statistics;
use super::packet::Packet;
use super::port::{FabricEvent, LinkUse, Listener, PacketPort};
use super::router::{Crossing, EventKind, Network, PacketEvent, Switching};
use crate::engine::{Class, Hertz, Mailbox, NodeId, Signal, Sim, SpanLabel, Time};
use cross_traffic::CrossSource;
use in_flight::{InFlightTable, LossModel};
use links::{Links, Spans};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use stream::NodeStream;

/// A routed fabric.
pub struct Routed {
    sim: Sim,
    clock: Hertz,
    buffer_flits: u32,
    links: Links,
    spans: RefCell<Spans>,
    /// Whether arrival is reported only when all of a packet has arrived.
    is_store_and_forward: bool,
    /// Events of packets that have left the routers, each with the later instant at which interfaces receive it.
    delayed_exits: Mailbox<(Time, PacketEvent)>,
    /// Cycles from a packet's departure from the last router to its arrival at the interface.
    exit_delay: u64,
    network: RefCell<Network>,
    hub: DeliveryHub,
    in_flight: RefCell<InFlightTable>,
    loss: RefCell<LossModel>,
    /// Streams by node and class, for the nodes that use streams.
    streams: RefCell<BTreeMap<(u32, u8), Rc<NodeStream>>>,
    cross_traffic: Option<CrossTraffic>,
    cross_sources: RefCell<Vec<Rc<CrossSource>>>,
    /// Number of logical networks.
    networks: u8,
    wakeup: Signal,
    /// Whether the task waits, for its next cycle or for `wakeup`.
    is_idle: Cell<bool>,
}

impl Routed {
    /// Starts the routers of a checked fabric between nodes of these names; `seed` seeds their random choices and the
    /// losses of packets.
    fn start(sim: &Sim, fabric: &RoutedFabric, nodes: &[String], seed: u64) -> Rc<Routed> {
        let parameters = &fabric.parameters;
        let router = &parameters.router;
        let (shape, cross_pairs) = fabric.shape(nodes);
        let fabric = Rc::new(Routed {
            sim: sim.clone(),
            clock: router.clock,
            buffer_flits: u32::from(router.buffer_flits),
            links: Links::new(router, nodes, &shape.wiring),
            spans: RefCell::default(),
            streams: RefCell::default(),
            is_store_and_forward: router.switching == Switching::StoreAndForward,
            delayed_exits: Mailbox::new(sim, "packets that leave the fabric"),
            exit_delay: parameters.router.exit_delay,
            network: RefCell::new(Network::new(shape, router, seed)),
            hub: DeliveryHub::default(),
            in_flight: RefCell::default(),
            loss: RefCell::new(LossModel::new(parameters.loss, seed)),
            cross_traffic: parameters.cross,
            cross_sources: RefCell::default(),
            networks: router.networks,
            wakeup: Signal::new(sim, "work for the fabric"),
            is_idle: Cell::new(false),
        });
        if sim.recorder().is_on() {
            fabric.network.borrow_mut().record_crossings();
        }
        sim.spawn_server("fabric", fabric.clone().run());
        if parameters.router.exit_delay > 0 {
            sim.spawn_server("fabric exits", fabric.clone().deliver_delayed_exits());
        }
        if let Some(traffic) = parameters.cross {
            fabric.start_cross_traffic(traffic, &cross_pairs, seed);
        }
        fabric
    }

    async fn run(self: Rc<Self>) {
        let mut events = Vec::new();
        loop {
            let (work_cycle, next_cycle) = {
                let network = self.network.borrow();
                (network.next_work(), network.cycle())
            };
            let time = work_cycle.map_or(Time::MAX, |cycle| self.instant(cycle));
            if time > self.sim.now() {
                self.is_idle.set(true);
                // Interfaces add work only to the next cycle or to later ones. If the next cycle already has work, a
                // wake-up changes nothing.
                let is_next_cycle = work_cycle == Some(next_cycle);
                let mut is_woken = self.wakeup.wait_until(time).await;
                while is_woken && is_next_cycle && time > self.sim.now() {
                    is_woken = self.wakeup.wait_until(time).await;
                }
                self.is_idle.set(false);
                if is_woken && !is_next_cycle {
                    continue;
                }
            }
            self.step(work_cycle.expect("only a cycle with work has a finite time"), &mut events);
        }
    }

    /// Delivers events of packets to interfaces. A packet reaches its interface an exit delay after it left the
    /// routers.
    async fn deliver_delayed_exits(self: Rc<Self>) {
        loop {
            let (time, event) = self.delayed_exits.receive().await;
            if time > self.sim.now() {
                self.sim.until(time).await;
            }
            self.deliver(event);
        }
    }

    /// Returns the instant at which a cycle is simulated.
    fn instant(&self, cycle: u64) -> Time {
        self.clock.end_of_cycle(cycle) + Time::from_ps(1)
    }

    fn step(&self, cycle: u64, events: &mut Vec<PacketEvent>) {
        {
            let mut network = self.network.borrow_mut();
            network.skip_to(cycle);
            network.step();
            network.take_events(events);
            let mut spans = self.spans.borrow_mut();
            spans.record(self.sim.recorder(), &mut network, &self.links, |crossing| self.span_label(crossing));
        }
        for event in events.drain(..) {
            self.handle_event(event);
        }
    }

    /// Returns the label for the span of a packet that has left a channel.
    fn span_label(&self, crossing: &Crossing) -> SpanLabel {
        match self.in_flight.borrow().get(crossing.tag) {
            Some(Some(packet)) => link_statistics::span_label(packet),
            Some(None) => SpanLabel { activity: "lost", ..SpanLabel::default() },
            None => SpanLabel { activity: "cross-traffic", ..SpanLabel::default() },
        }
    }

    /// Returns the use of the links.
    pub fn links(&self) -> Vec<LinkUse> {
        self.links.uses(&self.network.borrow())
    }

    fn handle_event(&self, event: PacketEvent) {
        if self.handle_cross_traffic(&event) {
            return;
        }
        match event.kind {
            EventKind::FlitsSent(_) => _ = self.handle_streamed(&event),
            EventKind::Injected => self.hub.notify(NodeId(event.node), FabricEvent::TxReady(Class(event.network))),
            _ if self.exit_delay > 0 => self.delayed_exits.send((self.instant(event.cycle + self.exit_delay), event)),
            _ => self.deliver(event),
        }
    }

    /// Notifies an interface that the header of a packet, or the whole packet, has arrived.
    fn deliver(&self, event: PacketEvent) {
        if self.handle_streamed(&event) {
            return;
        }
        match event.kind {
            EventKind::Injected | EventKind::FlitsSent(_) | EventKind::FlitsArrived(_) => {}
            EventKind::HeaderArrived if !self.is_store_and_forward => self.handle_header(event),
            EventKind::HeaderArrived => {}
            EventKind::Delivered => {
                if self.is_store_and_forward {
                    self.handle_header(event);
                }
                let packet = self.in_flight.borrow_mut().remove(event.tag);
                if let Some(packet) = packet {
                    packet.set_whole();
                    self.hub.notify(NodeId(event.node), FabricEvent::TailArrived(packet));
                }
            }
        }
    }

    /// Notifies the destination of a packet, or drops the packet if it is lost.
    fn handle_header(&self, event: PacketEvent) {
        let is_lost = self.loss.borrow_mut().draw_loss();
        let packet = match is_lost {
            true => self.in_flight.borrow_mut().remove_lost(event.tag),
            false => self.in_flight.borrow().packet(event.tag),
        };
        if self.is_store_and_forward {
            packet.set_whole();
        }
        if !is_lost {
            self.hub.count(|counts| counts.delivered += 1);
            self.hub.notify(NodeId(event.node), FabricEvent::HeaderArrived(packet));
            return;
        }
        if packet.label().needs_slot {
            self.add_slot(NodeId(event.node), Class(event.network));
        }
        self.hub.report_drop(packet);
    }

    /// Wakes the task, because there may be work before the cycle that it waits for.
    fn wake_task(&self) {
        if self.is_idle.get() {
            self.wakeup.notify();
        }
    }
}

impl Routed {
    /// Returns the packet port of `node`.
    fn packet_port(self: &Rc<Self>, node: NodeId) -> Rc<dyn PacketPort> {
        Rc::new(RoutedPort { fabric: self.clone(), node })
    }

    fn send(&self, packet: Rc<Packet>) {
        self.offer(packet, u16::MAX, 0);
    }

    /// Adds a packet to its source's queue and returns its tag. At most `available_flits` of its flits are available at
    /// first, and a `flow_unit` above 0 makes the packet a stream.
    fn offer(&self, packet: Rc<Packet>, available_flits: u16, flow_unit: u16) -> u32 {
        let flit_count = self.flit_count(&packet);
        let tag = self.in_flight.borrow_mut().insert(packet.clone());
        self.hub.count(|counts| counts.injected += 1);
        self.sync_network();
        self.network.borrow_mut().offer(stream::injection(
            &packet,
            tag,
            flit_count,
            available_flits.min(flit_count),
            flow_unit,
        ));
        self.wake_task();
        tag
    }

    fn flit_count(&self, packet: &Packet) -> u16 {
        let flit_count = packet.label().length.get().div_ceil(u64::from(self.links.flit_bytes));
        u16::try_from(flit_count).expect("a checked packet has at most 65535 flits")
    }

    fn add_slot(&self, node: NodeId, class: Class) {
        self.sync_network();
        self.network.borrow_mut().add_slot(node.0, class.0);
        self.wake_task();
    }

    /// Advances the network to the current cycle. This must precede any change of the network's inputs.
    fn sync_network(&self) {
        let now = self.sim.now();
        // The first cycle that is simulated now or later.
        let cycle = self.clock.cycle_at(now.since(Time::from_ps(1)));
        let mut network = self.network.borrow_mut();
        if cycle > network.cycle() {
            let work_cycle = network.next_work().unwrap_or(u64::MAX);
            network.skip_to(cycle.min(work_cycle));
        }
    }
}

/// The packet port of a node.
struct RoutedPort {
    fabric: Rc<Routed>,
    node: NodeId,
}

impl PacketPort for RoutedPort {
    fn attach(&self, listener: Listener) {
        self.fabric.hub.attach(self.node, listener);
    }

    fn send(&self, packet: Rc<Packet>) {
        self.fabric.send(packet);
    }

    fn set_slots(&self, class: Class, slots: u32) {
        self.fabric.network.borrow_mut().set_slots(self.node.0, class.0, slots);
    }

    fn add_slot(&self, class: Class) {
        self.fabric.add_slot(self.node, class);
    }
}
