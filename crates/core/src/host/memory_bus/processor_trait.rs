//! The processor of a memory-bus node as a [`Processor`], for programs and drivers.

use super::processor::MemoryBusProcessor;
use crate::engine::{Hertz, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block};
use crate::host::coherent_processor::CoherentProcessor;
use crate::host::cpu_arbiter::CpuArbiter;
use crate::host::processor::{Fault, Processor, Stalls};
use crate::host::time_sync::LocalTimeLag;

// Methods that only forward return the inner future, because each future around it costs instructions at each poll.
impl Processor for MemoryBusProcessor {
    fn sim(&self) -> &Sim {
        &self.0.sim
    }

    fn clock(&self) -> Hertz {
        self.0.parameters.clock
    }

    #[inline]
    fn now(&self) -> Time {
        self.time()
    }

    #[inline]
    fn work(&self, cycles: u64) {
        MemoryBusProcessor::work(self, cycles);
    }

    fn cycles_of(&self, instructions: u64) -> u64 {
        match self.0.parameters.cycles_per_1000_instructions {
            1_000 => instructions,
            cycles => ((u128::from(instructions) * u128::from(cycles) + 500) / 1_000) as u64,
        }
    }

    #[inline]
    fn begin_sync(&self) -> LocalTimeLag<'_> {
        let time = self.time();
        if time <= self.0.sim.now() {
            self.set_time(self.0.sim.now());
            return LocalTimeLag::Nothing;
        }
        self.0.arbiter.begin_work();
        LocalTimeLag::Until(time)
    }

    #[inline]
    fn end_sync(&self) {
        self.catch_up();
        self.0.arbiter.end_work();
    }

    fn until(&self, instant: Time) -> impl Future<Output = ()> {
        self.idle_until(instant)
    }

    fn arbiter(&self) -> &CpuArbiter {
        &self.0.arbiter
    }

    #[inline]
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        MemoryBusProcessor::try_load(self, address, bytes)
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        Ok(MemoryBusProcessor::load(self, address, bytes).await)
    }

    #[inline]
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        MemoryBusProcessor::try_store(self, address, bytes, value)
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        MemoryBusProcessor::store(self, address, bytes, value).await;
        Ok(())
    }

    async fn fence(&self) {
        MemoryBusProcessor::fence(self).await;
        self.flush_combined().await;
        if let Some(path) = self.0.devices.get() {
            MemoryBusProcessor::sync(self).await;
            path.fence().await;
            self.catch_up();
        }
    }

    fn read(&self, at: Address, bytes: usize) -> impl Future<Output = u64> {
        self.read_uncached(at, bytes)
    }

    fn write(&self, at: Address, bytes: usize, value: u64) -> impl Future<Output = ()> {
        self.write_uncached(at, bytes, value)
    }

    #[inline]
    fn try_read(&self, at: Address, bytes: usize) -> Option<u64> {
        self.try_read_uncached(at, bytes)
    }

    #[inline]
    fn try_write(&self, at: Address, bytes: usize, value: u64) -> bool {
        self.try_write_uncached(at, bytes, value)
    }

    fn read_block(&self, at: Address) -> impl Future<Output = Block> {
        MemoryBusProcessor::read_block(self, at)
    }

    fn write_block(&self, at: Address, data: Block) -> impl Future<Output = ()> {
        MemoryBusProcessor::write_block(self, at, data)
    }

    fn load_run(&self, from: Address, into: &mut [u8]) -> impl Future<Output = ()> {
        MemoryBusProcessor::load_run(self, from, into)
    }

    fn store_run(&self, to: Address, bytes: &[u8]) -> impl Future<Output = ()> {
        MemoryBusProcessor::store_run(self, to, bytes)
    }

    fn announce_run(&self, from: Address, bytes: usize, write: bool) {
        MemoryBusProcessor::announce_run(self, from, bytes, write);
    }

    async fn copy_block(&self, from: Address, to: Address) -> u64 {
        if self.has_runs() {
            self.copy_run(from, to).await;
            MemoryBusProcessor::sync(self).await;
            return BLOCK_BYTES as u64;
        }
        for word in (0..BLOCK_BYTES as u64).step_by(8) {
            let value = MemoryBusProcessor::load(self, from + word, 8).await;
            MemoryBusProcessor::store(self, to + word, 8, value).await;
        }
        MemoryBusProcessor::sync(self).await;
        BLOCK_BYTES as u64
    }

    fn stalls(&self) -> Stalls {
        self.0.stalls.get()
    }
    fn coherent(&self) -> Option<&dyn CoherentProcessor> {
        Some(self)
    }
}
