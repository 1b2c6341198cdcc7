//! The processor's uncached accesses to words and blocks of devices, over the bus.
//!
//! The module models strong ordering: each access waits until the store buffer is empty, and the processor waits until
//! the access is complete. Words written to a write-combined window are combined instead (`write_combining.rs`), and
//! are flushed before any other access. Devices behind a device path (`device_path.rs`) are not accessed over the bus.
//! The module leaves out posted writes of the processor on the bus.

use super::agent::TransactionKind;
use super::device_path::DevicePath;
use super::processor::MemoryBusProcessor;
use crate::engine::Time;
use crate::host::block::{Address, BLOCK_BYTES, Block, offset_in_block};

impl MemoryBusProcessor {
    /// Reads up to 8 bytes, uncached.
    pub async fn read_uncached(&self, address: Address, bytes: usize) -> u64 {
        let mut data = Block::ZERO;
        if !self.0.combining.is_empty() {
            self.flush_combined().await;
        }
        self.transact(TransactionKind::ReadWord, address, bytes, &mut data).await;
        data.read(offset_in_block(address), bytes)
    }

    /// Writes up to 8 bytes, uncached.
    pub async fn write_uncached(&self, address: Address, bytes: usize, value: u64) {
        if self.0.combining.covers(address) {
            return self.combine(address, bytes, value).await;
        }
        let mut data = Block::ZERO;
        data.write(offset_in_block(address), bytes, value);
        if !self.0.combining.is_empty() {
            self.flush_combined().await;
        }
        self.transact(TransactionKind::WriteWord, address, bytes, &mut data).await;
    }

    /// Loads 64 bytes into a block buffer of the processor.
    pub async fn read_block(&self, address: Address) -> Block {
        let mut data = Block::ZERO;
        if !self.0.combining.is_empty() {
            self.flush_combined().await;
        }
        self.transact(TransactionKind::ReadBlock, address, BLOCK_BYTES, &mut data).await;
        data
    }

    /// Stores 64 bytes from a block buffer of the processor.
    pub async fn write_block(&self, address: Address, mut data: Block) {
        if !self.0.combining.is_empty() {
            self.flush_combined().await;
        }
        self.transact(TransactionKind::WriteBlock, address, BLOCK_BYTES, &mut data).await;
    }

    /// Runs a transaction, after all earlier stores. No combined stores wait.
    pub(super) async fn transact(&self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) {
        if !self.0.stores.is_empty() {
            self.fence().await;
        }
        self.work(self.0.parameters.request_cycles);
        if let Some(path) = self.0.devices.get().filter(|path| path.covers(address)) {
            return self
                .access_over_path(&**path, kind, address, &mut data.0[offset_in_block(address)..][..bytes])
                .await;
        }
        if self.0.bus.is_uncontended() {
            return self.transact_uncontended(kind, address, bytes, data).await;
        }
        self.sync().await;
        let requested_at = self.0.sim.now();
        let grant = match self.0.bus.try_acquire(self.0.cache.id(), address) {
            Some(grant) => grant,
            None => self.0.bus.acquire(self.0.cache.id(), address).await,
        };
        let wait_time = grant.wait_time;
        if let Err(transaction) = grant.start(kind, address, bytes, data) {
            transaction.finish(data).await;
        }
        self.finish_access(requested_at, Some(wait_time));
    }

    /// Accesses a device on a path that is not the bus.
    async fn access_over_path(&self, path: &dyn DevicePath, kind: TransactionKind, address: Address, data: &mut [u8]) {
        self.sync().await;
        let requested_at = self.0.sim.now();
        match kind.is_read() {
            true => path.read(address, data).await,
            false => path.write(address, data, kind == TransactionKind::WriteBlock).await,
        }
        self.finish_access(requested_at, Some(Time::ZERO));
    }

    /// Runs a transaction on a bus that no other agent requests. The bus is acquired at once, for a start in local
    /// time, which saves the event of a synchronization.
    async fn transact_uncontended(&self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) {
        let now = self.0.sim.now();
        let start = self.time().max(now);
        let grant = match self.0.bus.try_acquire(self.0.cache.id(), address) {
            Some(grant) => grant,
            None => self.0.bus.acquire(self.0.cache.id(), address).await,
        };
        if let Err(transaction) = grant.begin_at(start).start(kind, address, bytes, data) {
            transaction.finish(data).await;
        }
        self.0.arbiter.record_active(now, start);
        self.finish_access(start, Some(Time::ZERO));
    }

    /// Reads up to 8 bytes of a device on the bus, uncached, as [`read_uncached`](Self::read_uncached) does, if that
    /// needs no event: only this processor may request the bus, and no other task acts before the access ends. The
    /// access then needs no future.
    #[inline]
    pub fn try_read_uncached(&self, address: Address, bytes: usize) -> Option<u64> {
        let mut data = Block::ZERO;
        let is_read = self.try_access_word(TransactionKind::ReadWord, address, bytes, &mut data);
        is_read.then(|| data.read(offset_in_block(address), bytes))
    }

    /// Writes up to 8 bytes as [`write_uncached`](Self::write_uncached) does, if that needs no event. Returns whether
    /// they were written.
    #[inline]
    pub fn try_write_uncached(&self, address: Address, bytes: usize, value: u64) -> bool {
        let mut data = Block::ZERO;
        data.write(offset_in_block(address), bytes, value);
        self.try_access_word(TransactionKind::WriteWord, address, bytes, &mut data)
    }

    fn try_access_word(&self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) -> bool {
        let core = &*self.0;
        let is_alone = core.stores.is_empty() && core.combining.is_unused() && core.bus.is_uncontended();
        if !is_alone || core.devices.get().is_some() {
            return false;
        }
        // A device that the access reaches sees the local time at which the request has left the processor.
        self.work(core.parameters.request_cycles);
        let now = core.sim.now();
        let start = self.time().max(now);
        if !core.bus.try_access_word(core.cache.id(), (kind, address, bytes), start, data) {
            self.take_back_work(core.parameters.request_cycles);
            return false;
        }
        core.arbiter.record_active(now, start);
        self.finish_access(start, Some(Time::ZERO));
        true
    }
}
