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
        self.access_device(TransactionKind::ReadWord, address, bytes, &mut data).await;
        data.read(offset_in_block(address), bytes)
    }

    /// Writes up to 8 bytes, uncached.
    pub async fn write_uncached(&self, address: Address, bytes: usize, value: u64) {
        if self.0.combining.covers(address) {
            return self.combine(address, bytes, value).await;
        }
        let mut data = Block::ZERO;
        data.write(offset_in_block(address), bytes, value);
        self.access_device(TransactionKind::WriteWord, address, bytes, &mut data).await;
    }

    /// Loads 64 bytes into a block buffer of the processor.
    pub async fn read_block(&self, address: Address) -> Block {
        let mut data = Block::ZERO;
        self.access_device(TransactionKind::ReadBlock, address, BLOCK_BYTES, &mut data).await;
        data
    }

    /// Stores 64 bytes from a block buffer of the processor.
    pub async fn write_block(&self, address: Address, mut data: Block) {
        self.access_device(TransactionKind::WriteBlock, address, BLOCK_BYTES, &mut data).await;
    }

    /// Flushes combined stores, and then runs a transaction.
    async fn access_device(&self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) {
        if !self.0.combining.is_empty() {
            self.flush_combined().await;
        }
        self.transact(kind, address, bytes, data).await;
    }

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
        let grant = self.0.bus.acquire(self.0.cache.id(), address).await;
        let wait_time = grant.wait_time;
        grant.run(kind, address, bytes, data).await;
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
        self.0.bus.acquire(self.0.cache.id(), address).await.begin_at(start).run(kind, address, bytes, data).await;
        self.0.arbiter.record_active(now, start);
        self.finish_access(start, Some(Time::ZERO));
    }
}
