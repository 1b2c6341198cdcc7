//! Retransmission for networks that drop packets (Callahan and Goldstein 1995, §6.2): a buffer and a timer per
//! outstanding packet, and one duplicate bit in the header.
//!
//! "The outgoing packet is copied into the buffer and the timer is set when the packet is sent. If
//! an ack is received before the timer expires, the timer is reset and the buffer is freed for
//! future use. If no ack is received before the timer goes off, the packet is retransmitted."
//!
//! The duplicate bit alternates between the packets of a pair, and in a dialog between laps of the sequence number. A
//! packet with an unexpected bit is a copy of a packet that was accepted or waits for acceptance. The copy is dropped,
//! and the packet's acknowledgement is repeated if it had been sent.
//!
//! # Requirements beyond the paper's list
//!
//! * **Two bits for each other node**: the duplicate bit of the next packet to that node, and of the next packet from
//!   it. The bits must outlive the table's entries, because a copy can arrive when no packet is outstanding. The state
//!   of this extension therefore grows with the machine, by a quarter of a byte per node. The model stores only the
//!   bits that are set.
//! * **The source in bulk headers.** When the last acknowledgement of a dialog is lost, the dialog's sender retransmits
//!   the packet with the exit bit, and by then the dialog number may belong to another sender. The receiver must
//!   therefore know the source.
//! * **Copies that die in time**: see the assumption in the head of the module `nifdy`.
//! * A piggybacked acknowledgement is not repeated with a copy of its answer, because by then it could be taken for the
//!   acknowledgement of another packet. The packet that it acknowledges is retransmitted, and acknowledged separately.

use super::{BulkNumber, NifdyFrame, NifdyHeader, Retransmission};
use crate::engine::{NodeId, Time};
use std::collections::BTreeSet;

/// Buffers, timers and duplicate bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Retransmit<T> {
    timeout: Time,
    /// Unacknowledged packets in the order of their last transmission, oldest first.
    copies: Vec<RetransmitCopy<T>>,
    /// Nodes to which the next packet has the duplicate bit set.
    next_sent_bits: BTreeSet<NodeId>,
    /// Nodes from which the next packet has the duplicate bit set.
    next_expected_bits: BTreeSet<NodeId>,
}

/// A buffer and its timer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct RetransmitCopy<T> {
    frame: NifdyFrame<T>,
    timer: Timer,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Timer {
    /// The timer expires at this time.
    Running(Time),
    /// The timer has expired, and the copy is to be sent.
    Stopped,
}

impl<T: Clone> Retransmit<T> {
    pub(super) fn new(parameters: Retransmission) -> Retransmit<T> {
        let Retransmission { timeout } = parameters;
        Retransmit { timeout, copies: Vec::new(), next_sent_bits: BTreeSet::new(), next_expected_bits: BTreeSet::new() }
    }

    /// Returns the duplicate bit of the next scalar packet to `destination`, and flips the stored bit.
    pub(super) fn next_bit(&mut self, destination: NodeId) -> bool {
        flip(&mut self.next_sent_bits, destination)
    }

    /// Returns whether a scalar packet of `source` is new rather than a copy of the previous packet. If it is new,
    /// flips the bit that is expected of the next one.
    pub(super) fn is_new(&mut self, source: NodeId, duplicate_bit: bool) -> bool {
        let is_new = self.next_expected_bits.contains(&source) == duplicate_bit;
        if is_new {
            flip(&mut self.next_expected_bits, source);
        }
        is_new
    }

    /// Stores a copy of a frame that requires an acknowledgement, and sets its timer.
    pub(super) fn store_copy(&mut self, frame: &NifdyFrame<T>, now: Time) {
        let frame = NifdyFrame { piggybacked: None, ..frame.clone() };
        self.copies.push(RetransmitCopy { frame, timer: Timer::Running(now + self.timeout) });
    }

    /// Frees the copy of the acknowledged scalar packet to `destination`.
    pub(super) fn free_scalar_copy(&mut self, destination: NodeId) {
        self.free(|frame| frame.destination == destination && matches!(frame.header, NifdyHeader::Scalar(_)));
    }

    /// Frees the copy of an acknowledged packet of the outgoing dialog.
    pub(super) fn free_bulk_copy(&mut self, number: BulkNumber) {
        self.free(|frame| matches!(frame.header, NifdyHeader::Bulk(bulk) if bulk.number == number));
    }

    fn free(&mut self, is_acknowledged: impl Fn(&NifdyFrame<T>) -> bool) {
        let index =
            self.copies.iter().position(|copy| is_acknowledged(&copy.frame)).expect("an outstanding packet has a copy");
        self.copies.remove(index);
    }

    /// Returns the time at which the next timer expires.
    pub(super) fn next_timer(&self) -> Option<Time> {
        let expiry_times = self.copies.iter().filter_map(|copy| match copy.timer {
            Timer::Running(time) => Some(time),
            Timer::Stopped => None,
        });
        expiry_times.min()
    }

    /// Marks as expired the timers that are due by `now`.
    pub(super) fn on_time(&mut self, now: Time) {
        for copy in &mut self.copies {
            if matches!(copy.timer, Timer::Running(time) if time <= now) {
                copy.timer = Timer::Stopped;
            }
        }
    }

    /// Returns whether a copy is to be sent.
    pub(super) fn has_due_copy(&self) -> bool {
        self.copies.iter().any(|copy| copy.timer == Timer::Stopped)
    }

    /// Returns the copy to be sent, if any, and restarts the copy's timer.
    pub(super) fn next_copy(&mut self, now: Time) -> Option<NifdyFrame<T>> {
        let index = self.copies.iter().position(|copy| copy.timer == Timer::Stopped)?;
        let mut copy = self.copies.remove(index);
        copy.timer = Timer::Running(now + self.timeout);
        let frame = copy.frame.clone();
        self.copies.push(copy);
        Some(frame)
    }

    /// Returns the frames in the retransmission buffers.
    #[cfg(test)]
    pub(super) fn frames(&self) -> impl Iterator<Item = &NifdyFrame<T>> {
        self.copies.iter().map(|copy| &copy.frame)
    }

    /// Returns the number of buffers in use.
    pub(super) fn len(&self) -> usize {
        self.copies.len()
    }
}

/// Flips the bit of `node`, and returns its previous value.
fn flip(bits: &mut BTreeSet<NodeId>, node: NodeId) -> bool {
    let was_set = bits.remove(&node);
    if !was_set {
        bits.insert(node);
    }
    was_set
}
