//! What carries packets between interfaces.
//!
//! | file or folder | models |
//! |---|---|
//! | `ideal.rs` | a fixed latency, no topology |
//! | `myrinet/` | source-routed wormhole crossbar switches with link-level back-pressure |
//!
//! A fabric knows no host and no interface: it moves packets between ports.

pub mod ideal;
pub mod myrinet;
pub mod packet;

pub use packet::{Arrival, Packet};
