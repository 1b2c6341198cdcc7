//! The parameters of the interface `dma-engine`.

use super::issue_time::IssueTime;
use crate::engine::{Bytes, Rate, Time};
use crate::part::ParameterError;
use crate::text::Parameters;

/// The parameters of the interface `dma-engine`.
///
/// The defaults were measured on an NFP-6000 at 1.2 GHz by pcie-bench (data of an Ivy Bridge host).
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct DmaEngineParameters {
    /// Largest number of reads, and of writes, that are outstanding at once.
    ///
    /// Reads of 64 B that hit the last-level cache reach 31.9 Gbit/s at a latency of 560 ns, and reads that miss reach
    /// 28.0 Gbit/s at 613 ns. Both rates follow from 24 slots that are held for all of the latency but 180 ns.
    #[param(min = 1, max = 4096, default = 24, meaning = Capacity, resource = "DMA slots")]
    pub slots: u32,
    /// Part of the latency of a transfer during which it holds no slot.
    #[param(default = "180 ns", resource = "DMA firmware")]
    pub overhead: Time,
    /// The same for a write; by default, that of a read.
    #[param(optional_or = overhead, resource = "DMA firmware")]
    pub write_overhead: Time,
    /// Sizes for which the times of the issue stage are listed, in increasing order.
    ///
    /// The time is constant up to the first size, linear between two sizes, and proportional to the size beyond the
    /// last one.
    #[param(
        length(min = 1, max = 16),
        check = |sizes| increasing_sizes_error(sizes),
        placeholder = vec![Bytes(64)],
        default = ["64 B", "128 B", "256 B", "512 B"],
        meaning = Granularity
    )]
    pub sizes: Vec<Bytes>,
    /// Time for which a read of each of the `sizes` occupies the issue stage.
    #[param(length(min = 1, max = 16), default = ["15 ns", "23 ns", "43 ns", "70 ns"])]
    pub read_times: Vec<Time>,
    /// Time for which a write of each of the `sizes` occupies the issue stage.
    #[param(length(min = 1, max = 16), default = ["21 ns", "24 ns", "40 ns", "70 ns"])]
    pub write_times: Vec<Time>,
    /// Rate at which the engine copies the data of a read that has arrived.
    #[param(default = "3.45 GB/s", resource = "DMA engine")]
    pub rate: Rate,
    /// Rate at which the engine copies the data of a write while they go out.
    #[param(default = "4.2 GB/s", resource = "DMA engine")]
    pub write_rate: Rate,
    /// Bytes that the engine copies as a unit.
    #[param(min = "4 B", default = "128 B", meaning = Granularity)]
    pub piece: Bytes,
    /// Tick of the timer with which latencies are measured; without it, they are exact.
    ///
    /// 13.3 ns: the timer of an NFP-6000 counts 16 cycles of 1.2 GHz.
    pub timer_tick: Option<Time>,
}

fn increasing_sizes_error(sizes: &[Bytes]) -> Option<(String, &'static str)> {
    let is_increasing = sizes[0] > Bytes::ZERO && sizes.windows(2).all(|pair| pair[0] < pair[1]);
    (!is_increasing).then(|| ("the sizes do not increase".to_owned(), "list positive sizes, the smallest first"))
}

impl DmaEngineParameters {
    /// Returns an error for each list of times whose length differs from the length of the list of sizes.
    pub(super) fn list_length_errors(&self) -> Vec<ParameterError> {
        let lists = [("read-times", &self.read_times), ("write-times", &self.write_times)];
        let unequal_lists = lists.into_iter().filter(|(_, times)| times.len() != self.sizes.len());
        let length_error = |(key, times): (&str, &Vec<Time>)| {
            let message = format!("the list has {} elements, and `sizes` has {}", times.len(), self.sizes.len());
            ParameterError::new(key, message).related(["sizes"]).help("list a time for each of `sizes`")
        };
        unequal_lists.map(length_error).collect()
    }

    /// Returns the time for which a read occupies the issue stage.
    pub(super) fn read_issue_time(&self) -> IssueTime {
        IssueTime::new(&self.sizes, &self.read_times)
    }

    /// Returns the time for which a write occupies the issue stage.
    pub(super) fn write_issue_time(&self) -> IssueTime {
        IssueTime::new(&self.sizes, &self.write_times)
    }
}
