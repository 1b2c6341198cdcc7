//! What lies between a program and its network interface: processor, memory, buses.
//!
//! | file or folder | models |
//! |---|---|
//! | `cpu.rs` | the processor, as drivers and programs meet it on every host |
//! | `catch_up.rs` | the simulation catches up with a processor |
//! | `turn.rs`, `level.rs` | whose turn it is on a processor, and who goes first |
//! | `device.rs` | an interface, as a host meets it: registers; and what an interface may find |
//! | `master.rs` | an interface's engine on its way to memory |
//! | `metrics.rs` | what a host counts during a run |
//! | `io_bus/` | a workstation of the nineties: the interface sits on PCI, behind a bridge |
//! | `memory_bus/` | a node whose interface sits on a coherent memory bus |
//! | `alewife/` | a node whose interface is its memory's controller, too |
//! | `software.rs` | a processor that is known by its clock alone: buses and memory take no time |
//!
//! A host knows no interface, and an interface names the means it needs, never a host. A new host is
//! a folder, and a variant of [`Host`] and of [`AnyProcessor`].

pub mod alewife;
mod catch_up;
pub mod cpu;
pub mod device;
pub mod io_bus;
pub mod level;
pub mod master;
pub mod memory_bus;
pub mod metrics;
pub mod software;
pub mod turn;

pub use cpu::{AnyProcessor, Fault, Processor, Stalls, aligned};
pub use device::{Device, Means, Window};
pub use io_bus::Direction;
pub use level::Level;
pub use master::{Master, MemoryTransfer};
pub use memory_bus::block::{Address, BLOCK_BYTES, Block};
pub use metrics::HostMetric;
pub use turn::Turn;

use crate::engine::{Bytes, NodeId, Resource, Sim, Time};
use alewife::{AlewifeNode, AlewifeParameters};
use io_bus::{InterruptLine, IoBusHost, IoBusParameters};
use memory_bus::{MemoryBusNode, NodeParameters};
use software::{SoftwareHost, SoftwareParameters};
use std::rc::Rc;

/// The parameters of a host, by kind.
#[derive(Clone, Debug)]
pub enum HostParameters {
    /// The interface sits on an I/O bus.
    IoBus(Box<IoBusParameters>),
    /// The interface sits on a coherent memory bus.
    MemoryBus(NodeParameters),
    /// The interface is memory's controller.
    Alewife(AlewifeParameters),
    /// Buses and memory take no time.
    Software(SoftwareParameters),
}

/// What interfaces find on each kind of host, by the name of its table.
pub const MEANS: [(&str, Means); 4] = [
    ("io-bus", Means { registers: true, blocks: true, dma: true, interrupts: true, ..Means::NONE }),
    ("memory-bus", Means { registers: true, blocks: true, dma: true, coherent: true, interrupts: true, ..Means::NONE }),
    ("alewife", Means { misses: true, ..Means::NONE }),
    ("software", Means::NONE),
];

/// A host's main memory, as it is described.
pub struct MemorySize {
    /// Its size.
    pub size: Bytes,
    /// The key of its size, below its host.
    pub key: &'static str,
    /// What every buffer in it is a multiple of, in bytes.
    pub grain: u64,
}

impl HostParameters {
    /// Its main memory, if that has a size.
    pub fn main_memory(&self) -> Option<MemorySize> {
        match self {
            HostParameters::MemoryBus(host) => {
                let (size, key, grain) = (host.memory_size, "memory-bus.memory-size", BLOCK_BYTES as u64);
                Some(MemorySize { size, key, grain })
            }
            HostParameters::IoBus(host) => {
                let (size, key, grain) = (host.memory.size, "io-bus.memory.size", io_bus::memory::PAGE);
                Some(MemorySize { size, key, grain })
            }
            HostParameters::Alewife(host) => {
                Some(MemorySize { size: host.memory, key: "alewife.memory", grain: BLOCK_BYTES as u64 })
            }
            HostParameters::Software(_) => None,
        }
    }

    /// What interfaces find here.
    pub fn means(&self) -> Means {
        let (_, means) = MEANS.iter().find(|(kind, _)| *kind == self.key()).expect("every kind of host has its means");
        *means
    }

    /// The name of its table.
    pub const fn key(&self) -> &'static str {
        match self {
            HostParameters::IoBus(_) => "io-bus",
            HostParameters::MemoryBus(_) => "memory-bus",
            HostParameters::Alewife(_) => "alewife",
            HostParameters::Software(_) => "software",
        }
    }

    /// Whether accesses to memory take time.
    pub const fn charges_memory(&self) -> bool {
        !matches!(self, HostParameters::Software(_))
    }
}

/// How a part of a host or an interface was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// What it is, within its node.
    pub what: &'static str,
    /// For how long it was taken.
    pub busy: Time,
    /// How long of that it did its own work, at its own pace, as far as that is told apart.
    pub moving: Time,
}

impl Use {
    /// Of a part that works whenever it is taken.
    pub const fn of(what: &'static str, busy: Time) -> Use {
        Use { what, busy, moving: busy }
    }

    /// Of what is held, and moves something for a part of that.
    pub fn held(what: &'static str, resource: &Resource) -> Use {
        Use { what, busy: resource.held_total(), moving: resource.moved_total() }
    }
}

/// A host in a simulation.
#[derive(Clone)]
pub struct Host {
    /// Its node's number.
    pub node: NodeId,
    /// Its node's name.
    pub name: Rc<str>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    IoBus(Rc<IoBusHost>),
    MemoryBus(Rc<MemoryBusNode>),
    Alewife(Rc<AlewifeNode>),
    Software(Rc<SoftwareHost>),
}

impl Host {
    /// The host of `node`, built from checked parameters.
    pub fn new(sim: &Sim, node: NodeId, name: &str, parameters: &HostParameters) -> Host {
        let kind = match parameters {
            HostParameters::IoBus(parameters) => Kind::IoBus(IoBusHost::new(sim, name, parameters)),
            HostParameters::MemoryBus(parameters) => {
                Kind::MemoryBus(Rc::new(MemoryBusNode::new(sim, name, parameters)))
            }
            HostParameters::Alewife(parameters) => Kind::Alewife(Rc::new(AlewifeNode::new(sim, name, parameters))),
            HostParameters::Software(parameters) => Kind::Software(SoftwareHost::new(sim, name, parameters)),
        };
        Host { node, name: name.into(), kind }
    }

    /// Its processor.
    pub fn cpu(&self) -> AnyProcessor {
        match &self.kind {
            Kind::IoBus(host) => AnyProcessor::IoBus(host.cpu.clone()),
            Kind::MemoryBus(node) => AnyProcessor::MemoryBus(node.processor.clone()),
            Kind::Alewife(node) => AnyProcessor::Alewife(node.processor.clone()),
            Kind::Software(host) => AnyProcessor::Software(host.cpu.clone()),
        }
    }

    /// Attaches a device of `bytes` bytes.
    pub fn attach(&self, device: Rc<dyn Device>, bytes: u64) -> Window {
        match &self.kind {
            Kind::IoBus(host) => host.attach(device, bytes),
            Kind::MemoryBus(node) => node.attach_device(device, bytes),
            Kind::Alewife(_) | Kind::Software(_) => panic!("a checked interface needs no registers on {}", self.name),
        }
    }

    /// The way of a device's engine to memory.
    pub fn master(&self) -> Master {
        match &self.kind {
            Kind::IoBus(host) => Master::IoBus(host.clone()),
            Kind::MemoryBus(node) => Master::memory_bus(node),
            Kind::Alewife(_) | Kind::Software(_) => panic!("a checked interface needs no DMA on {}", self.name),
        }
    }

    /// The line by which the interface interrupts the processor.
    pub fn interrupt(&self) -> &Rc<InterruptLine> {
        match &self.kind {
            Kind::IoBus(host) => &host.interrupt,
            Kind::MemoryBus(node) => &node.interrupt,
            Kind::Alewife(_) | Kind::Software(_) => panic!("a checked interface needs no interrupts on {}", self.name),
        }
    }

    /// The node, if its bus is coherent.
    pub fn coherent(&self) -> Option<&Rc<MemoryBusNode>> {
        match &self.kind {
            Kind::MemoryBus(node) => Some(node),
            Kind::IoBus(_) | Kind::Alewife(_) | Kind::Software(_) => None,
        }
    }

    /// The node, if its interface serves its misses.
    pub fn alewife(&self) -> Option<&Rc<AlewifeNode>> {
        match &self.kind {
            Kind::Alewife(node) => Some(node),
            _ => None,
        }
    }

    /// A buffer in memory that begins at a block, or where the interface moves pages, at a page.
    pub fn allocate(&self, bytes: usize) -> Address {
        match &self.kind {
            Kind::IoBus(host) => host.memory.allocate(Bytes(bytes as u64)),
            Kind::MemoryBus(node) => node.allocate(bytes),
            Kind::Alewife(node) => node.allocate(bytes),
            Kind::Software(host) => host.allocate(bytes),
        }
    }

    /// What block copies of the messaging layer move at once.
    pub fn copy_block_bytes(&self) -> usize {
        match &self.kind {
            Kind::IoBus(host) => host.memory.block().len(),
            Kind::MemoryBus(_) | Kind::Alewife(_) | Kind::Software(_) => BLOCK_BYTES,
        }
    }

    /// Memory as its program has it, in no time: to look at what came.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        match &self.kind {
            Kind::IoBus(host) => host.memory.with(address, Bytes(bytes as u64), <[u8]>::to_vec),
            Kind::MemoryBus(node) => node.peek(address, bytes),
            Kind::Alewife(node) => node.peek(address, bytes),
            Kind::Software(host) => host.peek(address, bytes),
        }
    }

    /// Writes a program's buffer before anything is measured: into memory, or through the cache where
    /// there is one.
    pub async fn prepare(&self, address: Address, bytes: &[u8]) {
        match &self.kind {
            Kind::IoBus(host) => host.memory.write(address, bytes),
            Kind::Software(host) => host.poke(address, bytes),
            Kind::MemoryBus(_) | Kind::Alewife(_) => {
                let cpu = self.cpu();
                let _turn = cpu.hold("prepare").await;
                cpu.store_run(address, bytes).await;
                cpu.fence().await;
            }
        }
    }

    /// For how long each of its parts was at work.
    pub fn uses(&self) -> Vec<Use> {
        match &self.kind {
            Kind::IoBus(host) => {
                vec![host.cpu.turns().used(), Use::held("memory", host.memory.port()), Use::held("PCI", host.pci.bus())]
            }
            Kind::MemoryBus(node) => [vec![node.processor.turns().used()], node.uses()].concat(),
            Kind::Alewife(node) => vec![node.processor.turns().used()],
            Kind::Software(host) => vec![host.cpu.turns().used()],
        }
    }
}
