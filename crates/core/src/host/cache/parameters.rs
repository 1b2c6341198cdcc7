//! The parameters of a processor's cache.

use crate::engine::{Bytes, Time};
use crate::host::block::BLOCK_BYTES;
use crate::text::Parameters;

/// The method by which a loop that polls a cached word is simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpinModel {
    /// The simulation waits until the block is invalidated, and counts the polls until then.
    SkippedPolls,
    /// Each poll is simulated, which is slow. Tests use this as the reference.
    EveryPoll,
}

/// The parameters of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(resource = "cache")]
pub struct CacheParameters {
    /// Size of the cache; a power of two.
    ///
    /// 1 MB on a memory-bus node (Mukherjee and Hill 1998, Table 3).
    #[param(min = "64 B", max = "64 MiB", meaning = Capacity, resource = "cache")]
    pub size: Bytes,
    /// Associativity: the number of blocks in a set; 1 means direct-mapped.
    ///
    /// 1 on a memory-bus node (Table 3).
    #[param(min = 1, max = 64, meaning = Capacity)]
    pub ways: usize,
    /// Time to supply a block that another agent reads.
    ///
    /// 20 ns on a memory-bus node (chosen).
    pub supply_time: Time,
}

impl CacheParameters {
    /// Returns the errors of these parameters, each with its key and its reason. The keys are those of a host whose
    /// cache has the table `cache`.
    pub fn check(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let blocks = self.size.get() / BLOCK_BYTES as u64;
        if !self.size.get().is_power_of_two() || blocks == 0 {
            let above = self.size.get().next_power_of_two().max(BLOCK_BYTES as u64);
            let below = (above / 2).max(BLOCK_BYTES as u64);
            let nearest = format!("choose {} or {}", Bytes(below), Bytes(above));
            problems.push((
                "cache.size",
                format!("{} is not a power of two that holds at least one block, 64 B: {nearest}", self.size),
            ));
        }
        if !self.ways.is_power_of_two() || self.ways as u64 > blocks {
            let most = blocks.checked_ilog2().map_or(1, |log| 1 << log);
            let (allowed, plural) = match most {
                1 => ("1".to_owned(), if blocks == 1 { "" } else { "s" }),
                _ => (format!("a power of two from 1 to {most}"), "s"),
            };
            let reason =
                format!("{} ways are not allowed: choose {allowed} (the cache has {blocks} block{plural})", self.ways);
            problems.push(("cache.ways", reason));
        }
        problems
    }
}
