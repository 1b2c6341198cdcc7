//! Accounting for repeated reads of one word that are not simulated one by one (`polls.rs`).
//!
//! Each read is counted as if it had been simulated. Contention for the bus is left out; the caller excludes it.

use super::Bus;
use crate::engine::Time;
use crate::host::block::Address;
use crate::host::memory_bus::agent::{AgentId, TransactionKind};

/// A word that is read repeatedly while no other agent uses the bus.
#[derive(Clone, Copy)]
pub(in crate::host::memory_bus) struct WordReads {
    address: Address,
    bytes: usize,
    home: AgentId,
}

impl Bus {
    pub(in crate::host::memory_bus) fn word_reads(&self, address: Address, bytes: usize) -> WordReads {
        WordReads { address, bytes, home: self.home(address) }
    }

    /// Returns the end of a read that requests the bus at `start`.
    pub(in crate::host::memory_bus) fn word_read_end(&self, read: WordReads, start: Time) -> Time {
        self.end(start, TransactionKind::ReadWord, read.bytes, self.word_time(read, start))
    }

    fn word_time(&self, read: WordReads, start: Time) -> Time {
        self.access_time(start, TransactionKind::ReadWord, None, Some(read.home), read.address)
    }

    /// Accounts for a read of agent `by` from `start` to `end`, and records its span.
    pub(in crate::host::memory_bus) fn count_word_read(&self, read: WordReads, by: AgentId, start: Time, end: Time) {
        let release = self.release((start, end), TransactionKind::ReadWord, read.bytes);
        self.held.was_held(release - start, 1);
        let access = self.word_time(read, start);
        self.account(TransactionKind::ReadWord, (by, Some(read.home)), access, (start, release, end));
        self.record(TransactionKind::ReadWord, read.bytes, start, release);
    }

    /// Accounts for `times` reads, without spans. The first is from `start` to `end`, and each further one is `every`
    /// after the previous one.
    ///
    /// # Panics
    ///
    /// Panics if spans are recorded.
    pub(in crate::host::memory_bus) fn count_word_reads(
        &self,
        read: WordReads,
        (start, end): (Time, Time),
        every: Time,
        times: u64,
    ) {
        assert!(self.track.is_none(), "each read has its span");
        let release = self.release((start, end), TransactionKind::ReadWord, read.bytes);
        self.held.was_held(release - start, times);
        let access = self.word_time(read, start);
        self.held.add_moved_time(self.moving_time((start, release), access) * times);
        self.memory_of(read.home).add_intervals((end.since(access), end), every, times);
        let count = &self.counts[TransactionKind::ReadWord as usize];
        count.set(count.get() + times);
    }

    /// Returns whether reads may be counted together: no spans are recorded, and the clock's edges are equally spaced
    /// in picoseconds.
    pub(in crate::host::memory_bus) fn can_count_together(&self) -> bool {
        self.track.is_none() && self.parameters.clock.period().is_some()
    }

    /// Returns whether the bus is free and only one agent may request it.
    pub(in crate::host::memory_bus) fn is_uncontended(&self) -> bool {
        self.requesters.get() == 1 && !self.is_busy()
    }
}
