//! The costs of shared memory, and the size of its blocks. The defaults are Tempest's (Mukherjee and Hill 1998,
//! §5.1.1).

use crate::engine::Bytes;
use crate::text::Parameters;

/// The mechanism that keeps shared memory coherent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoherenceMechanism {
    /// Handlers of active messages keep the memory coherent.
    Software,
    /// The interface keeps the memory coherent.
    Hardware,
}

/// Parameters of shared memory in software; the costs of hardware coherence are parameters of the interface.
///
/// By default, hardware checks the tags, as Tempest's programs assume (Mukherjee and Hill 1998, §5.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "coherence software")]
pub struct SharedMemoryParameters {
    /// Mechanism of coherence.
    #[param(skip = CoherenceMechanism::Software)]
    pub mechanism: CoherenceMechanism,
    /// Size of a block, the unit of tags and of transfers: 8 B times a power of two.
    #[param(min = "8 B", max = "4 KiB", default = "128 B", meaning = Granularity)]
    pub block: Bytes,
    /// Processor cycles to check the tag of an access; 0 where hardware checks it.
    ///
    /// If hardware checks the tag, it does so in parallel with the access.
    #[param(default = 0)]
    pub check: u64,
    /// Cycles from an access that its tag forbids until the handler of the fault runs.
    #[param(default = 20)]
    pub fault: u64,
    /// Cycles of a handler of the protocol, apart from moving the bytes of a block.
    #[param(default = 60)]
    pub handler: u64,
}

const CYCLES_MAX: u64 = 1_000_000;

impl SharedMemoryParameters {
    /// Returns the parameters of memory that an interface keeps coherent in blocks of `block`.
    pub const fn in_hardware(block: Bytes) -> SharedMemoryParameters {
        SharedMemoryParameters { mechanism: CoherenceMechanism::Hardware, block, check: 0, fault: 0, handler: 0 }
    }
}
