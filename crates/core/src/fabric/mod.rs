//! Fabrics, which carry packets between network interfaces.
//!
//! | file or folder | contents |
//! |---|---|
//! | `packet.rs` | a packet: its bytes, its label for routing, and the marks of switches |
//! | `port.rs` | the two kinds of port of a node: streams of bytes, and whole packets |
//! | `capabilities.rs` | the capabilities of a fabric, which are known before time 0 |
//! | `hub.rs` | listeners and counts of whole packets |
//! | `packet_adapter.rs` | packet ports for a fabric that has only streams |
//! | `stream_adapter.rs` | streams for a fabric that has only packet ports |
//! | `any.rs` | the stream ports of all fabrics |
//! | `net.rs` | the runtime interface of a fabric |
//! | `spec.rs` | the specification of a fabric, before time 0 |
//! | `link_statistics.rs` | the measured utilisation of a link |
//! | `ideal/` | a fixed latency, no topology |
//! | `myrinet/` | source-routed wormhole crossbar switches with link-level back-pressure |
//! | `routed/` | a fabric of routers as a part of a simulation, with both kinds of port |
//! | `router/` | the cycle-accurate router model, flit by flit |
//! | `topology/` | topologies of routers, and routes through them |
//!
//! A fabric moves packets between ports and depends on no host or interface. To add a fabric, add a file or folder and
//! a line of the registry. If a fabric has no variant in `any.rs`, its stream ports are called through trait objects.

pub mod any;
mod capabilities;
mod hub;
pub mod ideal;
mod link_statistics;
pub mod myrinet;
mod net;
pub mod packet;
mod packet_adapter;
pub mod port;
mod result_names;
pub mod routed;
pub mod router;
mod spec;
mod stream_adapter;
pub mod topology;

pub use any::{AnyStreamRx, AnyStreamTx};
pub use capabilities::{FabricCapabilities, Loss, MtuLimit};
pub use hub::{DeliveryHub, PacketCounts};
pub use net::{Fabric, FabricNet, NodePorts, StreamPair};
pub use packet::{Label, Packet};
pub use packet_adapter::PacketOverStream;
pub use port::{FabricEvent, LinkUse, PacketDropped, PacketPort, Piece, StreamRx, StreamTx, UncontendedTx};
pub use result_names::RESULTS;
pub use spec::FabricSpec;
pub use stream_adapter::streams_over_packets;
