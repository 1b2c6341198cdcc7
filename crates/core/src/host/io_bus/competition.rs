//! How a host–PCI bridge serves a DMA stream and a processor that want it at once: the four
//! bridges of Yocum et al. (1997) §3.5, Figure 7, by three rules.

use crate::engine::{Bytes, Rate, Time};
use crate::text::Parameters;

/// The rule by which a bridge shares memory and bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum Competition {
    /// Processor and DMA take turns, at a cost to the interrupted stream.
    ///
    /// A stream lets the processor in after every `grain`, and goes on some time after it has the bridge again
    /// (Intel Natoma).
    Alternate {
        /// What DMA moves between two looks at the processor.
        #[param(min = "4 B", meaning = Granularity)]
        grain: Bytes,
        /// What an interrupted DMA read pays to go on.
        ///
        /// From getting the bridge back to its next data: memory is addressed anew.
        #[param(resource = "DMA restart")]
        read_restart: Time,
        /// What an interrupted DMA write pays to go on.
        ///
        /// The bridge posts it.
        #[param(resource = "DMA restart")]
        write_restart: Time,
    },
    /// DMA holds memory for a whole transfer.
    ///
    /// The processor starves (DEC CIA).
    DmaFirst,
    /// Bursts are buffered: DMA takes memory only at memory's own rate.
    ///
    /// The buffers are in the bridge (Intel 440LX, DEC Pyxis).
    Buffered {
        /// Rate of memory towards the bridge.
        #[param(resource = "memory")]
        memory_rate: Rate,
        /// What an interrupted DMA read pays to go on.
        ///
        /// Where it finds, at its next burst, that the processor has had memory or the bus meanwhile: what was fetched
        /// ahead is given up.
        #[param(default = "0 ns", resource = "DMA restart")]
        read_restart: Time,
        /// What an interrupted DMA write pays to go on.
        #[param(default = "0 ns", resource = "DMA restart")]
        write_restart: Time,
    },
}
