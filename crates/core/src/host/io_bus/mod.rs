//! The I/O-bus host: processor, main memory and a PCI bus, which a bridge connects.
//!
//! ```text
//!  processor ──┬── bridge ── PCI ── interface
//!              │     │
//!           main memory
//! ```
//!
//! The module models programmed I/O (posted writes, stalling reads, and bursts if the platform combines accesses), DMA
//! in bursts, and the competition of processor and DMA for the bridge. The module leaves out address translation, and
//! other devices.
//!
//! A processor has a cache only if `cache` describes one. Without a cache, it holds one block of memory, and a block
//! copy consists of memory accesses. With a cache, loads and stores hit or fetch a block, and the bridge snoops DMA,
//! which is coherent; `cache.rs` states what is modelled and left out. Registers and windows of devices are never
//! cached.
//!
//! The bus is half-duplex and shared: reads, writes and programmed I/O exclude each other, whichever side is the
//! initiator. This model therefore cannot represent PCI Express, whose links carry packets in both directions at once,
//! with credits and split transactions. A bus with the rate of such a link would halve the throughput of two directions
//! and make every load wait for DMA; `narrows check` warns above [the fastest PCI bus](host::PCI_RATE_MAX).

pub mod bridge;
pub mod cache;
pub mod competition;
pub mod cpu;
pub mod host;
pub mod memory;
pub mod overhead;
pub mod pci;
pub mod pio;
pub mod processor;
mod spin;

#[cfg(test)]
mod tests;

pub use bridge::{Bridge, BridgeParameters, DmaStream};
pub use cache::{SnoopedCache, SnoopedCacheParameters};
pub use competition::Competition;
pub use cpu::IoBusProcessor;
pub use memory::{MainMemory, MemoryParameters};
pub use overhead::BusOverhead;
pub use pci::{Pci, PciParameters};
pub use pio::{Pio, PioParameters};
pub use processor::IoBusProcessorParameters;

use super::block::Address;
use super::device::{AsyncDevice, Device, Window};
use super::interrupt::Interrupts;
use crate::engine::{Bytes, Sim, Time};
use crate::text::Parameters;
use std::rc::Rc;

/// The parameters of an I/O-bus host.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct IoBusParameters {
    /// The processor.
    #[param(table)]
    pub processor: IoBusProcessorParameters,
    /// The processor's cache, which the bridge snoops. Without this table the processor holds a single block of memory.
    #[param(table)]
    pub cache: Option<SnoopedCacheParameters>,
    /// Main memory.
    #[param(table)]
    pub memory: MemoryParameters,
    /// The I/O bus.
    #[param(table)]
    pub pci: PciParameters,
    /// The host–PCI bridge for DMA.
    #[param(table)]
    pub bridge: BridgeParameters,
    /// The path of the processor's loads and stores through the bridge.
    #[param(table)]
    pub pio: PioParameters,
}

/// A host with an I/O bus.
pub struct IoBusHost {
    /// Processor.
    pub cpu: IoBusProcessor,
    /// The cache of the processor, if it has one.
    pub cache: Option<Rc<SnoopedCache>>,
    /// Main memory.
    pub memory: Rc<MainMemory>,
    /// I/O bus.
    pub pci: Rc<Pci>,
    /// Bridge, for DMA engines.
    pub bridge: Rc<Bridge>,
    /// Bridge, for programmed I/O.
    pub pio: Rc<Pio>,
    /// Interrupt line of the interface, which has one vector.
    pub interrupts: Interrupts,
}

impl IoBusHost {
    /// Creates the host `name` without devices.
    pub fn new(sim: &Sim, name: &str, parameters: &IoBusParameters) -> Rc<IoBusHost> {
        let memory = Rc::new(MainMemory::new(sim, name, &parameters.memory));
        let cache = parameters.cache.map(|cache| Rc::new(SnoopedCache::new(sim, name, cache, &memory)));
        let pci = Rc::new(Pci::new(sim, name, parameters.pci));
        let bridge = Rc::new(Bridge::new(sim, parameters.bridge.clone(), pci.clone(), memory.clone()));
        let pio = Rc::new(Pio::start(sim, name, parameters.pio, pci.clone()));
        Rc::new(IoBusHost {
            cpu: IoBusProcessor::new(sim, name, parameters.processor, (&memory, cache.as_ref()), &pio),
            cache,
            pio,
            interrupts: Interrupts::new(sim, name, parameters.processor.interrupt_latency, 1),
            memory,
            pci,
            bridge,
        })
    }

    /// Attaches a device of `bytes` bytes.
    pub fn attach(&self, device: Rc<dyn Device>, bytes: u64) -> Window {
        self.pio.attach(pio::AttachedDevice::Immediate(device), bytes)
    }

    /// Attaches a device of `bytes` bytes that takes time to respond.
    pub fn attach_async(&self, device: Rc<dyn AsyncDevice>, bytes: u64) -> Window {
        self.pio.attach(pio::AttachedDevice::Async(device), bytes)
    }

    /// Snoops a DMA burst of `bytes` bytes at `address` in memory. Returns the time by which the cache delays it.
    pub fn snoop(&self, address: Address, bytes: Bytes) -> Time {
        self.cache.as_ref().map_or(Time::ZERO, |cache| cache.snoop(address, bytes))
    }

    /// Reads memory for a DMA transfer.
    pub fn read_by_dma(&self, address: Address, into: &mut [u8]) {
        self.cache.iter().for_each(|cache| cache.clean(address, Bytes(into.len() as u64)));
        self.memory.read(address, into);
    }

    /// Writes memory for a DMA transfer.
    pub fn write_by_dma(&self, address: Address, from: &[u8]) {
        self.cache.iter().for_each(|cache| cache.invalidate(address, Bytes(from.len() as u64)));
        self.memory.write_by_dma(address, from);
    }

    /// Returns memory as the processor sees it. This takes no simulated time.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        let mut data = self.memory.with(address, Bytes(bytes as u64), <[u8]>::to_vec);
        self.cache.iter().for_each(|cache| cache.overlay(address, &mut data));
        data
    }
}
