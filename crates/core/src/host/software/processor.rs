//! A core of a software host, and the memory of the host, which takes no time.

use super::SoftwareParameters;
use crate::engine::{Hertz, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, read_bytes};
use crate::host::cpu_arbiter::CpuArbiter;
use crate::host::processor::{Fault, Processor, Stalls};
use crate::host::time_sync::LocalTimeLag;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The memory of a host.
#[derive(Default)]
pub struct SoftwareMemory(RefCell<Vec<u8>>);

/// A core, with the memory of its host. Clones refer to the same core.
#[derive(Clone)]
pub struct SoftwareProcessor(Rc<Core>);

struct Core {
    sim: Sim,
    clock: Hertz,
    arbiter: CpuArbiter,
    /// Cycles by which local time is ahead of the simulation.
    pending_cycles: Cell<u64>,
    memory: Rc<SoftwareMemory>,
}

impl SoftwareProcessor {
    /// Creates the core `name`, with the memory of its host.
    pub fn new(
        sim: &Sim,
        name: &str,
        parameters: SoftwareParameters,
        memory: &Rc<SoftwareMemory>,
    ) -> SoftwareProcessor {
        SoftwareProcessor(Rc::new(Core {
            sim: sim.clone(),
            clock: parameters.clock,
            arbiter: CpuArbiter::new(sim, name),
            pending_cycles: Cell::new(0),
            memory: memory.clone(),
        }))
    }
}

impl SoftwareMemory {
    /// Allocates a buffer of zeros.
    pub fn allocate(&self, bytes: usize) -> Address {
        let mut memory = self.0.borrow_mut();
        let start = memory.len();
        memory.resize(start + bytes.next_multiple_of(BLOCK_BYTES), 0);
        start as Address
    }

    /// Returns bytes of memory.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.0.borrow()[address as usize..address as usize + bytes].to_vec()
    }

    /// Writes bytes into memory.
    pub fn write_untimed(&self, address: Address, bytes: &[u8]) {
        self.0.borrow_mut()[address as usize..address as usize + bytes.len()].copy_from_slice(bytes);
    }
}

impl Processor for SoftwareProcessor {
    fn sim(&self) -> &Sim {
        &self.0.sim
    }

    fn clock(&self) -> Hertz {
        self.0.clock
    }

    fn now(&self) -> Time {
        match self.0.pending_cycles.get() {
            0 => self.0.sim.now(),
            cycles => self.0.clock.edge_since(self.0.sim.now(), cycles),
        }
    }

    fn work(&self, cycles: u64) {
        self.0.pending_cycles.set(self.0.pending_cycles.get() + cycles);
    }

    #[inline]
    fn begin_sync(&self) -> LocalTimeLag<'_> {
        let cycles = self.0.pending_cycles.take();
        if cycles == 0 {
            return LocalTimeLag::Nothing;
        }
        self.0.arbiter.begin_work();
        LocalTimeLag::Until(self.0.clock.edge_since(self.0.sim.now(), cycles))
    }

    #[inline]
    fn end_sync(&self) {
        self.0.arbiter.end_work();
    }

    fn arbiter(&self) -> &CpuArbiter {
        &self.0.arbiter
    }

    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        Some(read_bytes(&self.0.memory.0.borrow()[address as usize..address as usize + bytes]))
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        Ok(self.try_load(address, bytes).expect("memory takes no time"))
    }

    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let range = address as usize..address as usize + bytes;
        self.0.memory.0.borrow_mut()[range].copy_from_slice(&value.to_le_bytes()[..bytes]);
        true
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        self.try_store(address, bytes, value);
        Ok(())
    }

    async fn copy_block(&self, _from: Address, _to: Address) -> u64 {
        panic!("a checked program copies blocks only on hosts whose memory takes time")
    }

    fn stalls(&self) -> Stalls {
        Stalls::default()
    }
}
