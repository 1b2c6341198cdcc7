//! Return to sender as a part of a machine: keys, defaults and guarantees.

use super::parameters::UNLIMITED_BUFFERS;
use super::{FlowControlParameters, ReturnToSenderAdapter, ReturnToSenderParameters};
use crate::engine::{Bytes, NodeId, rng};
use crate::part::{Part, PartInfo};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};
use rand::RngExt;

impl Part for ReturnToSenderParameters {
    const INFO: PartInfo = PartInfo::new(
        "return-to-sender",
        "Packets without a free receive buffer are returned to their sender and retried",
    );
}

impl ProtocolSpec for ReturnToSenderParameters {
    fn guarantees(&self, environment: &ProtocolEnvironment) -> Guarantees {
        Guarantees {
            in_order: false,
            survives_loss: false,
            needs_order: false,
            reorders: true,
            slots: (environment.classes > 1).then_some(1),
            pools: false,
            has_timers: true,
        }
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        let FlowControlParameters { outgoing, incoming, .. } = self.flow;
        Some([outgoing, incoming].map(|buffers| buffers.count().map_or(u64::MAX, u64::from)))
    }

    fn unlimited_buffers(&self) -> Option<(&'static str, &'static str)> {
        let is_unlimited = self.buffer_requirements().is_some_and(|buffers| buffers.contains(&u64::MAX));
        is_unlimited.then_some(UNLIMITED_BUFFERS)
    }

    fn control_frame_length(&self) -> Bytes {
        self.acknowledgement
    }

    fn classes(&self, _fabric_classes: u8) -> u8 {
        1
    }

    fn late_packets(&self, senders: u64, queued: u64) -> u64 {
        // With unlimited buffers no packet is returned, and all arrive in order.
        self.flow.outgoing.count().map_or(0, |buffers| {
            let arrived_packets = self.flow.incoming.count().map_or(0, u64::from) + queued;
            u64::from(buffers) * senders + arrived_packets
        })
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        let seed = rng::stream(environment.seed, &format!("retries of node {node}")).random();
        Box::new(ReturnToSenderAdapter::new(node, environment.classes, *self, seed))
    }
}
