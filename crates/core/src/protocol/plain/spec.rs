//! Queues without a protocol, as a part of a machine: keys and defaults. The part guarantees neither order nor
//! delivery.

use super::{Plain, PlainParameters};
use crate::engine::NodeId;
use crate::part::{Part, PartInfo};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};

impl Part for PlainParameters {
    const INFO: PartInfo =
        PartInfo::new("none", "No protocol: queues with the order and the losses of the fabric").formerly(&["plain"]);
}

impl ProtocolSpec for PlainParameters {
    fn guarantees(&self, _: &ProtocolEnvironment) -> Guarantees {
        Guarantees {
            in_order: false,
            survives_loss: false,
            needs_order: false,
            reorders: false,
            slots: Some(self.arrivals.into()),
            pools: true,
            has_timers: false,
        }
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        None
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(Plain::new(node, environment.classes, *self))
    }
}
