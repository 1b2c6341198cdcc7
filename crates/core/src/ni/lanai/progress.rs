//! The progress counter of a transfer: the number of bytes that have landed, which firmware can read while the transfer
//! runs.
//!
//! "In addition to the status bits, the LANai exposes the progress of transfers through counter
//! registers for each DMA engine" (Yocum et al. 1997, §2.1). Within a burst the count grows evenly.

use crate::engine::{Bytes, Time};
use std::cell::Cell;

/// The number of bytes that an engine has written into a buffer.
#[derive(Debug, Default)]
pub struct TransferProgress {
    total: Cell<u64>,
    landed_before_burst: Cell<u64>,
    burst: Cell<Option<Burst>>,
    watched_count: Cell<Option<u64>>,
}

#[derive(Clone, Copy, Debug)]
struct Burst {
    bytes: u64,
    start: Time,
    end: Time,
}

impl TransferProgress {
    /// Creates the counter of a transfer of `total` bytes.
    pub fn new(total: Bytes) -> TransferProgress {
        TransferProgress { total: Cell::new(total.get()), ..TransferProgress::default() }
    }

    /// Returns the length of the transfer.
    pub fn total(&self) -> Bytes {
        Bytes(self.total.get())
    }

    /// Returns the number of bytes that have landed at `now`.
    pub fn landed(&self, now: Time) -> Bytes {
        let landed_in_burst = self.burst.get().map_or(0, |burst| match now >= burst.end {
            true => burst.bytes,
            false => Time::from_ps(burst.bytes).scale(now.since(burst.start).ps(), (burst.end - burst.start).ps()).ps(),
        });
        Bytes(self.landed_before_burst.get() + landed_in_burst)
    }

    /// Returns whether all bytes have landed.
    pub fn is_complete(&self) -> bool {
        self.landed_before_burst.get() == self.total.get()
    }

    /// Begins a burst whose `bytes` land at an even rate between `start` and `end`.
    pub fn begin(&self, bytes: Bytes, start: Time, end: Time) {
        debug_assert!(self.burst.get().is_none(), "one burst at a time lands in a buffer");
        self.burst.set(Some(Burst { bytes: bytes.get(), start, end }));
    }

    /// Ends the burst. Returns whether the watched count was reached or the transfer is complete.
    pub fn end_burst(&self) -> bool {
        let burst = self.burst.take().expect("a burst was under way");
        self.landed_before_burst.set(self.landed_before_burst.get() + burst.bytes);
        assert!(self.landed_before_burst.get() <= self.total.get(), "no more bytes land than the transfer has");
        let has_reached_count = self.watched_count.get().is_some_and(|count| self.landed_before_burst.get() >= count);
        if has_reached_count {
            self.watched_count.set(None);
        }
        has_reached_count || self.is_complete()
    }

    /// Watches for `count` bytes to have landed. Returns the time at which they have, if that is within the present
    /// burst; otherwise [`end_burst`](TransferProgress::end_burst) reports it later.
    pub fn watch(&self, count: Bytes) -> Option<Time> {
        self.watched_count.set(Some(count.get()));
        let burst = self.burst.get()?;
        let missing_bytes = count.get().checked_sub(self.landed_before_burst.get())?;
        (missing_bytes <= burst.bytes).then(|| {
            let span = (burst.end - burst.start).ps() as u128;
            burst.start + Time::from_ps((span * missing_bytes as u128).div_ceil(burst.bytes.max(1) as u128) as u64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_grows_evenly_within_a_burst() {
        let progress = TransferProgress::new(Bytes(300));
        progress.begin(Bytes(100), Time::from_ns(10), Time::from_ns(20));
        assert_eq!(progress.landed(Time::from_ns(10)), Bytes(0));
        assert_eq!(progress.landed(Time::from_ns(15)), Bytes(50));
        assert_eq!(progress.watch(Bytes(70)), Some(Time::from_ns(17)));
        assert_eq!(progress.watch(Bytes(170)), None, "the count is beyond this burst");
        assert!(!progress.end_burst());
        assert_eq!(progress.landed(Time::from_ns(30)), Bytes(100));
        progress.begin(Bytes(200), Time::from_ns(30), Time::from_ns(50));
        assert!(progress.end_burst(), "the watched count is reached, and the transfer is complete");
        assert!(progress.is_complete());
    }
}
