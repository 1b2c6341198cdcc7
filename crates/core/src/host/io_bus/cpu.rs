//! The processor of an I/O-bus host: its work, its memory accesses, and its accesses to the interface over the bus.
//!
//! The module models work in cycles of its clock, synchronized with the simulation when an access leaves the processor;
//! programmed I/O; loads and stores of memory, through a cache (`cache.rs`) if the host has one; and handlers that
//! preempt programs (`priority.rs`). A processor without a cache has a buffer for one block. A program that reads
//! consecutive words therefore makes one memory access for each block and takes one cycle for each word. A polled word
//! is fetched again after the bus has written its block. A block is also fetched again if another block was used in
//! between.

use super::cache::SnoopedCache;
use super::memory::MainMemory;
use super::pio::Pio;
use super::processor::IoBusProcessorParameters;
use crate::engine::resource::ResourceHold;
use crate::engine::{Bytes, Hertz, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block};
use crate::host::coherent_processor::CoherentProcessor;
use crate::host::cpu_arbiter::CpuArbiter;
use crate::host::priority::{ExecPriority, PreemptiveScheduler};
use crate::host::processor::{Fault, Processor, Stalls};
use crate::host::time_sync::LocalTimeLag;
use std::cell::Cell;
use std::rc::Rc;

/// A handle to a processor for code at one priority. Clones refer to the same processor.
#[derive(Clone)]
pub struct IoBusProcessor(Rc<Core>, ExecPriority);

struct Core {
    sim: Sim,
    name: String,
    clock: Hertz,
    /// Arbiters, one for each priority.
    arbiters: [CpuArbiter; ExecPriority::COUNT],
    scheduler: PreemptiveScheduler,
    memory: Rc<MainMemory>,
    cache: Option<Rc<SnoopedCache>>,
    pio: Rc<Pio>,
    /// Cycles by which local time is ahead of the simulation, by priority.
    pending_cycles: [Cell<u64>; ExecPriority::COUNT],
    stalls: Cell<Stalls>,
}

impl IoBusProcessor {
    /// Creates the processor of the host `name`.
    pub fn new(
        sim: &Sim,
        name: &str,
        parameters: IoBusProcessorParameters,
        (memory, cache): (&Rc<MainMemory>, Option<&Rc<SnoopedCache>>),
        pio: &Rc<Pio>,
    ) -> IoBusProcessor {
        let core = Core {
            sim: sim.clone(),
            name: name.to_owned(),
            clock: parameters.clock,
            arbiters: CpuArbiter::by_priority(sim, name),
            scheduler: PreemptiveScheduler::new(sim, name),
            memory: memory.clone(),
            cache: cache.cloned(),
            pio: pio.clone(),
            pending_cycles: Default::default(),
            stalls: Cell::default(),
        };
        IoBusProcessor(Rc::new(core), ExecPriority::Program)
    }

    fn pending_cycles(&self) -> &Cell<u64> {
        &self.0.pending_cycles[self.1.index()]
    }

    /// Starts the next step of the processor, as [`PreemptiveScheduler::step`] describes.
    async fn step(&self) -> Option<ResourceHold<'_>> {
        self.0.scheduler.step(self.1).await
    }

    /// Works for a total of `time`. Code of higher priorities may run in between.
    async fn work_in_intervals(&self, time: Time) {
        let set_active =
            |is_active: bool| if is_active { self.arbiter().begin_work() } else { self.arbiter().end_work() };
        self.0.scheduler.work(self.1, time, set_active).await;
    }

    /// Accounts for an access that left the processor at `start` and is complete now.
    fn add_stall(&self, start: Time) {
        let stalls = self.0.stalls.get();
        let service = stalls.service + (self.0.sim.now() - start);
        self.0.stalls.set(Stalls { service, ..stalls });
    }

    /// Returns the processor's cache, if the host has one.
    pub fn cache(&self) -> Option<&SnoopedCache> {
        self.0.cache.as_deref()
    }

    /// Returns whether code at several priorities uses the processor.
    pub(super) fn is_preemptible(&self) -> bool {
        self.0.scheduler.uses_higher_priorities()
    }

    /// Returns whether the block of `address` is in the cache, or in the processor's buffer if there is no cache.
    fn has_block(&self, address: Address) -> bool {
        match &self.0.cache {
            Some(cache) => cache.holds(address),
            None => self.0.memory.is_buffered(address),
        }
    }

    /// Fetches the block of `address`.
    async fn fetch(&self, address: Address) {
        self.sync().await;
        let _step = self.step().await;
        let start = self.0.sim.now();
        match &self.0.cache {
            Some(cache) => cache.fetch(address).await,
            None => self.0.memory.fetch(address).await,
        }
        self.add_stall(start);
    }

    /// Copies a block within the cache.
    async fn copy_in_cache(&self, cache: &SnoopedCache, from: Address, to: Address) -> u64 {
        self.sync().await;
        let _step = self.step().await;
        cache.copy_block(from, to).await;
        let copy_time = self.0.memory.copy_time(Bytes(BLOCK_BYTES as u64));
        self.0.sim.delay(copy_time).await;
        let now = self.0.sim.now();
        self.arbiter().record_active(now.since(copy_time), now);
        BLOCK_BYTES as u64
    }
}

impl Processor for IoBusProcessor {
    fn sim(&self) -> &Sim {
        &self.0.sim
    }

    fn clock(&self) -> Hertz {
        self.0.clock
    }

    fn now(&self) -> Time {
        self.0.sim.now() + self.0.clock.cycles(self.pending_cycles().get())
    }

    fn work(&self, cycles: u64) {
        self.pending_cycles().set(self.pending_cycles().get() + cycles);
    }

    #[inline]
    fn begin_sync(&self) -> LocalTimeLag<'_> {
        let cycles = self.pending_cycles().take();
        if cycles == 0 {
            return LocalTimeLag::Nothing;
        }
        let time = self.0.clock.cycles(cycles);
        if self.0.scheduler.uses_higher_priorities() {
            return LocalTimeLag::Intervals(Box::pin(self.work_in_intervals(time)));
        }
        self.arbiter().begin_work();
        LocalTimeLag::Until(self.0.sim.now() + time)
    }

    #[inline]
    fn end_sync(&self) {
        self.arbiter().end_work();
    }

    fn arbiter(&self) -> &CpuArbiter {
        &self.0.arbiters[self.1.index()]
    }

    fn at(&self, priority: ExecPriority) -> IoBusProcessor {
        self.0.scheduler.register_priority(priority);
        self.0.arbiters[priority.index()].record_spans_of(&self.0.name, priority);
        IoBusProcessor(self.0.clone(), priority)
    }

    #[inline]
    fn enter(&self) {
        self.0.scheduler.enter(self.1);
    }

    #[inline]
    fn leave(&self) {
        self.0.scheduler.leave(self.1);
    }

    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        if let Some(cache) = &self.0.cache {
            let value = cache.load(address, bytes)?;
            self.work(cache.parameters().hit_cycles);
            return Some(value);
        }
        if !self.0.memory.is_buffered(address) {
            return None;
        }
        self.work(1);
        let mut word = [0; 8];
        self.0.memory.read(address, &mut word[..bytes]);
        Some(u64::from_le_bytes(word))
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        if !self.has_block(address) {
            self.fetch(address).await;
        }
        Ok(self.try_load(address, bytes).expect("the block is in the processor's buffer"))
    }

    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        if let Some(cache) = &self.0.cache {
            let is_stored = cache.store(address, bytes, value);
            self.work(if is_stored { cache.parameters().hit_cycles } else { 0 });
            return is_stored;
        }
        let is_buffered = self.0.memory.is_buffered(address);
        if is_buffered {
            self.work(1);
            self.0.memory.write(address, &value.to_le_bytes()[..bytes]);
        }
        is_buffered
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        if !self.has_block(address) {
            self.fetch(address).await;
        }
        let is_stored = self.try_store(address, bytes, value);
        assert!(is_stored, "the block is in the processor's buffer");
        Ok(())
    }

    async fn fence(&self) {}

    async fn read(&self, at: Address, bytes: usize) -> u64 {
        let mut word = [0; 8];
        self.read_run(at, &mut word[..bytes]).await;
        u64::from_le_bytes(word)
    }

    async fn write(&self, at: Address, bytes: usize, value: u64) {
        self.write_run(at, &value.to_le_bytes()[..bytes]).await;
    }

    async fn read_run(&self, at: Address, into: &mut [u8]) {
        self.sync().await;
        let _step = self.step().await;
        let start = self.0.sim.now();
        self.0.pio.read(at, into).await;
        self.add_stall(start);
    }

    async fn write_run(&self, at: Address, bytes: &[u8]) {
        self.sync().await;
        let _step = self.step().await;
        let start = self.0.sim.now();
        self.0.pio.write(at, bytes).await;
        self.add_stall(start);
    }

    async fn read_block(&self, at: Address) -> Block {
        let mut block = Block::ZERO;
        self.read_run(at, &mut block.0).await;
        block
    }

    async fn write_block(&self, at: Address, data: Block) {
        self.write_run(at, &data.0).await;
    }

    async fn copy_block(&self, from: Address, to: Address) -> u64 {
        if let Some(cache) = &self.0.cache {
            return self.copy_in_cache(cache, from, to).await;
        }
        let _step = self.step().await;
        let bytes = self.0.memory.copy_block().await;
        let now = self.0.sim.now();
        self.arbiter().record_active(now.since(self.0.memory.copy_time(bytes)), now);
        bytes.get()
    }

    fn stalls(&self) -> Stalls {
        self.0.stalls.get()
    }

    fn coherent(&self) -> Option<&dyn CoherentProcessor> {
        self.0.cache.as_ref().map(|_| self as &dyn CoherentProcessor)
    }
}
