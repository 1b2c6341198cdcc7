//! Frames of NIFDY and their headers: data packets and acknowledgements.
//!
//! A frame without a body is an acknowledgement, or a bulk packet without payload that only ends a dialog
//! (`bulk_exit`). Every frame has a `source` field. The paper's hardware omits it from bulk packets, whose dialog
//! number implies it (Callahan and Goldstein 1995, §2.1.2). For bulk packets this model uses the field only in
//! assertions, except with retransmission, where the header must carry it (see `retransmit`).

use crate::engine::NodeId;
use std::fmt;

/// One packet of the network.
#[must_use = "a frame that is not sent is lost"]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NifdyFrame<T> {
    /// The sending node.
    pub source: NodeId,
    /// The receiving node.
    pub destination: NodeId,
    /// Kind of the frame, with its fields.
    pub header: NifdyHeader,
    /// Acknowledgement piggybacked on a data packet (Callahan and Goldstein 1995, §6.1).
    pub piggybacked: Option<Acknowledgement>,
    /// The processor's packet; `None` in a frame that is a header alone.
    pub body: Option<T>,
}

/// The kinds of frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NifdyHeader {
    /// A scalar data packet.
    Scalar(Scalar),
    /// A data packet of a bulk dialog.
    Bulk(Bulk),
    /// An acknowledgement, which the receiving unit consumes.
    Acknowledgement(Acknowledgement),
}

/// Fields of a scalar data packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    /// Whether the packet requires an acknowledgement; false if it bypasses the protocol (Callahan and Goldstein 1995,
    /// §6.1).
    pub acknowledged: bool,
    /// Whether the sender requests a bulk dialog.
    pub bulk_request: bool,
    /// Duplicate bit, which alternates between successive scalar packets from one source to one destination; always
    /// false without retransmission.
    pub duplicate_bit: bool,
}

/// Fields of a data packet of a bulk dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bulk {
    /// The number by which the receiver identifies the dialog.
    pub dialog: u16,
    /// Sequence number of the packet in the dialog.
    pub number: BulkNumber,
    /// Whether the packet is the dialog's last.
    pub bulk_exit: bool,
}

/// Sequence number of a bulk packet in its dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BulkNumber {
    /// Position in the dialog modulo W, the window size in packets (Callahan and Goldstein 1995, §2.1.2).
    pub sequence: u16,
    /// Flips each time that the sequence wraps around; always false without retransmission.
    pub duplicate_bit: bool,
}

/// Fields of an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acknowledgement {
    /// Acknowledges a scalar packet.
    Scalar {
        /// Reply to the packet's request for a dialog.
        reply: DialogReply,
        /// Duplicate bit of the packet.
        duplicate_bit: bool,
    },
    /// Acknowledges packets of a bulk dialog.
    Bulk {
        /// The number by which the receiver identifies the dialog.
        dialog: u16,
        /// Number of the last packet that the frame acknowledges, which is the end of a half window or a single packet;
        /// `None` if the frame acknowledges no packet.
        number: Option<BulkNumber>,
        /// Whether the receiver requests the end of the dialog.
        requests_exit: bool,
    },
}

/// Reply to a request for a bulk dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DialogReply {
    /// The packet made no request.
    None,
    /// All dialogs of the receiver are in use.
    Rejected,
    /// The dialog was granted; the number is the receiver's identification of it.
    Granted(u16),
}

impl<T> NifdyFrame<T> {
    /// Returns whether the frame needs a slot of the arrivals FIFO, and therefore waits in the network while the
    /// FIFO is full. Acknowledgements are consumed, and bulk packets have reserved buffers.
    pub const fn needs_slot(&self) -> bool {
        matches!(self.header, NifdyHeader::Scalar(_))
    }

    /// Returns whether the frame is an acknowledgement without a packet.
    pub const fn is_acknowledgement(&self) -> bool {
        matches!(self.header, NifdyHeader::Acknowledgement(_))
    }
}

impl fmt::Display for BulkNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sequence, if self.duplicate_bit { "'" } else { "" })
    }
}
