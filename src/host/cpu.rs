//! The processor, as drivers and programs meet it on every host.
//!
//! Its clock may run ahead of the simulation: what it does by itself (`work`, cached loads and
//! stores) is added up, and the simulation is met where another could see it. So programs ask their
//! processor for the time, and wait by it. Whoever runs on a processor that several programs or
//! interrupt handlers share holds it ([`AnyProcessor::hold`]) meanwhile.

pub use super::catch_up::{Behind, CatchUp};

use super::level::Level;
use super::memory_bus::block::{Address, BLOCK_BYTES, Block};
use super::turn::{Hold, Turns};
use super::{alewife, io_bus, memory_bus, software};
use crate::engine::{Hertz, Sim, Time};

/// Time a program spent on accesses that left the processor.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stalls {
    /// On the way, and in the bus transaction.
    pub service: Time,
    /// Waiting for the bus, or for the store buffer.
    pub waiting: Time,
}

/// An access that the tag of its block forbids. Whoever set the tag knows what to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What was accessed.
    pub address: Address,
    /// Whether it was a store.
    pub stores: bool,
}

/// Why a driver's own buffers do not fault.
pub const UNTAGGED: &str = "nobody tags the memory of a driver or of a buffer it was given";

/// Why no driver is here that uses a bus.
const NO_BUS: &str = "a checked interface needs no bus here";

/// What driver code and programs run on.
#[allow(async_fn_in_trait)]
pub trait Processor {
    /// The simulation it lives in.
    fn sim(&self) -> &Sim;

    /// Its clock.
    fn clock(&self) -> Hertz;

    /// The time by its clock.
    fn now(&self) -> Time;

    /// Executes instructions that take so many cycles.
    fn work(&self, cycles: u64);

    /// Its own work begins that the simulation has not seen.
    fn begin_sync(&self) -> Behind<'_>;

    /// Its work up to an instant is over.
    fn end_sync(&self);

    /// Lets the simulation catch up with it.
    fn sync(&self) -> CatchUp<'_, Self>
    where
        Self: Sized,
    {
        CatchUp::new(self)
    }

    /// Does nothing until `instant`, if that is later.
    async fn until(&self, instant: Time)
    where
        Self: Sized,
    {
        self.sync().await;
        if instant > self.sim().now() {
            self.sim().until(instant).await;
        }
    }

    /// Whose turn it is on it.
    fn turns(&self) -> &Turns;

    /// The word at `address`, if that is known without leaving the processor.
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64>;

    /// Loads up to 8 bytes that lie in one block.
    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault>;

    /// Stores, if that can be done without leaving the processor.
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool;

    /// Stores up to 8 bytes that lie in one block.
    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault>;

    /// Waits until every store is where others find it.
    async fn fence(&self) {}

    /// Reads up to 8 bytes of a device, uncached: it stalls. A host without a bus leaves this out, and what follows.
    async fn read(&self, _at: Address, _bytes: usize) -> u64 {
        panic!("{NO_BUS}")
    }

    /// Writes up to 8 bytes to a device, uncached; posted, where the bus posts.
    async fn write(&self, _at: Address, _bytes: usize, _value: u64) {
        panic!("{NO_BUS}")
    }

    /// Reads consecutive registers, in bursts where the bus can.
    async fn read_run(&self, at: Address, into: &mut [u8]) {
        into_words(at, into, async |at, part| self.read(at, part).await).await;
    }

    /// Writes consecutive registers, in bursts where the bus can.
    async fn write_run(&self, at: Address, bytes: &[u8]) {
        of_words(at, bytes, async |at, part, value| self.write(at, part, value).await).await;
    }

    /// Reads 64 bytes of a device at once.
    async fn read_block(&self, _at: Address) -> Block {
        panic!("{NO_BUS}")
    }

    /// Writes 64 bytes to a device at once.
    async fn write_block(&self, _at: Address, _data: Block) {
        panic!("{NO_BUS}")
    }

    /// Copies a block within memory, as an unrolled loop does; how many bytes.
    async fn copy_block(&self, from: Address, to: Address) -> u64;

    /// Time spent on accesses that left the processor.
    fn stalls(&self) -> Stalls;
}

/// Fills `into` with the bytes from `at` on, word by word.
async fn into_words(at: Address, into: &mut [u8], read: impl AsyncFn(Address, usize) -> u64) {
    let mut moved = 0;
    while moved < into.len() {
        let from = at + moved as u64;
        let part = aligned(from, into.len() - moved);
        let value = read(from, part).await;
        into[moved..moved + part].copy_from_slice(&value.to_le_bytes()[..part]);
        moved += part;
    }
}

/// Has `bytes` written from `at` on, word by word.
async fn of_words(at: Address, bytes: &[u8], write: impl AsyncFn(Address, usize, u64)) {
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

/// How much of `left` bytes at `at` goes at once: up to a word of 8 bytes, none of it across a boundary.
pub fn aligned(at: Address, left: usize) -> usize {
    (8 - (at % 8) as usize).min(left)
}

fn is_in_block(at: Address, bytes: usize) -> bool {
    at as usize % BLOCK_BYTES + bytes <= BLOCK_BYTES
}

/// A processor of any host. Clones are the same processor.
#[derive(Clone)]
pub enum AnyProcessor {
    /// Behind an I/O bus.
    IoBus(io_bus::IoBusProcessor),
    /// On a coherent memory bus.
    MemoryBus(memory_bus::MemoryBusProcessor),
    /// Of an Alewife node.
    Alewife(alewife::AlewifeProcessor),
    /// Known by what its software costs.
    Software(software::SoftwareProcessor),
}

/// Evaluates an expression for the processor that there is.
macro_rules! on_cpu {
    ($cpu:expr, $name:ident => $call:expr) => {
        match $cpu {
            AnyProcessor::IoBus($name) => $call,
            AnyProcessor::MemoryBus($name) => $call,
            AnyProcessor::Alewife($name) => $call,
            AnyProcessor::Software($name) => $call,
        }
    };
}

impl Processor for AnyProcessor {
    #[inline]
    fn sim(&self) -> &Sim {
        on_cpu!(self, cpu => Processor::sim(cpu))
    }
    #[inline]
    fn clock(&self) -> Hertz {
        on_cpu!(self, cpu => Processor::clock(cpu))
    }
    #[inline]
    fn now(&self) -> Time {
        on_cpu!(self, cpu => Processor::now(cpu))
    }
    #[inline]
    fn work(&self, cycles: u64) {
        on_cpu!(self, cpu => Processor::work(cpu, cycles))
    }
    #[inline]
    fn begin_sync(&self) -> Behind<'_> {
        on_cpu!(self, cpu => Processor::begin_sync(cpu))
    }
    #[inline]
    fn end_sync(&self) {
        on_cpu!(self, cpu => Processor::end_sync(cpu))
    }
    async fn until(&self, instant: Time) {
        on_cpu!(self, cpu => Processor::until(cpu, instant).await)
    }
    #[inline]
    fn turns(&self) -> &Turns {
        on_cpu!(self, cpu => Processor::turns(cpu))
    }
    #[inline]
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        on_cpu!(self, cpu => Processor::try_load(cpu, address, bytes))
    }
    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        on_cpu!(self, cpu => Processor::load(cpu, address, bytes).await)
    }
    #[inline]
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        on_cpu!(self, cpu => Processor::try_store(cpu, address, bytes, value))
    }
    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        on_cpu!(self, cpu => Processor::store(cpu, address, bytes, value).await)
    }
    async fn fence(&self) {
        on_cpu!(self, cpu => Processor::fence(cpu).await)
    }
    async fn read(&self, at: Address, bytes: usize) -> u64 {
        on_cpu!(self, cpu => Processor::read(cpu, at, bytes).await)
    }
    async fn write(&self, at: Address, bytes: usize, value: u64) {
        on_cpu!(self, cpu => Processor::write(cpu, at, bytes, value).await)
    }
    async fn read_run(&self, at: Address, into: &mut [u8]) {
        on_cpu!(self, cpu => Processor::read_run(cpu, at, into).await)
    }
    async fn write_run(&self, at: Address, bytes: &[u8]) {
        on_cpu!(self, cpu => Processor::write_run(cpu, at, bytes).await)
    }
    async fn read_block(&self, at: Address) -> Block {
        on_cpu!(self, cpu => Processor::read_block(cpu, at).await)
    }
    async fn write_block(&self, at: Address, data: Block) {
        on_cpu!(self, cpu => Processor::write_block(cpu, at, data).await)
    }
    async fn copy_block(&self, from: Address, to: Address) -> u64 {
        on_cpu!(self, cpu => Processor::copy_block(cpu, from, to).await)
    }
    fn stalls(&self) -> Stalls {
        on_cpu!(self, cpu => Processor::stalls(cpu))
    }
}

impl AnyProcessor {
    /// The processor as whoever runs at `level` has it. Where levels are not modelled, all run at one,
    /// in the order of asking.
    pub fn at(&self, level: Level) -> AnyProcessor {
        match self {
            AnyProcessor::IoBus(cpu) => AnyProcessor::IoBus(cpu.at(level)),
            AnyProcessor::MemoryBus(_) | AnyProcessor::Alewife(_) | AnyProcessor::Software(_) => self.clone(),
        }
    }

    /// Somebody runs on it from now on.
    pub(super) fn enter(&self) {
        if let AnyProcessor::IoBus(cpu) = self {
            cpu.enter();
        }
    }

    /// Whoever ran on it runs no more.
    pub(super) fn leave(&self) {
        if let AnyProcessor::IoBus(cpu) = self {
            cpu.leave();
        }
    }

    /// Takes the processor, which programs and interrupt handlers share, for `what`, until the turn is
    /// dropped.
    pub fn hold(&self, what: &'static str) -> Hold<'_> {
        Hold::new(self, what)
    }

    /// Whether nobody has it, and the simulation has seen all that it did: who takes it has it at once, and
    /// at this instant.
    pub fn is_at_rest(&self) -> bool {
        self.turns().is_free() && self.now() <= self.sim().now()
    }

    /// Loads a word of a driver's, or of a buffer that it was given.
    #[inline]
    pub async fn load_word(&self, address: Address, bytes: usize) -> u64 {
        debug_assert!(is_in_block(address, bytes), "an access lies in one block");
        match self.try_load(address, bytes) {
            Some(value) => value,
            None => self.load(address, bytes).await.expect(UNTAGGED),
        }
    }

    /// Stores a word of a driver's, or of a buffer that it was given.
    #[inline]
    pub async fn store_word(&self, address: Address, bytes: usize, value: u64) {
        debug_assert!(is_in_block(address, bytes), "an access lies in one block");
        if !self.try_store(address, bytes, value) {
            self.store(address, bytes, value).await.expect(UNTAGGED);
        }
    }

    /// Loads consecutive bytes of memory.
    pub async fn load_run(&self, from: Address, into: &mut [u8]) {
        into_words(from, into, async |at, part| self.load_word(at, part).await).await;
    }

    /// Stores consecutive bytes in memory.
    pub async fn store_run(&self, to: Address, bytes: &[u8]) {
        of_words(to, bytes, async |at, part, value| self.store_word(at, part, value).await).await;
    }

    /// The processor, if its cache snoops.
    pub fn coherent(&self) -> Option<&memory_bus::MemoryBusProcessor> {
        match self {
            AnyProcessor::MemoryBus(processor) => Some(processor),
            AnyProcessor::IoBus(_) | AnyProcessor::Alewife(_) | AnyProcessor::Software(_) => None,
        }
    }

    /// The processor, if the interface serves its cache's misses.
    #[inline]
    pub fn alewife(&self) -> Option<&alewife::AlewifeProcessor> {
        match self {
            AnyProcessor::Alewife(processor) => Some(processor),
            _ => None,
        }
    }
}
