//! Sockets over UDP/IP on a LANai, and the Myrinet control program (MCP) below them, as its users knew
//! it and with the remedies of Jin et al. (2005).
//!
//! ```text
//!  program ─ sendto ─ kernel ─PIO─▶ send slots ─┐          ┌─▶ events ─PIO─▶ interrupt, bottom half ─ recvfrom
//!                                        SDMA, SEND ▶ link ▶ RECV, RDMA
//!  host memory ═══════host DMA══════════ packet buffer      packet buffer ═══host DMA═══▶ host memory
//! ```
//!
//! | file or folder | holds |
//! |---|---|
//! | `threads/` | its threads as a table of transitions, and the machine that runs it; no time, no I/O |
//! | `parameters.rs` | every named number |
//! | `interface.rs` | the specification |
//! | `stage.rs`, `instruments.rs` | the stages of a packet, and what travels alongside the bytes |
//! | `layout.rs` | what lies where in interface memory |
//! | `buffers.rs` | where what comes goes in host memory |
//! | `headers.rs`, `sums.rs` | what the firmware reads of a packet, and checksums on the way |
//! | `firmware/` | the device half: the threads on the chip's engines |
//! | `card.rs`, `queue.rs`, `posting.rs` | the driver's half that every user has; the send queue's two levels, and what enters them |
//! | `kernel/` | sockets, UDP, IP, interrupts and the bottom half |
//! | `library.rs` | the user-level way, without a kernel |
//! | `driver.rs` | the driver half, as the messaging layer sees it |
//!
//! A message of a program is a datagram, or several; a datagram is a packet, or several of an MTU. It
//! leaves out the link's header and protection between processes; and any protocol but UDP, so that
//! what a fabric loses is lost.

mod buffers;
mod card;
pub mod driver;
mod firmware;
mod headers;
mod instruments;
mod interface;
mod kernel;
mod layout;
mod library;
pub mod parameters;
mod posting;
mod queue;
mod stage;
mod sums;
pub mod threads;

pub use interface::McpInterface;
pub use parameters::McpParameters;
