//! The models of Narrows: a workbench for the path between a program and the wire.
//!
//! The path of one message, and the folders that it passes:
//!
//! 1. [`program`] decides to send: ping-pong, stream, page fetch; bursts, sorts and solvers on all nodes.
//! 2. [`messaging`] gives it one endpoint a node, whatever the interface.
//! 3. [`ni`] is the interface: its driver half composes a control message, and its device half, or firmware on a chip,
//!    moves the payload. Policies decide when a transfer may start.
//! 4. [`host`] is what both halves use: processor, memory, buses, bridge, interrupts.
//! 5. [`fabric`] carries packets between interfaces, over links or through routers flit by flit;
//!    [`protocol`] holds the rules of flow control, order and reliability, free of any hardware.
//!
//! Beneath lies [`engine`]: simulated time, units, tasks, resources, ledgers and spans; it knows no hardware. [`text`]
//! turns TOML into typed values and remembers the position of each, so that every part reads its own parameters;
//! [`part`] is what all parts declare before time 0. [`machine`] keeps the registry of parts, checks a description and
//! builds it. [`testing`] runs a part with all others under the laws that hold for every part.
//!
//! Without the feature `machine` this crate is the engine and the protocols alone.

// What `#[derive(Parameters)]` writes names the crate that holds the traits `narrows`.
extern crate self as narrows;

pub mod engine;
#[cfg(feature = "machine")]
pub mod fabric;
#[cfg(feature = "machine")]
pub mod host;
#[cfg(feature = "machine")]
pub mod machine;
#[cfg(feature = "machine")]
pub mod messaging;
#[cfg(feature = "machine")]
pub mod ni;
pub mod part;
#[cfg(feature = "machine")]
pub mod program;
pub mod protocol;
#[cfg(feature = "machine")]
pub mod testing;
pub mod text;
