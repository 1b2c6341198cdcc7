//! What shared memory in software costs, and how finely it is kept.

use crate::engine::Bytes;
use crate::host::alewife::LINE_BYTES;
use crate::text::Table;

/// Who keeps shared memory coherent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharingMake {
    /// Handlers of active messages.
    Software,
    /// The interface.
    Hardware,
}

/// Shared memory; of the hardware make what it costs is said of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedMemoryParameters {
    /// Who keeps it coherent.
    pub make: SharingMake,
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
        SharedMemoryParameters { make: SharingMake::Software, block: Bytes(128), check: 0, fault: 20, handler: 60 };

    /// By an interface, in blocks of its cache.
    pub const HARDWARE: SharedMemoryParameters = SharedMemoryParameters {
        make: SharingMake::Hardware,
        block: Bytes(LINE_BYTES as u64),
        check: 0,
        fault: 0,
        handler: 0,
    };

    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> SharedMemoryParameters {
        let least = SharedMemoryParameters::TEMPEST;
        let check = "Processor cycles to find the tag of an access: 0 where hardware does it";
        let fault = "Cycles from an access that its tag forbids until its handler runs";
        SharedMemoryParameters {
            make: SharingMake::Software,
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
