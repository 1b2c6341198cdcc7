//! The specification of a protocol, fixed before time 0: its guarantees, requirements and costs. The specification also
//! starts the protocol's endpoints.

use super::{Guarantees, PacketHandle, Protocol};
use crate::engine::{Bytes, NodeId};
use crate::part::{FabricFeatures, PartSpec};
use std::sync::Arc;

/// Properties of the fabric and the interface that a protocol runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProtocolEnvironment {
    /// Number of the fabric's logical networks.
    pub classes: u8,
    /// Whether the fabric keeps the order of packets between two nodes.
    pub keeps_order: bool,
    /// Whether the interface has buffers for packets that arrive out of order.
    pub has_reorder_buffers: bool,
    /// Seed of the protocol's random numbers.
    pub seed: u64,
}

impl ProtocolEnvironment {
    /// Returns the environment of an interface with reorder buffers over a fabric.
    pub const fn new(classes: u8, keeps_order: bool) -> ProtocolEnvironment {
        ProtocolEnvironment { classes, keeps_order, has_reorder_buffers: true, seed: 0 }
    }

    /// Returns the environment with this seed of random numbers.
    #[must_use]
    pub const fn with_seed(self, seed: u64) -> ProtocolEnvironment {
        ProtocolEnvironment { seed, ..self }
    }
}

/// A protocol as a machine description specifies it.
pub trait ProtocolSpec: PartSpec {
    /// Returns the guarantees of the protocol in `environment`.
    fn guarantees(&self, environment: &ProtocolEnvironment) -> Guarantees;

    /// Returns the features that the protocol requires of a fabric's switches.
    fn needs(&self) -> FabricFeatures {
        FabricFeatures::default()
    }

    /// Returns the key that sets the length of sequence numbers, and the reason, if the sequence numbers are too short
    /// to identify duplicates in `environment`.
    fn sequence_space_error(&self, _environment: &ProtocolEnvironment) -> Option<(&'static str, String)> {
        None
    }

    /// Returns the key of the table that enables retransmission of lost packets, if there is such a table.
    fn retransmission_key(&self) -> Option<&'static str> {
        None
    }

    /// Returns the maximum number of packets that an endpoint buffers for transmission, until they are acknowledged,
    /// and for reception, until they are taken; `None` if packets are buffered only in the interface's queues.
    fn buffer_requirements(&self) -> Option<[u64; 2]>;

    /// Returns the flag that makes the number of buffers unlimited, and the key of their number, if the number is
    /// unlimited and the protocol has such keys.
    fn unlimited_buffers(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Returns the length of the longest frame that carries no packet.
    fn control_frame_length(&self) -> Bytes {
        Bytes::ZERO
    }

    /// Returns the number of cycles of the interface's clock for composing an acknowledgement. Processing one takes the
    /// same number.
    fn processing_cycles(&self) -> u64 {
        0
    }

    /// Returns the number of logical networks that programs may use on a fabric with `fabric_classes` logical networks.
    fn classes(&self, fabric_classes: u8) -> u8 {
        fabric_classes
    }

    /// Returns the key whose value requires a second logical network, and a value that does not require one; `None` if
    /// no second network is required.
    fn second_class_key(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Returns the maximum number of packets that arrive late at a receiver because they were returned to their
    /// senders. There are `senders` senders, and the interface of the receiver queues `queued` packets.
    fn late_packets(&self, _senders: u64, _queued: u64) -> u64 {
        0
    }

    /// Starts the protocol's endpoint at `node`.
    fn start(&self, node: NodeId, environment: &ProtocolEnvironment) -> Box<dyn Protocol<PacketHandle>>;
}

/// A protocol together with the environment that its endpoints run in.
#[derive(Clone, Debug)]
pub struct ProtocolBinding {
    spec: Arc<dyn ProtocolSpec>,
    environment: ProtocolEnvironment,
}

impl ProtocolBinding {
    /// Binds `spec` to `environment`.
    pub fn new(spec: Arc<dyn ProtocolSpec>, environment: ProtocolEnvironment) -> ProtocolBinding {
        ProtocolBinding { spec, environment }
    }

    /// Returns the protocol.
    pub fn spec(&self) -> &dyn ProtocolSpec {
        &*self.spec
    }

    /// Returns the same protocol on `classes` logical networks of an interface without reorder buffers.
    #[must_use]
    pub fn without_reorder_buffers(&self, classes: u8) -> ProtocolBinding {
        let environment = ProtocolEnvironment { classes, has_reorder_buffers: false, ..self.environment };
        ProtocolBinding { spec: self.spec.clone(), environment }
    }

    /// Returns the same protocol on `classes` logical networks.
    #[must_use]
    pub fn with_classes(&self, classes: u8) -> ProtocolBinding {
        let environment = ProtocolEnvironment { classes, ..self.environment };
        ProtocolBinding { spec: self.spec.clone(), environment }
    }

    /// Returns the guarantees of the protocol in its environment.
    pub fn guarantees(&self) -> Guarantees {
        self.spec.guarantees(&self.environment)
    }

    /// Starts the protocol's endpoint at `node`.
    pub fn start(&self, node: NodeId) -> Box<dyn Protocol<PacketHandle>> {
        self.spec.start(node, &self.environment)
    }
}
