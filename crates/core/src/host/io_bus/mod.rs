//! The I/O-bus host: processor, main memory and a PCI bus joined by a bridge.
//!
//! ```text
//!  processor ──┬── bridge ── PCI ── interface
//!              │     │
//!           main memory
//! ```
//!
//! Models: programmed I/O (posted writes, stalling reads, and bursts if the platform combines accesses),
//! DMA in bursts, and the competition of processor and DMA for the bridge. Leaves
//! out: caches (a block copy states its memory accesses), address translation, and other devices.
//!
//! The bus is half-duplex and shared: reads, writes and programmed I/O exclude each other, whichever side is the
//! initiator. It therefore cannot represent PCI Express, whose links carry packets in both directions at once, with
//! credits and split transactions. A bus with the rate of such a link would halve the throughput of two directions and
//! make every load wait for DMA; `narrows check` warns above [the fastest PCI bus](host::PCI_RATE_MAX).

pub mod bridge;
pub mod competition;
pub mod cpu;
pub mod host;
pub mod memory;
pub mod overhead;
pub mod pci;
pub mod pio;
pub mod processor;

#[cfg(test)]
mod tests;

pub use bridge::{Bridge, BridgeParameters, DmaStream};
pub use competition::Competition;
pub use cpu::IoBusProcessor;
pub use memory::{MainMemory, MemoryParameters};
pub use overhead::BusOverhead;
pub use pci::{Pci, PciParameters};
pub use pio::{Pio, PioParameters};
pub use processor::IoBusProcessorParameters;

use super::device::{AsyncDevice, Device, Window};
use super::interrupt::Interrupts;
use crate::engine::Sim;
use crate::text::Parameters;
use std::rc::Rc;

/// The parameters of an I/O-bus host.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct IoBusParameters {
    /// The processor.
    #[param(table)]
    pub processor: IoBusProcessorParameters,
    /// Main memory.
    #[param(table)]
    pub memory: MemoryParameters,
    /// The I/O bus.
    #[param(table)]
    pub pci: PciParameters,
    /// The host–PCI bridge for DMA.
    #[param(table)]
    pub bridge: BridgeParameters,
    /// The bridge for loads and stores of the processor.
    #[param(table)]
    pub pio: PioParameters,
}

/// A host with an I/O bus.
pub struct IoBusHost {
    /// Processor.
    pub cpu: IoBusProcessor,
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
        let pci = Rc::new(Pci::new(sim, name, parameters.pci));
        let bridge = Rc::new(Bridge::new(sim, parameters.bridge.clone(), pci.clone(), memory.clone()));
        let pio = Rc::new(Pio::start(sim, name, parameters.pio, pci.clone()));
        Rc::new(IoBusHost {
            cpu: IoBusProcessor::new(sim, name, parameters.processor, &memory, &pio),
            pio,
            interrupts: Interrupts::new(sim, name, parameters.processor.interrupt_latency, 1),
            memory,
            pci,
            bridge,
        })
    }

    /// Attaches a device of `bytes` bytes.
    pub fn attach(&self, device: Rc<dyn Device>, bytes: u64) -> Window {
        self.pio.attach(pio::Target::Immediate(device), bytes)
    }

    /// Attaches a device of `bytes` bytes that takes time to respond.
    pub fn attach_async(&self, device: Rc<dyn AsyncDevice>, bytes: u64) -> Window {
        self.pio.attach(pio::Target::Async(device), bytes)
    }
}
