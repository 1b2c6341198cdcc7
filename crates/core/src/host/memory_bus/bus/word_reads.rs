//! The reads of one word, passed at once: what each would have been counted as.

use super::Bus;
use crate::engine::Time;
use crate::host::block::Address;
use crate::host::memory_bus::agent::{AgentId, TransactionKind};

/// A word that is read again and again, while nobody else uses the bus.
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

    /// When such a read ends for which the bus is asked at `asks`.
    pub(in crate::host::memory_bus) fn word_read_ends(&self, read: WordReads, asks: Time) -> Time {
        self.end(asks, TransactionKind::ReadWord, read.bytes, self.word_time(read, asks))
    }

    fn word_time(&self, read: WordReads, asks: Time) -> Time {
        self.access_time(asks, TransactionKind::ReadWord, None, Some(read.home), read.address)
    }

    /// Counts such a read.
    pub(in crate::host::memory_bus) fn word_was_read(&self, read: WordReads, by: AgentId, asks: Time, ends: Time) {
        self.held.was_held(ends - asks, 1);
        let access = self.word_time(read, asks);
        self.account(TransactionKind::ReadWord, (by, Some(read.home)), access, (asks, ends));
        self.record(TransactionKind::ReadWord, read.bytes, asks, ends);
    }

    /// Counts so many such reads, each so long after the one before. They have no spans: nobody wants them.
    pub(in crate::host::memory_bus) fn words_were_read(
        &self,
        read: WordReads,
        (asks, ends): (Time, Time),
        every: Time,
        times: u64,
    ) {
        assert!(self.track.is_none(), "each read has its span");
        self.held.was_held(ends - asks, times);
        let access = self.word_time(read, asks);
        self.held.moves((ends - asks).since(access) * times);
        self.memory_of(read.home).cover_each((ends.since(access), ends), every, times);
        let count = &self.counts[TransactionKind::ReadWord as usize];
        count.set(count.get() + times);
    }

    /// Whether reads may be counted without one another: no spans are kept, and the clock's edges are so far apart
    /// always.
    pub(in crate::host::memory_bus) fn counts_at_once(&self) -> bool {
        self.track.is_none() && self.parameters.clock.period().is_some()
    }

    /// Whether nobody has it, and none but one may ever ask for it.
    pub(in crate::host::memory_bus) fn is_for_one(&self) -> bool {
        self.asking.get() == 1 && !self.is_held()
    }
}
