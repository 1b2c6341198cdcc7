//! What an interface is to a host: registers and memory on a bus.

use super::memory_bus::block::Address;
use crate::engine::Time;

/// Registers and memory, as the processor or another master finds them. An offset counts from the
/// beginning of the device's window.
pub trait Device {
    /// How long an access takes the device, during which it holds a memory bus; an I/O bus has wait
    /// states of its own.
    fn time(&self, _at: u64) -> Time {
        Time::ZERO
    }

    /// Whether a block is taken into a buffer before the device's memory.
    fn posts(&self) -> bool {
        false
    }

    /// Bytes are fetched.
    fn read(&self, at: u64, into: &mut [u8]);

    /// Bytes arrive.
    fn write(&self, at: u64, bytes: &[u8]);
}

/// Where a device answers: its first address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window(pub Address);

impl Window {
    /// The address of the device's byte `offset`.
    pub const fn at(self, offset: u64) -> Address {
        self.0 + offset
    }
}

/// What an interface may find on a host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Means {
    /// Registers that the processor reads and writes.
    pub registers: bool,
    /// Blocks of 64 bytes that it reads and writes at once.
    pub blocks: bool,
    /// A way to memory for the interface's own engine.
    pub dma: bool,
    /// A cache that snoops, for queues in cacheable memory.
    pub coherent: bool,
    /// A line by which the interface interrupts the processor.
    pub interrupts: bool,
    /// A cache whose misses the interface serves.
    pub misses: bool,
}

impl Means {
    /// None of them.
    pub const NONE: Means =
        Means { registers: false, blocks: false, dma: false, coherent: false, interrupts: false, misses: false };

    /// The names of means, and whether they are there.
    pub fn named(&self) -> [(&'static str, bool); 6] {
        [
            ("registers", self.registers),
            ("blocks", self.blocks),
            ("DMA", self.dma),
            ("a coherent memory bus", self.coherent),
            ("interrupts", self.interrupts),
            ("a cache whose misses it serves", self.misses),
        ]
    }

    /// What is wanted and not here.
    pub fn lacking(&self, wanted: &Means) -> Vec<&'static str> {
        let pairs = wanted.named().into_iter().zip(self.named());
        pairs.filter(|((_, wanted), (_, here))| *wanted && !here).map(|((name, _), _)| name).collect()
    }
}
