//! The parameters of an Alewife node, and how a description gives them.

use super::LINE_BYTES;
use crate::engine::{Bytes, Hertz};
use crate::text::Table;

/// An Alewife node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlewifeParameters {
    /// The processor's clock, and the interface's; the network has its own.
    pub clock: Hertz,
    /// Cycles of a load that hits.
    pub load: u64,
    /// Cycles of a store that hits.
    pub store: u64,
    /// Cycles of an access that misses, and finds its block in the node's own memory.
    pub miss: u64,
    /// Programs that a processor has registers for.
    pub contexts: u32,
    /// Cycles to change between them.
    pub switch: u64,
    /// Size of the cache.
    pub cache: Bytes,
    /// Size of memory.
    pub memory: Bytes,
}

const CYCLES_MAX: u64 = 100_000;

impl AlewifeParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> AlewifeParameters {
        let cycles = |t: &mut Table<'_>, key, doc| t.count(key, doc).range(1, CYCLES_MAX).required();
        let clock = t.hertz("clock", "Clock of processor and interface; the network has its own");
        let clock = clock.min("14 MHz").max("20 MHz").required();
        let cache = t.bytes("cache", "Size of the cache; a power of two").min("64 B").max("64 MiB").required();
        if !cache.get().is_power_of_two() {
            let (below, above) = (cache.get().next_power_of_two() / 2, cache.get().next_power_of_two());
            let help = format!("the nearest are {} and {}", Bytes(below), Bytes(above));
            t.wrong("cache", format!("{cache} is no power of two"), help);
        }
        let memory = t.bytes("memory", "Size of memory").min("64 KiB").max("1 GiB").required();
        if memory.get() % LINE_BYTES as u64 != 0 {
            t.wrong("memory", format!("{memory} is not a whole number of blocks"), "a block is 16 B");
        }
        AlewifeParameters {
            clock,
            load: cycles(t, "load-cycles", "Cycles of a load that hits"),
            store: cycles(t, "store-cycles", "Cycles of a store that hits"),
            miss: cycles(t, "miss-cycles", "Cycles of an access that misses, and finds its block in its own memory"),
            contexts: t.count("contexts", "Programs that the processor has registers for").range(1, 64).required()
                as u32,
            switch: t.count("switch-cycles", "Cycles to change between them").max(CYCLES_MAX).required(),
            cache,
            memory,
        }
    }
}
