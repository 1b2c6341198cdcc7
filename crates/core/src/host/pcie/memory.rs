//! Main memory behind the last-level cache: one access time, and one rate that all accesses share.
//!
//! The module models all channels of a socket as one server, which moves a block at the sum of their rates, less the
//! share that other cores take (`background`). The module leaves out banks, pages, refresh and the turnaround between
//! reads and writes.

use super::server::Server;
use crate::engine::{Bytes, Rate, Time};
use crate::text::Parameters;

/// The parameters of main memory.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(resource = "memory")]
pub struct MainMemoryParameters {
    /// Size of main memory; a multiple of 64 B.
    ///
    /// 1 GiB (chosen; larger than any buffer used). The simulator allocates only what is written.
    #[param(min = "64 KiB", max = "64 GiB", default = "1 GiB", meaning = Capacity)]
    pub size: Bytes,
    /// Time of a processor's access to a block that the last-level cache does not hold.
    ///
    /// 80 ns (measured: 81 ns of idle latency on a Cascade Lake server).
    #[param(default = "80 ns")]
    pub access: Time,
    /// Rate of all channels together.
    ///
    /// 51.2 GB/s: four channels DDR3-1600 (data sheet of the Ivy Bridge server).
    #[param(default = "51.2 GB/s")]
    pub rate: Rate,
    /// Share of the rate that other cores take, from 0 to 0.95.
    #[param(min = 0.0, max = 0.95, default = 0.0, meaning = Load)]
    pub background: f64,
}

/// The channels of main memory.
pub struct MemoryChannels {
    rate: Rate,
    server: Server,
}

impl MemoryChannels {
    /// Creates idle channels.
    pub fn new(parameters: &MainMemoryParameters) -> MemoryChannels {
        let available_rate = parameters.rate.bits_per_s() as f64 * (1.0 - parameters.background);
        let server = Server::default();
        MemoryChannels { rate: Rate::from_bits_per_s((available_rate.round() as u64).max(1)), server }
    }

    /// Moves `bytes` bytes from `now` on. Returns the time for which they wait for the channels.
    #[inline]
    pub fn access(&self, now: Time, bytes: Bytes) -> Time {
        let (start, _) = self.server.reserve(now, self.rate.time_for(bytes));
        start - now
    }

    /// Returns the time for which the channels have moved data until `now`.
    pub fn busy(&self, now: Time) -> Time {
        self.server.busy(now)
    }
}
