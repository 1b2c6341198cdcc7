//! What travels alongside the bytes: instruments, by which no part decides.

use crate::engine::{Journey, MessageTally};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The messages that the rings' entries stand for.
pub struct Instruments {
    /// Messages in the send ring, oldest first.
    pub sending: RefCell<VecDeque<Journey>>,
    /// Message of each receive ring entry.
    pub received: RefCell<Vec<Journey>>,
    /// Record of the run's messages.
    pub tally: Rc<MessageTally>,
}
