//! Queues alone, as a part of a machine: keys, defaults, and that nothing is guaranteed.

use super::{Plain, PlainParameters};
use crate::engine::NodeId;
use crate::part::{Part, PartInfo};
use crate::protocol::spec::QUEUE_MAX;
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};
use crate::text::{Parameters, Table};

/// Packets that wait each way by default (chosen: as many as return-to-sender has buffers).
const QUEUED: u64 = 8;

impl Parameters for PlainParameters {
    fn read(t: &mut Table<'_>) -> PlainParameters {
        PlainParameters {
            outgoing: t.count("outgoing", "Packets that wait to enter the fabric").range(1, QUEUE_MAX).or(QUEUED)
                as u16,
            arrivals: t.count("arrivals", "Packets that wait for their reader").range(1, QUEUE_MAX).or(QUEUED) as u16,
        }
    }
}

impl Part for PlainParameters {
    const INFO: PartInfo = PartInfo::new("none", "Queues, and whatever the fabric makes of them").formerly(&["plain"]);
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
