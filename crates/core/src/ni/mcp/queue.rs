//! The send queue: a small second level in the interface, and a first level in host memory from which the completion
//! interrupt refills it (Jin et al. 2005, §4.2), "in a self-clocking manner".

use super::layout::Piece;
use super::parameters::McpParameters;
use crate::engine::{Journey, NodeId};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A packet to be sent, as the driver describes it.
pub(super) struct Descriptor {
    pub to: NodeId,
    pub length: u64,
    /// Indices of the two endpoints on their nodes, as one word; used only in a library's prefix.
    pub endpoints: u32,
    pub pieces: Vec<Piece>,
    /// Whether the interface fills in the checksum.
    pub fills_checksum: bool,
    /// The send buffer that becomes free once the packet has been sent.
    pub freed_buffer: Option<usize>,
    pub journey: Journey,
}

/// The state of the two levels.
pub(super) struct SendQueue {
    /// Number of free slots of the interface.
    pub(super) free_slots: Cell<u64>,
    /// Number of packets that can still be reserved, on both levels together.
    pub(super) unreserved_descriptors: Cell<u64>,
    /// The number of the next slot to be filled.
    pub(super) next_slot: Cell<u64>,
    /// Descriptors in the first level, oldest first.
    pub(super) waiting_packets: RefCell<VecDeque<Descriptor>>,
    /// Send buffers of the descriptors in the second level, oldest first.
    pub(super) buffers_in_interface: RefCell<VecDeque<Option<usize>>>,
    /// Number of sent messages that have been handled.
    pub(super) handled_messages: Cell<u32>,
}

impl SendQueue {
    pub(super) fn new(parameters: &McpParameters) -> SendQueue {
        SendQueue {
            free_slots: Cell::new(parameters.send_slots),
            unreserved_descriptors: Cell::new(parameters.send_slots + parameters.send_queue),
            next_slot: Cell::new(0),
            waiting_packets: RefCell::default(),
            buffers_in_interface: RefCell::default(),
            handled_messages: Cell::new(0),
        }
    }

    /// Reserves descriptors for `packets` packets; returns `false` if there are not enough.
    pub(super) fn reserve(&self, packets: u64) -> bool {
        let has_enough = self.unreserved_descriptors.get() >= packets;
        if has_enough {
            self.unreserved_descriptors.set(self.unreserved_descriptors.get() - packets);
        }
        has_enough
    }
}
