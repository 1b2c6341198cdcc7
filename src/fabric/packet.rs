//! A packet: real bytes between two nodes, under a label by which it is carried.

use crate::engine::{Bytes, Class, Head, Journey, NodeId};
use smallvec::SmallVec;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// Bytes of a packet that need no place of their own: a packet of the NIFDY study, 36 at most.
const INLINE_BYTES: usize = 40;

/// What a packet is carried by. A packet that is sent back, or on, is given another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// The node it leaves.
    pub source: NodeId,
    /// The node it goes to.
    pub destination: NodeId,
    /// The logical network.
    pub class: Class,
    /// What the wire is charged, headers and all.
    pub length: Bytes,
    /// Whether it waits at the exit until the receiving interface has a place of its class.
    pub takes_place: bool,
    /// The protocol's; carried, never read by a fabric.
    pub head: Head,
}

/// What a fabric carries: bytes that the sending interface appends and the receiving one takes.
#[derive(Debug)]
pub struct Packet {
    label: Cell<Label>,
    /// What is known of its way.
    pub journey: Journey,
    bytes: RefCell<SmallVec<[u8; INLINE_BYTES]>>,
    taken: Cell<usize>,
    whole: Cell<bool>,
    entered: Cell<bool>,
}

impl Packet {
    /// A packet with nothing in it yet.
    pub fn new(label: Label, journey: Journey) -> Rc<Packet> {
        Packet::holding(label, journey, SmallVec::new())
    }

    /// A packet with all its bytes.
    pub fn of(label: Label, journey: Journey, bytes: &[u8]) -> Rc<Packet> {
        Packet::holding(label, journey, SmallVec::from_slice(bytes))
    }

    /// The same, of bytes that it may keep where they are.
    pub fn of_row(label: Label, journey: Journey, bytes: Vec<u8>) -> Rc<Packet> {
        Packet::holding(label, journey, SmallVec::from_vec(bytes))
    }

    fn holding(label: Label, journey: Journey, bytes: SmallVec<[u8; INLINE_BYTES]>) -> Rc<Packet> {
        let (taken, whole, entered) = Default::default();
        Rc::new(Packet { label: Cell::new(label), journey, bytes: RefCell::new(bytes), taken, whole, entered })
    }

    /// A copy to be sent again, which is followed on a way of its own.
    pub fn copy(&self) -> Rc<Packet> {
        Packet::holding(self.label.get(), self.journey.fork(), self.bytes.borrow().clone())
    }

    /// What it is carried by.
    pub fn label(&self) -> Label {
        self.label.get()
    }

    /// Gives it another label before it enters, from where all of it is yet to come.
    pub fn relabel(&self, label: Label) {
        self.label.set(label);
        self.whole.set(false);
        self.entered.set(false);
    }

    /// Appends what enters the fabric.
    pub fn append(&self, bytes: &[u8]) {
        let mut all = self.bytes.borrow_mut();
        if all.capacity() - all.len() < bytes.len() {
            // Room for all that is to come, at once.
            let length = self.label.get().length.len().max(all.len() + bytes.len());
            let more = length - all.len();
            all.reserve_exact(more);
        }
        all.extend_from_slice(bytes);
    }

    /// Shows the next bytes that leave the fabric to `look`.
    pub fn take(&self, bytes: Bytes, look: impl FnOnce(&[u8])) {
        let start = self.taken.get();
        let end = start + bytes.len();
        look(&self.bytes.borrow()[start..end]);
        self.taken.set(end);
    }

    /// The bytes, as they stand.
    pub fn bytes(&self) -> Ref<'_, [u8]> {
        Ref::map(self.bytes.borrow(), |bytes| &bytes[..])
    }

    /// Writes over bytes from `at` on.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        self.bytes.borrow_mut()[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Whether its last byte has arrived; its first has if the receiver holds it.
    pub fn is_whole(&self) -> bool {
        self.whole.get()
    }

    pub(super) fn set_whole(&self) {
        self.whole.set(true);
    }

    /// Whether its last byte has entered the fabric.
    pub fn has_entered(&self) -> bool {
        self.entered.get()
    }

    /// States that its last byte has entered.
    pub fn set_entered(&self) {
        self.entered.set(true);
    }
}
