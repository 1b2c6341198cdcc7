//! A processor as drivers and programs use it on every host.
//!
//! Its local time may run ahead of the simulation: work, cached loads and cached stores only add cycles, and the
//! simulation catches up where somebody else could see the difference. Programs therefore ask their processor for the
//! time, and wait by it. Code that shares a processor with other programs or interrupt handlers acquires it first
//! ([`AnyProcessor::acquire`](super::AnyProcessor::acquire)).

use super::block::{Address, BLOCK_BYTES, Block};
use super::coherent_processor::CoherentProcessor;
use super::cpu_arbiter::CpuArbiter;
use super::priority::ExecPriority;
use super::time_sync::{LocalClock, LocalTimeLag, SyncFuture};
use crate::engine::{Hertz, Sim, Time};

/// Time that a program spent on accesses that left the processor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stalls {
    /// Service time: on the way, and in the bus transaction.
    pub service: Time,
    /// Waiting time, for the bus or for the store buffer.
    pub waiting: Time,
}

/// An access that the tag of its block forbids. Whoever set the tag handles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Address of the access.
    pub address: Address,
    /// Whether the access was a store.
    pub stores: bool,
}

/// Why a driver's own buffers do not fault.
pub const UNTAGGED: &str = "nobody tags the memory of a driver or of a buffer it was given";

/// Why no driver that uses a bus runs on a processor without one.
const NO_BUS: &str = "a checked interface needs no bus here";

/// A processor of some kind. Clones are the same processor.
///
/// An author of a host implements it and wraps it by [`AnyProcessor::custom`](super::AnyProcessor::custom). A method
/// added here is added to the list of forwarded methods in `any_processor.rs`, too; clippy refuses one that is not.
#[allow(async_fn_in_trait)]
pub trait Processor: Clone + 'static {
    /// Returns the simulation.
    fn sim(&self) -> &Sim;

    /// Returns the frequency of its clock.
    fn clock(&self) -> Hertz;

    /// Returns its local time.
    fn now(&self) -> Time;

    /// Executes instructions for `cycles`.
    fn work(&self, cycles: u64);

    /// Begins the work that the simulation has not seen.
    fn begin_sync(&self) -> LocalTimeLag<'_>;

    /// Ends the work up to the instant that `begin_sync` gave.
    fn end_sync(&self);

    /// Waits until the simulation has reached its local time.
    fn sync(&self) -> SyncFuture<'_, Self> {
        SyncFuture::new(self)
    }

    /// Idles until `instant`, if that is later than its local time.
    async fn until(&self, instant: Time) {
        self.sync().await;
        if instant > self.sim().now() {
            self.sim().until(instant).await;
        }
    }

    /// Returns the arbiter among those who share the processor.
    fn arbiter(&self) -> &CpuArbiter;

    /// Returns the processor as code at `priority` uses it. Where priorities are not modelled, all code runs at one, in
    /// the order of requests.
    fn at(&self, _priority: ExecPriority) -> Self {
        self.clone()
    }

    /// Begins to run code at its priority.
    fn enter(&self) {}

    /// Ends running code at its priority.
    fn leave(&self) {}

    /// Returns the word at `address`, if it is known without leaving the processor.
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64>;

    /// Loads up to 8 bytes that lie in one block.
    ///
    /// # Errors
    ///
    /// Returns a fault where the tag of the block forbids the load.
    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault>;

    /// Stores a word, if that can be done without leaving the processor; returns whether it did.
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool;

    /// Stores up to 8 bytes that lie in one block.
    ///
    /// # Errors
    ///
    /// Returns a fault where the tag of the block forbids the store.
    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault>;

    /// Waits until every store is visible to others.
    async fn fence(&self) {}

    /// Reads up to 8 bytes of a device, uncached: the processor stalls. A host without a bus implements neither this
    /// method nor those that follow for devices.
    async fn read(&self, _at: Address, _bytes: usize) -> u64 {
        panic!("{NO_BUS}")
    }

    /// Writes up to 8 bytes to a device, uncached; posted, where the bus posts.
    async fn write(&self, _at: Address, _bytes: usize, _value: u64) {
        panic!("{NO_BUS}")
    }

    /// Reads consecutive registers, in bursts where the bus can.
    async fn read_run(&self, at: Address, into: &mut [u8]) {
        read_words(at, into, async |at, part| self.read(at, part).await).await;
    }

    /// Writes consecutive registers, in bursts where the bus can.
    async fn write_run(&self, at: Address, bytes: &[u8]) {
        write_words(at, bytes, async |at, part, value| self.write(at, part, value).await).await;
    }

    /// Reads 64 bytes of a device at once.
    async fn read_block(&self, _at: Address) -> Block {
        panic!("{NO_BUS}")
    }

    /// Writes 64 bytes to a device at once.
    async fn write_block(&self, _at: Address, _data: Block) {
        panic!("{NO_BUS}")
    }

    /// Copies a block within memory, as an unrolled loop does; returns the number of bytes.
    async fn copy_block(&self, from: Address, to: Address) -> u64;

    /// Returns the cycles to change between the hardware contexts of the processor; 0 if it has one.
    fn context_switch_cycles(&self) -> u64 {
        0
    }

    /// Returns the time spent on accesses that left the processor.
    fn stalls(&self) -> Stalls;

    /// Returns the processor as one whose cache snoops, if it does: itself, or one that it wraps.
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

/// Fills `into` with the bytes from `at` on, word by word.
pub(super) async fn read_words(at: Address, into: &mut [u8], read: impl AsyncFn(Address, usize) -> u64) {
    let mut moved = 0;
    while moved < into.len() {
        let from = at + moved as u64;
        let part = aligned(from, into.len() - moved);
        let value = read(from, part).await;
        into[moved..moved + part].copy_from_slice(&value.to_le_bytes()[..part]);
        moved += part;
    }
}

/// Writes `bytes` from `at` on, word by word.
pub(super) async fn write_words(at: Address, bytes: &[u8], write: impl AsyncFn(Address, usize, u64)) {
    let mut moved = 0;
    while moved < bytes.len() {
        let to = at + moved as u64;
        let part = aligned(to, bytes.len() - moved);
        let mut value = [0; 8];
        value[..part].copy_from_slice(&bytes[moved..moved + part]);
        write(to, part, u64::from_le_bytes(value)).await;
        moved += part;
    }
}

/// Returns how many of `left` bytes at `at` one access moves: up to a word of 8 bytes, and none across its boundary.
pub fn aligned(at: Address, left: usize) -> usize {
    (8 - (at % 8) as usize).min(left)
}

/// Returns whether `bytes` bytes at `at` lie in one block.
pub(super) fn is_in_block(at: Address, bytes: usize) -> bool {
    at as usize % BLOCK_BYTES + bytes <= BLOCK_BYTES
}
