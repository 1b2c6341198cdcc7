//! Sequence numbers of a dialog, and distances between them.
//!
//! Positions count modulo the window where every packet arrives exactly once: of the packets that
//! may be in flight no two then share a number. With retransmission they count modulo two windows,
//! which is the sequence number and the duplicate bit taken together: a copy of a packet that was
//! accepted then differs from all that are still expected.

use super::{BulkNumber, UnitParameters};

/// How a machine's dialogs are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Numbering {
    window: u32,
    modulus: u32,
}

impl Numbering {
    pub(super) fn new(parameters: &UnitParameters) -> Numbering {
        let window = u32::from(parameters.window).max(1);
        let laps = if parameters.retransmission.is_some() { 2 } else { 1 };
        Numbering { window, modulus: laps * window }
    }

    pub(super) const fn window(self) -> u32 {
        self.window
    }

    pub(super) const fn after(self, position: u32, packets: u32) -> u32 {
        (position + packets) % self.modulus
    }

    pub(super) const fn number(self, position: u32) -> BulkNumber {
        BulkNumber { sequence: (position % self.window) as u16, duplicate_bit: position >= self.window }
    }

    /// How far `number` lies after the packet at `position`.
    pub(super) const fn distance(self, position: u32, number: BulkNumber) -> u32 {
        let lap = if number.duplicate_bit { self.window } else { 0 };
        (number.sequence as u32 + lap + self.modulus - position) % self.modulus
    }
}
