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
//! | `queue.rs` | the send queue's two levels |
//! | `output.rs` | `sendto`: a datagram becomes packets |
//! | `input.rs` | interrupts, and the bottom half |
//! | `gathering.rs` | packets that become a datagram |
//! | `copy.rs` | the loops over data |

mod copy;
mod gathering;
mod input;
mod output;
mod queue;

use super::buffers::ReceiveBuffers;
use super::firmware::Instruments;
use super::layout::{Layout, fragments_max, post, state};
use super::parameters::McpParameters;
use crate::engine::{Addresses, Mailbox, MessageTally, Signal};
use crate::host::{Address, AnyProcessor, Host, Level, Processor, Window};
use crate::ni::driver::Costs;
use crate::ni::{Pending, Site};
use crate::protocol::udp_ip::PAYLOAD_MAX;
use gathering::Gathering;
pub use gathering::Received;
use input::Came;
use queue::SendQueue;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node's kernel.
pub struct Kernel {
    pub(super) host: Host,
    pub(super) parameters: McpParameters,
    pub(super) costs: Costs,
    pub(super) addresses: Rc<Addresses>,
    pub(super) tally: Rc<MessageTally>,
    pending: Rc<Pending>,
    instruments: Rc<Instruments>,
    window: Window,
    layout: Layout,
    queue: SendQueue,
    /// Buffers of datagrams to be sent, and which are free.
    send_memory: Vec<Address>,
    send_free: RefCell<Vec<usize>>,
    /// Told when something to be sent may find room, or a datagram has come.
    pub(super) room: Signal,
    pub(super) buffers: ReceiveBuffers,
    /// How many were posted, and events read.
    posted: Cell<u64>,
    events: Cell<u64>,
    backlog: Mailbox<Came>,
    gathering: RefCell<Gathering>,
    /// The socket's queue.
    pub(super) inbox: Mailbox<Received>,
    identification: Cell<u16>,
}

/// The most words of an active message.
pub const WORDS_MAX: usize = 64;

/// What a datagram takes of the kernel's memory until it has gone.
pub fn send_bytes(parameters: &McpParameters) -> u64 {
    match parameters.remedies.zero_copy {
        true => output::HEADER_PLACE * fragments_max(parameters) + 4 * WORDS_MAX as u64,
        false => output::stride(parameters) * fragments_max(parameters),
    }
}

impl Kernel {
    /// Takes interrupts, and posts every buffer.
    pub(super) fn start(
        site: &Site<'_>,
        (window, parameters): (Window, &McpParameters),
        buffers: ReceiveBuffers,
        instruments: &Rc<Instruments>,
    ) -> Rc<Kernel> {
        let (sim, name) = (site.sim, site.name());
        let send_memory: Vec<Address> =
            (0..parameters.send_buffers).map(|_| site.host.allocate(send_bytes(parameters) as usize)).collect();
        let kernel = Rc::new(Kernel {
            host: site.host.clone(),
            parameters: parameters.clone(),
            costs: site.costs,
            addresses: site.addresses.clone(),
            tally: site.tally.clone(),
            pending: site.pending.clone(),
            instruments: instruments.clone(),
            window,
            layout: Layout::new(parameters),
            queue: SendQueue::new(parameters),
            send_free: RefCell::new((0..send_memory.len()).rev().collect()),
            send_memory,
            room: Signal::new(sim, format!("room to send of {name}")),
            buffers,
            posted: Cell::new(0),
            events: Cell::new(0),
            backlog: Mailbox::new(sim, format!("a packet for {name}")),
            gathering: RefCell::new(Gathering::new(parameters, PAYLOAD_MAX)),
            inbox: Mailbox::new(sim, format!("a datagram for {name}")),
            identification: Cell::new(0),
        });
        let [handler, half] = [kernel.clone(), kernel.clone()];
        let [interrupt, below] = [Level::Interrupt, Level::BottomHalf].map(|level| site.host.cpu().at(level));
        sim.spawn_server(format!("{name} interrupt handler"), async move { handler.handle(&interrupt).await });
        sim.spawn_server(format!("{name} bottom half"), async move { half.serve(&below).await });
        kernel
    }

    /// The words of the descriptors that are posted before the run begins: where each lies, and the
    /// buffer's number.
    pub(super) fn post_all(&self, mut store: impl FnMut(u64, u32)) {
        for buffer in 0..self.buffers.count() {
            let at = self.next_post();
            store(at + post::BUFFER, buffer);
            store(at + post::STATE, state::FILLED);
        }
    }

    fn next_post(&self) -> u64 {
        let number = self.posted.get();
        self.posted.set(number + 1);
        self.layout.post(number)
    }

    /// Posts a buffer again.
    pub(super) async fn repost(&self, cpu: &AnyProcessor, buffer: u32) {
        let at = self.next_post();
        cpu.write_run(self.window.at(at + post::BUFFER), &buffer.to_le_bytes()).await;
        cpu.write_run(self.window.at(at + post::STATE), &state::FILLED.to_le_bytes()).await;
    }
}
