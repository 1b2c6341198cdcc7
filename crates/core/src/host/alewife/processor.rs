//! The processor of an Alewife node: in order, with a local time that runs ahead of the simulation.
//!
//! The module models a program's instructions as cycles; loads and stores that hit, with their cycles; misses, which
//! synchronize with the simulation and fetch their block from the node's memory; and the cycles of software traps and
//! interrupts ([`AlewifeProcessor::steal`]). An access that needs another node is a [`Fault`]: the shared-memory layer
//! requests the block and repeats the access.
//!
//! Between two synchronizations, a processor sees its cache as it was at the first synchronization. If a copy is
//! invalidated in between, accesses to the copy count as earlier than the invalidation. Because an access needs the
//! block in the cache, and a store changes the block itself, other nodes still observe one order of all accesses.

use super::memory::LineMemory;
use super::parameters::AlewifeParameters;
use super::{REMOTE, home_of};
use crate::engine::{Hertz, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES};
use crate::host::cpu_arbiter::CpuArbiter;
use crate::host::processor::{Fault, Processor, Stalls, UNTAGGED};
use crate::host::time_sync::LocalTimeLag;
use std::cell::Cell;
use std::rc::Rc;

/// The processor of an Alewife node. Clones refer to the same processor.
#[derive(Clone)]
pub struct AlewifeProcessor(Rc<Core>);

struct Core {
    sim: Sim,
    arbiter: CpuArbiter,
    parameters: AlewifeParameters,
    memory: Rc<LineMemory>,
    /// Local time without `cycles`.
    base_time: Cell<Time>,
    /// Cycles of local time since `base_time`.
    cycles: Cell<u64>,
    stalls: Cell<Stalls>,
}

impl AlewifeProcessor {
    pub(super) fn new(
        sim: &Sim,
        name: &str,
        parameters: &AlewifeParameters,
        memory: &Rc<LineMemory>,
    ) -> AlewifeProcessor {
        AlewifeProcessor(Rc::new(Core {
            sim: sim.clone(),
            arbiter: CpuArbiter::new(sim, name),
            parameters: *parameters,
            memory: memory.clone(),
            base_time: Cell::new(sim.now()),
            cycles: Cell::new(0),
            stalls: Cell::default(),
        }))
    }

    /// Returns the simulation.
    pub fn sim(&self) -> &Sim {
        &self.0.sim
    }

    /// Returns the parameters of the node.
    pub fn parameters(&self) -> &AlewifeParameters {
        &self.0.parameters
    }

    fn time(&self) -> Time {
        self.0.base_time.get() + self.0.parameters.clock.cycles(self.0.cycles.get())
    }

    fn set_time(&self, time: Time) {
        self.0.base_time.set(time);
        self.0.cycles.set(0);
    }

    fn catch_up(&self) {
        self.set_time(self.0.sim.now().max(self.time()));
    }

    /// Takes `cycles` of the processor's time for software that no program called, such as a trap or an interrupt
    /// handler.
    pub fn steal(&self, cycles: u64) {
        self.catch_up();
        let start = self.time();
        Processor::work(self, cycles);
        self.0.arbiter.record_active(start, self.time());
    }

    /// Returns whether the block of `address` is in the cache and may be loaded or, if `is_store` is true, stored to.
    /// For a block of this node's memory, returns whether a miss may fetch it.
    #[inline]
    pub fn may_access(&self, address: Address, is_store: bool) -> bool {
        let memory = &self.0.memory;
        memory.cache.borrow().permits(address, is_store) || address < REMOTE && memory.allows(address, is_store)
    }

    /// Handles a miss: fetches the block from this node's memory.
    ///
    /// # Errors
    ///
    /// Returns a fault if the block belongs to another node's memory, or if the coherence controller does not allow the
    /// access.
    async fn miss(&self, address: Address, is_store: bool) -> Result<(), Fault> {
        let (core, fault) = (&self.0, Fault { address, stores: is_store });
        if home_of(address).0.is_some() || !core.memory.allows(address, is_store) {
            return Err(fault);
        }
        let parameters = &core.parameters;
        // The access is then repeated as a hit, whose cycles are subtracted here.
        let hit_cycles = if is_store { parameters.store_cycles } else { parameters.load_cycles };
        let cycles = parameters.miss_cycles.saturating_sub(hit_cycles);
        Processor::work(self, cycles);
        let stalls = core.stalls.get();
        core.stalls.set(Stalls { service: stalls.service + parameters.clock.cycles(cycles), ..stalls });
        Processor::sync(self).await;
        // Another node may have taken the block in the meantime.
        if !core.memory.allows(address, is_store) {
            return Err(fault);
        }
        core.memory.fetch(address, core.memory.allows(address, true));
        Ok(())
    }
}

impl Processor for AlewifeProcessor {
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
        self.0.cycles.set(self.0.cycles.get() + cycles);
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

    async fn until(&self, instant: Time) {
        let time = self.time().max(instant);
        if time > self.0.sim.now() {
            self.0.sim.until(time).await;
        }
        self.catch_up();
    }

    fn arbiter(&self) -> &CpuArbiter {
        &self.0.arbiter
    }

    #[inline]
    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        let value = self.0.memory.cache.borrow().load(address, bytes)?;
        self.work(self.0.parameters.load_cycles);
        Some(value)
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        loop {
            if let Some(value) = self.try_load(address, bytes) {
                return Ok(value);
            }
            self.miss(address, false).await?;
        }
    }

    #[inline]
    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let is_stored = self.0.memory.cache.borrow_mut().store(address, bytes, value);
        if is_stored {
            self.work(self.0.parameters.store_cycles);
        }
        is_stored
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        while !self.try_store(address, bytes, value) {
            self.miss(address, true).await?;
        }
        Ok(())
    }

    async fn copy_block(&self, from: Address, to: Address) -> u64 {
        for word in (0..BLOCK_BYTES as u64).step_by(8) {
            let value = Processor::load(self, from + word, 8).await.expect(UNTAGGED);
            Processor::store(self, to + word, 8, value).await.expect(UNTAGGED);
        }
        Processor::sync(self).await;
        BLOCK_BYTES as u64
    }

    fn context_switch_cycles(&self) -> u64 {
        self.0.parameters.switch_cycles
    }

    fn stalls(&self) -> Stalls {
        self.0.stalls.get()
    }
}
