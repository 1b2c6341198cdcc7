//! Sockets over UDP/IP on a LANai, over the Myrinet control program (MCP), in the original form and with the
//! improvements of Jin et al. (2005).
//!
//! ```text
//!  program ─ sendto ─ kernel ─PIO─▶ send slots ─┐          ┌─▶ events ─PIO─▶ interrupt, bottom half ─ recvfrom
//!                                        SDMA, SEND ▶ link ▶ RECV, RDMA
//!  host memory ═══════host DMA══════════ packet buffer      packet buffer ═══host DMA═══▶ host memory
//! ```
//!
//! | file or folder | holds |
//! |---|---|
//! | `threads/` | the threads as a table of transitions, and the machine that runs it; without time and I/O |
//! | `parameters.rs` | the parameters |
//! | `interface.rs` | the specification |
//! | `stage.rs`, `instruments.rs` | the stages of a packet, and the journeys carried alongside the bytes |
//! | `layout.rs` | the layout of interface memory |
//! | `buffers.rs` | the receive buffers in host memory |
//! | `headers.rs`, `checksums.rs` | the headers that the firmware reads, and its checksums |
//! | `firmware/` | the device half: the threads on the chip's engines |
//! | `card.rs`, `queue.rs`, `posting.rs` | the part of the driver that kernel and library share, with the send queue |
//! | `kernel/` | sockets, UDP, IP, interrupts and the bottom half |
//! | `library.rs` | user-level messaging, without a kernel |
//! | `driver.rs` | the driver half, as the messaging layer sees it |
//!
//! A program's message consists of one or several datagrams, and a datagram of one or several packets of at most an
//! MTU. The model leaves out the link's header, protection between processes, and all protocols but UDP: a packet that
//! the fabric loses is not retransmitted.

mod buffers;
mod card;
mod checksums;
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
pub mod threads;

pub use interface::McpInterface;
pub use parameters::McpParameters;
