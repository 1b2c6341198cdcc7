//! Routers, byte by byte: an engine supplies a packet's flits as it has them, and takes them as
//! they come.
//!
//! A source that lacks flits holds its channel, and a receiver that takes none keeps the credits of
//! the last router, so that back-pressure reaches from engine to engine. What has come is told of a
//! grain at a time, when the last of its flits is there. An engine has one packet at a time: of several
//! that come by virtual channels of their own, the one whose header came first is given, and the
//! others keep their slots meanwhile. A packet that needs a place takes none
//! here: the engine that is not posted holds it up.

use super::Routed;
use crate::engine::{Bytes, Class, Mailbox, NodeId, Rate, Signal, Time};
use crate::fabric::packet::Packet;
use crate::fabric::port::{Dropped, Inlet, Outlet, Piece};
use crate::fabric::router::{EventKind, Injection, PacketEvent};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The most that is told of at once (chosen: a Myrinet flit of the model).
const GRAIN_BYTES_MAX: u32 = 128;

/// A node's ways in and out of a class, as the fabric's task meets them.
pub(super) struct Ways {
    /// Flits of the packet going in that have left its source.
    left: Cell<u64>,
    moved: Signal,
    /// Packets that come, in the order of their headers; of the first, all that came is given.
    coming: RefCell<VecDeque<Coming>>,
    /// What is given, with the packet's tag.
    given: Mailbox<(u32, Piece)>,
}

/// A packet that comes out of the fabric.
struct Coming {
    tag: u32,
    /// Its bytes that have come.
    came: u64,
    /// What was not given yet.
    kept: VecDeque<Piece>,
    /// Whether it is lost, and only crosses the fabric.
    lost: bool,
    /// Whether its last byte has come.
    over: bool,
}

impl Routed {
    /// The way of `node` into `class`, byte by byte.
    pub fn outlet(self: &Rc<Self>, node: NodeId, class: Class) -> RoutedOutlet {
        let ways = self.ways(node, class);
        RoutedOutlet { fabric: self.clone(), ways, node, sending: None }
    }

    /// Its way out.
    pub fn inlet(self: &Rc<Self>, node: NodeId, class: Class) -> RoutedInlet {
        let ways = self.ways(node, class);
        RoutedInlet { fabric: self.clone(), ways, node, class, tag: 0, coming: None, taken: 0, length: 0 }
    }

    fn ways(&self, node: NodeId, class: Class) -> Rc<Ways> {
        let make = || {
            Rc::new(Ways {
                left: Cell::new(0),
                moved: Signal::new(&self.sim, format!("flits of {node} to leave")),
                coming: RefCell::default(),
                given: Mailbox::new(&self.sim, format!("a packet at {node}")),
            })
        };
        self.streams.borrow_mut().entry((node.0, class.0)).or_insert_with(make).clone()
    }

    /// What moves at once, in flits.
    fn grain_flits(&self) -> u16 {
        (GRAIN_BYTES_MAX / self.links.flit_bytes).clamp(1, self.buffer_flits) as u16
    }

    /// Something happened to a packet that streams; whether it does.
    pub(super) fn streamed(&self, event: &PacketEvent) -> bool {
        let streams = self.streams.borrow();
        let Some(ways) = streams.get(&(event.node, event.network)) else { return false };
        match event.kind {
            EventKind::Entered => {}
            EventKind::Left(flits) => {
                ways.left.set(ways.left.get() + u64::from(flits));
                ways.moved.notify();
            }
            EventKind::Header => {
                let lost = self.lost.borrow_mut().next();
                let coming = Coming { tag: event.tag, came: 0, kept: VecDeque::new(), lost, over: false };
                ways.coming.borrow_mut().push_back(coming);
            }
            EventKind::Came(flits) => self.came(ways, event, flits),
            EventKind::Delivered => self.delivered(ways, event),
        }
        true
    }

    fn came(&self, ways: &Ways, event: &PacketEvent, flits: u16) {
        let mut packets = ways.coming.borrow_mut();
        let coming = packets.iter_mut().find(|coming| coming.tag == event.tag && !coming.over);
        let coming = coming.expect("a header comes first");
        if coming.lost {
            self.catch_up();
            self.network.borrow_mut().take(event.node, event.network, event.tag, flits);
            self.wake();
            return;
        }
        let packet = self.flying.borrow().packet(event.tag);
        let (before, length) = (coming.came, packet.label().length.get());
        let all = (before + u64::from(flits) * u64::from(self.links.flit_bytes)).min(length);
        coming.came = all;
        let (bytes, time) = (Bytes(all - before), Time::ZERO);
        coming.kept.push_back(Piece::Bytes { packet, bytes, time, first: before == 0, last: all == length });
        ways.give(&mut packets);
    }

    fn delivered(&self, ways: &Ways, event: &PacketEvent) {
        let mut packets = ways.coming.borrow_mut();
        let coming = packets.iter_mut().find(|coming| coming.tag == event.tag && !coming.over);
        let coming = coming.expect("a header comes first");
        coming.over = true;
        let packet = self.flying.borrow_mut().take(event.tag).expect("a packet under way has its tag");
        match coming.lost {
            true => self.desk.lose(packet),
            false => {
                packet.set_whole();
                self.desk.count(|fate| fate.delivered += 1);
            }
        }
        ways.give(&mut packets);
    }
}

impl Ways {
    /// Gives all that has come of the first packet, and goes on to the next when it is over.
    fn give(&self, packets: &mut VecDeque<Coming>) {
        while let Some(first) = packets.front_mut() {
            let tag = first.tag;
            first.kept.drain(..).for_each(|piece| self.given.send((tag, piece)));
            if !first.over {
                return;
            }
            packets.pop_front();
        }
    }
}

/// A node's way in.
pub struct RoutedOutlet {
    fabric: Rc<Routed>,
    ways: Rc<Ways>,
    node: NodeId,
    /// The packet, its tag, and how many of its bytes were supplied.
    sending: Option<(Rc<Packet>, u32, u64)>,
}

impl Outlet for RoutedOutlet {
    fn grain(&self) -> Bytes {
        Bytes(u64::from(self.fabric.grain_flits()) * u64::from(self.fabric.links.flit_bytes))
    }

    fn rate(&self) -> Rate {
        self.fabric.links.rate
    }

    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped> {
        self.ways.left.set(0);
        let tag = self.fabric.offer(packet.clone(), 0, self.fabric.grain_flits());
        self.sending = Some((packet.clone(), tag, 0));
        Ok(())
    }

    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped> {
        Ok(most.min(self.grain()))
    }

    async fn send(&mut self, bytes: Bytes, no_less: Time, last: bool) {
        let (packet, tag, supplied) = self.sending.as_mut().expect("bytes leave in a packet");
        let (fabric, flit) = (&self.fabric, u64::from(self.fabric.links.flit_bytes));
        // Memory that is slower than the link is waited for.
        fabric.sim.delay(no_less.since(fabric.links.rate.time_for(bytes))).await;
        let flits = |bytes: u64, last: bool| if last { bytes.div_ceil(flit) } else { bytes / flit };
        let before = flits(*supplied, false);
        *supplied += bytes.get();
        let all = flits(*supplied, last);
        let (node, class) = (self.node.0, packet.label().class.0);
        fabric.catch_up();
        fabric.network.borrow_mut().supply(node, class, *tag, (all - before) as u16);
        fabric.wake();
        // What leaves is told of a grain at a time: flits beyond the last whole grain are not waited for.
        let told = if last { all } else { all - all % u64::from(fabric.grain_flits()) };
        while self.ways.left.get() < told {
            self.ways.moved.wait().await;
        }
    }

    fn close(&mut self) {
        self.sending = None;
    }
}

/// A node's way out.
pub struct RoutedInlet {
    fabric: Rc<Routed>,
    ways: Rc<Ways>,
    node: NodeId,
    class: Class,
    /// That of the packet that comes.
    tag: u32,
    /// What is left of a piece that was divided.
    coming: Option<Piece>,
    /// Bytes taken of the packet that comes, and its length.
    taken: u64,
    length: u64,
}

impl Inlet for RoutedInlet {
    async fn next(&mut self, most: Bytes) -> Piece {
        let piece = match self.coming.take() {
            Some(piece) => piece,
            None => {
                let (tag, piece) = self.ways.given.receive().await;
                self.tag = tag;
                piece
            }
        };
        let Piece::Bytes { packet, bytes, time, first, last } = piece else { return piece };
        if first {
            (self.taken, self.length) = (0, packet.label().length.get());
        }
        if bytes <= most {
            return Piece::Bytes { packet, bytes, time, first, last };
        }
        let rest = Piece::Bytes { packet: packet.clone(), bytes: bytes - most, time, first: false, last };
        self.coming = Some(rest);
        Piece::Bytes { packet, bytes: most, time, first, last: false }
    }

    fn taken(&mut self, bytes: Bytes) {
        let flit = u64::from(self.fabric.links.flit_bytes);
        let flits = |taken: u64, length: u64| if taken == length { taken.div_ceil(flit) } else { taken / flit };
        let before = flits(self.taken, u64::MAX);
        self.taken += bytes.get();
        let more = flits(self.taken, self.length) - before;
        if more > 0 {
            self.fabric.catch_up();
            self.fabric.network.borrow_mut().take(self.node.0, self.class.0, self.tag, more as u16);
            self.fabric.wake();
        }
    }

    fn waits_outside(&self) -> bool {
        true
    }
}

/// What the network is given of a packet.
pub(super) fn injection(packet: &Packet, tag: u32, flits: u16, ready: u16, grain: u16) -> Injection {
    let label = packet.label();
    let (source, destination, network) = (label.source.0, label.destination.0, label.class.0);
    let takes_place = label.takes_place && grain == 0;
    Injection { source, destination, flits, network, tag, takes_place, ready, grain }
}
