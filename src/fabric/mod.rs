//! What carries packets between interfaces.
//!
//! | file or folder | models |
//! |---|---|
//! | `carrier.rs` | what an interface that sends whole frames sees of any fabric |
//! | `ideal.rs`, `ideal_carrier.rs` | a fixed latency, no topology |
//! | `myrinet/` | source-routed wormhole crossbar switches with link-level back-pressure |
//! | `routed.rs` | routers in a simulation |
//! | `router/` | routers, flit by flit |
//! | `topology/` | shapes of routed fabrics, and the ways through them |
//!
//! A fabric knows no host and no interface: it moves packets between ports.

pub mod carrier;
pub mod ideal;
pub mod ideal_carrier;
pub mod myrinet;
pub mod packet;
pub mod routed;
pub mod router;
pub mod topology;

pub use packet::{Arrival, Packet};
