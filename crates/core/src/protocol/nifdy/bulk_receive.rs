//! The receiver's side of bulk mode (§2.1.2): up to D dialogs, each with W reorder buffers.
//!
//! A buffer is kept for every packet that the sender may have in flight, from the grant on, and is
//! free again when the processor accepts the packet. So acknowledgements of bulk packets are made
//! at acceptance, whatever [`super::AcknowledgeAt`] says of scalar ones: earlier, the sender could
//! send what no buffer is free for. They go out when a half of the window has been accepted, for
//! all its packets (§2.4.2), and when the dialog's last packet is, for the rest.

use super::numbering::Numbering;
use super::{Bulk, BulkNumber};
use crate::engine::NodeId;
use std::collections::VecDeque;

/// The dialogs, by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct BulkReceive<T> {
    dialogs: Vec<Option<Dialog<T>>>,
    /// Number of open dialogs; `stored` counts the packets in all their buffers.
    open: usize,
    stored: usize,
    numbering: Numbering,
    /// Packets that one acknowledgement is for.
    group: u32,
}

/// An open dialog.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Dialog<T> {
    source: NodeId,
    /// The position of the next packet to be accepted.
    next: u32,
    /// The W buffers; the first is for the next packet.
    buffers: VecDeque<Option<Stored<T>>>,
    /// Number of packets from the first on that are in order and have their turn in the arrivals FIFO.
    ready: usize,
    /// The processor wants it to end.
    ends: bool,
    is_fresh: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Stored<T> {
    /// Nothing for the empty exit of a dialog that the receiver ended.
    body: Option<T>,
    bulk_exit: bool,
}

/// An acknowledgement to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    pub(super) source: NodeId,
    pub(super) dialog: u16,
    pub(super) number: Option<BulkNumber>,
    pub(super) ends: bool,
}

/// Outcome of a packet from the network.
pub(super) enum Stores {
    /// The packet is in its buffer; `turns` more packets have their turn, and `due` is to be acknowledged.
    Kept { turns: usize, due: Option<Due> },
    /// A copy of one that waits in its buffer.
    Waits,
    /// A copy of one that was accepted.
    Accepted,
}

impl<T> BulkReceive<T> {
    pub(super) fn new(dialogs: u16, numbering: Numbering, group: u32) -> BulkReceive<T> {
        BulkReceive { dialogs: (0..dialogs).map(|_| None).collect(), open: 0, stored: 0, numbering, group }
    }

    /// Opens a dialog with `source` if one is free.
    pub(super) fn grant(&mut self, source: NodeId) -> Option<u16> {
        assert!(self.dialogs.iter().flatten().all(|dialog| dialog.source != source), "a sender has one dialog");
        let number = self.dialogs.iter().position(Option::is_none)?;
        let buffers = (0..self.numbering.window()).map(|_| None).collect();
        self.open += 1;
        self.dialogs[number] = Some(Dialog { source, next: 0, buffers, ready: 0, ends: false, is_fresh: true });
        Some(number as u16)
    }

    /// The dialog granted to `source` of which no packet has come yet.
    pub(super) fn fresh(&self, source: NodeId) -> Option<u16> {
        let is_so =
            |dialog: &Option<Dialog<T>>| matches!(dialog, Some(dialog) if dialog.source == source && dialog.is_fresh);
        self.dialogs.iter().position(is_so).map(|number| number as u16)
    }

    /// A packet came.
    pub(super) fn store(&mut self, source: NodeId, header: Bulk, body: Option<T>) -> Stores {
        let owned = self.dialogs.get_mut(usize::from(header.dialog)).and_then(Option::as_mut);
        let Some(dialog) = owned.filter(|dialog| dialog.source == source) else {
            return Stores::Accepted; // A dialog closes only when all its packets were accepted.
        };
        let place = self.numbering.distance(dialog.next, header.number) as usize;
        match dialog.buffers.get_mut(place) {
            None => return Stores::Accepted,
            Some(Some(_)) => return Stores::Waits,
            Some(buffer) => *buffer = Some(Stored { body, bulk_exit: header.bulk_exit }),
        }
        self.stored += 1;
        dialog.is_fresh = false;
        let before = dialog.ready;
        while let Some(Some(Stored { body: Some(_), .. })) = dialog.buffers.get(dialog.ready) {
            dialog.ready += 1;
        }
        Stores::Kept { turns: dialog.ready - before, due: self.take_empty(header.dialog) }
    }

    /// The processor accepts the next packet of a dialog: its sender and body, and what is then to
    /// be acknowledged.
    pub(super) fn accept(&mut self, number: u16) -> (NodeId, T, [Option<Due>; 2]) {
        let dialog = self.dialog(number);
        dialog.ready = dialog.ready.checked_sub(1).expect("a packet that has its turn is in order");
        let source = dialog.source;
        let (body, due) = self.free_first(number);
        (source, body.expect("a packet that has its turn has a body"), [due, self.take_empty(number)])
    }

    /// Ends the dialog of `source`: what to send, or nothing if there is none.
    pub(super) fn end(&mut self, source: NodeId) -> Option<Due> {
        let is_of = |dialog: &Option<Dialog<T>>| matches!(dialog, Some(dialog) if dialog.source == source);
        let number = self.dialogs.iter().position(is_of)? as u16;
        let dialog = self.dialog(number);
        dialog.ends = true;
        Some(Due { source, dialog: number, number: None, ends: true })
    }

    fn dialog(&mut self, number: u16) -> &mut Dialog<T> {
        self.dialogs[usize::from(number)].as_mut().expect("the dialog is open")
    }

    /// Frees the first buffer. The dialog closes with its last packet.
    fn free_first(&mut self, number: u16) -> (Option<T>, Option<Due>) {
        let (numbering, group) = (self.numbering, self.group);
        let dialog = self.dialog(number);
        let stored = dialog.buffers.pop_front().flatten().expect("packets are accepted in order");
        dialog.buffers.push_back(None);
        let accepted = numbering.number(dialog.next);
        dialog.next = numbering.after(dialog.next, 1);
        let is_whole = (u32::from(accepted.sequence) + 1).is_multiple_of(group);
        let Dialog { source, ends, .. } = *dialog;
        if stored.bulk_exit {
            assert!(dialog.buffers.iter().all(Option::is_none), "nothing follows the exit");
            self.dialogs[usize::from(number)] = None;
            self.open -= 1;
        }
        self.stored -= 1;
        let due = Due { source, dialog: number, number: Some(accepted), ends };
        (stored.body, (is_whole || stored.bulk_exit).then_some(due))
    }

    /// An empty exit that is next needs no processor.
    fn take_empty(&mut self, number: u16) -> Option<Due> {
        let first = self.dialogs[usize::from(number)].as_ref()?.buffers.front()?.as_ref()?;
        if first.body.is_some() {
            return None;
        }
        self.free_first(number).1
    }

    /// The body and sender of a dialog's next packet.
    pub(super) fn front(&self, number: u16) -> Option<(NodeId, &T)> {
        let dialog = self.dialogs[usize::from(number)].as_ref()?;
        Some((dialog.source, dialog.buffers.front()?.as_ref()?.body.as_ref()?))
    }

    /// Returns the senders of the open dialogs.
    pub(super) fn sources(&self) -> impl Iterator<Item = NodeId> {
        self.dialogs.iter().flatten().map(|dialog| dialog.source)
    }

    /// Returns the number of open dialogs.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Returns the number of packets in reorder buffers.
    pub(super) fn stored(&self) -> usize {
        self.stored
    }

    /// Counts both anew. For tests: it takes time.
    pub(super) fn check(&self) {
        let stored = |dialog: &Dialog<T>| dialog.buffers.iter().flatten().count();
        assert_eq!(self.open, self.sources().count());
        assert_eq!(self.stored, self.dialogs.iter().flatten().map(stored).sum::<usize>());
    }

    /// Returns the number of packets of each dialog that have their turn, by dialog number.
    pub(super) fn ready(&self) -> impl Iterator<Item = (u16, usize)> {
        let ready = |dialog: &Option<Dialog<T>>| dialog.as_ref().map_or(0, |dialog| dialog.ready);
        (0..).zip(self.dialogs.iter().map(ready))
    }
}
