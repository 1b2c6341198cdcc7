//! Journeys of the messages, carried outside of the simulated bytes; they do not affect the simulation.

use crate::engine::{Journey, MessageTally};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The journeys of the messages in the rings' entries.
pub struct Instruments {
    /// Journeys of the messages in the send ring, oldest first.
    pub sending_journeys: RefCell<VecDeque<Journey>>,
    /// Journey of the message in each receive ring entry.
    pub received_journeys: RefCell<Vec<Journey>>,
    /// Record of the run's messages.
    pub tally: Rc<MessageTally>,
}
