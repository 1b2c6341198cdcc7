//! The IOMMU: translations of a device's addresses, cached by page, and the walkers that serve misses.
//!
//! The module models a cache of `entries` translations with LRU replacement. A miss holds one of `walkers` for the time
//! of a walk; misses wait for a walker in the order of arrival, and a miss of a page that is being walked waits for that
//! walk. The module leaves out the walkers' own caches, invalidations, and translations cached by the device (ATS).

use crate::engine::{Bytes, Time};
use crate::text::Parameters;

/// The parameters of the IOMMU.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct IommuParameters {
    /// Number of cached translations.
    ///
    /// 110 (measured, with pages of 4 KiB).
    #[param(min = 1, max = 1_048_576, default = 110, meaning = Capacity, resource = "IOMMU entries")]
    pub entries: usize,
    /// Size of a page: `4 KiB`, `2 MiB` or `1 GiB`.
    #[param(default = "4 KiB", meaning = Granularity)]
    pub page: Bytes,
    /// Time for which the miss of a read holds a walker.
    ///
    /// 293 ns (measured: 853 ns against 560 ns).
    #[param(default = "293 ns", resource = "IOMMU walkers")]
    pub read_walk: Time,
    /// Time for which the miss of a write holds a walker.
    ///
    /// 240 ns (measured: by a write followed by a read of the same place).
    #[param(default = "240 ns", resource = "IOMMU walkers")]
    pub write_walk: Time,
    /// Number of walkers.
    ///
    /// 5 (measured: 9.2 Gbit/s of reads of 64 B that all miss).
    #[param(min = 1, max = 1024, default = 5, meaning = Width, resource = "IOMMU walkers")]
    pub walkers: usize,
}
