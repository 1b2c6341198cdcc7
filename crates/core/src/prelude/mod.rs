//! The imports of an author of a part: `use narrows::prelude::*`.
//!
//! A host, interface, protocol, fabric or workload is a [`Part`]: a struct with `#[derive(Parameters)]`, the trait of
//! its family ([`HostSpec`], [`InterfaceSpec`], [`ProtocolSpec`], [`FabricSpec`] or [`WorkloadSpec`]), and a line that
//! registers it with a [`Registry`]. The derive macro names the crate `narrows`; a crate that depends on `narrows-core`
//! alone writes `#[param(crate = "narrows_core")]`.
//!
#![doc = include_str!("part.md")]

#[doc(no_inline)]
pub use crate::engine::{
    Bytes, Class, EndpointId, FlowKey, Hertz, Journey, Limits, Mailbox, Metric, NodeId, Outcome, PacketMarks, Pool,
    Rate, Recorder, Resource, Signal, Sim, Simulation, Time,
};
#[doc(no_inline)]
pub use crate::error::Error;
#[doc(no_inline)]
pub use crate::machine::{Machine, Registry};
#[doc(no_inline)]
pub use crate::protocol::{Guarantees, PacketHandle, Protocol, ProtocolEnvironment, ProtocolSpec};

/// Declarations of every part: its parameters, its name, and the rules for their values.
#[cfg_attr(not(doctest), doc = include_str!("part.md"))]
pub use crate::part::{ParameterError, Part, PartInfo, ResultKind, ResultName};
/// A choice of words as the value of a key.
#[cfg_attr(not(doctest), doc = include_str!("part.md"))]
pub use crate::text::ParameterChoice;
/// Parameters of a part, each written once: the field is the key, its type the kind of value, its documentation the
/// help text.
#[cfg_attr(not(doctest), doc = include_str!("part.md"))]
pub use crate::text::Parameters;

/// The world that programs run in, and the messages that they send and receive.
#[cfg_attr(not(doctest), doc = include_str!("workload.md"))]
pub use crate::messaging::{Endpoint, Incoming, Outgoing, World};
/// Types for a workload: its specification, and the programs that it starts on the endpoints of a world.
#[cfg_attr(not(doctest), doc = include_str!("workload.md"))]
pub use crate::program::{Objective, RunningWorkload, VerbsNeeds, WorkloadNeeds, WorkloadSpec};

/// Types of the host that an interface uses: the processor that runs its driver, and a window for its registers.
#[cfg_attr(not(doctest), doc = include_str!("interface.md"))]
pub use crate::host::{AnyProcessor, Device, HostCapabilities, Window};
/// Types for an interface that moves whole packets: its specification, and the steps of its driver.
#[cfg_attr(not(doctest), doc = include_str!("interface.md"))]
pub use crate::ni::{
    AnyDriver, BuildContext, ComposedPacket, Driver, DriverLimits, EndpointLimit, InterfaceLimits, InterfaceSpec,
    MemoryFootprint, PacketHeader, PayloadSink, RxCompletion, RxPayload, SendRequest, WholePacketDriver,
    WholePacketNic,
};

/// Types for the driver of an interface whose device works while the processor does something else. The driver
/// implements [`Driver`] itself, over a [`Port`].
#[cfg_attr(not(doctest), doc = include_str!("driver.md"))]
pub use crate::ni::{DriverExtensions, DriverState, Port, RxPacket, Stages, TxToken, WaitPolicy, Wake};

/// Verbs: queue pairs to which programs post sends and operations on the memory of other nodes.
#[cfg_attr(not(doctest), doc = include_str!("verbs.md"))]
pub use crate::ni::{
    MemoryRegion, QueueFull, QueuePairId, Verbs, VerbsLimits, WorkCompletion, WorkId, WorkKind, WorkOperation,
    WorkRequest, WorkStatus,
};

/// Types for a host: its specification, its processor, and the node that holds memory and devices.
#[cfg_attr(not(doctest), doc = include_str!("host.md"))]
pub use crate::host::{Address, CpuArbiter, Fault, HostNode, HostSpec, LocalTimeLag, Processor, Stalls};

/// Types for a fabric: its specification, and the ports at which nodes send and receive packets.
#[cfg_attr(not(doctest), doc = include_str!("fabric.md"))]
pub use crate::fabric::{
    DeliveryHub, FabricCapabilities, FabricEvent, FabricNet, FabricSpec, LinkUse, Loss, NodePorts, Packet, PacketPort,
};
/// Features of switches beyond carrying packets, which a fabric states and a protocol asks for.
#[cfg_attr(not(doctest), doc = include_str!("fabric.md"))]
pub use crate::part::FabricFeatures;

/// The examples that are shown at names and not at the module, each compiled and run once.
#[cfg(doctest)]
mod examples {
    #[doc = include_str!("workload.md")]
    struct Workload;
    #[doc = include_str!("interface.md")]
    struct Interface;
    #[doc = include_str!("driver.md")]
    struct Driver;
    #[doc = include_str!("verbs.md")]
    struct Verbs;
    #[doc = include_str!("host.md")]
    struct Host;
    #[doc = include_str!("fabric.md")]
    struct Fabric;
}
