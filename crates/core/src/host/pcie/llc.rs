//! The last-level cache, which the processor and devices share.
//!
//! The module models tags and states by set; bytes are in memory and in the processor's private cache. A block is
//! absent, host-warm (a core fetched or wrote it) or device-written. A device's write that hits changes the block in
//! place; one that misses allocates in the I/O ways alone (DDIO), and evicts the least recently used block there. A
//! device's read allocates nothing. Accesses of the processor allocate in any way. The module leaves out slices,
//! inclusion of the private cache, and prefetchers.

use crate::engine::{Bytes, Rate, Time};
use crate::text::Parameters;

/// The parameters of the last-level cache.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "LLC")]
pub struct LlcParameters {
    /// Size of the cache; a multiple of 64 B times `ways`.
    ///
    /// 15 MiB (data sheet of the Ivy Bridge server).
    #[param(min = "4 KiB", max = "4 GiB", default = "15 MiB", meaning = Capacity)]
    pub size: Bytes,
    /// Associativity.
    ///
    /// 20 (data sheet of the Ivy Bridge server).
    #[param(min = 1, max = 64, default = 20, meaning = Capacity)]
    pub ways: usize,
    /// Ways in which the writes of devices allocate.
    ///
    /// 2 (measured: blocks that a device wrote go cold in windows between 2 and 4 MiB).
    #[param(min = 0, max = 64, default = 2, meaning = Capacity, resource = "I/O ways")]
    pub io_ways: usize,
    /// Time of a processor's access that hits.
    ///
    /// 15 ns (remembered).
    #[param(default = "15 ns")]
    pub access: Time,
    /// Additional time of a device's read that misses.
    ///
    /// 53 ns (measured: 613 ns against 560 ns).
    #[param(default = "53 ns", resource = "memory")]
    pub hit_to_dram: Time,
    /// Time by which a device's read of a block that a device wrote is shorter than one of a host-warm block.
    ///
    /// 27 ns (measured: 533 ns against 560 ns): no core has to be asked.
    #[param(default = "27 ns", meaning = Structure)]
    pub device_warm: Time,
    /// Rate at which the cache serves devices.
    ///
    /// 200 GB/s (remembered).
    #[param(default = "200 GB/s")]
    pub rate: Rate,
}
