//! Peak occupancy of each component of a unit, and the bytes of state that it needs.
//!
//! The peaks are measured, not derived from the parameters: a unit must be built at least this large to carry the
//! traffic of the run. The two bits for each other node that retransmission needs (`retransmit`) are not counted.

use super::NifdyUnit;
use super::parameters::{NODE_BYTES, SMALL_BYTES, TIMER_BYTES};

/// Peak occupancy of each component of a unit, in entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PeakOccupancy {
    pool: usize,
    outstanding: usize,
    arrivals: usize,
    reorder: usize,
    dialogs: usize,
    copies: usize,
    acknowledgements: usize,
}

impl PeakOccupancy {
    /// Updates the peaks of all components.
    #[cfg(test)]
    pub fn record<T: Clone>(&mut self, unit: &NifdyUnit<T>, composed: usize) {
        self.record_reservation(unit, composed);
        self.record_departure(unit);
        self.record_arrival(unit);
    }

    /// Updates the pool's peak after a buffer was taken, counting the `composed` packets that are not offered yet.
    pub fn record_reservation<T: Clone>(&mut self, unit: &NifdyUnit<T>, composed: usize) {
        self.pool = self.pool.max(unit.pool.len() + composed);
    }

    /// Updates the peaks that a departing packet may raise.
    pub fn record_departure<T: Clone>(&mut self, unit: &NifdyUnit<T>) {
        self.outstanding = self.outstanding.max(unit.outstanding.len());
        self.copies = self.copies.max(unit.retransmit.as_ref().map_or(0, |retransmit| retransmit.len()));
        self.record_dialogs(unit);
    }

    /// Updates the peaks that an arriving frame or an accepted packet may raise.
    pub fn record_arrival<T: Clone>(&mut self, unit: &NifdyUnit<T>) {
        self.arrivals = self.arrivals.max(unit.arrivals.occupied_slots());
        self.reorder = self.reorder.max(unit.bulk_receive.stored_packets());
        self.acknowledgements = self.acknowledgements.max(unit.acknowledgements.len());
        self.record_dialogs(unit);
    }

    fn record_dialogs<T: Clone>(&mut self, unit: &NifdyUnit<T>) {
        let outgoing_dialogs = usize::from(unit.bulk_send.dialog().is_some());
        self.dialogs = self.dialogs.max(unit.bulk_receive.open_dialogs() + outgoing_dialogs);
    }

    /// Returns the bytes of state at the peaks for packets of `packet_bytes` bytes. The state consists of buffers with
    /// their tags and ranks, tags of outstanding packets, registers of dialogs, copies with their timers, and waiting
    /// acknowledgements.
    pub fn bytes(&self, packet_bytes: usize) -> usize {
        self.pool * (packet_bytes + NODE_BYTES + SMALL_BYTES)
            + self.outstanding * NODE_BYTES
            + self.arrivals * packet_bytes
            + self.reorder * (packet_bytes + SMALL_BYTES)
            + self.dialogs * (NODE_BYTES + 4 * SMALL_BYTES)
            + self.copies * (packet_bytes + TIMER_BYTES)
            + self.acknowledgements * (NODE_BYTES + 2 * SMALL_BYTES)
    }
}
