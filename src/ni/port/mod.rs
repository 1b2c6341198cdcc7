//! The network side of every interface that sends whole packets: a protocol over a fabric.
//!
//! Models: one loop for all protocols and fabrics. When the way into a class is free, the protocol
//! is asked what may enter it; what comes off the fabric, and what its reader takes and has read, is
//! told to the protocol, and that may let something enter. Making and taking an acknowledgement takes
//! the protocol's `processing` cycles each; a packet's way through the interface is the design's, or
//! part of the fabric's interface delay. Leaves out: anything by which designs differ.
//!
//! Statistics: what the protocol counts; packets for each node that are under way ([`Pending`]); a span
//! for each packet that goes in, while it does, and one of no length for each that comes.

mod late;

use super::Pending;
use super::wiring::{PortWiring, Stages};
use crate::engine::{
    Addresses, Bytes, Class, Doing, Hertz, Journey, Mailbox, MessageTally, NodeId, Signal, Sim, Time, Track,
};
use crate::fabric::{Label, Packet, Told, Whole};
use crate::protocol::{Answer, AnyProtocol, Effects, Frame, Offer, Protocol, Slot, Statistics};
use late::Later;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The port of a node.
pub struct Port {
    sim: Sim,
    node: NodeId,
    clock: Hertz,
    packet: Bytes,
    protocol: RefCell<AnyProtocol<Rc<Packet>>>,
    /// Logical networks for programs.
    classes: u8,
    processing: u64,
    resends: bool,
    pools: bool,
    has_timers: bool,
    wire: Rc<dyn Whole>,
    lanes: Vec<Lane>,
    /// Whether a packet is taken in when its header is here, and not only when all of it is.
    early: bool,
    stages: Stages,
    held: RefCell<Vec<Option<Reading>>>,
    /// A packet left, or a slot may be free.
    pub freed: Signal,
    /// A packet may be taken.
    pub arrived: Signal,
    /// Something that a processor may wait for changed: either of these, or a packet is whole.
    pub changed: Signal,
    /// Each with its instant.
    later: Mailbox<(Time, Later)>,
    /// A timer is set for an earlier instant.
    sooner: Signal,
    /// The timer that the task for them waits for, or the end of time.
    watched: Cell<Time>,
    tally: Rc<MessageTally>,
    pending: Rc<Pending>,
    addresses: Rc<Addresses>,
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
    pub fn start(wiring: PortWiring<'_>, early: bool, stages: Stages) -> Rc<Port> {
        let PortWiring { sim, node, name, clock, wire, classes, protocol, tally, pending, addresses, packet } = wiring;
        let promises = protocol.promises_over(classes);
        let port = Rc::new(Port {
            sim: sim.clone(),
            node,
            clock,
            packet,
            protocol: RefCell::new(protocol.start(node, classes)),
            classes: protocol.classes(classes),
            processing: protocol.processing(),
            resends: promises.survives_loss,
            pools: promises.pools,
            has_timers: promises.has_timers,
            wire,
            lanes: Class::all(classes).map(|_| Lane::default()).collect(),
            early,
            stages,
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
            track: sim.recorder().track_if_on(name, "port"),
        });
        if let Some(places) = promises.places {
            Class::all(classes).for_each(|class| port.wire.set_places(class, places));
        }
        port.join(name);
        port
    }

    fn join(self: &Rc<Self>, name: &str) {
        let listener = Rc::downgrade(self);
        let told = move |told| {
            if let Some(port) = listener.upgrade() {
                port.told(told);
            }
        };
        self.wire.attach(Box::new(told));
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
    pub fn addresses(&self) -> &Addresses {
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
        let class = packet.class;
        packet.body.relabel(Label { source: self.node, destination: packet.to, class, ..Label::default() });
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
        self.has_arrived(class).then(|| self.protocol.borrow().front(class).map(|(_, packet)| packet.clone()))?
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
            (from, packet.clone())
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
                self.later.send((made, Later::Accept(class, answer, key)));
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
    pub fn unanswered(&self, to: Option<NodeId>) -> u32 {
        self.protocol.borrow().unanswered(to)
    }

    /// A note that rides in what is sent back.
    pub fn tell(&self, note: u64) {
        self.protocol.borrow_mut().tell(note);
    }

    /// The note that came last from a node; 0 before.
    pub fn heard(&self, by: NodeId) -> u64 {
        self.protocol.borrow().told(by)
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

/// The side towards the fabric.
impl Port {
    /// Gives the fabric the next frame of a class, if there is one and the way is free.
    fn pump(&self, class: Class) {
        let lane = &self.lanes[class.index()];
        if lane.sending.borrow().is_some() {
            return;
        }
        let Some(frame) = self.next(class) else { return };
        let what = self.sends(&frame);
        let packet = self.packet(frame);
        *lane.sending.borrow_mut() = Some(Sending { packet: packet.clone(), what, since: self.sim.now() });
        self.wire.send(packet);
        self.timers_changed();
        if self.pools {
            // A packet may have left the pool.
            self.freed.notify();
        }
        self.changed.notify();
    }

    /// The protocol's next frame of a class, if there is one.
    #[inline]
    fn next(&self, class: Class) -> Option<Frame<Rc<Packet>>> {
        let (mut protocol, now) = (self.protocol.borrow_mut(), self.sim.now());
        if !protocol.may_send(class) {
            debug_assert!(protocol.next(class, now).is_none(), "it said that nothing may be sent");
            return None;
        }
        protocol.next(class, now)
    }

    /// What it is to send a frame.
    fn sends(&self, frame: &Frame<Rc<Packet>>) -> &'static str {
        match &frame.body {
            None => "send control",
            Some(_) if frame.again => "send again",
            Some(packet) if packet.label().source != self.node => "send back",
            Some(_) => "send",
        }
    }

    /// Keeps a span until now.
    #[inline]
    fn keep_span(&self, what: &'static str, packet: &Packet, since: Time) {
        if !self.sim.recorder().keeps(self.track) {
            return;
        }
        let doing = Doing { what, message: packet.journey.id(), bytes: packet.label().length };
        self.sim.recorder().tell(self.track, doing, since, self.sim.now());
    }

    fn pump_all(&self) {
        (0..self.lanes.len()).for_each(|class| self.pump(Class(class as u8)));
    }

    /// A frame as the fabric carries it. Where packets are sent again, what leaves is a copy, so that
    /// each is followed on its own way.
    fn packet(&self, frame: Frame<Rc<Packet>>) -> Rc<Packet> {
        let Frame { from, to, class, head, bytes, takes_place, again, body } = frame;
        let label = Label { source: from, destination: to, class, length: bytes, takes_place, head };
        let Some(packet) = body else { return Packet::new(label, Journey::NONE) };
        let now = self.sim.now();
        if packet.label().source == self.node && !again {
            self.pending.add(to);
            match self.stages.always {
                true => packet.journey.close(self.stages.pool, now),
                false => packet.journey.close_if_lasted(self.stages.pool, now),
            }
        }
        let packet = if self.resends { packet.copy() } else { packet };
        if again {
            packet.journey.close("retry", now);
        }
        packet.relabel(label);
        packet
    }

    fn told(&self, told: Told) {
        match told {
            Told::Free(class) => {
                let sent = self.lanes[class.index()].sending.borrow_mut().take();
                if let Some(Sending { packet, what, since }) = sent {
                    packet.set_entered();
                    self.keep_span(what, &packet, since);
                }
                if !self.pools {
                    self.freed.notify();
                }
                let effects = self.protocol.borrow_mut().left(class);
                self.has_effects(effects);
                self.pump(class);
            }
            Told::Head(packet) if self.early => self.comes(packet),
            Told::Head(_) => {}
            Told::All(packet) if !self.early => self.comes(packet),
            Told::All(packet) => {
                if !packet.bytes().is_empty() {
                    self.changed.notify();
                }
            }
            Told::Whole(packet) => {
                let tells = self.early && !packet.bytes().is_empty();
                self.comes(packet);
                if tells {
                    self.changed.notify();
                }
            }
            Told::Lost(packet) => {
                if !self.resends {
                    self.tally.lose(&packet.journey);
                }
            }
        }
    }

    /// A packet is here, or an acknowledgement, which takes some cycles to take in.
    fn comes(&self, packet: Rc<Packet>) {
        match self.processing > 0 && packet.bytes().is_empty() {
            true => {
                let taken = self.clock.edge_since(self.sim.now(), self.processing);
                self.later.send((taken, Later::Arrive(packet)));
            }
            false => self.arrive(&packet),
        }
    }

    fn arrive(&self, packet: &Rc<Packet>) {
        let Label { source: from, destination: to, class, length: bytes, takes_place, head } = packet.label();
        let body = (!packet.bytes().is_empty()).then(|| packet.clone());
        let frame = Frame { from, to, class, head, bytes, takes_place, again: false, body };
        let now = self.sim.now();
        let is_control = frame.body.is_none();
        let effects = self.protocol.borrow_mut().arrive(frame, now);
        self.keep_span(comes(is_control, effects.returned), packet, now);
        match effects.returned {
            true => packet.journey.close("returned", now),
            false => {
                packet.journey.served(Time::ZERO, now);
                packet.journey.close(self.stages.fabric, now);
            }
        }
        self.has_effects(effects);
        if effects.returned || effects.timer {
            self.timers_changed();
        }
        // Where senders are short of buffers, most of what comes goes back, or comes back.
        if !(is_control || effects.returned || effects.discards) {
            self.arrived.notify();
        }
        if !effects.frees_none {
            self.freed.notify();
        }
        self.changed.notify();
        self.pump_all();
    }

    /// A packet that was taken is out of the protocol's hands.
    fn accepted(&self, class: Class, answer: Answer, key: usize) {
        self.lanes[class.index()].taking.set(false);
        let taken = self.protocol.borrow_mut().take(class, answer).expect("the packet in front is there");
        let reading = self.held.borrow()[key].expect("a packet is released when its place is known");
        match reading.read {
            true => self.free(class, key, taken.slot),
            false => self.held.borrow_mut()[key] = Some(Reading { slot: Some(taken.slot), ..reading }),
        }
        self.pump_all();
        self.arrived.notify();
        self.changed.notify();
    }

    fn has_effects(&self, effects: Effects) {
        if let Some(class) = effects.place {
            self.wire.add_place(class);
        }
        if effects.ready {
            self.arrived.notify();
            self.changed.notify();
        }
    }
}

/// What it is that a frame comes.
fn comes(is_control: bool, is_returned: bool) -> &'static str {
    match (is_control, is_returned) {
        (true, _) => "receive control",
        (false, true) => "come back",
        (false, false) => "receive",
    }
}
