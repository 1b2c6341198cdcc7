//! Accesses of drivers to the words of their memory and buffers, on a processor of any kind.

use super::any_processor::AnyProcessor;
use super::block::Address;
use super::processor::{Processor, UNTAGGED, is_in_block};

impl AnyProcessor {
    /// Returns whether no task holds the processor and the simulation has reached its local time. A task that acquires
    /// the processor then gets it without waiting, at the current time.
    pub fn is_idle(&self) -> bool {
        Processor::arbiter(self).is_free() && Processor::now(self) <= Processor::sim(self).now()
    }

    /// Loads a word of a driver's memory, or of a buffer that was passed to the driver.
    #[inline]
    pub async fn load_word(&self, address: Address, bytes: usize) -> u64 {
        debug_assert!(is_in_block(address, bytes), "an access lies in one block");
        match Processor::try_load(self, address, bytes) {
            Some(value) => value,
            None => Processor::load(self, address, bytes).await.expect(UNTAGGED),
        }
    }

    /// Stores a word of a driver's memory, or of a buffer that was passed to the driver.
    #[inline]
    pub async fn store_word(&self, address: Address, bytes: usize, value: u64) {
        debug_assert!(is_in_block(address, bytes), "an access lies in one block");
        if !Processor::try_store(self, address, bytes, value) {
            Processor::store(self, address, bytes, value).await.expect(UNTAGGED);
        }
    }

    /// Loads consecutive bytes of memory.
    pub fn load_run(&self, from: Address, into: &mut [u8]) -> impl Future<Output = ()> {
        Processor::load_run(self, from, into)
    }

    /// Stores consecutive bytes in memory.
    pub fn store_run(&self, to: Address, bytes: &[u8]) -> impl Future<Output = ()> {
        Processor::store_run(self, to, bytes)
    }
}
