//! Frames of NIFDY and their headers: data packets and acknowledgements.
//!
//! A frame without a body is a header alone: an acknowledgement, or the rare empty exit of a
//! dialog. `source` stands beside every frame. The paper's hardware leaves it out of bulk packets,
//! whose dialog number implies it (§2.1.2); nothing here looks at it there but asserts, except with
//! retransmission, where the header must carry it (see `retransmit`).

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
    /// Acknowledgement piggybacked on a data packet (§6.1).
    pub carried: Option<Acknowledgement>,
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
    /// Consumed by the receiving unit.
    Acknowledgement(Acknowledgement),
}

/// Fields of a scalar data packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    /// It is to be acknowledged; not so where it bypasses the protocol (§6.1).
    pub acknowledged: bool,
    /// The sender asks for a bulk dialog.
    pub bulk_request: bool,
    /// Differs from that of the pair's packet before it; stays false without retransmission.
    pub duplicate_bit: bool,
}

/// Fields of a data packet of a bulk dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bulk {
    /// The receiver's number for the dialog.
    pub dialog: u16,
    /// The packet's place in the dialog.
    pub number: BulkNumber,
    /// It is the dialog's last.
    pub bulk_exit: bool,
}

/// A bulk packet's place in its dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BulkNumber {
    /// Counts from 0 below W ("need only be as large as W", §2.1.2), again and again.
    pub sequence: u16,
    /// Flips each time that the sequence starts again; stays false without retransmission.
    pub duplicate_bit: bool,
}

/// Fields of an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acknowledgement {
    /// Acknowledges a scalar packet.
    Scalar {
        /// Reply to the packet's request for a dialog.
        request: Request,
        /// Duplicate bit of the packet.
        duplicate_bit: bool,
    },
    /// Acknowledges packets of a bulk dialog.
    Bulk {
        /// The receiver's number for the dialog.
        dialog: u16,
        /// The packet up to which those of its half window (or it alone) are acknowledged.
        number: Option<BulkNumber>,
        /// The receiver asks the sender to leave bulk mode.
        ends: bool,
    },
}

/// Reply to a request for a bulk dialog.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Request {
    /// None was made.
    None,
    /// All dialogs of the receiver are taken.
    Rejected,
    /// The receiver's number for the dialog.
    Granted(u16),
}

impl<T> NifdyFrame<T> {
    /// True if it needs a place of the arrivals FIFO, and so waits in the network while that is
    /// full. Acknowledgements are consumed, and bulk packets have a buffer kept for them.
    pub const fn needs_slot(&self) -> bool {
        matches!(self.header, NifdyHeader::Scalar(_))
    }

    /// True for an acknowledgement by itself.
    pub const fn is_acknowledgement(&self) -> bool {
        matches!(self.header, NifdyHeader::Acknowledgement(_))
    }
}

impl fmt::Display for BulkNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sequence, if self.duplicate_bit { "'" } else { "" })
    }
}
