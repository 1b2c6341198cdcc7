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
//! | `layout.rs` | what lies where in interface memory |
//! | `buffers.rs` | where what comes goes in host memory |
//! | `headers.rs`, `sums.rs` | what the firmware reads of a packet, and checksums on the way |
//! | `firmware/` | the device half: the threads on the chip's engines |
//! | `card.rs`, `queue.rs` | the driver's half that every user has; the send queue's two levels |
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
mod kernel;
mod layout;
mod library;
pub mod parameters;
mod queue;
mod sums;
pub mod threads;

pub use driver::McpDriver;
pub use parameters::McpParameters;

use super::{EndsMax, Reach, Room, Site};
use crate::engine::{Bytes, Mailbox};
use crate::ni::lanai::{Lanai, LanaiParameters, Sram};
use crate::protocol::udp_ip::{PAYLOAD_MAX, addresses};
use buffers::Place;
use card::Card;
use driver::Between;
use kernel::{Kernel, WORDS_MAX};
use layout::{Layout, data_max};
use library::Library;
use parameters::Users;
use std::cell::Cell;
use std::rc::Rc;

/// The stages of a packet, in order.
pub mod stage {
    /// From the call until the driver has the packet.
    pub const HOST_SEND: &str = "host send";
    /// Until the firmware has started its DMA.
    pub const SEND_QUEUE: &str = "send queue";
    /// Until its last byte is in interface memory.
    pub const HOST_TX: &str = "hostTx";
    /// Until the last byte has left on the link.
    pub const NET_TX: &str = "netTx";
    /// Until the last byte is in the receiving interface's memory.
    pub const NETWORK: &str = "network";
    /// Until the last byte is in host memory.
    pub const HOST_RCV: &str = "hostRcv";
    /// Until the socket has the datagram.
    pub const BOTTOM_HALF: &str = "bottom half";
    /// Until the program has the message.
    pub const HOST_RECEIVE: &str = "host receive";
}

/// Builds chip, firmware, kernel and driver of a node.
pub fn start(site: &Site<'_>, chip: LanaiParameters, parameters: &McpParameters) -> McpDriver {
    let sram = Sram::new(site.sim, site.name(), chip.sram);
    let window = site.host.attach(sram.clone(), chip.sram.size.get());
    let chip = Lanai::start(site.sim, chip, sram.clone(), site.host, site.fabric);
    let buffers = buffers::ReceiveBuffers::new(site.host, parameters);
    let instruments = Rc::default();
    let send_bytes = send_bytes(parameters);
    let card = Rc::new(Card::new(site, (window, parameters), buffers.clone(), &instruments, send_bytes));
    card.post_all(|at, word| sram.store_word(at, word));
    firmware::start(site, &chip, parameters, buffers, &instruments);
    let between = match parameters.users {
        Users::Kernel(costs) => Between::Kernel(Kernel::start(site, &card, costs)),
        Users::Library(costs) => {
            let inbox = Mailbox::new(site.sim, format!("a message for {}", site.name()));
            Between::Library(Library { card, costs, inbox, told: Cell::new(0), looks: Cell::new(0) })
        }
    };
    McpDriver::new(between, chip)
}

/// What is to be sent takes so much of the host's memory, beside a program's buffer.
fn send_bytes(parameters: &McpParameters) -> u64 {
    match parameters.users {
        Users::Kernel(_) => kernel::send_bytes(parameters),
        Users::Library(_) => (library::MESSAGE_HEADER + 4 * WORDS_MAX) as u64,
    }
}

/// What it takes of main memory: buffers in both directions.
pub fn room(parameters: &McpParameters) -> Room {
    let receive = match parameters.is_in_place() {
        true => PAYLOAD_MAX as u64 + buffers::HEADER_PLACE * layout::fragments_max(parameters),
        false => parameters.mtu.get(),
    };
    let own = [(parameters.send_buffers, send_bytes(parameters)), (parameters.receive_buffers, receive)];
    let data = data_max(parameters) as u64;
    let parts = super::PacketRoom { carries: data, takes: data };
    Room { own, packet: (!parameters.is_in_place()).then_some(parts), queued: parameters.receive_buffers }
}

/// What it can carry. Where nobody copies, a message is a datagram.
pub fn reach(parameters: &McpParameters) -> Reach {
    let data = data_max(parameters) as u64;
    let message = Bytes(if parameters.is_in_place() { data } else { data << 16 });
    let ends = EndsMax::OfNode(addresses::PLACES_MAX);
    let nodes = match parameters.users {
        Users::Kernel(_) => addresses::NODES_MAX,
        Users::Library(_) => Place::NODES_MAX,
    };
    Reach { packet: parameters.mtu, message, nodes, ends, has_host_dma: true }
}

/// The memory that it needs in the interface.
pub fn needs(parameters: &McpParameters) -> Bytes {
    Layout::new(parameters).size()
}
