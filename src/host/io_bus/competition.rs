//! How a host–PCI bridge serves a DMA stream and a processor that want it at once: the four
//! bridges of Yocum et al. (1997) §3.5, Figure 7, by three rules.

use crate::engine::{Bytes, Rate, Time};

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
    },
}
