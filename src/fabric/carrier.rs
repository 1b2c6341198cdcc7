//! What an interface that sends whole frames sees of a fabric, whichever it is.
//!
//! A frame is a value of the interface's own type `T`; the fabric knows its length and its ends.
//! Frames of a logical network enter one after the other: the next may be sent when the fabric
//! has told that the channel into it is free. A frame that takes a place waits in the fabric
//! until the receiving interface has one, and holds up what is behind it.

use crate::engine::{Signal, Sim};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A frame to be carried.
#[derive(Debug)]
pub struct Sending<T> {
    /// The node it leaves.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
    /// The logical network: 0 for requests, 1 for replies.
    pub network: u8,
    /// Its length with its header, in bytes.
    pub bytes: u32,
    /// Whether it needs a place in the receiving interface.
    pub takes_place: bool,
    /// What is carried.
    pub frame: T,
}

/// A frame under way or just arrived.
#[derive(Debug)]
pub struct Carried<T> {
    /// What was sent.
    pub sending: Sending<T>,
    /// Whether its last byte has arrived; its first has if the receiver holds this.
    pub whole: Cell<bool>,
}

/// What a fabric tells the interface of a node.
#[derive(Debug)]
pub enum Told<T> {
    /// The channel into the logical network is free.
    Free {
        /// Which.
        network: u8,
    },
    /// A frame's header has arrived.
    Header {
        /// The frame.
        frame: Rc<Carried<T>>,
    },
    /// The rest of a frame has arrived, too.
    Whole {
        /// The frame.
        frame: Rc<Carried<T>>,
    },
}

/// What listens to a fabric at a node.
pub type Listener<T> = Box<dyn Fn(Told<T>)>;

/// How many frames a fabric took, and what became of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fate {
    /// Frames that entered.
    pub injected: u64,
    /// Frames that were told of at their destinations.
    pub delivered: u64,
    /// Frames that were lost on their way.
    pub dropped: u64,
}

impl Fate {
    /// Frames that are under way.
    pub fn in_flight(&self) -> u64 {
        self.injected - self.delivered - self.dropped
    }
}

/// A fabric that carries frames.
pub trait Carrier<T> {
    /// Tells `listener` what happens at `node` from now on.
    fn attach(&self, node: u32, listener: Listener<T>);

    /// Takes a frame; only while the channel is free, which it is at the start.
    fn send(&self, sending: Sending<T>);

    /// States how many frames that take places `node` has room for, before the first is sent.
    fn set_places(&self, node: u32, network: u8, places: u32);

    /// States that `node` has room for one more.
    fn add_place(&self, node: u32, network: u8);

    /// What became of the frames.
    fn fate(&self) -> Fate;
}

/// What every carrier has: who listens at each node, and what became of the frames.
pub(super) struct Desk<T> {
    listeners: RefCell<Vec<Option<Listener<T>>>>,
    fate: Cell<Fate>,
}

impl<T> Desk<T> {
    pub fn new(nodes: usize) -> Desk<T> {
        Desk { listeners: RefCell::new((0..nodes).map(|_| None).collect()), fate: Cell::default() }
    }

    pub fn attach(&self, node: u32, listener: Listener<T>) {
        self.listeners.borrow_mut()[node as usize] = Some(listener);
    }

    /// Tells who listens at `node`, if anybody does.
    pub fn tell(&self, node: usize, told: Told<T>) {
        if let Some(listener) = &self.listeners.borrow()[node] {
            listener(told);
        }
    }

    /// A frame is there with its last byte: it is told of as a whole.
    pub fn deliver(&self, node: usize, frame: Rc<Carried<T>>) {
        frame.whole.set(true);
        self.count(|fate| fate.delivered += 1);
        self.tell(node, Told::Header { frame: frame.clone() });
        self.tell(node, Told::Whole { frame });
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

/// The places that a node has for frames of a logical network; as many as are wanted, until it
/// states how many.
pub(super) struct Places {
    free: Cell<u32>,
    freed: Signal,
}

impl Places {
    pub fn new(sim: &Sim, node: usize) -> Places {
        Places {
            free: Cell::new(u32::MAX),
            freed: Signal::new(sim, format!("a place in the interface of node {node}")),
        }
    }

    pub fn set(&self, places: u32) {
        self.free.set(places);
    }

    pub fn add(&self) {
        if self.free.get() < u32::MAX {
            self.free.set(self.free.get() + 1);
        }
        self.freed.notify();
    }

    /// Waits for a place; whether one was taken, which is not so where there is no limit.
    pub async fn take(&self) -> bool {
        while self.free.get() == 0 {
            self.freed.wait().await;
        }
        let limited = self.free.get() < u32::MAX;
        if limited {
            self.free.set(self.free.get() - 1);
        }
        limited
    }
}
