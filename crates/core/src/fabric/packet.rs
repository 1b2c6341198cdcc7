//! A packet: the bytes that one node sends to another, the label by which the fabric carries them, and the marks that
//! switches set. A fabric reads the label only; interfaces and protocols read the bytes.

use crate::engine::{Bytes, Class, FlowKey, Head, Journey, NodeId, PacketMarks};
use smallvec::SmallVec;
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;

/// Largest number of bytes that a packet stores inline, without an allocation (a packet of the NIFDY study has at most
/// 36).
const INLINE_BYTES: usize = 40;

/// The fields of a packet by which a fabric carries it. A packet that is returned or forwarded gets another label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// Source node.
    pub source: NodeId,
    /// Destination node.
    pub destination: NodeId,
    /// Logical network.
    pub class: Class,
    /// Length on the wire, including headers.
    pub length: Bytes,
    /// Whether the packet waits at the exit of the fabric until the receiving interface has a slot of its class.
    pub needs_slot: bool,
    /// Connection of the protocol; fabrics do not read it.
    pub flow: FlowKey,
    /// Header words of the protocol; fabrics do not read them.
    pub head: Head,
}

/// A packet in a fabric. The sending interface appends its bytes, and the receiving interface takes them.
#[derive(Debug)]
pub struct Packet {
    label: Cell<Label>,
    /// Record of the packet's latency.
    pub journey: Journey,
    bytes: RefCell<SmallVec<[u8; INLINE_BYTES]>>,
    bytes_taken: Cell<usize>,
    is_whole: Cell<bool>,
    has_entered: Cell<bool>,
    marks: Cell<PacketMarks>,
    header_extension: RefCell<Option<Rc<[u8]>>>,
}

impl Packet {
    /// Creates a packet without bytes.
    pub fn new(label: Label, journey: Journey) -> Rc<Packet> {
        Packet::with_storage(label, journey, SmallVec::new())
    }

    /// Creates a packet with a copy of `bytes`.
    pub fn with_bytes(label: Label, journey: Journey, bytes: &[u8]) -> Rc<Packet> {
        Packet::with_storage(label, journey, SmallVec::from_slice(bytes))
    }

    /// Creates a packet that takes over `bytes` without copying them.
    pub fn from_owned_bytes(label: Label, journey: Journey, bytes: Vec<u8>) -> Rc<Packet> {
        Packet::with_storage(label, journey, SmallVec::from_vec(bytes))
    }

    fn with_storage(label: Label, journey: Journey, bytes: SmallVec<[u8; INLINE_BYTES]>) -> Rc<Packet> {
        let (bytes_taken, is_whole, has_entered, marks, header_extension) = Default::default();
        let (label, bytes) = (Cell::new(label), RefCell::new(bytes));
        Rc::new(Packet { label, journey, bytes, bytes_taken, is_whole, has_entered, marks, header_extension })
    }

    /// Returns a copy to be sent again, with a separate journey and without marks.
    pub fn copy(&self) -> Rc<Packet> {
        let copy = Packet::with_storage(self.label.get(), self.journey.fork(), self.bytes.borrow().clone());
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

    /// Cuts the payload at a switch that has not yet forwarded the packet's header. From then on the packet has no
    /// bytes, occupies `length` on the wire, and waits for no receive slot.
    pub fn trim(&self, length: Bytes) {
        self.label.set(Label { length, needs_slot: false, ..self.label.get() });
        self.bytes.borrow_mut().clear();
        self.marks.set(PacketMarks { trimmed: true, ..self.marks.get() });
    }

    /// Returns the header bytes beyond the two words of the label's head, if the protocol has any. The label's length
    /// includes these bytes, but the packet's bytes do not.
    pub fn header_extension(&self) -> Option<Rc<[u8]>> {
        self.header_extension.borrow().clone()
    }

    /// Sets the parts of the packet's header that are not in its label: marks, and header bytes beyond the two words of
    /// the label's head.
    pub fn set_header(&self, marks: PacketMarks, extension: Option<Rc<[u8]>>) {
        self.marks.set(marks);
        self.header_extension.replace(extension);
    }

    /// Returns the label.
    pub fn label(&self) -> Label {
        self.label.get()
    }

    /// Replaces the label before the packet enters a fabric, and resets the packet's progress: none of its bytes counts
    /// as entered or arrived.
    pub fn relabel(&self, label: Label) {
        self.label.set(label);
        self.is_whole.set(false);
        self.has_entered.set(false);
    }

    /// Appends bytes that enter the fabric.
    pub fn append(&self, bytes: &[u8]) {
        let mut content = self.bytes.borrow_mut();
        if content.capacity() - content.len() < bytes.len() {
            // One allocation for all bytes of the packet.
            let length = self.label.get().length.len().max(content.len() + bytes.len());
            let missing = length - content.len();
            content.reserve_exact(missing);
        }
        content.extend_from_slice(bytes);
    }

    /// Calls `inspect` with the next bytes that leave the fabric.
    pub fn take(&self, bytes: Bytes, inspect: impl FnOnce(&[u8])) {
        let start = self.bytes_taken.get();
        let end = start + bytes.len();
        inspect(&self.bytes.borrow()[start..end]);
        self.bytes_taken.set(end);
    }

    /// Borrows the bytes that have been appended.
    pub fn bytes(&self) -> Ref<'_, [u8]> {
        Ref::map(self.bytes.borrow(), |bytes| &bytes[..])
    }

    /// Overwrites the bytes from offset `offset` on.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.bytes.borrow_mut()[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Returns whether the packet's last byte has arrived.
    pub fn is_whole(&self) -> bool {
        self.is_whole.get()
    }

    pub(super) fn set_whole(&self) {
        self.is_whole.set(true);
    }

    /// Returns whether the packet's last byte has entered the fabric.
    pub fn has_entered(&self) -> bool {
        self.has_entered.get()
    }

    /// Records that the packet's last byte has entered the fabric.
    pub fn set_entered(&self) {
        self.has_entered.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_the_header_and_loses_the_marks() {
        let packet = Packet::with_bytes(Label::default(), Journey::default(), &[1, 2]);
        assert_eq!((packet.marks(), packet.header_extension()), (PacketMarks::default(), None));
        packet.set_header(PacketMarks { congestion: true, ..PacketMarks::default() }, Some([7; 40].into()));
        let copy = packet.copy();
        assert_eq!((copy.marks(), copy.header_extension().as_deref()), (PacketMarks::default(), Some(&[7; 40][..])));
        assert!(packet.marks().congestion && packet.header_extension().is_some());
    }

    #[test]
    fn a_trimmed_packet_has_its_header_and_no_bytes() {
        let label = Label { length: Bytes(64), needs_slot: true, head: Head([3, 4]), ..Label::default() };
        let packet = Packet::with_bytes(label, Journey::default(), &[1; 60]);
        packet.set_header(PacketMarks::default(), Some([7; 40].into()));
        packet.trim(Bytes(16));
        assert!(packet.marks().trimmed && packet.bytes().is_empty());
        assert_eq!(packet.label(), Label { length: Bytes(16), needs_slot: false, ..label });
        assert_eq!(packet.header_extension().as_deref(), Some(&[7; 40][..]));
    }
}
