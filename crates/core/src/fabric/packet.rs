//! A packet: real bytes between two nodes, under a label by which it is carried.

use crate::engine::{Bytes, Class, FlowKey, Head, Journey, NodeId, PacketMarks};
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
    /// The connection, for the protocol; carried, never read by a fabric.
    pub flow: FlowKey,
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
    marks: Cell<PacketMarks>,
    header_extension: RefCell<Option<Rc<[u8]>>>,
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
        let (taken, whole, entered, marks, header_extension) = Default::default();
        let (label, bytes) = (Cell::new(label), RefCell::new(bytes));
        Rc::new(Packet { label, journey, bytes, taken, whole, entered, marks, header_extension })
    }

    /// Returns a copy to be sent again, with a journey of its own and without marks.
    pub fn copy(&self) -> Rc<Packet> {
        let copy = Packet::holding(self.label.get(), self.journey.fork(), self.bytes.borrow().clone());
        copy.header_extension.replace(self.header_extension());
        copy
    }

    /// Returns the marks of the sender and the switches.
    pub fn marks(&self) -> PacketMarks {
        self.marks.get()
    }

    /// Replaces the marks.
    pub fn set_marks(&self, marks: PacketMarks) {
        self.marks.set(marks);
    }

    /// Cuts the payload at a switch, which has not yet given the packet's header on: the packet has no bytes from here
    /// on, takes `length` on the wire, and waits for no receive slot.
    pub fn trim(&self, length: Bytes) {
        self.label.set(Label { length, takes_place: false, ..self.label.get() });
        self.bytes.borrow_mut().clear();
        self.marks.set(PacketMarks { trimmed: true, ..self.marks.get() });
    }

    /// Returns the header bytes beyond the two words of the label's head, if the protocol has any. They are part of
    /// the label's length and not of the packet's bytes.
    pub fn header_extension(&self) -> Option<Rc<[u8]>> {
        self.header_extension.borrow().clone()
    }

    /// Sets the parts of the packet's header that are not in its label: marks, and header bytes beyond the two words of
    /// the label's head.
    pub fn set_header(&self, marks: PacketMarks, extension: Option<Rc<[u8]>>) {
        self.marks.set(marks);
        self.header_extension.replace(extension);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_the_header_and_loses_the_marks() {
        let packet = Packet::of(Label::default(), Journey::default(), &[1, 2]);
        assert_eq!((packet.marks(), packet.header_extension()), (PacketMarks::default(), None));
        packet.set_header(PacketMarks { congestion: true, ..PacketMarks::default() }, Some([7; 40].into()));
        let copy = packet.copy();
        assert_eq!((copy.marks(), copy.header_extension().as_deref()), (PacketMarks::default(), Some(&[7; 40][..])));
        assert!(packet.marks().congestion && packet.header_extension().is_some());
    }

    #[test]
    fn a_trimmed_packet_has_its_header_and_no_bytes() {
        let label = Label { length: Bytes(64), takes_place: true, head: Head([3, 4]), ..Label::default() };
        let packet = Packet::of(label, Journey::default(), &[1; 60]);
        packet.set_header(PacketMarks::default(), Some([7; 40].into()));
        packet.trim(Bytes(16));
        assert!(packet.marks().trimmed && packet.bytes().is_empty());
        assert_eq!(packet.label(), Label { length: Bytes(16), takes_place: false, ..label });
        assert_eq!(packet.header_extension().as_deref(), Some(&[7; 40][..]));
    }
}
