//! The processor as drivers meet it: its own work, its memory, and the interface across the bus.
//!
//! Models: work in cycles of its clock, met by the simulation when something leaves the processor;
//! programmed I/O; loads and stores of memory through one block beside the processor, so that a run
//! over a buffer takes an access of memory for each block and a cycle for each word, and what is looked at
//! again and again is fetched when the bus has written it; handlers that pre-empt programs (`level.rs`).
//! Leaves out a cache: what is used again after something else is fetched again.

use super::memory::MainMemory;
use super::pio::Pio;
use super::processor::IoBusProcessorParameters;
use crate::engine::resource::Held;
use crate::engine::{Hertz, Sim, Time};
use crate::host::cpu::{Behind, Fault, Processor, Stalls};
use crate::host::level::{Level, Levels};
use crate::host::memory_bus::block::{Address, Block};
use crate::host::turn::Turns;
use std::cell::Cell;
use std::rc::Rc;

/// A processor, as those have it who run at a level. Clones are the same processor.
#[derive(Clone)]
pub struct IoBusProcessor(Rc<Core>, Level);

struct Core {
    sim: Sim,
    name: String,
    clock: Hertz,
    /// By level.
    turns: [Turns; Level::COUNT],
    levels: Levels,
    memory: Rc<MainMemory>,
    pio: Rc<Pio>,
    /// Cycles that the simulation has not seen, by level.
    pending: [Cell<u64>; Level::COUNT],
    stalls: Cell<Stalls>,
}

impl IoBusProcessor {
    /// The idle processor of the host `name`.
    pub fn new(
        sim: &Sim,
        name: &str,
        parameters: IoBusProcessorParameters,
        memory: &Rc<MainMemory>,
        pio: &Rc<Pio>,
    ) -> IoBusProcessor {
        let core = Core {
            sim: sim.clone(),
            name: name.to_owned(),
            clock: parameters.clock,
            turns: Turns::by_level(sim, name),
            levels: Levels::new(sim, name),
            memory: memory.clone(),
            pio: pio.clone(),
            pending: Default::default(),
            stalls: Cell::default(),
        };
        IoBusProcessor(Rc::new(core), Level::Program)
    }

    /// It, as those have it who run at `level`.
    pub fn at(&self, level: Level) -> IoBusProcessor {
        self.0.levels.use_at(level);
        self.0.turns[level.index()].show(&self.0.name, level);
        IoBusProcessor(self.0.clone(), level)
    }

    /// Somebody runs at its level from now on.
    pub(in crate::host) fn enter(&self) {
        self.0.levels.enter(self.1);
    }

    /// Nobody does any more.
    pub(in crate::host) fn leave(&self) {
        self.0.levels.leave(self.1);
    }

    fn pending(&self) -> &Cell<u64> {
        &self.0.pending[self.1.index()]
    }

    /// Takes the processor's next step, where somebody else may.
    async fn step(&self) -> Option<Held<'_>> {
        self.0.levels.step(self.1).await
    }

    /// Works for `time`, broken off by who is above it.
    async fn work_in_stretches(&self, time: Time) {
        let works = |works: bool| if works { self.turns().begin_work() } else { self.turns().end_work() };
        self.0.levels.work(self.1, time, works).await;
    }

    /// An access left the processor at `asked`, and is done.
    fn stalled(&self, asked: Time) {
        let stalls = self.0.stalls.get();
        let service = stalls.service + (self.0.sim.now() - asked);
        self.0.stalls.set(Stalls { service, ..stalls });
    }

    fn is_beside(&self, address: Address) -> bool {
        self.0.memory.is_beside(address)
    }

    /// Fetches the block of `address`.
    async fn fetch(&self, address: Address) {
        self.sync().await;
        let _step = self.step().await;
        let asked = self.0.sim.now();
        self.0.memory.fetch(address).await;
        self.stalled(asked);
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
        self.0.sim.now() + self.0.clock.cycles(self.pending().get())
    }

    fn work(&self, cycles: u64) {
        self.pending().set(self.pending().get() + cycles);
    }

    #[inline]
    fn begin_sync(&self) -> Behind<'_> {
        let cycles = self.pending().take();
        if cycles == 0 {
            return Behind::Nothing;
        }
        let time = self.0.clock.cycles(cycles);
        if self.0.levels.are_used() {
            return Behind::Stretches(Box::pin(self.work_in_stretches(time)));
        }
        self.turns().begin_work();
        Behind::Until(self.0.sim.now() + time)
    }

    #[inline]
    fn end_sync(&self) {
        self.turns().end_work();
    }

    fn turns(&self) -> &Turns {
        &self.0.turns[self.1.index()]
    }

    fn try_load(&self, address: Address, bytes: usize) -> Option<u64> {
        if !self.is_beside(address) {
            return None;
        }
        self.work(1);
        let mut word = [0; 8];
        self.0.memory.read(address, &mut word[..bytes]);
        Some(u64::from_le_bytes(word))
    }

    async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault> {
        if !self.is_beside(address) {
            self.fetch(address).await;
        }
        Ok(self.try_load(address, bytes).expect("the block is beside the processor"))
    }

    fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool {
        let is_beside = self.is_beside(address);
        if is_beside {
            self.work(1);
            self.0.memory.write(address, &value.to_le_bytes()[..bytes]);
        }
        is_beside
    }

    async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault> {
        if !self.is_beside(address) {
            self.fetch(address).await;
        }
        let stored = self.try_store(address, bytes, value);
        assert!(stored, "the block is beside the processor");
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
        let asked = self.0.sim.now();
        self.0.pio.read(at, into).await;
        self.stalled(asked);
    }

    async fn write_run(&self, at: Address, bytes: &[u8]) {
        self.sync().await;
        let _step = self.step().await;
        let asked = self.0.sim.now();
        self.0.pio.write(at, bytes).await;
        self.stalled(asked);
    }

    async fn read_block(&self, at: Address) -> Block {
        let mut block = Block::ZERO;
        self.read_run(at, &mut block.0).await;
        block
    }

    async fn write_block(&self, at: Address, data: Block) {
        self.write_run(at, &data.0).await;
    }

    async fn copy_block(&self, _from: Address, _to: Address) -> u64 {
        let _step = self.step().await;
        let bytes = self.0.memory.copy_block().await.get();
        let now = self.0.sim.now();
        self.turns().works(now.since(self.0.memory.copy_time()), now);
        bytes
    }

    fn stalls(&self) -> Stalls {
        self.0.stalls.get()
    }
}
