//! NIFDY as a part of a machine: keys, defaults and guarantees.

use super::{AcknowledgeAt, BulkAcknowledge, NifdyAdapter, NifdyParameters, Retransmission, UnitParameters};
use crate::engine::{Bytes, NodeId};
use crate::part::{Part, PartInfo};
use crate::protocol::spec::{QUEUE_MAX, acknowledgement};
use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};
use crate::text::{Parameters, Table};

impl Parameters for UnitParameters {
    fn read(t: &mut Table<'_>) -> UnitParameters {
        let at = [("acceptance", AcknowledgeAt::Acceptance), ("insertion", AcknowledgeAt::Insertion)];
        let bulk = [("half-window", BulkAcknowledge::HalfWindow), ("each", BulkAcknowledge::EachPacket)];
        let mut count = |key, doc, default| t.count(key, doc).max(QUEUE_MAX).or(default) as u16;
        let [outstanding, pool, dialogs, window, arrivals] = [
            count("outstanding", "O: entries of the outstanding-packet table", 8),
            count("pool", "B: packets in the outgoing pool", 8),
            count("dialogs", "D: bulk dialogs that a receiver holds at once", 1),
            count("window", "W: packets of a dialog that may be unacknowledged", 4),
            count("arrivals", "Packets that wait for the processor", 2),
        ];
        let unit = UnitParameters {
            outstanding,
            pool,
            dialogs,
            window,
            arrivals,
            acknowledge: t.choice("acknowledge", "When a scalar packet is acknowledged", &at).or("acceptance"),
            bulk_acknowledge: t
                .choice("bulk-acknowledge", "How many bulk packets an acknowledgement is for", &bulk)
                .or("half-window"),
            carried: t.flag("carried-acknowledgements", "Whether an answer carries the acknowledgement").or(false),
            retransmission: t.optional_table("retransmission", "For fabrics that lose packets", |t| Retransmission {
                timeout: t.time("timeout", "After which an unacknowledged packet is sent again").required(),
            }),
        };
        for (key, message) in unit.check() {
            t.wrong(key, message, "");
        }
        if dialogs > 0 && window > 2 && window % 2 == 0 && !window.is_power_of_two() {
            let message =
                "the bits of a sequence number count to a power of two, and it has as many values as the window";
            let help = format!("such as {} or {}", window.next_power_of_two() / 2, window.next_power_of_two());
            t.wrong("window", message, help);
        }
        unit
    }
}

impl Parameters for NifdyParameters {
    fn read(t: &mut Table<'_>) -> NifdyParameters {
        let doc = "Cycles to make, and to take, an acknowledgement";
        NifdyParameters {
            unit: UnitParameters::read(t),
            processing: t.count("processing", doc).max(1_000_000).or(2),
            acknowledgement: acknowledgement(t, "4 B"),
            acknowledges_on_other: t
                .choice(
                    "acknowledgement-network",
                    "The logical network of acknowledgements: that of the packets they are for, or the other",
                    &[("same", false), ("other", true)],
                )
                .or("other"),
        }
    }
}

impl Part for NifdyParameters {
    const INFO: PartInfo = PartInfo::new("nifdy", "Admission control and in-order delivery");
}

impl ProtocolSpec for NifdyParameters {
    fn guarantees(&self, _: &ProtocolEnvironment) -> Guarantees {
        let retransmits = self.unit.retransmission.is_some();
        Guarantees {
            in_order: true,
            survives_loss: retransmits,
            // One bit tells a copy from a new packet only then (§6.2).
            needs_order: retransmits,
            reorders: false,
            slots: Some(self.unit.arrivals.into()),
            pools: true,
            has_timers: retransmits,
        }
    }

    fn buffer_requirements(&self) -> Option<[u64; 2]> {
        let UnitParameters { outstanding, pool, dialogs, window, arrivals, retransmission, .. } = self.unit;
        let copies = retransmission.map_or(0, |_| u64::from(outstanding) + u64::from(window));
        Some([u64::from(pool) + copies, u64::from(arrivals) + u64::from(dialogs) * u64::from(window)])
    }

    fn control_frame(&self) -> Bytes {
        self.acknowledgement
    }

    fn processing_cycles(&self) -> u64 {
        self.processing
    }

    fn second_class_key(&self) -> Option<&'static str> {
        self.acknowledges_on_other.then_some("acknowledgement-network")
    }

    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>> {
        Box::new(NifdyAdapter::new(node, environment.classes, *self))
    }
}
