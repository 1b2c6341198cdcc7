//! What shared memory in software costs, and how finely it is kept.

use crate::engine::Bytes;
use crate::text::Table;

/// Shared memory by software handlers over active messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedMemoryParameters {
    /// What has a tag, and moves at once: 8 B times a power of two.
    pub block: Bytes,
    /// Processor cycles to find the tag of an access; 0 where hardware does it beside the access.
    pub check: u64,
    /// Cycles from an access that its tag forbids until its handler runs.
    pub fault: u64,
    /// Cycles of a handler of the protocol, beside the bytes that it moves.
    pub handler: u64,
}

const CYCLES_MAX: u64 = 1_000_000;

impl SharedMemoryParameters {
    /// Tags in hardware, as Tempest's programs assume (Mukherjee and Hill 1998, §5.1.1).
    pub const TEMPEST: SharedMemoryParameters =
        SharedMemoryParameters { block: Bytes(128), check: 0, fault: 20, handler: 60 };

    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> SharedMemoryParameters {
        let least = SharedMemoryParameters::TEMPEST;
        let check = "Processor cycles to find the tag of an access: 0 where hardware does it";
        let fault = "Cycles from an access that its tag forbids until its handler runs";
        SharedMemoryParameters {
            block: t
                .bytes("block", "What has a tag and moves at once: 8 B times a power of two")
                .min("8 B")
                .max("4 KiB")
                .or("128 B"),
            check: t.count("check", check).max(CYCLES_MAX).or(least.check),
            fault: t.count("fault", fault).max(CYCLES_MAX).or(least.fault),
            handler: t
                .count("handler", "Cycles of a handler of the protocol, beside the bytes that it moves")
                .max(CYCLES_MAX)
                .or(least.handler),
        }
    }
}
