//! NIFDY as a part of a machine: keys, defaults and guarantees.

use super::{NifdyAdapter, NifdyParameters, UnitParameters};
use crate::engine::{Bytes, NodeId};
use crate::part::{Part, PartInfo};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};

impl Part for NifdyParameters {
    const INFO: PartInfo = PartInfo::new("nifdy", "Admission control and in-order delivery");
}

impl ProtocolSpec for NifdyParameters {
    fn guarantees(&self, _: &ProtocolEnvironment) -> Guarantees {
        let retransmits = self.unit.retransmission.is_some();
        Guarantees {
            in_order: true,
            survives_loss: retransmits,
            // The single duplicate bit distinguishes copies from new packets only in order (Callahan and Goldstein
            // 1995, §6.2).
            needs_order: retransmits,
            reorders: false,
            slots: Some(self.unit.arrivals.into()),
            pools: true,
            has_timers: retransmits,
        }
    }

    fn retransmission_key(&self) -> Option<&'static str> {
        Some("retransmission")
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        let UnitParameters { outstanding, pool, dialogs, window, arrivals, retransmission, .. } = self.unit;
        let copies = retransmission.map_or(0, |_| u64::from(outstanding) + u64::from(window));
        Some([u64::from(pool) + copies, u64::from(arrivals) + u64::from(dialogs) * u64::from(window)])
    }

    fn control_frame_length(&self) -> Bytes {
        self.acknowledgement
    }

    fn processing_cycles(&self) -> u64 {
        self.processing
    }

    fn second_class_key(&self) -> Option<(&'static str, &'static str)> {
        self.acknowledges_on_other.then_some(("acknowledgement-network", "same"))
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(NifdyAdapter::new(node, environment.classes, *self))
    }
}
