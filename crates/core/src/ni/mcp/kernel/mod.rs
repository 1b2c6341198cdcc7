//! The kernel's part of the way: sockets over UDP and IP over the interface's driver.
//!
//! ```text
//!   program   sendto ─ copy, sum ─ UDP, IP ─ driver ─▶ L1 ─▶ L2    recvfrom ◀─ copy ◀─ socket
//!             ───────────────────────────────────────────────      ───────────────────────────
//!   interrupt                    packets sent: L1 ─▶ L2            packets that came ─▶ backlog
//!   bottom half                                                    IP, reassembly, sum ─▶ socket
//! ```
//!
//! Interrupts pre-empt the bottom half, and that programs, so that under a row of packets it starves the
//! copy (Jin et al. 2005, §3.2.1). Buffers to receive into are the socket's: one is posted again when
//! its datagram was read, and a packet for which none is posted stays in the interface and holds the link.
//! It leaves out the scheduler and other protocols; and of a datagram's sum under checksum offload what no
//! engine knows when the header leaves: that of a datagram of several packets, or of a packet that is
//! sent while it still comes. Those say that they have none (RFC 768).
//!
//! | file | holds |
//! |---|---|
//! | `output.rs` | `sendto`: a datagram becomes packets |
//! | `input.rs` | interrupts, and the bottom half |
//! | `gathering.rs` | packets that become a datagram |
//! | `copy.rs` | the loops over data |

mod copy;
mod gathering;
mod input;
mod output;

use super::buffers::HEADER_PLACE;
use super::card::{Came, Card};
use super::layout::{data_max, fragments_max};
use super::parameters::{KernelCosts, McpParameters};
use crate::engine::{LocalFuture, Mailbox};
use crate::host::{CoreId, ExecPriority, Interrupt, InterruptVector, Processor};
use crate::ni::build_context::BuildContext;
use crate::protocol::udp_ip::PAYLOAD_MAX;
use gathering::Gathering;
pub use gathering::{Part, Received};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node's kernel.
pub struct Kernel {
    pub(super) card: Rc<Card>,
    pub(super) costs: KernelCosts,
    backlog: Mailbox<Came>,
    gathering: RefCell<Gathering>,
    /// The socket's queue.
    pub(super) inbox: Mailbox<Received>,
    identification: Cell<u16>,
}

/// The most words of an active message.
pub const WORDS_MAX: usize = 64;

/// Returns the largest number of words of an active message with these parameters.
pub fn words_max(parameters: &McpParameters) -> usize {
    WORDS_MAX.min(data_max(parameters) / 4)
}

/// What a datagram takes of the kernel's memory until it has gone.
pub fn send_bytes(parameters: &McpParameters) -> u64 {
    match parameters.remedies.zero_copy {
        true => HEADER_PLACE * fragments_max(parameters) + 4 * WORDS_MAX as u64,
        false => output::stride(parameters) * fragments_max(parameters),
    }
}

impl Kernel {
    /// Takes interrupts.
    pub(super) fn start(context: &BuildContext<'_>, card: &Rc<Card>, costs: KernelCosts) -> Rc<Kernel> {
        let (sim, name) = (context.sim, context.name());
        let kernel = Rc::new(Kernel {
            card: card.clone(),
            costs,
            backlog: Mailbox::new(sim, format!("a packet for {name}")),
            gathering: RefCell::new(Gathering::new(&card.parameters, PAYLOAD_MAX)),
            inbox: Mailbox::new(sim, format!("a datagram for {name}")),
            identification: Cell::new(0),
        });
        let [handler, half] = [kernel.clone(), kernel.clone()];
        let [interrupt, below] =
            [ExecPriority::Interrupt, ExecPriority::BottomHalf].map(|priority| context.host.cpu().at(priority));
        let handle = move |Interrupt { causes, .. }| -> LocalFuture<'static> {
            let (kernel, cpu) = (handler.clone(), interrupt.clone());
            Box::pin(async move { kernel.handle(&cpu, causes).await })
        };
        context.host.interrupts().connect(InterruptVector::FIRST, CoreId::FIRST, Box::new(handle));
        sim.spawn_server(format!("{name} bottom half"), async move { half.serve(&below).await });
        kernel
    }
}
