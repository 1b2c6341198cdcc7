//! The network side of every interface that sends whole packets: a protocol over a fabric.
//!
//! The module models one loop for all protocols and fabrics. When the fabric's input for a class is free, the port asks
//! the protocol for the next frame. The port reports arrived packets, and packets that the reader has taken or
//! released, to the protocol, which may then have more frames to send. Composing an acknowledgement and processing one
//! take the protocol's processing cycles each. A packet's latency within the interface is modelled by the interface's
//! design, or is part of the fabric's interface delay. The module leaves out everything in which designs differ.
//!
//! A port measures the protocol's counters and the packets in flight to each node ([`InFlight`]). It records a span
//! for each packet while the packet is sent, and a span of zero length for each arrival.

mod deferred;
mod fabric_side;

pub(crate) use fabric_side::frame_of;

use super::in_flight::InFlight;
use super::port_config::{PortConfig, Stages};
use crate::engine::{Bytes, Class, EndpointMap, Hertz, Mailbox, MessageTally, NodeId, Signal, Sim, Time, Track};
use crate::fabric::{Label, Packet, PacketPort};
use crate::protocol::{Answer, Offer, PacketHandle, Protocol, Slot, Statistics};
use deferred::DeferredWork;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The port of a node.
pub struct Port {
    sim: Sim,
    node: NodeId,
    clock: Hertz,
    packet_length: Bytes,
    protocol: RefCell<Box<dyn Protocol<PacketHandle>>>,
    /// Number of logical networks for programs.
    classes: u8,
    processing_cycles: u64,
    retransmits: bool,
    has_send_pool: bool,
    has_timers: bool,
    wire: Rc<dyn PacketPort>,
    class_states: Vec<ClassState>,
    /// Whether a packet may be taken as soon as its header has arrived; otherwise all of it must have arrived.
    accepts_on_header: bool,
    stages: Stages,
    held_packets: RefCell<Vec<Option<HeldPacket>>>,
    /// Notified when a packet has left, or a slot may be free.
    pub freed: Signal,
    /// Notified when a packet may be taken.
    pub arrived: Signal,
    /// Notified when a processor's wait may end: together with `freed` and `arrived`, and when the tail of a packet has
    /// arrived.
    pub changed: Signal,
    /// Deferred work with its time.
    deferred: Mailbox<(Time, DeferredWork)>,
    /// Notified when the next timer has become earlier.
    next_timer_changed: Signal,
    /// The time for which the timer task waits; `Time::MAX` without a timer.
    watched_timer: Cell<Time>,
    tally: Rc<MessageTally>,
    in_flight: Rc<InFlight>,
    addresses: Rc<EndpointMap>,
    track: Track,
}

/// The state of a class.
#[derive(Default)]
struct ClassState {
    /// The packet that is being sent, if the fabric's input is not free.
    packet_being_sent: RefCell<Option<OutgoingPacket>>,
    /// Whether the packet at the front has been taken and its acknowledgement is still being composed.
    is_take_pending: Cell<bool>,
}

/// A packet that is being sent.
struct OutgoingPacket {
    packet: Rc<Packet>,
    span_name: &'static str,
    send_start: Time,
}

/// A packet that has been taken and not released.
#[derive(Clone, Copy, Default)]
struct HeldPacket {
    /// The slot, once the protocol has released it.
    slot: Option<Slot>,
    /// Whether the reader released the packet before the protocol released the slot.
    is_released_by_reader: bool,
}

/// A packet that was taken.
#[derive(Clone, Debug)]
pub struct TakenPacket {
    /// The sending node.
    pub from: NodeId,
    /// The packet; its tail may not have arrived yet.
    pub packet: Rc<Packet>,
    /// The packet's class.
    pub class: Class,
    key: usize,
}

impl Port {
    /// Creates a port and starts its tasks.
    pub fn start(config: PortConfig<'_>) -> Rc<Port> {
        let PortConfig {
            sim, node, name, clock, wire, classes, protocol, tally, in_flight, addresses, packet_max, ..
        } = config;
        let protocol = protocol.with_classes(classes);
        let guarantees = protocol.guarantees();
        let port = Rc::new(Port {
            sim: sim.clone(),
            node,
            clock,
            packet_length: packet_max,
            protocol: RefCell::new(protocol.start(node)),
            classes: protocol.spec().classes(classes),
            processing_cycles: protocol.spec().processing_cycles(),
            retransmits: guarantees.survives_loss,
            has_send_pool: guarantees.pools,
            has_timers: guarantees.has_timers,
            wire,
            class_states: Class::all(classes).map(|_| ClassState::default()).collect(),
            accepts_on_header: config.accepts_on_header,
            stages: config.stages,
            held_packets: RefCell::default(),
            freed: Signal::new(sim, format!("a free slot in the interface of {name}")),
            arrived: Signal::new(sim, format!("a packet for {name}")),
            changed: Signal::new(sim, format!("a packet for {name}, or a free slot in its interface")),
            deferred: Mailbox::new(sim, format!("work for the interface of {name}")),
            next_timer_changed: Signal::new(sim, format!("a timer of the interface of {name}")),
            watched_timer: Cell::new(Time::MAX),
            tally: tally.clone(),
            in_flight: in_flight.clone(),
            addresses: addresses.clone(),
            track: sim.recorder().register_track(name, "port"),
        });
        if let Some(slots) = guarantees.slots {
            Class::all(classes).for_each(|class| port.wire.set_slots(class, slots));
        }
        port.start_tasks(name);
        port
    }

    fn start_tasks(self: &Rc<Self>, name: &str) {
        let weak_port = Rc::downgrade(self);
        let on_event = move |event| {
            if let Some(port) = weak_port.upgrade() {
                port.handle_event(event);
            }
        };
        self.wire.attach(Box::new(on_event));
        if self.processing_cycles > 0 {
            self.sim.spawn_server(format!("{name} interface"), self.clone().run_deferred());
        }
        if self.has_timers {
            self.sim.spawn_server(format!("{name} timers"), self.clone().run_timers());
        }
    }

    /// Returns the node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Returns the map from endpoints to nodes.
    pub fn addresses(&self) -> &EndpointMap {
        &self.addresses
    }

    /// Returns the number of logical networks for programs.
    pub fn classes(&self) -> u8 {
        self.classes
    }

    /// Returns the number of packets of a class that can be reserved now.
    pub fn free_send_slots(&self, class: Class) -> u32 {
        self.protocol.borrow().free_send_slots(class)
    }

    /// Reserves a slot for a packet of a class, if one is free.
    pub fn try_reserve(&self, class: Class) -> Option<Slot> {
        self.protocol.borrow_mut().reserve(class)
    }

    /// Reserves a slot for a packet of a class, and waits for one if none is free.
    pub async fn reserve(&self, class: Class) -> Slot {
        loop {
            if let Some(slot) = self.try_reserve(class) {
                return slot;
            }
            self.freed.wait().await;
        }
    }

    /// Gives a composed packet to the protocol.
    pub fn offer(&self, slot: Slot, packet: Offer<Rc<Packet>>) {
        let Offer { to, flow, class, marks, bytes, body } = packet;
        body.relabel(Label { source: self.node, destination: to, class, ..Label::default() });
        let packet = Offer { to, flow, class, marks, bytes, body: PacketHandle::new(body) };
        self.protocol.borrow_mut().offer(slot, packet);
        self.send_next_frame(class);
    }

    /// Gives a composed packet to the protocol, and returns when the output stage of the interface is free again: at
    /// once if packets wait in a pool, otherwise when the packet has entered the fabric.
    pub async fn offer_and_wait(&self, slot: Slot, packet: Offer<Rc<Packet>>) {
        let body = packet.body.clone();
        self.offer(slot, packet);
        while !self.has_send_pool && !body.has_entered() {
            self.freed.wait().await;
        }
    }

    /// Returns whether a packet waits to be taken.
    pub fn has_arrived(&self, class: Class) -> bool {
        !self.class_states[class.index()].is_take_pending.get() && self.protocol.borrow().can_take(class)
    }

    /// Returns the packet that may be taken next.
    pub fn front(&self, class: Class) -> Option<Rc<Packet>> {
        self.has_arrived(class).then(|| self.protocol.borrow().front(class).map(|(_, packet)| packet.expect()))?
    }

    /// Takes the next packet; `answer` returns whether a handler will answer it.
    pub fn try_take(&self, class: Class, answer: impl FnOnce(&Packet) -> Answer) -> Option<TakenPacket> {
        let state = &self.class_states[class.index()];
        if state.is_take_pending.get() {
            return None;
        }
        let (from, packet) = {
            let protocol = self.protocol.borrow();
            let (from, packet) = protocol.front(class)?;
            (from, packet.expect::<Packet>())
        };
        let answer = answer(&packet);
        self.in_flight.remove(self.node);
        self.sim.progress();
        let key = self.allocate_key();
        match self.processing_cycles {
            0 => self.complete_take(class, answer, key),
            cycles => {
                state.is_take_pending.set(true);
                let composed_at = self.clock.edge_since(self.sim.now(), cycles);
                self.deferred.send((composed_at, DeferredWork::CompleteTake { class, answer, key }));
            }
        }
        Some(TakenPacket { from, packet, class, key })
    }

    /// Waits for a packet and takes it.
    pub async fn take(&self, class: Class) -> TakenPacket {
        loop {
            if let Some(taken_packet) = self.try_take(class, |_| Answer::None) {
                return taken_packet;
            }
            self.arrived.wait().await;
        }
    }

    /// Releases a packet that has been read, which frees its slot.
    pub fn release(&self, taken_packet: TakenPacket) {
        let TakenPacket { class, key, .. } = taken_packet;
        let held_packet = self.held_packets.borrow()[key].expect("a packet is released once");
        match held_packet.slot {
            None => {
                self.held_packets.borrow_mut()[key] = Some(HeldPacket { is_released_by_reader: true, ..held_packet })
            }
            Some(slot) => self.free_slot(class, key, slot),
        }
    }

    /// Returns a key for a packet that is being read.
    fn allocate_key(&self) -> usize {
        let mut held_packets = self.held_packets.borrow_mut();
        let key = held_packets.iter().position(Option::is_none).unwrap_or(held_packets.len());
        if key == held_packets.len() {
            held_packets.push(None);
        }
        held_packets[key] = Some(HeldPacket::default());
        key
    }

    fn free_slot(&self, class: Class, key: usize, slot: Slot) {
        self.held_packets.borrow_mut()[key] = None;
        let effects = self.protocol.borrow_mut().release(class, slot);
        self.apply_effects(effects);
        if self.has_timers {
            self.send_ready_frames();
        }
    }

    /// Returns the number of unacknowledged packets to node `to`, or to all nodes if `to` is `None`. Packets that are
    /// acknowledged only after further packets are sent are not counted.
    pub fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.protocol.borrow().unacknowledged(to)
    }

    /// Sets the feedback that frames carry to the senders of packets.
    pub fn set_feedback(&self, feedback: u64) {
        self.protocol.borrow_mut().set_feedback(feedback);
    }

    /// Returns the last feedback from a node; 0 before the first.
    pub fn feedback_from(&self, from: NodeId) -> u64 {
        self.protocol.borrow().feedback_from(from)
    }

    /// Returns the protocol's counters.
    pub fn statistics(&self) -> Statistics {
        self.protocol.borrow().statistics()
    }

    /// Returns the bytes of the protocol's state.
    pub fn state_bytes(&self) -> usize {
        self.protocol.borrow().state_bytes(self.packet_length.len())
    }
}

#[cfg(test)]
mod tests;
