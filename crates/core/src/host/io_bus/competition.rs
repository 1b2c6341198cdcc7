//! The competition rules of a host–PCI bridge, which determine how it serves a DMA stream and a processor at the same
//! time. Three rules model the four bridges of Yocum et al. (1997), §3.5, Figure 7. The module leaves out competition
//! among DMA streams.

use crate::engine::{Bytes, Rate, Time};
use crate::text::Parameters;

/// The rule by which a bridge shares memory and bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum Competition {
    /// Processor and DMA alternate, at a cost to the interrupted stream.
    ///
    /// The processor may access memory after every `grain` of a stream. An interrupted stream continues a restart time
    /// after the bridge is granted to it again (Intel Natoma).
    Alternate {
        /// Bytes that DMA moves between two possible interruptions by the processor.
        #[param(min = "4 B", meaning = Granularity)]
        grain: Bytes,
        /// Restart time of an interrupted DMA read.
        ///
        /// The time is counted from the new grant of the bridge to the next data, since memory is addressed again.
        #[param(resource = "DMA restart")]
        read_restart: Time,
        /// Restart time of an interrupted DMA write.
        ///
        /// The restart time of a write is shorter than that of a read because the bridge posts writes.
        #[param(resource = "DMA restart")]
        write_restart: Time,
    },
    /// DMA holds memory for a whole transfer.
    ///
    /// The processor starves (DEC CIA).
    DmaFirst,
    /// The bridge buffers bursts: DMA holds memory only while memory moves the data, at its own rate.
    ///
    /// The buffers are in the bridge (Intel 440LX, DEC Pyxis).
    Buffered {
        /// Rate of memory towards the bridge.
        #[param(resource = "memory")]
        memory_rate: Rate,
        /// Restart time of an interrupted DMA read.
        ///
        /// The restart time applies to a burst if the processor has used memory or the bus since the previous burst,
        /// because prefetched data is then discarded.
        #[param(default = "0 ns", resource = "DMA restart")]
        read_restart: Time,
        /// Restart time of an interrupted DMA write.
        #[param(default = "0 ns", resource = "DMA restart")]
        write_restart: Time,
    },
}
