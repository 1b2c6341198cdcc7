//! What shared memory costs, and the size of its blocks. Tempest's numbers are of Mukherjee and Hill (1998, §5.1.1).

use crate::engine::Bytes;
use crate::text::Parameters;

/// What keeps shared memory coherent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharingMake {
    /// Handlers of active messages.
    Software,
    /// The interface.
    Hardware,
}

/// Shared memory; of the hardware make what it costs is said of the interface.
///
/// The defaults are tags in hardware, as Tempest's programs assume (Mukherjee and Hill 1998, §5.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX))]
pub struct SharedMemoryParameters {
    /// Who keeps it coherent.
    #[param(skip = SharingMake::Software)]
    pub make: SharingMake,
    /// What has a tag and moves at once: 8 B times a power of two.
    #[param(min = "8 B", max = "4 KiB", default = "128 B")]
    pub block: Bytes,
    /// Processor cycles to find the tag of an access: 0 where hardware does it.
    ///
    /// Hardware does it beside the access.
    #[param(default = 0)]
    pub check: u64,
    /// Cycles from an access that its tag forbids until its handler runs.
    #[param(default = 20)]
    pub fault: u64,
    /// Cycles of a handler of the protocol, beside the bytes that it moves.
    #[param(default = 60)]
    pub handler: u64,
}

const CYCLES_MAX: u64 = 1_000_000;

impl SharedMemoryParameters {
    /// Returns the parameters of memory that an interface keeps coherent in blocks of `block`.
    pub const fn in_hardware(block: Bytes) -> SharedMemoryParameters {
        SharedMemoryParameters { make: SharingMake::Hardware, block, check: 0, fault: 0, handler: 0 }
    }
}
