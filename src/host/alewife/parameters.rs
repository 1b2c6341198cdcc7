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
        let clock = read_clock(t);
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

/// The clock, within what the machine's generator gives, where that is known.
fn read_clock(t: &mut Table<'_>) -> Hertz {
    let range = |t: &mut Table<'_>, key, doc| t.hertz(key, doc).min("1 MHz").max("100 GHz").optional();
    let least = range(t, "clock-min", "The slowest that the machine's clock can be, if it can be set");
    let most = range(t, "clock-max", "The fastest that the machine's clock can be");
    let clock = t.hertz("clock", "Clock of processor and interface; the network has its own");
    let clock = clock.min("1 MHz").max("100 GHz").required();
    let (below, above) = (least.filter(|least| clock < *least), most.filter(|most| clock > *most));
    if let Some((bound, than)) = below.map(|least| (least, "least")).or(above.map(|most| (most, "most"))) {
        let range = [least, most].map(|bound| bound.map_or_else(|| "any".to_owned(), |bound| bound.to_string()));
        let help = format!("the machine's clock is from {} (`clock-min`) to {} (`clock-max`)", range[0], range[1]);
        t.wrong("clock", format!("must be at {than} {bound}"), help);
    }
    clock
}
