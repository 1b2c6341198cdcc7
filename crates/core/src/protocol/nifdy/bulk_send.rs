//! The sender's side of bulk mode (§2.1.2): at most one outgoing dialog.
//!
//! ```text
//!          a packet with the request bit leaves          granted
//!  Scalar ──────────────────────────────────► Requested ─────────► Dialog
//!    ▲                                            │                   │
//!    ├─────────── rejected ───────────────────────┘                   │
//!    └─────────── the exit left, and all is acknowledged ─────────────┘
//! ```
//!
//! The window slides when its oldest packet is acknowledged, so a number is used again only when
//! the packet that had it is, whatever the order in which acknowledgements come.
//!
//! A dialog ends with a packet that has the exit bit, always: packets behind it wait until the
//! whole dialog is acknowledged, so that no scalar packet overtakes it. Where the receiver ends the
//! dialog, the next packet gets the exit bit; if none waits, an empty one is sent. (The paper says
//! that a receiver can end a dialog, not how; the receiver must learn which packet is the last.)

use super::numbering::Numbering;
use super::{Bulk, BulkNumber};
use crate::engine::NodeId;
use std::collections::VecDeque;

/// State of a sender's bulk mode.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum BulkSend {
    /// No dialog, and none asked for.
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
    /// The receiver's number for it.
    dialog: u16,
    numbering: Numbering,
    /// Position of the oldest unacknowledged packet, where the window begins.
    base: u32,
    /// Whether each packet sent from `base` on is acknowledged.
    sent: VecDeque<bool>,
    exit_sent: bool,
    /// The receiver wants it to end.
    ends: bool,
}

impl BulkSend {
    /// The open dialog with `destination`.
    pub(super) fn to(&self, destination: NodeId) -> Option<&Dialog> {
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

    /// The request was answered: by a dialog number, or by a rejection.
    pub(super) fn answered(&mut self, destination: NodeId, granted: Option<u16>, numbering: Numbering) {
        assert_eq!(*self, BulkSend::Requested { destination }, "a request is answered once");
        *self = match granted {
            Some(dialog) => BulkSend::Dialog(Dialog::new(destination, dialog, numbering)),
            None => BulkSend::Scalar,
        };
    }
}

impl Dialog {
    fn new(destination: NodeId, dialog: u16, numbering: Numbering) -> Dialog {
        let sent = VecDeque::with_capacity(numbering.window() as usize);
        Dialog { destination, dialog, numbering, base: 0, sent, exit_sent: false, ends: false }
    }

    /// True if a packet more may leave.
    pub(super) fn is_open(&self) -> bool {
        !self.exit_sent && self.sent.len() < self.numbering.window() as usize
    }

    /// True if the receiver ended it, and the exit is still to be sent.
    pub(super) fn wants_exit(&self) -> bool {
        self.ends && self.is_open()
    }

    /// Packets sent and not acknowledged.
    pub(super) fn unacknowledged(&self) -> usize {
        self.sent.iter().filter(|&&acknowledged| !acknowledged).count()
    }

    /// The header of the next packet.
    pub(super) fn send(&mut self, bulk_exit: bool) -> Bulk {
        assert!(self.is_open(), "packets leave while the window is open");
        let number = self.numbering.number(self.numbering.after(self.base, self.sent.len() as u32));
        self.sent.push_back(false);
        self.exit_sent = bulk_exit || self.ends;
        Bulk { dialog: self.dialog, number, bulk_exit: self.exit_sent }
    }

    /// True if an acknowledgement is of this dialog.
    pub(super) fn is(&self, source: NodeId, dialog: u16) -> bool {
        self.destination == source && self.dialog == dialog
    }

    /// The receiver ends the dialog.
    pub(super) fn end(&mut self) {
        self.ends = true;
    }

    /// An acknowledgement of the packets of a group up to `number`: how many of them are newly
    /// acknowledged, each told to `free`.
    pub(super) fn acknowledge(&mut self, number: BulkNumber, group: u32, mut free: impl FnMut(BulkNumber)) -> usize {
        let last = self.numbering.distance(self.base, number) as usize;
        if last >= self.sent.len() {
            return 0; // Of a packet acknowledged before.
        }
        let first = last.saturating_sub(usize::from(number.sequence) % group as usize);
        let mut newly = 0;
        for place in first..=last {
            if !std::mem::replace(&mut self.sent[place], true) {
                newly += 1;
                free(self.numbering.number(self.numbering.after(self.base, place as u32)));
            }
        }
        while self.sent.front() == Some(&true) {
            self.sent.pop_front();
            self.base = self.numbering.after(self.base, 1);
        }
        newly
    }

    /// True if nothing more will be sent or acknowledged.
    pub(super) fn is_over(&self) -> bool {
        self.exit_sent && self.sent.is_empty()
    }
}
