//! How a host–PCI bridge serves a DMA stream and a processor that want it at once: the four
//! bridges of Yocum et al. (1997) §3.5, Figure 7, by three rules.

use crate::engine::{Bytes, Rate, Time};
use crate::text::Table;

/// The rule by which a bridge shares memory and bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Competition {
    /// Processor and DMA take turns: a stream lets the processor in after every `grain`, and goes
    /// on some time after it has the bridge again (Intel Natoma).
    Alternate {
        /// What a stream moves between two looks at whether the processor asks.
        grain: Bytes,
        /// From getting the bridge back to the next data of an interrupted read: memory is
        /// addressed anew.
        read_restart: Time,
        /// The same of an interrupted write, which the bridge posts.
        write_restart: Time,
    },
    /// DMA holds memory for a whole transfer: the processor starves (DEC CIA).
    DmaFirst,
    /// Bursts are buffered in the bridge: a burst takes memory only at memory's own rate
    /// (Intel 440LX, DEC Pyxis).
    Buffered {
        /// The rate of memory towards the bridge.
        memory_rate: Rate,
        /// What a read pays that finds, at its next burst, that the processor has had memory or the bus
        /// meanwhile: what was fetched ahead is given up.
        read_restart: Time,
        /// The same of a write.
        write_restart: Time,
    },
}

impl Competition {
    /// Reads the rule from the bridge's table.
    pub fn read(t: &mut Table<'_>) -> Competition {
        let rules = [
            ("alternate", "Processor and DMA take turns, at a cost to the interrupted stream"),
            ("dma-first", "DMA holds memory for a whole transfer"),
            ("buffered", "Bursts are buffered: DMA takes memory only at memory's own rate"),
        ];
        t.one_of("competition", "How processor and DMA share the bridge", &rules, |rule, t| match rule {
            "alternate" => Competition::Alternate {
                grain: t.bytes("grain", "What DMA moves between two looks at the processor").min("4 B").required(),
                read_restart: t.time("read-restart", "What an interrupted DMA read pays to go on").required(),
                write_restart: t.time("write-restart", "What an interrupted DMA write pays to go on").required(),
            },
            "dma-first" => Competition::DmaFirst,
            _ => Competition::Buffered {
                memory_rate: t.rate("memory-rate", "Rate of memory towards the bridge").required(),
                read_restart: t.time("read-restart", "What an interrupted DMA read pays to go on").or("0 ns"),
                write_restart: t.time("write-restart", "What an interrupted DMA write pays to go on").or("0 ns"),
            },
        })
    }
}
