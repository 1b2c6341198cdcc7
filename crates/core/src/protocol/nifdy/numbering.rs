//! Sequence numbers of a dialog, and distances between them.
//!
//! If every packet arrives exactly once, positions are counted modulo the window, so that no two packets in flight have
//! the same number. With retransmission they are counted modulo two windows, which is the sequence number and the
//! duplicate bit together, so that a copy of an accepted packet differs from all packets that are still expected.

use super::{BulkNumber, UnitParameters};

/// Numbering of a machine's dialogs.
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

    pub(super) const fn position_after(self, position: u32, packets: u32) -> u32 {
        (position + packets) % self.modulus
    }

    pub(super) const fn number(self, position: u32) -> BulkNumber {
        BulkNumber { sequence: (position % self.window) as u16, duplicate_bit: position >= self.window }
    }

    /// Returns the distance from the packet at `position` to `number`, modulo the count of numbers.
    pub(super) const fn distance(self, position: u32, number: BulkNumber) -> u32 {
        let lap = if number.duplicate_bit { self.window } else { 0 };
        (number.sequence as u32 + lap + self.modulus - position) % self.modulus
    }
}
