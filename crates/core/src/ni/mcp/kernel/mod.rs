//! The kernel: sockets over UDP and IP, over the interface's driver.
//!
//! ```text
//!   program   sendto ─ copy, sum ─ UDP, IP ─ driver ─▶ L1 ─▶ L2    recvfrom ◀─ copy ◀─ socket
//!             ───────────────────────────────────────────────      ───────────────────────────
//!   interrupt                    packets sent: L1 ─▶ L2            received packets ─▶ backlog
//!   bottom half                                                    IP, reassembly, sum ─▶ socket
//! ```
//!
//! Interrupts pre-empt the bottom half, and the bottom half pre-empts programs, so a burst of packets starves the copy
//! to user space (Jin et al. 2005, §3.2.1). Receive buffers belong to the socket: a buffer is posted again once its
//! datagram has been read. A packet for which no buffer is posted stays in the interface and blocks the link.
//!
//! The model leaves out the scheduler and other protocols. With checksum offload, the engine does not know the checksum
//! when the header leaves if the datagram has several packets, or if the packet is sent before all of it has been read.
//! Such datagrams carry no checksum (RFC 768).
//!
//! | file | holds |
//! |---|---|
//! | `output.rs` | `sendto`: a datagram becomes packets |
//! | `input.rs` | interrupts, and the bottom half |
//! | `reassembly.rs` | reassembly of packets into datagrams |
//! | `copy.rs` | copies and checksums |

mod copy;
mod input;
mod output;
mod reassembly;

use super::buffers::HEADER_SLOT_BYTES;
use super::card::{CardDriver, RxEvent};
use super::layout::{data_max, fragments_max};
use super::parameters::{KernelCosts, McpParameters};
use crate::engine::{LocalFuture, Mailbox};
use crate::host::{CoreId, ExecPriority, Interrupt, InterruptVector, Processor};
use crate::ni::build_context::BuildContext;
use crate::protocol::udp_ip::PAYLOAD_MAX;
use reassembly::DatagramReassembly;
pub use reassembly::{DatagramPart, ReceivedDatagram};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node's kernel.
pub struct Kernel {
    pub(super) card: Rc<CardDriver>,
    pub(super) costs: KernelCosts,
    backlog: Mailbox<RxEvent>,
    reassembly: RefCell<DatagramReassembly>,
    /// The socket's queue.
    pub(super) inbox: Mailbox<ReceivedDatagram>,
    /// IPv4 identification of the next datagram.
    identification: Cell<u16>,
}

/// The largest number of words of an active message.
pub const WORDS_MAX: usize = 64;

/// Returns the largest number of words of an active message, given the interface's parameters.
pub fn words_max(parameters: &McpParameters) -> usize {
    WORDS_MAX.min(data_max(parameters) / 4)
}

/// Returns the bytes of kernel memory that a datagram occupies until it has been sent.
pub fn send_bytes(parameters: &McpParameters) -> u64 {
    match parameters.offloads.zero_copy {
        true => HEADER_SLOT_BYTES * fragments_max(parameters) + 4 * WORDS_MAX as u64,
        false => output::packet_stride(parameters) * fragments_max(parameters),
    }
}

impl Kernel {
    /// Creates the kernel of a node, registers its interrupt handler and starts its bottom half.
    pub(super) fn start(context: &BuildContext<'_>, card: &Rc<CardDriver>, costs: KernelCosts) -> Rc<Kernel> {
        let (sim, name) = (context.sim, context.name());
        let kernel = Rc::new(Kernel {
            card: card.clone(),
            costs,
            backlog: Mailbox::new(sim, format!("a packet for {name}")),
            reassembly: RefCell::new(DatagramReassembly::new(&card.parameters, PAYLOAD_MAX)),
            inbox: Mailbox::new(sim, format!("a datagram for {name}")),
            identification: Cell::new(0),
        });
        let [handler, bottom_half] = [kernel.clone(), kernel.clone()];
        let [interrupt_cpu, bottom_half_cpu] =
            [ExecPriority::Interrupt, ExecPriority::BottomHalf].map(|priority| context.host.cpu().at(priority));
        let on_interrupt = move |Interrupt { causes, .. }| -> LocalFuture<'static> {
            let (kernel, cpu) = (handler.clone(), interrupt_cpu.clone());
            Box::pin(async move { kernel.handle_interrupt(&cpu, causes).await })
        };
        context.host.interrupts().connect(InterruptVector::FIRST, CoreId::FIRST, Box::new(on_interrupt));
        sim.spawn_server(
            format!("{name} bottom half"),
            async move { bottom_half.run_bottom_half(&bottom_half_cpu).await },
        );
        kernel
    }
}
