//! Journeys of the packets, carried outside of the simulated bytes; they do not affect the simulation.

use crate::engine::Journey;
use std::cell::RefCell;
use std::collections::VecDeque;

/// The journeys of the packets in send slots and events.
#[derive(Default)]
pub struct Instruments {
    /// Packets in send slots, oldest first.
    pub sending_journeys: RefCell<VecDeque<Journey>>,
    /// Packets that the host is notified of, oldest first.
    pub received_journeys: RefCell<VecDeque<Journey>>,
}
