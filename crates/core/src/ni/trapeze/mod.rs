//! Trapeze: short control messages by programmed I/O, payloads by DMA (Yocum et al. 1997).
//!
//! ```text
//!  program ─ driver ─PIO─▶ send ring ─┐            ┌─▶ receive ring ─PIO─▶ driver ─ program
//!                                  firmware ▶ link ▶ firmware
//!  host memory ──DMA──▶ packet buffer ┘            └─ packet buffer ──DMA──▶ host memory
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | every named number |
//! | `layout.rs` | the endpoint in interface memory: rings, incoming payload table, buffers |
//! | `policy.rs` | when a transfer to a sink may start, and how much it takes |
//! | `interface.rs` | the specification |
//! | `stage.rs`, `instruments.rs` | the stages of a message, and what travels alongside the bytes |
//! | `firmware/` | the device half, one file per direction |
//! | `driver.rs`, `control.rs` | the driver half: sending, receiving, `reserve` and `scan` |
//!
//! An active message is a control message without a payload, its words in the program's bytes.
//!
//! Without a protocol control messages land in the receive ring, and the link holds back what finds no
//! room. Under one the firmware asks it ([`firmware`]): what the protocol keeps stays in packet
//! buffers, and a ring entry is given to a packet when its turn has come.
//!
//! It leaves out protection between processes; without a protocol, a dropped packet is lost.

pub mod control;
pub mod driver;
pub mod firmware;
mod instruments;
mod interface;
pub mod layout;
pub mod parameters;
pub mod policy;
pub mod stage;

pub use interface::TrapezeInterface;
pub use parameters::{FirmwareCosts, Notification, TrapezeParameters};
pub use policy::Policy;
