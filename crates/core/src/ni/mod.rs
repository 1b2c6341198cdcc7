//! Network interfaces. Each consists of a device and its driver, which this folder keeps together.
//!
//! ```text
//!   driver (runs on the processor)               device
//!   Driver::try_send ── stores, block stores ──►  fifo, queue ─► Port ─► protocol ─► fabric
//!   Driver::poll, take ◄─ loads, cached polls ──  fifo, queue ◄─ Port ◄─ protocol ◄─ fabric
//! ```
//!
//! | folder or file | holds |
//! |---|---|
//! | `interface.rs`, `memory_footprint.rs` | the specification of an interface, before time 0 |
//! | `driver.rs`, `envelope.rs` | the driver of any interface, and the messaging layer's header |
//! | `extensions.rs` | operations that some drivers offer in addition to messages |
//! | `verbs.rs` | queue pairs, through which programs send and access the memory of other nodes |
//! | `dma_stages.rs` | stages of messages through interfaces with DMA |
//! | `dyn_driver.rs`, `any.rs` | drivers as trait objects; one type for the drivers of all interfaces |
//! | `build_context.rs`, `port_config.rs` | the context in which an interface is built, and the connections of a port |
//! | `port/` | the network side of all interfaces that send whole packets: a protocol over a fabric |
//! | `connections.rs` | the exchange of queue-pair numbers between nodes |
//! | `in_flight.rs` | packets in flight to each node |
//! | `packet_header.rs` | the header of a packet, and a format for interfaces without their own |
//! | `whole_packet.rs` | the driver of interfaces that exchange complete packets with a port |
//! | `handoff.rs` | functions of drivers whose host has no bus |
//! | `parcel.rs`, `word_copy.rs` | the packet header of fifos and queues, and word-by-word copies |
//! | `designs/` | nine interfaces with fifos or queues, each composed of a sending and a receiving half |
//! | `direct/` | an interface whose queues the processor accesses without a bus |
//! | `dma_engine/` | a DMA engine alone, without messages |
//! | `ring/` | an Ethernet interface with descriptor rings, polled or behind a kernel |
//! | `cmmu/` | Alewife's communications and memory-management unit, for messages and coherent memory |
//! | `lanai/` | Myricom's programmable interface chip: processor, SRAM, three DMA engines |
//! | `mcp/` | the Myrinet control program: firmware with four threads, given as tables; sockets over UDP/IP, and GM |
//! | `rdma/` | an RDMA interface: queue pairs over RoCEv2 |
//! | `trapeze/` | the Trapeze firmware with its delivery policies, and its driver |
//!
//! An interface names the host capabilities that it needs ([`InterfaceSpec::needs`]), never a particular host. A new
//! interface consists of its file or folder, an entry of the registry, and if it is shipped, a variant of [`AnyDriver`]
//! for speed.

// A simulation runs in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

mod any;
mod build_context;
pub mod cmmu;
mod connections;
pub mod designs;
pub mod direct;
pub mod dma_engine;
mod dma_stages;
pub mod driver;
mod dyn_driver;
mod envelope;
mod extensions;
mod handoff;
mod in_flight;
mod interface;
pub mod lanai;
pub mod mcp;
mod memory_footprint;
mod packet_header;
pub mod parcel;
pub mod port;
pub mod port_config;
pub mod rdma;
pub mod ring;
pub mod trapeze;
mod verbs;
mod whole_packet;
pub mod word_copy;

pub use any::AnyDriver;
pub use build_context::BuildContext;
pub use connections::ConnectionTable;
pub use driver::{
    COST_MAX, Costs, Driver, DriverLimits, DriverState, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake,
};
pub use dyn_driver::DynDriver;
pub use envelope::Envelope;
pub use extensions::{AccessCosts, CoherenceUnit, DriverExtensions, Grant, HostDmaEngine};
pub use handoff::{end_poll, hand_over};
pub use in_flight::InFlight;
pub use interface::{EndpointLimit, InterfaceLimits, InterfaceSpec, MessageBound, ProtocolMemory, message_max};
pub use memory_footprint::{MemoryFootprint, PacketFootprint, in_blocks};
pub use packet_header::PacketHeader;
pub use port::Port;
pub use port_config::Stages;
pub use verbs::{
    MemoryRegion, QueueFull, QueuePairId, Verbs, VerbsLimits, WorkCompletion, WorkId, WorkKind, WorkOperation,
    WorkRequest, WorkStatus,
};
pub use whole_packet::{ComposedPacket, RxPayload, WholePacketDriver, WholePacketNic};
pub use word_copy::{PayloadSink, PayloadSource};
