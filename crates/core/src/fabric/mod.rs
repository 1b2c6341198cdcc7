//! Fabrics, which carry packets between network interfaces.
//!
//! | file or folder | holds |
//! |---|---|
//! | `packet.rs` | a packet: its bytes, the label by which it is carried, the marks of switches |
//! | `port.rs` | the two kinds of port of a node: streams of bytes, and whole packets |
//! | `capabilities.rs` | a fabric's capabilities, which are known before time 0 |
//! | `hub.rs` | listeners and counts of whole packets |
//! | `packet_adapter.rs` | packet ports for a fabric that has only streams |
//! | `stream_adapter.rs` | streams for a fabric that has only packet ports |
//! | `any.rs` | the stream ports of all fabrics |
//! | `net.rs` | a fabric in a simulation |
//! | `spec.rs` | a fabric before it runs |
//! | `wire.rs` | the measured use of a link |
//! | `ideal/` | a fixed latency, no topology |
//! | `myrinet/` | source-routed wormhole crossbar switches with link-level back-pressure |
//! | `routed/` | routers in a simulation, with both views |
//! | `router/` | routers, flit by flit |
//! | `topology/` | topologies of routers, and routes through them |
//!
//! A fabric depends on no host and no interface: it moves packets between ports. To add a fabric, add a file or folder
//! and a line of the registry. Its stream ports, if it has any, are boxed unless `any.rs` has a variant for them.

pub mod any;
mod capabilities;
mod hub;
pub mod ideal;
pub mod myrinet;
mod net;
pub mod packet;
mod packet_adapter;
pub mod port;
pub mod routed;
pub mod router;
mod spec;
mod stream_adapter;
pub mod topology;
mod wire;

pub use any::{AnyStreamRx, AnyStreamTx};
pub use capabilities::{FabricCapabilities, Loss, MtuLimit};
pub use hub::{DeliveryHub, PacketCounts};
pub use net::{Fabric, FabricNet, NodeViews, StreamPair};
pub use packet::{Label, Packet};
pub use packet_adapter::PacketOverStream;
pub use port::{Dropped, FabricEvent, LinkUse, PacketPort, Piece, StreamRx, StreamTx, UncontendedTx};
pub use spec::FabricSpec;
pub use stream_adapter::streams_over_packets;
