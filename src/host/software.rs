//! A host that is known by its clock alone: its buses and its memory take no time.
//!
//! Models: a processor whose programs and messaging software take stated cycles (Callahan and
//! Goldstein 1995, Tables 1 and 2, state no more), each stretch of them ending on an edge of the
//! clock; memory with real bytes. Leaves out: where the cycles go; buses and caches. An interface
//! that needs registers, DMA or interrupts has nothing to sit on here.

use super::cpu::{Behind, Fault, Processor, Stalls};
use super::memory_bus::block::{Address, BLOCK_BYTES, read_bytes};
use super::turn::Turns;
use crate::engine::{Hertz, Sim, Time};
use crate::text::{Parameters, Table};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is known of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(before = refuse_messaging)]
pub struct SoftwareParameters {
    /// Clock of the processor.
    pub clock: Hertz,
}

/// Reports costs of messaging that stand here, where they have no effect.
fn refuse_messaging(t: &Table<'_>) {
    t.belong(&["send", "poll", "receive", "reorder", "in-order", "barrier"], "messaging", MESSAGING);
}

/// Why a host has no costs of messaging.
const MESSAGING: &str = "what messaging costs is one table, whatever the host";

/// The host.
pub struct SoftwareHost {
    /// Its processor.
    pub cpu: SoftwareProcessor,
}

/// Its processor. Clones are the same processor.
#[derive(Clone)]
pub struct SoftwareProcessor(Rc<Core>);

struct Core {
    sim: Sim,
    clock: Hertz,
    turns: Turns,
    /// Cycles that the simulation has not seen.
    pending: Cell<u64>,
    memory: RefCell<Vec<u8>>,
}

impl SoftwareHost {
    /// The host `name`.
    pub fn new(sim: &Sim, name: &str, parameters: &SoftwareParameters) -> Rc<SoftwareHost> {
        let cpu = SoftwareProcessor(Rc::new(Core {
            sim: sim.clone(),
            clock: parameters.clock,
            turns: Turns::new(sim, name),
            pending: Cell::new(0),
            memory: RefCell::default(),
        }));
        Rc::new(SoftwareHost { cpu })
    }

    /// A buffer of zeros.
    pub fn allocate(&self, bytes: usize) -> Address {
        let mut memory = self.cpu.0.memory.borrow_mut();
        let start = memory.len();
        memory.resize(start + bytes.next_multiple_of(BLOCK_BYTES), 0);
        start as Address
    }

    /// Bytes of memory.
    pub fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.cpu.0.memory.borrow()[address as usize..address as usize + bytes].to_vec()
    }

    /// Puts bytes into memory.
    pub fn poke(&self, address: Address, bytes: &[u8]) {
        self.cpu.0.memory.borrow_mut()[address as usize..address as usize + bytes.len()].copy_from_slice(bytes);
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
        match self.0.pending.get() {
            0 => self.0.sim.now(),
            cycles => self.0.clock.edge_since(self.0.sim.now(), cycles),
        }
    }

    fn work(&self, cycles: u64) {
        self.0.pending.set(self.0.pending.get() + cycles);
    }

    #[inline]
    fn begin_sync(&self) -> Behind<'_> {
        let cycles = self.0.pending.take();
        if cycles == 0 {
            return Behind::Nothing;
        }
        self.0.turns.begin_work();
        Behind::Until(self.0.clock.edge_since(self.0.sim.now(), cycles))
    }

    #[inline]
    fn end_sync(&self) {
        self.0.turns.end_work();
    }

    fn turns(&self) -> &Turns {
        &self.0.turns
    }

    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        Some(read_bytes(&self.0.memory.borrow()[address as usize..address as usize + bytes]))
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        Ok(self.try_load(address, bytes).expect("memory takes no time"))
    }

    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let place = address as usize..address as usize + bytes;
        self.0.memory.borrow_mut()[place].copy_from_slice(&value.to_le_bytes()[..bytes]);
        true
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        self.try_store(address, bytes, value);
        Ok(())
    }

    async fn copy_block(&self, _from: Address, _to: Address) -> u64 {
        panic!("a checked program copies blocks where that takes time")
    }

    fn stalls(&self) -> Stalls {
        Stalls::default()
    }
}
