//! The processor: in order, its local time ahead of the engine.
//!
//! Models: a program's instructions as cycles; loads and stores that hit for their cycles; misses that meet the
//! engine at the processor's local time, and find their block in the node's own memory; what software traps and
//! interrupts take of its time ([`AlewifeProcessor::steal`]). What needs another node is a [`Fault`]: whoever
//! shares memory asks for the block, and comes again.
//!
//! Between two meetings with the engine a processor sees its cache as it was at the first. A copy that is taken
//! away meanwhile was used before that; since each access has its block, and stores go into it, what others see is
//! still one order of all accesses.

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

/// A processor. Clones are the same processor.
#[derive(Clone)]
pub struct AlewifeProcessor(Rc<Core>);

struct Core {
    sim: Sim,
    arbiter: CpuArbiter,
    parameters: AlewifeParameters,
    memory: Rc<LineMemory>,
    base: Cell<Time>,
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
            base: Cell::new(sim.now()),
            cycles: Cell::new(0),
            stalls: Cell::default(),
        }))
    }

    /// The simulation it lives in.
    pub fn sim(&self) -> &Sim {
        &self.0.sim
    }

    /// Its parameters.
    pub fn parameters(&self) -> &AlewifeParameters {
        &self.0.parameters
    }

    fn time(&self) -> Time {
        self.0.base.get() + self.0.parameters.clock.cycles(self.0.cycles.get())
    }

    fn set_time(&self, time: Time) {
        self.0.base.set(time);
        self.0.cycles.set(0);
    }

    fn catch_up(&self) {
        self.set_time(self.0.sim.now().max(self.time()));
    }

    /// Software that nobody called takes so many cycles of whatever runs, or would: a trap, an interrupt.
    pub fn steal(&self, cycles: u64) {
        self.catch_up();
        let begins = self.time();
        Processor::work(self, cycles);
        self.0.arbiter.record_active(begins, self.time());
    }

    /// Whether the block of `address` is in the cache, and may be loaded, or stored to; of this node's memory,
    /// whether a miss may fetch it.
    #[inline]
    pub fn may(&self, address: Address, stores: bool) -> bool {
        let memory = &self.0.memory;
        memory.cache.borrow().has(address, stores) || address < REMOTE && memory.allows(address, stores)
    }

    /// An access misses: it goes to memory, unless the block is elsewhere.
    async fn miss(&self, address: Address, stores: bool) -> Result<(), Fault> {
        let (core, fault) = (&self.0, Fault { address, stores });
        if home_of(address).0.is_some() || !core.memory.allows(address, stores) {
            return Err(fault);
        }
        let p = &core.parameters;
        // What follows is an access that hits.
        let cycles = p.miss.saturating_sub(if stores { p.store } else { p.load });
        Processor::work(self, cycles);
        let stalls = core.stalls.get();
        core.stalls.set(Stalls { service: stalls.service + p.clock.cycles(cycles), ..stalls });
        Processor::sync(self).await;
        // Others may have taken it meanwhile.
        if !core.memory.allows(address, stores) {
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
        self.work(self.0.parameters.load);
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
        let stored = self.0.memory.cache.borrow_mut().store(address, bytes, value);
        if stored {
            self.work(self.0.parameters.store);
        }
        stored
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
        self.0.parameters.switch
    }

    fn stalls(&self) -> Stalls {
        self.0.stalls.get()
    }
}
