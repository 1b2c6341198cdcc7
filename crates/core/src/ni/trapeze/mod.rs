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
//! | `parameters.rs` | the parameters |
//! | `layout.rs` | the layout of interface memory: rings, incoming payload table, buffers |
//! | `policy.rs` | delivery policies: the start and the length of transfers out of packet buffers |
//! | `interface.rs` | the specification |
//! | `stage.rs`, `instruments.rs` | the stages of a message, and the journeys carried alongside the bytes |
//! | `firmware/` | the device half, one file per direction |
//! | `driver.rs`, `control.rs` | the driver half: sending, receiving, `reserve` and `scan` |
//!
//! An active message is a control message without a payload; its words are among the program's bytes.
//!
//! Without a protocol, control messages land in the receive ring, and a message for which no entry or buffer is free
//! waits on the link. With a protocol, packets that the protocol keeps stay in packet buffers, and a packet gets a ring
//! entry when the protocol delivers it ([`firmware`]).
//!
//! The model leaves out protection between processes. Without a protocol, a dropped packet is lost.

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
