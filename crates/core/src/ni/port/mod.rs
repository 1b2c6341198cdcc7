//! The network side of every interface that sends whole packets: a protocol over a fabric.
//!
//! Models: one loop for all protocols and fabrics. When the way into a class is free, the protocol
//! is asked what may enter it; what comes off the fabric, and what its reader takes and has read, is
//! told to the protocol, and that may let something enter. Making and taking an acknowledgement takes
//! the protocol's `processing` cycles each; a packet's way through the interface is the design's, or
//! part of the fabric's interface delay. Leaves out: anything by which designs differ.
//!
//! Statistics: what the protocol counts; packets for each node that are under way ([`InFlight`]); a span
//! for each packet that goes in, while it does, and one of no length for each that comes.

mod deferred;
mod fabric_side;

pub(crate) use fabric_side::frame_of;

use super::in_flight::InFlight;
use super::port_config::{PortConfig, Stages};
use crate::engine::{Bytes, Class, EndpointMap, Hertz, Mailbox, MessageTally, NodeId, Signal, Sim, Time, Track};
use crate::fabric::{Label, Packet, PacketPort};
use crate::protocol::{Answer, Offer, PacketHandle, Protocol, Slot, Statistics};
use deferred::Deferred;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The port of a node.
pub struct Port {
    sim: Sim,
    node: NodeId,
    clock: Hertz,
    packet: Bytes,
    protocol: RefCell<Box<dyn Protocol<PacketHandle>>>,
    /// Logical networks for programs.
    classes: u8,
    processing: u64,
    resends: bool,
    pools: bool,
    has_timers: bool,
    wire: Rc<dyn PacketPort>,
    lanes: Vec<Lane>,
    /// Whether a packet is taken in when its header is here, and not only when all of it is.
    accepts_on_header: bool,
    stages: Stages,
    held: RefCell<Vec<Option<Reading>>>,
    /// A packet left, or a slot may be free.
    pub freed: Signal,
    /// A packet may be taken.
    pub arrived: Signal,
    /// Something that a processor may wait for changed: either of these, or a packet is whole.
    pub changed: Signal,
    /// Each with its instant.
    later: Mailbox<(Time, Deferred)>,
    /// A timer is set for an earlier instant.
    sooner: Signal,
    /// The timer that the task for them waits for, or the end of time.
    watched: Cell<Time>,
    tally: Rc<MessageTally>,
    pending: Rc<InFlight>,
    addresses: Rc<EndpointMap>,
    track: Track,
}

/// A class of the fabric.
#[derive(Default)]
struct Lane {
    /// The packet that is going in, if the way is not free.
    sending: RefCell<Option<Sending>>,
    /// Whether the packet in front was taken, and its acknowledgement is being made.
    taking: Cell<bool>,
}

/// A packet that is going in.
struct Sending {
    packet: Rc<Packet>,
    what: &'static str,
    since: Time,
}

/// A packet that its reader has.
#[derive(Clone, Copy, Default)]
struct Reading {
    /// Its place, when the protocol has said which.
    slot: Option<Slot>,
    /// Whether it has been read before that.
    read: bool,
}

/// A packet that was taken.
#[derive(Clone, Debug)]
pub struct TakenPacket {
    /// Who sent it.
    pub from: NodeId,
    /// The packet; its rest may still flow in.
    pub packet: Rc<Packet>,
    /// Its class.
    pub class: Class,
    key: usize,
}

impl Port {
    /// The port, its tasks started.
    pub fn start(config: PortConfig<'_>) -> Rc<Port> {
        let PortConfig { sim, node, name, clock, wire, classes, protocol, tally, pending, addresses, packet, .. } =
            config;
        let protocol = protocol.with_classes(classes);
        let guarantees = protocol.guarantees();
        let port = Rc::new(Port {
            sim: sim.clone(),
            node,
            clock,
            packet,
            protocol: RefCell::new(protocol.start(node)),
            classes: protocol.spec().classes(classes),
            processing: protocol.spec().processing_cycles(),
            resends: guarantees.survives_loss,
            pools: guarantees.pools,
            has_timers: guarantees.has_timers,
            wire,
            lanes: Class::all(classes).map(|_| Lane::default()).collect(),
            accepts_on_header: config.accepts_on_header,
            stages: config.stages,
            held: RefCell::default(),
            freed: Signal::new(sim, format!("room in the interface of {name}")),
            arrived: Signal::new(sim, format!("a packet for {name}")),
            changed: Signal::new(sim, format!("a packet for {name}, or room in its interface")),
            later: Mailbox::new(sim, format!("work for the interface of {name}")),
            sooner: Signal::new(sim, format!("a timer of the interface of {name}")),
            watched: Cell::new(Time::MAX),
            tally: tally.clone(),
            pending: pending.clone(),
            addresses: addresses.clone(),
            track: sim.recorder().register_track(name, "port"),
        });
        if let Some(slots) = guarantees.slots {
            Class::all(classes).for_each(|class| port.wire.set_slots(class, slots));
        }
        port.join(name);
        port
    }

    fn join(self: &Rc<Self>, name: &str) {
        let listener = Rc::downgrade(self);
        let listen = move |event| {
            if let Some(port) = listener.upgrade() {
                port.handle(event);
            }
        };
        self.wire.attach(Box::new(listen));
        if self.processing > 0 {
            self.sim.spawn_server(format!("{name} interface"), self.clone().work());
        }
        if self.has_timers {
            self.sim.spawn_server(format!("{name} timers"), self.clone().watch());
        }
    }

    /// The node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Which node each endpoint is on.
    pub fn addresses(&self) -> &EndpointMap {
        &self.addresses
    }

    /// Logical networks for programs.
    pub fn classes(&self) -> u8 {
        self.classes
    }

    /// How many packets of a class may be composed now.
    pub fn room(&self, class: Class) -> u32 {
        self.protocol.borrow().room(class)
    }

    /// Takes a slot, if there is one.
    pub fn try_reserve(&self, class: Class) -> Option<Slot> {
        self.protocol.borrow_mut().reserve(class)
    }

    /// Waits for a slot and takes it.
    pub async fn reserve(&self, class: Class) -> Slot {
        loop {
            if let Some(slot) = self.try_reserve(class) {
                return slot;
            }
            self.freed.wait().await;
        }
    }

    /// Gives a composed packet on.
    pub fn offer(&self, slot: Slot, packet: Offer<Rc<Packet>>) {
        let Offer { to, flow, class, marks, bytes, body } = packet;
        body.relabel(Label { source: self.node, destination: to, class, ..Label::default() });
        let packet = Offer { to, flow, class, marks, bytes, body: PacketHandle::new(body) };
        self.protocol.borrow_mut().offer(slot, packet);
        self.pump(class);
    }

    /// Gives a composed packet on, and returns when the interface's last part is free again: at once
    /// where packets wait in a pool, else when its last byte has left.
    pub async fn pass(&self, slot: Slot, packet: Offer<Rc<Packet>>) {
        let body = packet.body.clone();
        self.offer(slot, packet);
        while !self.pools && !body.has_entered() {
            self.freed.wait().await;
        }
    }

    /// Whether a packet waits to be taken.
    pub fn has_arrived(&self, class: Class) -> bool {
        !self.lanes[class.index()].taking.get() && self.protocol.borrow().has_front(class)
    }

    /// The packet that may be taken next.
    pub fn front(&self, class: Class) -> Option<Rc<Packet>> {
        self.has_arrived(class).then(|| self.protocol.borrow().front(class).map(|(_, packet)| packet.expect()))?
    }

    /// Takes the next packet; `answer` says of it whether a handler will answer it.
    pub fn try_take(&self, class: Class, answer: impl FnOnce(&Packet) -> Answer) -> Option<TakenPacket> {
        let lane = &self.lanes[class.index()];
        if lane.taking.get() {
            return None;
        }
        let (from, packet) = {
            let protocol = self.protocol.borrow();
            let (from, packet) = protocol.front(class)?;
            (from, packet.expect::<Packet>())
        };
        let answer = answer(&packet);
        self.pending.remove(self.node);
        self.sim.progress();
        let key = self.read();
        match self.processing {
            0 => self.accepted(class, answer, key),
            cycles => {
                lane.taking.set(true);
                let made = self.clock.edge_since(self.sim.now(), cycles);
                self.later.send((made, Deferred::Accept(class, answer, key)));
            }
        }
        Some(TakenPacket { from, packet, class, key })
    }

    /// Waits for a packet and takes it.
    pub async fn take(&self, class: Class) -> TakenPacket {
        loop {
            if let Some(taken) = self.try_take(class, |_| Answer::None) {
                return taken;
            }
            self.arrived.wait().await;
        }
    }

    /// The packet has been read: its place is free.
    pub fn release(&self, taken: TakenPacket) {
        let TakenPacket { class, key, .. } = taken;
        let reading = self.held.borrow()[key].expect("a packet is released once");
        match reading.slot {
            None => self.held.borrow_mut()[key] = Some(Reading { read: true, ..reading }),
            Some(slot) => self.free(class, key, slot),
        }
    }

    /// A key for a packet that is being read.
    fn read(&self) -> usize {
        let mut held = self.held.borrow_mut();
        let key = held.iter().position(Option::is_none).unwrap_or(held.len());
        if key == held.len() {
            held.push(None);
        }
        held[key] = Some(Reading::default());
        key
    }

    fn free(&self, class: Class, key: usize, slot: Slot) {
        self.held.borrow_mut()[key] = None;
        let effects = self.protocol.borrow_mut().release(class, slot);
        self.has_effects(effects);
        if self.has_timers {
            self.pump_all();
        }
    }

    /// Packets sent to a node, or to any, that are not answered for and will be, whatever is sent next.
    pub fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        self.protocol.borrow().unacknowledged(to)
    }

    /// A note that rides in what is sent back.
    pub fn tell(&self, note: u64) {
        self.protocol.borrow_mut().set_feedback(note);
    }

    /// The note that came last from a node; 0 before.
    pub fn heard(&self, by: NodeId) -> u64 {
        self.protocol.borrow().feedback_from(by)
    }

    /// What the protocol counted.
    pub fn statistics(&self) -> Statistics {
        self.protocol.borrow().statistics()
    }

    /// Bytes of the protocol's state.
    pub fn state_bytes(&self) -> usize {
        self.protocol.borrow().state_bytes(self.packet.len())
    }
}

#[cfg(test)]
mod tests;
