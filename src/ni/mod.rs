//! Network interfaces: each a device half and a driver half, side by side.
//!
//! ```text
//!   driver half (runs on the processor)          device half
//!   Driver::try_send ── stores, block stores ──►  fifo, queue ─► Port ─► protocol ─► fabric
//!   Driver::poll, take ◄─ loads, cached polls ──  fifo, queue ◄─ Port ◄─ protocol ◄─ fabric
//! ```
//!
//! | folder or file | holds |
//! |---|---|
//! | `driver.rs` | what the messaging layer sees of any interface |
//! | `port.rs` | the network side of all that move whole packets: a protocol over a fabric |
//! | `parcel.rs`, `moving.rs` | their header, and the loops that move a packet's words |
//! | `parameters.rs`, `halves.rs` | the designs of fifos and queues, and the loop that they share |
//! | `direct.rs` | queues without a bus |
//! | `fifo/` | memory in the interface, by words, blocks or user-level DMA |
//! | `queue/` | coherent queues in cacheable memory |
//! | `lanai/` | Myricom's programmable interface chip: processor, SRAM, three DMA engines |
//! | `trapeze/` | the Trapeze firmware on it, with its delivery policies, and its driver |
//!
//! An interface names the means that it needs of a host ([`NiParameters::needs`]), never a host. A new
//! one is its file or folder, a variant of [`NiParameters`] and one of [`AnyDriver`](driver::AnyDriver).

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod direct;
pub mod driver;
pub mod fifo;
pub mod halves;
pub mod lanai;
pub mod moving;
pub mod parameters;
pub mod parcel;
pub mod port;
pub mod queue;
pub mod trapeze;

pub use driver::{AnyDriver, Arrival, Begun, Compose, Costs, Driver, Envelope, Landed, Limits, Wake};
pub use moving::{Sink, Source};
pub use parameters::{Design, InterfaceParameters};
pub use port::{Pending, Port};

use crate::engine::{Bytes, NodeId, Sim, Tally, Time};
use crate::fabric::Fabric;
use crate::host::{Host, Means, Processor};
use crate::protocol::ProtocolParameters;
use direct::QueuesParameters;
use lanai::LanaiParameters;
use port::Wiring;
use std::rc::Rc;
use trapeze::TrapezeParameters;

/// The parameters of an interface, by kind.
#[derive(Clone, Debug)]
pub enum NiParameters {
    /// Trapeze on a LANai.
    Trapeze(Box<(LanaiParameters, TrapezeParameters)>),
    /// A fifo or a queue.
    Design(Box<InterfaceParameters>),
    /// Queues without a bus.
    Queues(QueuesParameters),
}

/// What an interface can carry, before time 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The largest packet, the interface's headers and all.
    pub packet: Bytes,
    /// The largest message of a program.
    pub message: Bytes,
    /// The most nodes that its header can name.
    pub nodes: u32,
    /// Whether the host DMA can be tried alone.
    pub has_host_dma: bool,
}

impl NiParameters {
    /// What it needs of a host.
    pub fn needs(&self) -> Means {
        match self {
            NiParameters::Trapeze(parts) => parts.1.notification.needs(),
            NiParameters::Design(parameters) => parameters.design.needs(),
            NiParameters::Queues(_) => Means::default(),
        }
    }

    /// What it can carry.
    pub fn reach(&self) -> Reach {
        match self {
            NiParameters::Trapeze(parts) => trapeze::reach(&parts.1),
            NiParameters::Design(parameters) => parameters.reach(),
            NiParameters::Queues(parameters) => parameters.reach(),
        }
    }

    /// The memory that it needs to run a protocol, if that is bounded, and what it has; nothing where
    /// what the protocol keeps is in memory of its own.
    pub fn room_for(&self, protocol: &ProtocolParameters) -> Option<(Option<Bytes>, Bytes)> {
        match self {
            NiParameters::Trapeze(parts) => Some(trapeze::room_for(&parts.0, &parts.1, protocol)),
            NiParameters::Design(_) | NiParameters::Queues(_) => None,
        }
    }

    /// The key that says how long its packets are.
    pub fn packet_key(&self) -> String {
        let key = match self {
            NiParameters::Trapeze(_) => "payload-max",
            NiParameters::Design(_) => "message-max",
            NiParameters::Queues(_) => "packet",
        };
        format!("ni.{}.{key}", self.key())
    }

    /// The name of its table.
    pub fn key(&self) -> &'static str {
        match self {
            NiParameters::Trapeze(_) => "trapeze",
            NiParameters::Design(parameters) => parameters.design.key(),
            NiParameters::Queues(_) => "queues",
        }
    }
}

/// What every interface needs of a host at least, by the name of its table.
pub fn least_needs() -> impl Iterator<Item = (&'static str, Means)> {
    let designs = Design::ALL.into_iter().map(|design| (design.key(), design.needs()));
    let polled = trapeze::Notification::Polling(Time::ZERO);
    designs.chain([("trapeze", polled.needs()), ("queues", Means::default())])
}

/// What an interface is built on.
pub struct Site<'a> {
    /// The simulation.
    pub sim: &'a Sim,
    /// The host.
    pub host: &'a Host,
    /// The fabric.
    pub fabric: &'a Fabric,
    /// The protocol.
    pub protocol: &'a ProtocolParameters,
    /// What messaging costs there.
    pub costs: Costs,
    /// What became of messages.
    pub tally: &'a Rc<Tally>,
    /// Packets under way.
    pub pending: &'a Rc<Pending>,
}

impl Site<'_> {
    /// The node's number.
    pub fn node(&self) -> NodeId {
        self.host.node
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.host.name
    }

    /// What a port here is wired to; `packet` is the largest.
    fn wiring(&self, packet: Bytes) -> Wiring<'_> {
        Wiring {
            sim: self.sim,
            node: self.node(),
            name: self.name(),
            clock: self.host.cpu().clock(),
            wire: self.fabric.whole(self.sim, self.node(), self.name()),
            classes: self.fabric.facts().classes,
            protocol: self.protocol,
            tally: self.tally,
            pending: self.pending,
            packet,
        }
    }
}

/// Builds an interface from checked parameters: its driver.
pub fn start(site: &Site<'_>, parameters: &NiParameters) -> AnyDriver {
    match parameters {
        NiParameters::Trapeze(parts) => AnyDriver::Trapeze(trapeze::start(site, parts.0, &parts.1)),
        NiParameters::Design(parameters) => AnyDriver::Halves(Box::new(halves::start(site, parameters))),
        NiParameters::Queues(parameters) => AnyDriver::Direct(direct::start(site, parameters)),
    }
}
