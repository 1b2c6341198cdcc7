//! The sliding window as a part of a machine: keys, defaults and guarantees. The defaults work on any fabric, and give
//! a selective-repeat receiver.

use super::adapter::PACKETS_MAX;
use super::{FabricOrder, WindowAdapter, WindowParameters};
use crate::engine::{Bytes, NodeId};
use crate::part::{Part, PartInfo};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};

impl Part for WindowParameters {
    const INFO: PartInfo =
        PartInfo::new("window", "A sliding window for each destination, acknowledgements and time-outs");
}

impl WindowParameters {
    /// Returns the parameters as they hold in `environment`.
    fn in_environment(mut self, environment: &ProtocolEnvironment) -> WindowParameters {
        self.link.order =
            if environment.keeps_order { FabricOrder::Kept } else { FabricOrder::Any { packets: PACKETS_MAX } };
        if !environment.has_reorder_buffers {
            self.link.reorder = 0;
        }
        self
    }
}

impl ProtocolSpec for WindowParameters {
    fn guarantees(&self, _: &ProtocolEnvironment) -> Guarantees {
        Guarantees {
            in_order: true,
            survives_loss: true,
            needs_order: false,
            reorders: false,
            slots: None,
            pools: true,
            has_timers: true,
        }
    }

    fn sequence_space_error(&self, environment: &ProtocolEnvironment) -> Option<(&'static str, String)> {
        let error = self.in_environment(environment).link.check().into_iter().next();
        error.map(|(_, reason)| ("sequence-bits", reason))
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        Some([self.link.buffers.into(), self.link.arrivals.into()])
    }

    fn control_frame_length(&self) -> Bytes {
        self.acknowledgement
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(WindowAdapter::new(node, environment.classes, self.in_environment(environment)))
    }
}
