//! Return to sender as a part of a machine: keys, defaults and guarantees.

use super::{Buffers, FlowControlParameters, Retry, ReturnToSenderAdapter, ReturnToSenderParameters};
use crate::engine::{Bytes, NodeId};
use crate::part::{Part, PartInfo};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};
use crate::text::{ParameterSink, ParameterType, Table};

const INFINITE: &str = "infinite-buffers";
const BUFFERS: &str = "flow-control-buffers";
const RETRY: &str = "retry-delay";

/// Reads the flow control of a description, which is the same in both directions and always waits as long.
pub(super) fn read_flow(t: &mut Table<'_>) -> FlowControlParameters {
    let infinite = t.flag(INFINITE, "Whether there is no end of flow-control buffers").or(false);
    let count = t.count(BUFFERS, "Outgoing, and as many incoming, message buffers").range(1, 65_536).or(8);
    let retry = t.time(RETRY, "How long a returned message waits before it is sent again").or("200 ns");
    let finite = Buffers::finite(count as u32).filter(|_| !infinite);
    FlowControlParameters::symmetric(finite.unwrap_or(Buffers::Infinite), Retry::constant(retry))
}

/// Writes what [`read_flow`] reads.
pub(super) fn write_flow(flow: &FlowControlParameters, to: &mut dyn ParameterSink) {
    let buffers = flow.outgoing.count();
    to.value(INFINITE, buffers.is_none().to_value());
    if let Some(buffers) = buffers {
        to.value(BUFFERS, buffers.to_value());
    }
    to.value(RETRY, flow.retry.first().to_value());
}

impl Part for ReturnToSenderParameters {
    const INFO: PartInfo = PartInfo::new("return-to-sender", "What finds no room is sent back, and sent again");
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

    fn control_frame(&self) -> Bytes {
        self.acknowledgement
    }

    fn classes(&self, _of_fabric: u8) -> u8 {
        1
    }

    fn late_packets(&self, senders: u64, queued: u64) -> u64 {
        // With unlimited buffers no packet is returned, and all arrive in order.
        self.flow.outgoing.count().map_or(0, |buffers| {
            let arrived = self.flow.incoming.count().map_or(0, u64::from) + queued;
            u64::from(buffers) * senders + arrived
        })
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(ReturnToSenderAdapter::new(node, environment.classes, *self))
    }
}
