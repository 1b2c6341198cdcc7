//! The processor of a memory-bus node: in order, with a local time that runs ahead of the simulation.
//!
//! The module models a program's instructions as cycles ([`MemoryBusProcessor::work`]); cached loads and stores that
//! hit, of one cycle each, with an inlined tag check; misses, uncached accesses and block accesses, which synchronize
//! with the simulation and take fixed cycles to and from the bus; and stores that wait in the store buffer, which leave
//! it in `outstanding_stores.rs`. Uncached accesses are in `uncached.rs`, runs whose misses overlap in `runs.rs`,
//! combined stores in `write_combining.rs`, and polls in `spin.rs` and `polls.rs`.
//!
//! Between two synchronizations, a processor sees its cache as it was at the first synchronization. This skew is usual
//! in simulators that run programs ahead. A processor observes other processors and interfaces only through the bus; a
//! message is therefore never read before it was written.
//!
//! The module leaves out instruction fetch, speculation and address translation.
//!
//! Parameters: [`MemoryBusProcessorParameters`]. Statistics: the times in bus transactions and waiting for them.

use super::bus::Bus;
use super::cache_agent::CacheAgent;
use super::device_path::DevicePath;
use super::parameters::MemoryBusProcessorParameters;
use super::prefetches::Prefetches;
use super::store_buffer::{BufferedStore, StoreBuffer, StoreForwarding};
use super::write_combining::WriteCombining;
use crate::engine::{Signal, Sim, Time};
use crate::host::block::Address;
use crate::host::cpu_arbiter::CpuArbiter;
use crate::host::processor::{Processor, Stalls};
use crate::host::time_sync::SyncFuture;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// The processor of a memory-bus node. Clones refer to the same processor.
#[derive(Clone)]
pub struct MemoryBusProcessor(pub(super) Rc<Core>);

pub(super) struct Core {
    pub(super) sim: Sim,
    pub(super) arbiter: CpuArbiter,
    pub(super) bus: Rc<Bus>,
    pub(super) cache: CacheAgent,
    pub(super) stores: StoreBuffer,
    pub(super) combining: WriteCombining,
    pub(super) prefetches: Prefetches,
    /// The path to devices that are not on the bus, if there are any.
    pub(super) devices: OnceCell<Rc<dyn DevicePath>>,
    pub(super) parameters: MemoryBusProcessorParameters,
    /// Period of the clock, if it is a whole number of picoseconds. A known period saves a division at each access.
    pub(super) period: Option<Time>,
    /// Local time without `cycles`.
    base_time: Cell<Time>,
    /// Cycles of local time since `base_time`.
    cycles: Cell<u64>,
    pub(super) stalls: Cell<Stalls>,
}

impl MemoryBusProcessor {
    /// Creates a processor with the cache `cache` on `bus`.
    pub fn new(
        sim: &Sim,
        name: &str,
        bus: &Rc<Bus>,
        cache: CacheAgent,
        parameters: MemoryBusProcessorParameters,
    ) -> MemoryBusProcessor {
        let processor = MemoryBusProcessor(Rc::new(Core {
            sim: sim.clone(),
            arbiter: CpuArbiter::new(sim, name),
            bus: bus.clone(),
            cache,
            stores: StoreBuffer::new(sim, name, parameters.store_buffer_entries),
            combining: WriteCombining::default(),
            prefetches: Prefetches::new(sim, name, parameters.outstanding_stores),
            devices: OnceCell::new(),
            parameters,
            period: parameters.clock.period(),
            base_time: Cell::new(sim.now()),
            cycles: Cell::new(0),
            stalls: Cell::default(),
        }));
        sim.spawn_server(format!("{name} store buffer"), processor.clone().run_store_buffer());
        processor.start_prefetches(name);
        processor
    }

    /// Sets the path to devices that are not on the bus.
    ///
    /// # Panics
    ///
    /// Panics if the processor already has a path to devices.
    pub(in crate::host) fn set_device_path(&self, path: Rc<dyn DevicePath>) {
        assert!(self.0.devices.set(path).is_ok(), "a processor has one path to devices");
    }

    /// Returns the cache.
    pub fn cache(&self) -> &CacheAgent {
        &self.0.cache
    }

    /// Returns the simulation.
    pub fn sim(&self) -> &Sim {
        &self.0.sim
    }

    /// Returns local time.
    #[inline]
    pub fn time(&self) -> Time {
        let cycles = self.0.cycles.get();
        self.0.base_time.get()
            + match self.0.period {
                Some(period) => period * cycles,
                None => self.0.parameters.clock.cycles(cycles),
            }
    }

    /// Executes instructions for `cycles` cycles of local time.
    #[inline]
    pub fn work(&self, cycles: u64) {
        self.0.cycles.set(self.0.cycles.get() + cycles);
    }

    /// Takes back `cycles` cycles of [`work`](Self::work).
    pub(super) fn take_back_work(&self, cycles: u64) {
        self.0.cycles.set(self.0.cycles.get() - cycles);
    }

    pub(super) fn set_time(&self, time: Time) {
        self.0.base_time.set(time);
        self.0.cycles.set(0);
    }

    /// Waits until the simulation has reached local time.
    pub fn sync(&self) -> SyncFuture<'_, MemoryBusProcessor> {
        Processor::sync(self)
    }

    /// Idles until `instant`, if that is later than local time.
    pub async fn idle_until(&self, instant: Time) {
        let time = self.time().max(instant);
        if time > self.0.sim.now() {
            self.0.sim.until(time).await;
        }
        self.catch_up();
    }

    /// Advances local time to simulated time, if it is behind. Another program may have run on the processor in the
    /// meantime, and may have advanced local time further.
    pub(super) fn catch_up(&self) {
        self.set_time(self.0.sim.now().max(self.time()));
    }

    /// Returns the word at `address`, if it is in the cache or in the store buffer.
    #[inline]
    pub fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        let value = self.lookup(address, bytes)?;
        self.work(self.0.parameters.hit_cycles);
        Some(value)
    }

    /// Returns the word at `address`, as [`try_load`](Self::try_load) does, without the cycles of an access.
    #[inline]
    pub(super) fn lookup(&self, address: Address, bytes: usize) -> Option<u64> {
        let stores = &self.0.stores;
        let forwarding = if stores.is_empty() { StoreForwarding::NoMatch } else { stores.forward(address, bytes) };
        match forwarding {
            StoreForwarding::Value(value) => Some(value),
            StoreForwarding::NoMatch => self.0.cache.contents().borrow_mut().load(address, bytes),
            StoreForwarding::PartialMatch => None,
        }
    }

    /// Stores a word into the cache if its block is writable and no store waits, or otherwise into the store buffer if
    /// it is not full. Returns whether the word was stored.
    #[inline]
    pub fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let is_stored = self.store_uncounted(address, bytes, value);
        if is_stored {
            self.work(self.0.parameters.hit_cycles);
        }
        is_stored
    }

    /// Stores a word, as [`try_store`](Self::try_store) does, without the cycles of an access.
    #[inline]
    pub(super) fn store_uncounted(&self, address: Address, bytes: usize, value: u64) -> bool {
        let is_in_cache = self.0.stores.is_empty() && self.0.cache.contents().borrow_mut().store(address, bytes, value);
        is_in_cache || self.buffer_store(BufferedStore { address, bytes, value, stored_at: self.time() })
    }

    /// Loads up to 8 bytes, which are in one block.
    pub async fn load(&self, address: Address, bytes: usize) -> u64 {
        loop {
            if let Some(value) = self.try_load(address, bytes) {
                return value;
            }
            match self.0.stores.forward(address, bytes) {
                StoreForwarding::PartialMatch => self.fence().await,
                StoreForwarding::NoMatch | StoreForwarding::Value(_) => self.fetch_block(address).await,
            }
        }
    }

    async fn fetch_block(&self, address: Address) {
        self.work(self.0.parameters.request_cycles);
        self.sync().await;
        let requested_at = self.0.sim.now();
        let wait_time = self.0.cache.obtain(address, false).await;
        self.finish_access(requested_at, wait_time);
    }

    /// Stores up to 8 bytes, which are in one block.
    pub async fn store(&self, address: Address, bytes: usize, value: u64) {
        if self.try_store(address, bytes, value) {
            return;
        }
        while !self.buffer_store(BufferedStore { address, bytes, value, stored_at: self.time() }) {
            self.wait_for_stores(&self.0.stores.entry_freed).await;
        }
        self.work(self.0.parameters.hit_cycles);
    }

    /// Waits for `signal` of the store buffer, unless the buffer is empty, and accounts for the stall.
    async fn wait_for_stores(&self, signal: &Signal) {
        self.sync().await;
        let start = self.0.sim.now();
        if !self.0.stores.is_empty() {
            signal.wait().await;
        }
        self.set_time(self.0.sim.now());
        let stalls = self.0.stalls.get();
        self.0.stalls.set(Stalls { waiting: stalls.waiting + (self.0.sim.now() - start), ..stalls });
    }

    /// Waits until every store has reached the cache.
    pub async fn fence(&self) {
        while !self.0.stores.is_empty() {
            self.wait_for_stores(&self.0.stores.became_empty).await;
        }
    }

    /// Overwrites bytes of `data`, which was read at `address`, with the waiting stores.
    pub fn overlay_stores(&self, address: Address, data: &mut [u8]) {
        self.0.stores.overlay(address, data);
    }

    /// Ends an access that requested the bus at `requested_at`, and waited `wait_time` for the bus. `wait_time` is
    /// `None` if the access needed no transaction.
    pub(super) fn finish_access(&self, requested_at: Time, wait_time: Option<Time>) {
        let now = self.0.sim.now();
        self.set_time(now);
        let Some(wait_time) = wait_time else { return };
        self.work(self.0.parameters.reply_cycles);
        self.add_stall(now - requested_at, wait_time);
    }

    /// Accounts for an access that took `duration` from leaving the processor to its return. For `wait_time` of this
    /// duration, the access waited for the bus.
    pub(super) fn add_stall(&self, duration: Time, wait_time: Time) {
        self.add_stalls(duration, wait_time, 1);
    }

    /// Accounts for `count` equal accesses.
    pub(super) fn add_stalls(&self, duration: Time, wait_time: Time, count: u64) {
        let parameters = &self.0.parameters;
        let path_cycles = parameters.request_cycles + parameters.reply_cycles;
        let path_time =
            self.0.period.map_or_else(|| parameters.clock.cycles(path_cycles), |period| period * path_cycles);
        let stalls = self.0.stalls.get();
        let service = stalls.service + (duration - wait_time + path_time) * count;
        self.0.stalls.set(Stalls { service, waiting: stalls.waiting + wait_time * count });
    }
}
