//! The parts of a node that its endpoints share: host, processor, driver, and the costs of messaging.

use super::active_message::TRANSFER_DATA;
use super::parameters::MessagingParameters;
use crate::host::{AnyProcessor, Host};
use crate::ni::AnyDriver;
use std::rc::Rc;

/// The parts of a node that an endpoint uses: its core, and what all endpoints of the node have in common.
#[derive(Clone)]
pub(super) struct NodeContext {
    pub host: Host,
    pub cpu: AnyProcessor,
    pub driver: Rc<AnyDriver>,
    pub parameters: MessagingParameters,
}

impl NodeContext {
    /// Returns the processor cycles that receiving a packet for `handler` takes on top of any packet's: those of
    /// putting the data of a transfer in order.
    pub fn reorder_cycles(&self, handler: u8) -> u64 {
        let reorders = handler == TRANSFER_DATA && !self.parameters.in_order;
        if reorders { self.parameters.costs.reorder } else { 0 }
    }
}
