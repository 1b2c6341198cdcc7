//! The sender's side of bulk mode (Callahan and Goldstein 1995, §2.1.2): at most one outgoing dialog.
//!
//! ```text
//!          a packet with the request bit leaves          granted
//!  Scalar ──────────────────────────────────► Requested ─────────► Dialog
//!    ▲                                            │                   │
//!    ├─────────── rejected ───────────────────────┘                   │
//!    └─────────── the exit left, and all is acknowledged ─────────────┘
//! ```
//!
//! The window slides when its oldest packet is acknowledged. A sequence number is therefore reused only after its
//! previous packet was acknowledged, even if acknowledgements arrive out of order.
//!
//! A dialog always ends with a packet that has the exit bit. Later packets wait until the whole dialog is acknowledged,
//! so that no scalar packet overtakes a packet of the dialog. If the receiver ends the dialog, the next packet gets the
//! exit bit; if no packet waits, an empty one is sent. (The paper says that a receiver can end a dialog, but not how;
//! the receiver must learn which packet is the last.)

use super::numbering::Numbering;
use super::{Bulk, BulkNumber};
use crate::engine::NodeId;
use std::collections::VecDeque;

/// State of a sender's bulk mode.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum BulkSend {
    /// No dialog is open or requested.
    Scalar,
    /// A request is outstanding.
    Requested { destination: NodeId },
    /// A dialog is open.
    Dialog(Dialog),
}

/// An open dialog.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Dialog {
    pub(super) destination: NodeId,
    /// The number by which the receiver identifies the dialog.
    number: u16,
    numbering: Numbering,
    /// Position of the oldest unacknowledged packet, where the window begins.
    base: u32,
    /// Whether each packet sent from `base` on is acknowledged.
    is_acknowledged: VecDeque<bool>,
    is_exit_sent: bool,
    /// Whether the receiver has asked for the dialog's end.
    is_exit_requested: bool,
}

impl BulkSend {
    /// Returns the open dialog with `destination`.
    pub(super) fn dialog_to(&self, destination: NodeId) -> Option<&Dialog> {
        self.dialog().filter(|dialog| dialog.destination == destination)
    }

    pub(super) fn dialog(&self) -> Option<&Dialog> {
        match self {
            BulkSend::Dialog(dialog) => Some(dialog),
            BulkSend::Scalar | BulkSend::Requested { .. } => None,
        }
    }

    pub(super) fn dialog_mut(&mut self) -> Option<&mut Dialog> {
        match self {
            BulkSend::Dialog(dialog) => Some(dialog),
            BulkSend::Scalar | BulkSend::Requested { .. } => None,
        }
    }

    /// Handles the reply to the request: a dialog number, or `None` for a rejection.
    pub(super) fn handle_reply(&mut self, destination: NodeId, granted: Option<u16>, numbering: Numbering) {
        assert_eq!(*self, BulkSend::Requested { destination }, "a request is answered once");
        *self = match granted {
            Some(dialog) => BulkSend::Dialog(Dialog::new(destination, dialog, numbering)),
            None => BulkSend::Scalar,
        };
    }
}

impl Dialog {
    fn new(destination: NodeId, number: u16, numbering: Numbering) -> Dialog {
        Dialog {
            destination,
            number,
            numbering,
            base: 0,
            is_acknowledged: VecDeque::with_capacity(numbering.window() as usize),
            is_exit_sent: false,
            is_exit_requested: false,
        }
    }

    /// Returns whether another packet may be sent.
    pub(super) fn can_send(&self) -> bool {
        !self.is_exit_sent && self.is_acknowledged.len() < self.numbering.window() as usize
    }

    /// Returns whether the receiver has requested the end of the dialog, and a packet with the exit bit may be sent
    /// now.
    pub(super) fn wants_exit(&self) -> bool {
        self.is_exit_requested && self.can_send()
    }

    /// Returns the number of unacknowledged packets.
    pub(super) fn unacknowledged(&self) -> usize {
        self.is_acknowledged.iter().filter(|&&acknowledged| !acknowledged).count()
    }

    /// Records that the next packet is sent, and returns its header.
    pub(super) fn send(&mut self, bulk_exit: bool) -> Bulk {
        assert!(self.can_send(), "packets leave while the window is open");
        let number = self.numbering.number(self.numbering.position_after(self.base, self.is_acknowledged.len() as u32));
        self.is_acknowledged.push_back(false);
        self.is_exit_sent = bulk_exit || self.is_exit_requested;
        Bulk { dialog: self.number, number, bulk_exit: self.is_exit_sent }
    }

    /// Returns whether an acknowledgement from `source` for number `dialog` concerns this dialog.
    pub(super) fn concerns_dialog(&self, source: NodeId, dialog: u16) -> bool {
        self.destination == source && self.number == dialog
    }

    /// Records the receiver's request to end the dialog.
    pub(super) fn request_exit(&mut self) {
        self.is_exit_requested = true;
    }

    /// Handles an acknowledgement of packet `number` and of the packets before it in its group; a group has `group`
    /// packets. Calls `free` for each newly acknowledged packet, and returns the number of these packets.
    pub(super) fn acknowledge(&mut self, number: BulkNumber, group: u32, mut free: impl FnMut(BulkNumber)) -> usize {
        let last = self.numbering.distance(self.base, number) as usize;
        if last >= self.is_acknowledged.len() {
            return 0; // The packet was acknowledged before.
        }
        let first = last.saturating_sub(usize::from(number.sequence) % group as usize);
        let mut newly_acknowledged = 0;
        for index in first..=last {
            if !std::mem::replace(&mut self.is_acknowledged[index], true) {
                newly_acknowledged += 1;
                free(self.numbering.number(self.numbering.position_after(self.base, index as u32)));
            }
        }
        while self.is_acknowledged.front() == Some(&true) {
            self.is_acknowledged.pop_front();
            self.base = self.numbering.position_after(self.base, 1);
        }
        newly_acknowledged
    }

    /// Returns whether the exit was sent and all packets are acknowledged.
    pub(super) fn is_finished(&self) -> bool {
        self.is_exit_sent && self.is_acknowledged.is_empty()
    }
}
