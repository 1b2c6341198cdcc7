//! Accounting for repeated reads of one word that are not simulated one by one (`polls.rs`).
//!
//! Each read is counted as if it had been simulated. The caller ensures that no other agent uses the bus meanwhile,
//! because contention for the bus is not modelled here.

use super::Bus;
use crate::engine::Time;
use crate::host::block::{Address, Block};
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
        self.transaction_end(start, TransactionKind::ReadWord, read.bytes, self.word_access_time(read, start))
    }

    fn word_access_time(&self, read: WordReads, start: Time) -> Time {
        self.access_time(start, TransactionKind::ReadWord, None, Some(read.home), read.address)
    }

    /// Accounts for a read of agent `requester` from `start` to `end`, and records its span.
    pub(in crate::host::memory_bus) fn count_word_read(
        &self,
        read: WordReads,
        requester: AgentId,
        start: Time,
        end: Time,
    ) {
        let release_time = self.release_time((start, end), TransactionKind::ReadWord, read.bytes);
        self.resource.add_holds(release_time - start, 1);
        let access_time = self.word_access_time(read, start);
        self.account(TransactionKind::ReadWord, (requester, Some(read.home)), access_time, (start, release_time, end));
        self.record(TransactionKind::ReadWord, read.bytes, start, release_time);
    }

    /// Accounts for `count` reads, without spans. The first read is from `start` to `end`, and each further read is
    /// later than the previous one by `interval`.
    ///
    /// # Panics
    ///
    /// Panics if spans are recorded.
    pub(in crate::host::memory_bus) fn count_word_reads(
        &self,
        read: WordReads,
        (start, end): (Time, Time),
        interval: Time,
        count: u64,
    ) {
        assert!(self.track.is_none(), "each read has its span");
        let release_time = self.release_time((start, end), TransactionKind::ReadWord, read.bytes);
        self.resource.add_holds(release_time - start, count);
        let access_time = self.word_access_time(read, start);
        self.resource.add_moved_time(self.moving_time((start, release_time), access_time) * count);
        self.memory_of(read.home).add_intervals((end.since(access_time), end), interval, count);
        let counter = &self.counts[TransactionKind::ReadWord as usize];
        counter.set(counter.get() + count);
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

    /// Runs an access of 1 to 8 bytes from `start` on, if no other task acts before it ends: the clock advances to the
    /// end of the access. Returns whether the access was run. Its effects are those of [`BusGrant::run`], but it needs
    /// no hold of the bus. The caller ensures that the bus is free and that no other agent requests it.
    ///
    /// [`BusGrant::run`]: super::BusGrant::run
    pub(in crate::host::memory_bus) fn try_access_word(
        &self,
        requester: AgentId,
        (kind, address, bytes): (TransactionKind, Address, usize),
        start: Time,
        data: &mut Block,
    ) -> bool {
        debug_assert!(kind.is_word() && (1..=8).contains(&bytes), "an uncached access has 1 to 8 bytes");
        let home = self.home(address);
        let access_time = self.access_time(start, kind, None, Some(home), address);
        let end = self.transaction_end(start, kind, bytes, access_time);
        if self.is_split() || !self.sim.try_advance(end) {
            return false;
        }
        self.resource.add_holds(end - start, 1);
        self.account(kind, (requester, Some(home)), access_time, (start, end, end));
        let agent = &self.agents.borrow()[home.0];
        match kind.is_read() {
            true => agent.home_read(address, bytes, data),
            false => agent.home_write(address, bytes, data),
        }
        self.record(kind, bytes, start, end);
        true
    }
}
