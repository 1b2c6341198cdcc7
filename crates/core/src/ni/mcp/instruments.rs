//! What travels alongside the bytes: instruments, by which no part decides.

use crate::engine::Journey;
use std::cell::RefCell;
use std::collections::VecDeque;

/// The packets that slots and events stand for.
#[derive(Default)]
pub struct Instruments {
    /// Packets in send slots, oldest first.
    pub sending: RefCell<VecDeque<Journey>>,
    /// Packets that the host is notified of, oldest first.
    pub received: RefCell<VecDeque<Journey>>,
}
