//! A program's processor: it computes, loads and stores shared memory, sends, and meets the others.
//!
//! A program is one `async fn` of a [`Worker`]; `examples/heat.rs` is a whole one.
//!
//! What is loaded and stored goes through the simulated caches, and through the tags of shared memory; what an
//! instruction does with it is Rust. A program that computes or accesses memory for long looks at the network
//! every [`POLL_EVERY`] cycles, as one would whose compiler puts polls into loops: so homes answer. Where the
//! time went is told by cause. It leaves out instruction fetches, and private data, which are in the cycles of
//! instructions.

use super::collective::Collective;
use super::parallel;
use crate::engine::{EndId, Metric, Time};
use crate::host::{Address, CpuLease, Processor};
use crate::messaging::World;
use crate::messaging::active::{Active, Cause};
use crate::messaging::shared::{SharedAddress, SharedMemory, Space};
use crate::protocol::directory::Want;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

/// Cycles of a program between two looks at the network (chosen: a poll is then a few percent).
pub const POLL_EVERY: u64 = 2_000;

/// The same where messages interrupt the program, and looking costs nothing: a message waits half as long in the
/// mean (chosen: a small part of what its handler takes).
pub const INTERRUPTED_EVERY: u64 = 50;

/// Cycles after which a program looks again at a word that another of its node may store to, in a cache that both have
/// (chosen: a few changes of contexts).
const LOOKS_AGAIN: u64 = 100;

/// A program's processor.
pub struct Worker {
    end: Rc<Active>,
    shared: Rc<SharedMemory>,
    /// Its turn on the processor, while it computes and accesses memory.
    turn: RefCell<Option<CpuLease>>,
    next_poll: Cell<Time>,
}

impl Worker {
    /// Of the programs at all ends of a world, that share this space, which is laid out.
    pub fn all(world: &World, space: &Rc<Space>) -> Vec<Rc<Worker>> {
        let ends = SharedMemory::all(world.actives(), space, world.shared_memory);
        world.actives().iter().zip(&ends).map(|(end, shared)| Worker::new(end, shared)).collect()
    }

    fn new(end: &Rc<Active>, shared: &Rc<SharedMemory>) -> Rc<Worker> {
        Rc::new(Worker {
            end: end.clone(),
            shared: shared.clone(),
            turn: RefCell::new(None),
            next_poll: Cell::new(Time::ZERO),
        })
    }

    /// The number of its end, from 0.
    pub fn id(&self) -> usize {
        self.end.id().index()
    }

    /// How many there are.
    pub fn workers(&self) -> usize {
        self.end.ends()
    }

    /// Its end of active messages.
    pub fn end(&self) -> &Rc<Active> {
        &self.end
    }

    /// How often it waited for a block.
    pub fn faults(&self) -> u64 {
        self.shared.faults()
    }

    /// Executes so many instructions, one a cycle.
    pub async fn compute(&self, instructions: u64) {
        let mut left = instructions;
        while left > 0 {
            if self.turn.borrow().is_none() {
                self.take_turn().await;
            }
            let part = left.min(self.poll_every());
            self.end.cpu().work(part);
            left -= part;
            if self.is_poll_due() {
                self.poll().await;
            }
        }
    }

    /// Loads eight bytes.
    pub async fn load(&self, at: SharedAddress) -> u64 {
        match self.try_load(at) {
            Ok(value) => value,
            Err(late) => late.load(self).await,
        }
    }

    /// Stores eight bytes.
    pub async fn store(&self, at: SharedAddress, value: u64) {
        if let Err(late) = self.try_store(at, value) {
            late.store(self, value).await;
        }
    }

    /// Loads eight bytes, if nothing is to be waited for: most accesses make no future.
    #[inline]
    pub fn try_load(&self, at: SharedAddress) -> Result<u64, LateAccess> {
        let Some(address) = self.try_access(at, Want::Read) else { return Err(LateAccess { at, address: None }) };
        self.end.cpu().try_load(address, 8).ok_or(LateAccess { at, address: Some(address) })
    }

    /// Stores eight bytes, if nothing is to be waited for.
    #[inline]
    pub fn try_store(&self, at: SharedAddress, value: u64) -> Result<(), LateAccess> {
        let Some(address) = self.try_access(at, Want::Write) else { return Err(LateAccess { at, address: None }) };
        match self.end.cpu().try_store(address, 8, value) {
            true => Ok(()),
            false => Err(LateAccess { at, address: Some(address) }),
        }
    }

    /// Has two words changed at once, eight bytes each, in one block: no other access comes between; what they were.
    pub async fn change(&self, at: SharedAddress, change: impl Fn([u64; 2]) -> [u64; 2]) -> [u64; 2] {
        loop {
            let (address, granted) = match self.try_access(at, Want::Write) {
                Some(address) => (address, false),
                None => self.access(at, Want::Write).await,
            };
            let was = self.shared.change(address, &change).await;
            self.accessed(at, granted).await;
            if let Some(was) = was {
                return was;
            }
        }
    }

    /// Says that it will load, or store to, a block. It binds nobody: what comes may be taken away before it is used,
    /// and where software keeps memory it does nothing and costs nothing.
    pub async fn prefetch(&self, at: SharedAddress, want: Want) {
        if self.shared.prefetches() {
            self.take_turn().await;
            self.shared.prefetch(at, want).await;
        }
    }

    /// Loads a number.
    pub async fn load_f64(&self, at: SharedAddress) -> f64 {
        match self.try_load(at) {
            Ok(value) => f64::from_bits(value),
            Err(late) => f64::from_bits(late.load(self).await),
        }
    }

    /// Stores a number.
    pub async fn store_f64(&self, at: SharedAddress, value: f64) {
        if let Err(late) = self.try_store(at, value.to_bits()) {
            late.store(self, value.to_bits()).await;
        }
    }

    /// Takes a lock, which nobody else has then.
    pub async fn lock(&self, number: u32) {
        self.wait_as(Cause::Others).await;
        self.shared.lock(number).await;
    }

    /// Gives it back.
    pub async fn unlock(&self, number: u32) {
        self.wait_as(Cause::Others).await;
        self.shared.unlock(number).await;
    }

    /// Waits until all have come here.
    pub async fn barrier(&self) {
        self.wait_as(Cause::Others).await;
        self.end.barrier().await;
    }

    /// Combines a value of each, by messages; all get the same.
    pub(super) async fn reduce(&self, collective: &Collective, own: u64, combine: impl Fn(u64, u64) -> u64) -> u64 {
        self.wait_as(Cause::Others).await;
        collective.reduce(&self.end, own, combine).await
    }

    /// Waits until the word at `at` is as it should be: looks again when it was written.
    pub async fn wait_for(&self, at: SharedAddress, is_so: impl Fn(u64) -> bool) {
        while !is_so(self.load(at).await) {
            self.wait_as(Cause::Others).await;
            let is_lost = || self.shared.place(at, Want::Read).is_none();
            match self.shared.shares_cache() {
                // What a neighbour stores takes nothing away.
                true => _ = self.end.wait_until_cycle(self.end.cycle() + LOOKS_AGAIN, is_lost).await,
                false => self.end.wait_until(is_lost).await,
            }
        }
    }

    /// Waits until `holds`, which only handlers change.
    pub async fn wait_until(&self, holds: impl Fn() -> bool) {
        self.wait_as(Cause::Others).await;
        self.end.wait_until(holds).await;
    }

    /// Where the bytes of `at` are, if nothing is to be waited for.
    #[inline]
    fn try_access(&self, at: SharedAddress, want: Want) -> Option<Address> {
        if self.turn.borrow().is_none() || self.is_poll_due() {
            return None;
        }
        let address = self.shared.place(at, want)?;
        self.end.cpu().work(self.shared.check());
        Some(address)
    }

    /// Where the bytes of `at` are, once the tag allows it; whether that was granted for this access alone.
    async fn access(&self, at: SharedAddress, want: Want) -> (Address, bool) {
        self.take_turn().await;
        if self.is_poll_due() {
            self.poll().await;
        }
        self.take_turn().await;
        self.end.cpu().work(self.shared.check());
        if let Some(address) = self.shared.place(at, want) {
            return (address, false);
        }
        self.wait_as(Cause::Block).await;
        let address = self.shared.fault(at, want).await;
        self.take_turn().await;
        (address, true)
    }

    async fn accessed(&self, at: SharedAddress, granted: bool) {
        if granted {
            self.wait_as(Cause::Block).await;
            self.shared.used(at).await;
        }
    }

    /// Sends words in bulk to the transfers' handler of another's program.
    pub async fn transfer(&self, to: EndId, words: &[u32]) {
        self.wait_as(Cause::Send).await;
        self.end.transfer(to, 0, words).await;
    }

    /// Sends words to a handler of another's program.
    pub async fn send(&self, to: usize, handler: u8, words: &[u32]) {
        self.wait_as(Cause::Send).await;
        parallel::send(&self.end, to, handler, words).await;
    }

    async fn take_turn(&self) {
        if self.turn.borrow().is_none() {
            let turn = self.end.cpu().acquire("program").await;
            *self.turn.borrow_mut() = Some(turn);
            self.end.charge_to(Cause::Compute);
        }
    }

    /// Gives up the processor: from now on time goes into this.
    async fn wait_as(&self, cause: Cause) {
        if self.turn.borrow().is_some() {
            self.end.cpu().sync().await;
            self.turn.borrow_mut().take();
        }
        self.end.charge_to(cause);
    }

    fn is_poll_due(&self) -> bool {
        self.end.now() >= self.next_poll.get()
    }

    /// Cycles until it looks again: where messages interrupt, what comes waits no longer than this.
    fn poll_every(&self) -> u64 {
        if self.end.is_interrupted() { INTERRUPTED_EVERY } else { POLL_EVERY }
    }

    async fn poll(&self) {
        self.wait_as(Cause::Receive).await;
        self.end.poll().await;
        self.next_poll.set(self.end.now() + self.end.clock().cycles(self.poll_every()));
    }
}

/// An access of eight bytes that is to be waited for.
#[must_use = "the access is still to be made"]
pub struct LateAccess {
    at: SharedAddress,
    /// Where they are, once the tag has allowed it, and only the processor is to be waited for.
    address: Option<Address>,
}

impl LateAccess {
    /// Waits for it, and loads.
    pub async fn load(mut self, worker: &Worker) -> u64 {
        let cpu = worker.end.cpu();
        loop {
            let loaded = if let Some(address) = self.address.take() {
                cpu.load(address, 8).await
            } else {
                let (address, granted) = worker.access(self.at, Want::Read).await;
                let loaded = cpu.load(address, 8).await;
                worker.accessed(self.at, granted).await;
                loaded
            };
            // Where hardware keeps memory, others may take the block while a miss goes to it.
            match loaded.or_else(|_| worker.try_load(self.at)) {
                Ok(value) => return value,
                Err(late) => self = late,
            }
        }
    }

    /// Waits until it can be stored.
    pub async fn store(mut self, worker: &Worker, value: u64) {
        let cpu = worker.end.cpu();
        loop {
            let stored = if let Some(address) = self.address.take() {
                cpu.store(address, 8, value).await
            } else {
                let (address, granted) = worker.access(self.at, Want::Write).await;
                let stored = cpu.store(address, 8, value).await;
                worker.accessed(self.at, granted).await;
                stored
            };
            match stored.or_else(|_| worker.try_store(self.at, value)) {
                Ok(()) => return,
                Err(late) => self = late,
            }
        }
    }
}

/// Starts a program on each. None leaves before all have ended: others may need what is in its memory.
pub fn start<F: Future<Output = ()> + 'static>(
    world: &World,
    workers: &[Rc<Worker>],
    mut program: impl FnMut(Rc<Worker>) -> F,
) {
    parallel::start(world, |end| {
        let worker = workers[end.id().index()].clone();
        let program = program(worker.clone());
        async move {
            program.await;
            worker.barrier().await;
        }
    });
}

/// What such programs tell: packets, messages, where their time went, and how often they waited for blocks.
pub fn metrics(world: &World, workers: &[Rc<Worker>]) -> Vec<Metric> {
    parallel::metrics(world, [fault_metric(workers)])
}

/// How often a program waited for a block, in the mean.
pub fn fault_metric(workers: &[Rc<Worker>]) -> Metric {
    let faults: u64 = workers.iter().map(|worker| worker.faults()).sum();
    Metric::new("shared_memory.faults", faults as f64 / workers.len() as f64, "")
}
