//! The state of a range of memory in a host's last-level cache, as a benchmark sets it before it measures.

use crate::text::ParameterChoice;

/// The state of a range of memory in the last-level cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum CacheWarmth {
    /// A core has written the range, block by block from its start. The cache holds as many of the last blocks as fit.
    HostWarm,
    /// A device has written the range, block by block from its start, after it was cold. The cache holds as many of the
    /// last blocks as fit into the ways in which writes of devices allocate.
    DeviceWarm,
    /// The cache holds no block of the range.
    Cold,
}
