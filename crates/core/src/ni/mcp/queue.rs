//! The send queue: a small second level in the interface, and a first level in host memory from which an
//! interrupt for what has gone refills it (Jin et al. 2005, §4.2), "in a self-clocking manner".

use super::layout::Piece;
use super::parameters::McpParameters;
use crate::engine::{Journey, NodeId};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// A packet to be sent, as the driver describes it.
pub(super) struct Descriptor {
    pub to: NodeId,
    pub length: u64,
    /// The places of its endpoints among those of their nodes, where the firmware tells them.
    pub ends: u32,
    pub pieces: Vec<Piece>,
    /// Whether the interface fills the checksum in.
    pub sums: bool,
    /// The buffer that is free when it has gone.
    pub frees: Option<usize>,
    pub journey: Journey,
}

/// The two levels.
pub(super) struct SendQueue {
    /// Slots of the interface, and descriptors of host memory, that nobody has taken.
    pub(super) free: Cell<u64>,
    pub(super) room: Cell<u64>,
    /// The next slot.
    pub(super) next: Cell<u64>,
    /// The first level.
    pub(super) waiting: RefCell<VecDeque<Descriptor>>,
    /// The buffers of what is in the second level, oldest first.
    pub(super) under_way: RefCell<VecDeque<Option<usize>>>,
    /// Messages that were seen to have gone.
    pub(super) seen: Cell<u32>,
}

impl SendQueue {
    pub(super) fn new(parameters: &McpParameters) -> SendQueue {
        SendQueue {
            free: Cell::new(parameters.send_slots),
            room: Cell::new(parameters.send_slots + parameters.send_queue),
            next: Cell::new(0),
            waiting: RefCell::default(),
            under_way: RefCell::default(),
            seen: Cell::new(0),
        }
    }

    /// Takes room for so many packets; false if there is none.
    pub(super) fn reserve(&self, packets: u64) -> bool {
        let enough = self.room.get() >= packets;
        if enough {
            self.room.set(self.room.get() - packets);
        }
        enough
    }
}
