//! What an interface that sends whole frames sees of a fabric, whichever it is.
//!
//! A frame is a value of the interface's own type `T`; the fabric knows its length and its ends.
//! Frames of a logical network enter one after the other: the next may be sent when the fabric
//! has told that the channel into it is free. A frame that takes a place waits in the fabric
//! until the receiving interface has one, and holds up what is behind it.

use std::cell::Cell;
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
