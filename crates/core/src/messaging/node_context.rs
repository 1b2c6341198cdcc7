//! The parts of a node that its endpoints share: host, processor, driver, and the costs of messaging.

use super::active_message::TRANSFER_DATA;
use super::parameters::MessagingParameters;
use crate::host::{AnyProcessor, Host, Processor};
use crate::ni::AnyDriver;
use std::rc::Rc;

/// The parts of a node that an endpoint uses: the endpoint's core, and the host, driver and parameters of the node.
#[derive(Clone)]
pub(super) struct NodeContext {
    pub host: Host,
    pub cpu: AnyProcessor,
    pub driver: Rc<AnyDriver>,
    pub parameters: MessagingParameters,
}

impl NodeContext {
    /// Returns the additional processor cycles to receive a packet for `handler`: the cost of reordering if the packet
    /// belongs to a transfer whose packets may arrive out of order, and otherwise 0.
    pub fn reorder_cycles(&self, handler: u8) -> u64 {
        let reorders = handler == TRANSFER_DATA && !self.parameters.in_order;
        if reorders { self.parameters.costs.reorder } else { 0 }
    }

    /// Waits until the simulation has reached the core's local time, and the core's stores are visible to other cores.
    pub async fn make_stores_visible(&self) {
        self.cpu.sync().await;
        if let Some(processor) = self.cpu.coherent() {
            processor.drain_stores().await;
        }
    }
}
