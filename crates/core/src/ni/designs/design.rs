//! The designs of Mukherjee and Hill (1998), §4 and Table 2.
//!
//! A design consists of a sending half and a receiving half. The device and the driver of a half are in one file. The
//! Memory-Channel-like design combines halves of two other designs. The loop of all drivers is in
//! [`queue_driver`](super::queue_driver).

use crate::host::HostCapabilities;

/// A design of a network interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Design {
    /// `NI2w`, CM-5-like.
    Ni2w,
    /// `NI64w+Udma`, Princeton-like.
    Udma,
    /// `NI16w+Blkbuf`, AP3000-like.
    Ap3000,
    /// `CNI0Qm`, StarT-JR-like.
    StartJr,
    /// `(NI16w+Blkbuf)S(CNI0Qm)R`, Memory-Channel-like.
    MemoryChannel,
    /// `CNI512Q`.
    Cni512q,
    /// `CNI32Qm`.
    Cni32qm,
    /// `CNI32Qm` with a throttled sender.
    Cni32qmThrottle,
    /// `NI2w` accessed in one processor cycle.
    SingleCycle,
}

impl Design {
    /// All designs, in the order of Table 5; the single-cycle one is last.
    pub const ALL: [Design; 9] = [
        Design::Ni2w,
        Design::Udma,
        Design::Ap3000,
        Design::StartJr,
        Design::MemoryChannel,
        Design::Cni512q,
        Design::Cni32qm,
        Design::Cni32qmThrottle,
        Design::SingleCycle,
    ];

    /// Returns the design's name in descriptions.
    pub const fn key(self) -> &'static str {
        match self {
            Design::Ni2w => "ni2w",
            Design::Udma => "udma",
            Design::Ap3000 => "ap3000",
            Design::StartJr => "startjr",
            Design::MemoryChannel => "memory-channel",
            Design::Cni512q => "cni512q",
            Design::Cni32qm => "cni32qm",
            Design::Cni32qmThrottle => "cni32qm-throttle",
            Design::SingleCycle => "single-cycle",
        }
    }

    /// Returns the paper's name of the design.
    pub const fn name(self) -> &'static str {
        match self {
            Design::Ni2w => "NI2w",
            Design::Udma => "NI64w+Udma",
            Design::Ap3000 => "NI16w+Blkbuf",
            Design::StartJr => "CNI0Qm",
            Design::MemoryChannel => "(NI16w+Blkbuf)S(CNI0Qm)R",
            Design::Cni512q => "CNI512Q",
            Design::Cni32qm => "CNI32Qm",
            Design::Cni32qmThrottle => "CNI32Qm+Throttle",
            Design::SingleCycle => "single-cycle NI2w",
        }
    }

    /// Returns the host capabilities that the design needs. A queue in main memory is polled in the cache if the cache
    /// snoops, and otherwise in memory.
    pub fn needs(self) -> HostCapabilities {
        use HostCapabilities as Has;
        match self {
            Design::SingleCycle => Has::NONE,
            Design::Ni2w => Has::of([Has::REGISTERS]),
            Design::Udma => Has::of([Has::REGISTERS, Has::DMA]),
            Design::Ap3000 => Has::of([Has::REGISTERS, Has::BLOCKS]),
            Design::StartJr => Has::of([Has::REGISTERS, Has::DMA]),
            Design::MemoryChannel => Has::of([Has::REGISTERS, Has::BLOCKS, Has::DMA]),
            Design::Cni512q | Design::Cni32qm | Design::Cni32qmThrottle => Has::of([Has::COHERENT]),
        }
    }

    /// Returns whether a half of the design is read or written through a fifo.
    pub const fn is_fifo(self) -> bool {
        use Design::{Ap3000, MemoryChannel, Ni2w, SingleCycle, Udma};
        matches!(self, Ni2w | Udma | Ap3000 | MemoryChannel | SingleCycle)
    }

    /// Returns whether a half of the design is a queue in memory.
    pub const fn has_queue(self) -> bool {
        !matches!(self, Design::Ni2w | Design::Udma | Design::Ap3000 | Design::SingleCycle)
    }

    /// Returns whether messages for which the interface's memory has no space are buffered in the user's virtual
    /// memory, to which the processor moves them (Table 2: buffering in "NI / VM", "processor involved"). The other
    /// designs buffer messages in main memory without the processor.
    pub const fn overflows_to_user_memory(self) -> bool {
        use Design::{Ap3000, Cni512q, Ni2w, SingleCycle, Udma};
        matches!(self, Ni2w | Udma | Ap3000 | Cni512q | SingleCycle)
    }

    /// Returns whether the interface is an agent of the coherent interconnect.
    pub const fn is_coherent(self) -> bool {
        matches!(self, Design::Cni512q | Design::Cni32qm | Design::Cni32qmThrottle)
    }

    /// Returns whether the interface may move several packets at the same time.
    pub const fn moves_packets_concurrently(self) -> bool {
        self.is_coherent() || matches!(self, Design::StartJr)
    }

    /// Returns whether the interface caches its queues.
    pub const fn caches_queues(self) -> bool {
        matches!(self, Design::Cni32qm | Design::Cni32qmThrottle)
    }
}
