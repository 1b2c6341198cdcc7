//! The interfaces on the memory bus, after Mukherjee and Hill (HPCA 1998), §4 and Table 2.
//!
//! ```text
//!   driver half (runs on the processor)        device half (an agent on the bus)
//!   SendHalf::send    ─ stores, block stores, ─►  fifo or coherent queue ─► Output ─► Port ─► network
//!   ReceiveHalf::poll ◄─ loads, cached polls   ─  fifo or coherent queue ◄───────── Port ◄─ network
//! ```
//!
//! An interface is a sending and a receiving half, each with its device and its driver side by
//! side in one file; the Memory-Channel-like interface is made of halves of two others. A new
//! one is a file, a variant of [`Kind`] (and of [`Sender`] or [`Receiver`]), and an arm in
//! [`Interface::new`].

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod ap3000;
pub mod cni32qm;
pub mod cni512q;
pub mod coherent_queue;
pub mod fifo;
pub mod memory_channel;
pub mod message;
pub mod ni2w;
pub mod parameters;
pub mod port;
pub mod prefetch;
pub mod queue_device;
pub mod queue_driver;
pub mod single_cycle;
pub mod startjr;
pub mod throttle;
pub mod udma;
pub mod words;

use crate::engine::{Ledger, Sim};
use crate::host::memory_bus::node::INTERFACE_BASE;
use crate::host::memory_bus::{Address, Node, Processor};
use message::{Header, Outgoing, Ticket};
use port::Port;
use std::rc::Rc;

pub use parameters::InterfaceParameters;

/// Registers of a sending half begin here.
pub const SEND_BASE: Address = INTERFACE_BASE;
/// Registers of a receiving half begin here.
pub const RECEIVE_BASE: Address = INTERFACE_BASE + (1 << 24);

/// The designs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `NI2w`, CM-5-like.
    Ni2w,
    /// `NI64w+Udma`, Princeton-like.
    Udma,
    /// `NI16w+Blkbuf`, AP3000-like.
    Ap3000,
    /// `CNI0Qm`, StarT-JR-like.
    StartJr,
    /// `(NI16w+Blkbuf)S(CNI0Qm)R`, Memory-Channel-like.
    MemoryChannel,
    /// `CNI512Q`.
    Cni512q,
    /// `CNI32Qm`.
    Cni32qm,
    /// `CNI32Qm` with a throttled sender.
    Cni32qmThrottle,
    /// `NI2w` accessed in one processor cycle.
    SingleCycle,
}

impl Kind {
    /// All designs, in the order of Table 5, the single-cycle one last.
    pub const ALL: [Kind; 9] = [
        Kind::Ni2w,
        Kind::Udma,
        Kind::Ap3000,
        Kind::StartJr,
        Kind::MemoryChannel,
        Kind::Cni512q,
        Kind::Cni32qm,
        Kind::Cni32qmThrottle,
        Kind::SingleCycle,
    ];

    /// The design's name in descriptions.
    pub const fn key(self) -> &'static str {
        match self {
            Kind::Ni2w => "ni2w",
            Kind::Udma => "udma",
            Kind::Ap3000 => "ap3000",
            Kind::StartJr => "startjr",
            Kind::MemoryChannel => "memory-channel",
            Kind::Cni512q => "cni512q",
            Kind::Cni32qm => "cni32qm",
            Kind::Cni32qmThrottle => "cni32qm-throttle",
            Kind::SingleCycle => "single-cycle",
        }
    }

    /// The design called `key` in descriptions.
    pub fn of_key(key: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// The paper's name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Ni2w => "NI2w",
            Kind::Udma => "NI64w+Udma",
            Kind::Ap3000 => "NI16w+Blkbuf",
            Kind::StartJr => "CNI0Qm",
            Kind::MemoryChannel => "(NI16w+Blkbuf)S(CNI0Qm)R",
            Kind::Cni512q => "CNI512Q",
            Kind::Cni32qm => "CNI32Qm",
            Kind::Cni32qmThrottle => "CNI32Qm+Throttle",
            Kind::SingleCycle => "single-cycle NI2w",
        }
    }

    /// Whether a half of it is read or written through a fifo.
    pub const fn is_fifo(self) -> bool {
        matches!(self, Kind::Ni2w | Kind::Udma | Kind::Ap3000 | Kind::MemoryChannel | Kind::SingleCycle)
    }

    /// Whether a half of it is a queue in memory.
    pub const fn has_queue(self) -> bool {
        !matches!(self, Kind::Ni2w | Kind::Udma | Kind::Ap3000 | Kind::SingleCycle)
    }

    /// Whether it caches its queues.
    pub const fn caches(self) -> bool {
        matches!(self, Kind::Cni32qm | Kind::Cni32qmThrottle)
    }
}

/// A driver that sends.
pub trait SendHalf {
    /// Whether a message may be sent now.
    async fn can_send(&self, processor: &Processor) -> bool;
    /// Sends a message; only where `can_send` said so.
    async fn send(&self, processor: &Processor, message: Outgoing);
}

/// A message that a poll found.
pub struct Arrival {
    /// Its header.
    pub header: Header,
    /// Its journey, if that is recorded.
    pub ticket: Option<Ticket>,
}

/// A driver that receives.
pub trait ReceiveHalf {
    /// Looks for a message once.
    async fn poll(&self, processor: &Processor) -> Option<Arrival>;
    /// Moves the message just found to memory at `into`, and frees its place.
    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>>;
    /// Ends a round of the polling loop in which nothing was found.
    async fn idle(&self, processor: &Processor);
}

/// The sending halves.
pub enum Sender {
    /// Uncached words.
    Words(ni2w::WordSender),
    /// User-level DMA, and words below the threshold.
    Udma(udma::UdmaSender),
    /// Block stores.
    Blocks(ap3000::BlockSender),
    /// A queue in memory that is not cached.
    Memory(queue_driver::QueueSender),
}

/// The receiving halves.
pub enum Receiver {
    /// Uncached words.
    Words(ni2w::WordReceiver),
    /// User-level DMA, and words below the threshold.
    Udma(udma::UdmaReceiver),
    /// Block loads.
    Blocks(ap3000::BlockReceiver),
    /// A coherent queue.
    Queue(queue_driver::QueueReceiver),
}

/// Evaluates an expression for the half that there is.
macro_rules! on_half {
    ($half:expr, $($family:ident::$variant:ident)|+, $name:ident => $call:expr) => {
        match $half { $($family::$variant($name) => $call),+ }
    };
}

impl SendHalf for Sender {
    async fn can_send(&self, processor: &Processor) -> bool {
        on_half!(self, Sender::Words | Sender::Udma | Sender::Blocks | Sender::Memory, half => half.can_send(processor).await)
    }
    async fn send(&self, processor: &Processor, message: Outgoing) {
        on_half!(self, Sender::Words | Sender::Udma | Sender::Blocks | Sender::Memory, half => half.send(processor, message).await)
    }
}

impl ReceiveHalf for Receiver {
    async fn poll(&self, processor: &Processor) -> Option<Arrival> {
        on_half!(self, Receiver::Words | Receiver::Udma | Receiver::Blocks | Receiver::Queue, half => half.poll(processor).await)
    }
    async fn receive(&self, processor: &Processor, arrival: Arrival, into: Address) -> Option<Box<Ledger>> {
        on_half!(self, Receiver::Words | Receiver::Udma | Receiver::Blocks | Receiver::Queue,
            half => half.receive(processor, arrival, into).await)
    }
    async fn idle(&self, processor: &Processor) {
        on_half!(self, Receiver::Words | Receiver::Udma | Receiver::Blocks | Receiver::Queue, half => half.idle(processor).await)
    }
}

/// An interface, attached to a node's bus and to the network.
pub struct Interface {
    /// Its parameters.
    pub parameters: InterfaceParameters,
    /// Its network side.
    pub port: Rc<Port>,
    /// Sends.
    pub sender: Sender,
    /// Receives.
    pub receiver: Receiver,
}

/// What a half needs to be built.
pub struct Site<'a> {
    /// The simulation.
    pub sim: &'a Sim,
    /// The node.
    pub node: &'a Node,
    /// The port to the network.
    pub port: &'a Rc<Port>,
    /// The parameters.
    pub parameters: &'a InterfaceParameters,
}

impl Interface {
    /// Builds an interface from checked parameters.
    pub fn new(sim: &Sim, node: &Node, port: Rc<Port>, parameters: InterfaceParameters) -> Interface {
        let site = Site { sim, node, port: &port, parameters: &parameters };
        let (sender, receiver) = match parameters.kind {
            Kind::Ni2w => ni2w::halves(&site),
            Kind::Udma => udma::halves(&site),
            Kind::Ap3000 => ap3000::halves(&site),
            Kind::StartJr => startjr::halves(&site),
            Kind::MemoryChannel => memory_channel::halves(&site),
            Kind::Cni512q => cni512q::halves(&site),
            Kind::Cni32qm => cni32qm::halves(&site, false),
            Kind::Cni32qmThrottle => cni32qm::halves(&site, true),
            Kind::SingleCycle => single_cycle::halves(&site),
        };
        Interface { parameters, port, sender, receiver }
    }

    /// Where fragment `fragment` of a message goes in the user's buffer, and where its payload
    /// then lies: after the others' payload, or, by user-level DMA, with its header in a place of
    /// its own that begins at a block.
    pub fn place(&self, buffer: Address, fragment: usize) -> Place {
        let whole = self.parameters.message_bytes_max.len();
        match &self.receiver {
            Receiver::Udma(_) => {
                let into = buffer + (fragment * whole.next_multiple_of(64)) as u64;
                Place { into, payload: into + message::HEADER_BYTES as u64 }
            }
            _ => {
                let into = buffer + (fragment * (whole - message::HEADER_BYTES)) as u64;
                Place { into, payload: into }
            }
        }
    }
}

/// Where a fragment goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// What the driver is told.
    pub into: Address,
    /// Where the payload then lies.
    pub payload: Address,
}
