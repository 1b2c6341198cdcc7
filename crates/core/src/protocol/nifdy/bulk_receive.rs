//! The receiver's side of bulk mode (Callahan and Goldstein 1995, §2.1.2): up to D dialogs, each with W reorder
//! buffers.
//!
//! From the grant on, a buffer is reserved for every packet that the sender may have in flight; it is freed when the
//! processor accepts the packet. Bulk packets are therefore acknowledged at acceptance, even if scalar packets are
//! acknowledged at insertion ([`super::AcknowledgeAt`]): an earlier acknowledgement would let the sender send packets
//! without a free buffer. One acknowledgement is sent for each half of the window when all its packets were accepted
//! (Callahan and Goldstein 1995, §2.4.2), and one for the remaining packets when the dialog's last packet was accepted.

use super::numbering::Numbering;
use super::{Bulk, BulkNumber};
use crate::engine::NodeId;
use std::collections::VecDeque;

/// The dialogs, by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct BulkReceive<T> {
    dialogs: Vec<Option<Dialog<T>>>,
    /// Number of open dialogs; `stored_packets` counts the packets in all their buffers.
    open_dialogs: usize,
    stored_packets: usize,
    numbering: Numbering,
    /// Number of packets that one acknowledgement covers.
    group: u32,
}

/// An open dialog.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Dialog<T> {
    source: NodeId,
    /// Position of the next packet to be accepted.
    next_position: u32,
    /// The W buffers; the first one is for the next packet.
    buffers: VecDeque<Option<StoredPacket<T>>>,
    /// Number of packets at the front of `buffers` that are in order and have their turn in the arrivals FIFO.
    ready_count: usize,
    /// Whether the processor has asked the sender to end the dialog.
    requests_exit: bool,
    /// Whether no packet of the dialog has arrived yet.
    is_fresh: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct StoredPacket<T> {
    /// The packet; `None` for the empty exit of a dialog that the receiver ended.
    body: Option<T>,
    bulk_exit: bool,
}

/// An acknowledgement to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PendingAcknowledgement {
    pub(super) source: NodeId,
    pub(super) dialog: u16,
    pub(super) number: Option<BulkNumber>,
    pub(super) requests_exit: bool,
}

/// Outcome of a packet from the network.
pub(super) enum BulkStoreOutcome {
    /// The packet was stored in its buffer. `turns` more packets have their turn, and `acknowledgement` is to be sent.
    Stored { turns: usize, acknowledgement: Option<PendingAcknowledgement> },
    /// The packet is a copy of one that waits in its buffer.
    DuplicateInBuffer,
    /// The packet is a copy of one that was accepted.
    DuplicateOfAccepted,
}

impl<T> BulkReceive<T> {
    pub(super) fn new(dialogs: u16, numbering: Numbering, group: u32) -> BulkReceive<T> {
        BulkReceive {
            dialogs: (0..dialogs).map(|_| None).collect(),
            open_dialogs: 0,
            stored_packets: 0,
            numbering,
            group,
        }
    }

    /// Opens a dialog with `source` if one is free.
    pub(super) fn grant(&mut self, source: NodeId) -> Option<u16> {
        assert!(self.dialogs.iter().flatten().all(|dialog| dialog.source != source), "a sender has one dialog");
        let index = self.dialogs.iter().position(Option::is_none)?;
        let buffers = (0..self.numbering.window()).map(|_| None).collect();
        self.open_dialogs += 1;
        self.dialogs[index] =
            Some(Dialog { source, next_position: 0, buffers, ready_count: 0, requests_exit: false, is_fresh: true });
        Some(index as u16)
    }

    /// Returns the dialog granted to `source`, if none of its packets has arrived yet.
    pub(super) fn unused_dialog(&self, source: NodeId) -> Option<u16> {
        let is_fresh_dialog =
            |dialog: &Option<Dialog<T>>| matches!(dialog, Some(dialog) if dialog.source == source && dialog.is_fresh);
        self.dialogs.iter().position(is_fresh_dialog).map(|index| index as u16)
    }

    /// Stores a packet that arrived.
    pub(super) fn store(&mut self, source: NodeId, header: Bulk, body: Option<T>) -> BulkStoreOutcome {
        let open_dialog = self.dialogs.get_mut(usize::from(header.dialog)).and_then(Option::as_mut);
        let Some(dialog) = open_dialog.filter(|dialog| dialog.source == source) else {
            return BulkStoreOutcome::DuplicateOfAccepted; // A dialog closes only when all its packets were accepted.
        };
        let index = self.numbering.distance(dialog.next_position, header.number) as usize;
        match dialog.buffers.get_mut(index) {
            None => return BulkStoreOutcome::DuplicateOfAccepted,
            Some(Some(_)) => return BulkStoreOutcome::DuplicateInBuffer,
            Some(buffer) => *buffer = Some(StoredPacket { body, bulk_exit: header.bulk_exit }),
        }
        self.stored_packets += 1;
        dialog.is_fresh = false;
        let ready_before = dialog.ready_count;
        while let Some(Some(StoredPacket { body: Some(_), .. })) = dialog.buffers.get(dialog.ready_count) {
            dialog.ready_count += 1;
        }
        BulkStoreOutcome::Stored {
            turns: dialog.ready_count - ready_before,
            acknowledgement: self.accept_empty_exit(header.dialog),
        }
    }

    /// Accepts the next packet of a dialog for the processor. Returns the packet's sender, its body, and the
    /// acknowledgements to be sent.
    pub(super) fn accept(&mut self, index: u16) -> (NodeId, T, [Option<PendingAcknowledgement>; 2]) {
        let dialog = self.dialog(index);
        dialog.ready_count = dialog.ready_count.checked_sub(1).expect("a packet that has its turn is in order");
        let source = dialog.source;
        let (body, acknowledgement) = self.free_first_buffer(index);
        (source, body.expect("a packet that has its turn has a body"), [acknowledgement, self.accept_empty_exit(index)])
    }

    /// Ends the dialog of `source`, and returns the request to be sent to it; `None` if there is no dialog.
    pub(super) fn end_dialog(&mut self, source: NodeId) -> Option<PendingAcknowledgement> {
        let is_from_source = |dialog: &Option<Dialog<T>>| matches!(dialog, Some(dialog) if dialog.source == source);
        let index = self.dialogs.iter().position(is_from_source)? as u16;
        let dialog = self.dialog(index);
        dialog.requests_exit = true;
        Some(PendingAcknowledgement { source, dialog: index, number: None, requests_exit: true })
    }

    fn dialog(&mut self, index: u16) -> &mut Dialog<T> {
        self.dialogs[usize::from(index)].as_mut().expect("the dialog is open")
    }

    /// Frees the first buffer. The dialog closes when the buffer of its last packet is freed.
    fn free_first_buffer(&mut self, index: u16) -> (Option<T>, Option<PendingAcknowledgement>) {
        let (numbering, group) = (self.numbering, self.group);
        let dialog = self.dialog(index);
        let packet = dialog.buffers.pop_front().flatten().expect("packets are accepted in order");
        dialog.buffers.push_back(None);
        let accepted = numbering.number(dialog.next_position);
        dialog.next_position = numbering.position_after(dialog.next_position, 1);
        let completes_group = (u32::from(accepted.sequence) + 1).is_multiple_of(group);
        let Dialog { source, requests_exit, .. } = *dialog;
        if packet.bulk_exit {
            assert!(dialog.buffers.iter().all(Option::is_none), "nothing follows the exit");
            self.dialogs[usize::from(index)] = None;
            self.open_dialogs -= 1;
        }
        self.stored_packets -= 1;
        let acknowledgement = PendingAcknowledgement { source, dialog: index, number: Some(accepted), requests_exit };
        (packet.body, (completes_group || packet.bulk_exit).then_some(acknowledgement))
    }

    /// Accepts the next packet of a dialog if it is an empty exit, which does not concern the processor.
    fn accept_empty_exit(&mut self, index: u16) -> Option<PendingAcknowledgement> {
        let first = self.dialogs[usize::from(index)].as_ref()?.buffers.front()?.as_ref()?;
        if first.body.is_some() {
            return None;
        }
        self.free_first_buffer(index).1
    }

    /// Returns the sender and the body of a dialog's next packet.
    pub(super) fn front(&self, index: u16) -> Option<(NodeId, &T)> {
        let dialog = self.dialogs[usize::from(index)].as_ref()?;
        Some((dialog.source, dialog.buffers.front()?.as_ref()?.body.as_ref()?))
    }

    /// Returns the senders of the open dialogs.
    pub(super) fn sources(&self) -> impl Iterator<Item = NodeId> {
        self.dialogs.iter().flatten().map(|dialog| dialog.source)
    }

    /// Returns the number of open dialogs.
    pub(super) fn open_dialogs(&self) -> usize {
        self.open_dialogs
    }

    /// Returns the number of packets in reorder buffers.
    pub(super) fn stored_packets(&self) -> usize {
        self.stored_packets
    }

    /// Asserts that the counts of open dialogs and stored packets are correct. The check takes time, so only tests call
    /// it.
    pub(super) fn check(&self) {
        let stored_in = |dialog: &Dialog<T>| dialog.buffers.iter().flatten().count();
        assert_eq!(self.open_dialogs, self.sources().count());
        assert_eq!(self.stored_packets, self.dialogs.iter().flatten().map(stored_in).sum::<usize>());
    }

    /// Returns the number of packets of each dialog that have their turn, by dialog number.
    pub(super) fn ready_packets(&self) -> impl Iterator<Item = (u16, usize)> {
        let ready_in = |dialog: &Option<Dialog<T>>| dialog.as_ref().map_or(0, |dialog| dialog.ready_count);
        (0..).zip(self.dialogs.iter().map(ready_in))
    }
}
