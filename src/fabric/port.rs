//! Where a node meets a fabric: two views of one place, of which a node takes one.
//!
//! *Streaming* ([`Outlet`], [`Inlet`]): byte by byte, for engines that start before the packet is
//! there; what an inlet does not give back holds the fabric up, to the sender's engine.
//! *Whole* ([`Whole`]): packets by call-back, without a task for each interface, for thousands of
//! them.

use super::packet::Packet;
use crate::engine::{Bytes, Class, NodeId, Rate, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The fabric dropped the packet: nothing more of it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped;

/// A node's way into one class, byte by byte; one packet at a time.
#[allow(async_fn_in_trait)]
pub trait Outlet {
    /// What moves at once here: no engine has a reason to ask for room for more.
    fn grain(&self) -> Bytes;

    /// The rate at which bytes leave.
    fn rate(&self) -> Rate;

    /// Takes the way for a packet of which nothing need be there yet.
    async fn open(&mut self, packet: &Rc<Packet>) -> Result<(), Dropped>;

    /// Waits until bytes may leave; how many, at most `most`. Back-pressure reaches the engine here.
    async fn room(&mut self, most: Bytes) -> Result<Bytes, Dropped>;

    /// Moves `bytes` for which there is room, the packet's next, in no less than `no_less`; `last`
    /// says that the packet ends with them. Returns when the last of them has left.
    async fn send(&mut self, bytes: Bytes, no_less: Time, last: bool);

    /// Lets the way go after the last byte.
    fn close(&mut self);

    /// Where nothing can hold up a packet that is there as a whole: it goes at [`rate`](Outlet::rate).
    fn unhindered(&mut self) -> Option<&mut dyn Unhindered> {
        None
    }
}

/// An outlet at which nothing can hold a packet up.
pub trait Unhindered {
    /// A packet has gone at the outlet's rate, its last byte just now; in place of all else.
    fn went(&mut self, packet: &Rc<Packet>);
}

/// What an inlet gives, in order.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Bytes of a packet begin to arrive, and take `time`.
    Bytes {
        /// Whose.
        packet: Rc<Packet>,
        /// How many.
        bytes: Bytes,
        /// From the first to the last of them.
        time: Time,
        /// The packet begins with them.
        first: bool,
        /// The packet ends with them.
        last: bool,
    },
    /// The packet was dropped on its way: nothing more of it comes.
    Dropped(Rc<Packet>),
}

/// A node's way out of one class.
#[allow(async_fn_in_trait)]
pub trait Inlet {
    /// Waits for what comes next, in a piece of at most `most`, where the fabric can divide it.
    async fn next(&mut self, most: Bytes) -> Piece;

    /// States that packets will be asked for as a whole: what gives them need not wait for their first bytes, and
    /// says of a packet that it takes only as long as there is left of it.
    fn takes_whole(&mut self) {}

    /// Gives the room of `bytes` that were taken back.
    fn taken(&mut self, bytes: Bytes);

    /// Whether a packet that waits for a place waits here before its first byte has come, and holds
    /// up what is behind it; else it has come whole, and the fabric has room without end.
    fn waits_outside(&self) -> bool;
}

/// What a fabric tells the interface of a node.
#[derive(Clone, Debug)]
pub enum Told {
    /// The way into the class is free.
    Free(Class),
    /// A packet's header has arrived.
    Head(Rc<Packet>),
    /// All of a packet has, whose header had before.
    All(Rc<Packet>),
    /// All of a packet has at once.
    Whole(Rc<Packet>),
    /// A packet that this node sent was dropped.
    Lost(Rc<Packet>),
}

/// What listens to a fabric at a node.
pub type Listener = Box<dyn Fn(Told)>;

/// Whole packets at a node; no future inside.
pub trait Whole {
    /// Tells `listener` what happens here from now on.
    fn attach(&self, listener: Listener);

    /// Takes a packet; only while the way into its class is free, which it is at the start.
    fn send(&self, packet: Rc<Packet>);

    /// States how many packets that take places there is room for, before the first is sent; without
    /// end, if it is never stated.
    fn set_places(&self, class: Class, places: u32);

    /// States that there is room for one more.
    fn add_place(&self, class: Class);
}

/// What can be said of a fabric before time 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The most nodes that it joins; none where there is no limit.
    pub nodes_max: Option<u32>,
    /// Logical networks.
    pub classes: u8,
    /// Packets of a pair and a class come out in the order in which they went in.
    pub in_order: bool,
    /// Which packets may be lost.
    pub loss: Loss,
    /// The longest packet that it carries; none where there is no limit.
    pub packet_max: Option<Longest>,
}

/// Which packets a fabric may lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// None.
    Never,
    /// Those that hold their way for longer than this, in which nothing longer than `carries` crosses
    /// it: whatever waits for a reader, or in a circle.
    Held {
        /// For how long a packet may hold its way.
        after: Time,
        /// What crosses in that time.
        carries: Bytes,
    },
    /// Any, by description.
    Any,
}

/// The longest packet that a fabric carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Longest {
    /// Its length.
    pub bytes: Bytes,
    /// What bounds it.
    pub bound: &'static str,
    /// The keys of `fabric` that set the bound: the first is the one to change.
    pub keys: &'static [&'static str],
    /// What else to make larger, in words.
    pub instead: &'static str,
}

/// How many packets a fabric took whole, and what became of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fate {
    /// Packets that entered.
    pub injected: u64,
    /// Packets that were told of at their destinations.
    pub delivered: u64,
    /// Packets that were lost on their way.
    pub dropped: u64,
}

impl Fate {
    /// Packets that are under way.
    pub fn in_flight(&self) -> u64 {
        self.injected - self.delivered - self.dropped
    }
}

/// Who listens at each node, and what became of the packets.
#[derive(Default)]
pub(super) struct Desk {
    listeners: RefCell<Vec<Option<Listener>>>,
    fate: Cell<Fate>,
}

impl Desk {
    pub fn attach(&self, node: NodeId, listener: Listener) {
        let mut listeners = self.listeners.borrow_mut();
        if listeners.len() <= node.index() {
            listeners.resize_with(node.index() + 1, || None);
        }
        assert!(listeners[node.index()].is_none(), "one interface listens at {node}");
        listeners[node.index()] = Some(listener);
    }

    /// Tells who listens at `node`, if anybody does.
    pub fn tell(&self, node: NodeId, told: Told) {
        if let Some(Some(listener)) = self.listeners.borrow().get(node.index()) {
            listener(told);
        }
    }

    /// A packet is there with its last byte: it is told of as a whole.
    pub fn deliver(&self, packet: Rc<Packet>) {
        let node = packet.label().destination;
        packet.set_whole();
        self.count(|fate| fate.delivered += 1);
        self.tell(node, Told::Whole(packet));
    }

    /// A packet is lost, and its sender is told.
    pub fn lose(&self, packet: Rc<Packet>) {
        self.count(|fate| fate.dropped += 1);
        self.tell(packet.label().source, Told::Lost(packet));
    }

    pub fn count(&self, change: impl FnOnce(&mut Fate)) {
        let mut fate = self.fate.get();
        change(&mut fate);
        self.fate.set(fate);
    }

    pub fn fate(&self) -> Fate {
        self.fate.get()
    }
}
