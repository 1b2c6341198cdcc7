//! The interface of a processor, which drivers and programs use on every host.
//!
//! A processor's local time may run ahead of the simulation: work, cached loads and cached stores only add cycles, and
//! the simulation catches up before the difference could have an effect elsewhere. Programs therefore read the time
//! from their processor, and wait with its methods. Code that shares a processor with other programs or interrupt
//! handlers acquires it first ([`AnyProcessor::acquire`](super::AnyProcessor::acquire)).

use super::block::{Address, BLOCK_BYTES, Block};
use super::coherent_processor::CoherentProcessor;
use super::cpu_arbiter::CpuArbiter;
use super::priority::ExecPriority;
use super::time_sync::{LocalClock, LocalTimeLag, SyncFuture};
use crate::engine::{Hertz, Sim, Time};

/// Time that a program spent on accesses that left the processor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stalls {
    /// Service time on the paths to and from the bus and in bus transactions.
    pub service: Time,
    /// Time waiting for the bus or for the store buffer.
    pub waiting: Time,
}

/// An access that the tag of its block forbids. The protocol that set the tag handles the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Address of the access.
    pub address: Address,
    /// Whether the access was a store.
    pub stores: bool,
}

/// The reason for which accesses to a driver's buffers do not fault.
pub const UNTAGGED: &str = "the memory of drivers and their buffers has no tags";

/// The reason for which a processor without a bus never runs a driver that uses one.
const NO_BUS_REASON: &str = "the check accepted an interface that needs a bus, which this processor lacks";

/// A processor of some kind. Clones refer to the same processor.
///
/// The author of a host implements this trait and wraps the processor with
/// [`AnyProcessor::custom`](super::AnyProcessor::custom). A method that is added here must also be added to the list of
/// forwarded methods in `any_processor.rs`, which clippy checks.
#[allow(async_fn_in_trait)]
pub trait Processor: Clone + 'static {
    /// Returns the simulation.
    fn sim(&self) -> &Sim;

    /// Returns the frequency of the processor's clock.
    fn clock(&self) -> Hertz;

    /// Returns the processor's local time.
    fn now(&self) -> Time;

    /// Executes instructions for `cycles` cycles of local time.
    fn work(&self, cycles: u64);

    /// Returns the cycles in which the processor executes `instructions` instructions of a program's computation.
    fn cycles_of(&self, instructions: u64) -> u64 {
        instructions
    }

    /// Begins to synchronize the simulation with local time. Returns the work that is left to simulate.
    fn begin_sync(&self) -> LocalTimeLag<'_>;

    /// Ends the work up to the instant that `begin_sync` returned.
    fn end_sync(&self);

    /// Waits until the simulation has reached the processor's local time.
    fn sync(&self) -> SyncFuture<'_, Self> {
        SyncFuture::new(self)
    }

    /// Idles until `instant`, if that is later than the processor's local time.
    async fn until(&self, instant: Time) {
        self.sync().await;
        if instant > self.sim().now() {
            self.sim().until(instant).await;
        }
    }

    /// Returns the arbiter among the tasks that share the processor.
    fn arbiter(&self) -> &CpuArbiter;

    /// Returns a handle to the processor for code at `priority`. If priorities are not modelled, all code runs at the
    /// same priority, in the order of requests.
    fn at(&self, _priority: ExecPriority) -> Self {
        self.clone()
    }

    /// Begins to run code at the handle's priority.
    fn enter(&self) {}

    /// Ends the running of code at the handle's priority.
    fn leave(&self) {}

    /// Loads the word at `address` if no access has to leave the processor; otherwise returns `None`.
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64>;

    /// Loads up to 8 bytes that lie in one block.
    ///
    /// # Errors
    ///
    /// Returns a fault if the tag of the block forbids the load.
    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault>;

    /// Stores a word if no access has to leave the processor. Returns whether the word was stored.
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool;

    /// Stores up to 8 bytes that lie in one block.
    ///
    /// # Errors
    ///
    /// Returns a fault if the tag of the block forbids the store.
    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault>;

    /// Loads consecutive bytes of memory, which no tag forbids.
    async fn load_run(&self, from: Address, into: &mut [u8]) {
        let load = async |at, part_bytes| match self.try_load(at, part_bytes) {
            Some(value) => value,
            None => self.load(at, part_bytes).await.expect(UNTAGGED),
        };
        read_words(from, into, load).await;
    }

    /// Stores consecutive bytes in memory, which no tag forbids.
    async fn store_run(&self, to: Address, bytes: &[u8]) {
        let store = async |at, part_bytes, value| {
            if !self.try_store(at, part_bytes, value) {
                self.store(at, part_bytes, value).await.expect(UNTAGGED);
            }
        };
        write_words(to, bytes, store).await;
    }

    /// Announces that `bytes` bytes from `from` on will be loaded or, if `write` is true, stored. A processor whose
    /// misses overlap begins to fetch their blocks.
    fn announce_run(&self, _from: Address, _bytes: usize, _write: bool) {}

    /// Waits until every earlier store is visible to others.
    async fn fence(&self) {}

    /// Reads up to 8 bytes of a device, uncached. The processor stalls. A host without a bus does not implement this
    /// method or the following methods for devices.
    async fn read(&self, _at: Address, _bytes: usize) -> u64 {
        panic!("{NO_BUS_REASON}")
    }

    /// Reads up to 8 bytes of a device as [`read`](Processor::read) does, if the simulation of the access needs no
    /// event; otherwise returns `None`.
    fn try_read(&self, _at: Address, _bytes: usize) -> Option<u64> {
        None
    }

    /// Writes up to 8 bytes to a device as [`write`](Processor::write) does, if the simulation of the access needs no
    /// event. Returns whether they were written.
    fn try_write(&self, _at: Address, _bytes: usize, _value: u64) -> bool {
        false
    }

    /// Writes up to 8 bytes to a device, uncached. The write is posted if the bus posts writes.
    async fn write(&self, _at: Address, _bytes: usize, _value: u64) {
        panic!("{NO_BUS_REASON}")
    }

    /// Reads consecutive registers, in bursts if the bus can.
    async fn read_run(&self, at: Address, into: &mut [u8]) {
        read_words(at, into, async |at, part_bytes| self.read(at, part_bytes).await).await;
    }

    /// Writes consecutive registers, in bursts if the bus can.
    async fn write_run(&self, at: Address, bytes: &[u8]) {
        write_words(at, bytes, async |at, part_bytes, value| self.write(at, part_bytes, value).await).await;
    }

    /// Reads 64 bytes of a device in one access.
    async fn read_block(&self, _at: Address) -> Block {
        panic!("{NO_BUS_REASON}")
    }

    /// Writes 64 bytes to a device in one access.
    async fn write_block(&self, _at: Address, _data: Block) {
        panic!("{NO_BUS_REASON}")
    }

    /// Copies a block within memory, as an unrolled loop does. Returns the number of bytes.
    async fn copy_block(&self, from: Address, to: Address) -> u64;

    /// Returns the cycles of a switch between the processor's hardware contexts; 0 if it has only one.
    fn context_switch_cycles(&self) -> u64 {
        0
    }

    /// Returns the time spent on accesses that left the processor.
    fn stalls(&self) -> Stalls;

    /// Returns the processor, or the one that it wraps, if its cache snoops, otherwise `None`.
    fn coherent(&self) -> Option<&dyn CoherentProcessor> {
        None
    }
}

impl<P: Processor> LocalClock for P {
    #[inline]
    fn sim(&self) -> &Sim {
        Processor::sim(self)
    }

    #[inline]
    fn begin_sync(&self) -> LocalTimeLag<'_> {
        Processor::begin_sync(self)
    }

    #[inline]
    fn end_sync(&self) {
        Processor::end_sync(self);
    }
}

/// Reads the bytes from `at` on into `into`, word by word.
pub(super) async fn read_words(at: Address, into: &mut [u8], read: impl AsyncFn(Address, usize) -> u64) {
    let mut moved_bytes = 0;
    while moved_bytes < into.len() {
        let from = at + moved_bytes as u64;
        let part_bytes = aligned_access_bytes(from, into.len() - moved_bytes);
        let value = read(from, part_bytes).await;
        into[moved_bytes..moved_bytes + part_bytes].copy_from_slice(&value.to_le_bytes()[..part_bytes]);
        moved_bytes += part_bytes;
    }
}

/// Writes `bytes` from `at` on, word by word.
pub(super) async fn write_words(at: Address, bytes: &[u8], write: impl AsyncFn(Address, usize, u64)) {
    let mut moved_bytes = 0;
    while moved_bytes < bytes.len() {
        let to = at + moved_bytes as u64;
        let part_bytes = aligned_access_bytes(to, bytes.len() - moved_bytes);
        let mut value = [0; 8];
        value[..part_bytes].copy_from_slice(&bytes[moved_bytes..moved_bytes + part_bytes]);
        write(to, part_bytes, u64::from_le_bytes(value)).await;
        moved_bytes += part_bytes;
    }
}

/// Returns the number of bytes that one access at `at` moves: at most `remaining_bytes`, and at most those up to the
/// end of the aligned word of 8 bytes.
pub fn aligned_access_bytes(at: Address, remaining_bytes: usize) -> usize {
    (8 - (at % 8) as usize).min(remaining_bytes)
}

/// Returns whether `bytes` bytes at `at` are in one block.
pub(super) fn is_in_block(at: Address, bytes: usize) -> bool {
    at as usize % BLOCK_BYTES + bytes <= BLOCK_BYTES
}
