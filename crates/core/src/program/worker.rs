//! The processor of a program: it computes, loads and stores shared memory, sends messages, and synchronizes with the
//! other processors.
//!
//! A program is one `async fn` of a [`Worker`]; `examples/heat.rs` is a complete one.
//!
//! Loads and stores use the simulated caches and the tags of shared memory; computations on the values are Rust code. A
//! program that computes or accesses memory for long polls the network every [`POLL_INTERVAL_CYCLES`] cycles, as if its
//! compiler had put polls into loops, so that homes answer requests. Time is reported by cause. The module leaves out
//! instruction fetches; accesses to private data are part of the cycles of instructions.

use super::collective::Collective;
use super::parallel;
use crate::engine::sim::WaitReasonId;
use crate::engine::{EndpointId, Metric, Time};
use crate::host::{Address, CpuLease, Processor};
use crate::messaging::World;
use crate::messaging::active::{ActiveEndpoint, Cause};
use crate::messaging::shared::{SharedAddress, SharedMemory, Space};
use crate::protocol::directory::AccessMode;
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

/// Cycles of a program between two polls of the network (chosen so that polls take a few per cent of the time).
pub const POLL_INTERVAL_CYCLES: u64 = 2_000;

/// Cycles between two polls if messages interrupt the program and a poll costs nothing. A message waits for half of
/// them on average (chosen: a small part of the time of a handler).
pub const INTERRUPTED_POLL_CYCLES: u64 = 50;

/// Cycles after which a program polls a word again if another program of the same node may store to it in their common
/// cache (chosen: a few context switches).
const SHARED_CACHE_POLL_CYCLES: u64 = 100;

/// The processor of a program.
pub struct Worker {
    endpoint: Rc<ActiveEndpoint>,
    shared: Rc<SharedMemory>,
    /// The lease of the processor, which the program holds while it computes and accesses memory.
    cpu_lease: RefCell<Option<CpuLease>>,
    next_poll: Cell<Time>,
    /// Whether the program accesses memory only to wait for another program's store.
    is_waiting: Cell<bool>,
    /// The wait reason of a program that waits for the store of another program.
    store_wait_reason: WaitReasonId,
}

impl Worker {
    /// Creates the workers of all endpoints of a world. They share a space whose layout is complete.
    pub fn all(world: &World, space: &Rc<Space>) -> Vec<Rc<Worker>> {
        let memories = SharedMemory::for_endpoints(world.active_endpoints(), space, world.shared_memory);
        world.active_endpoints().iter().zip(&memories).map(|(active, shared)| Worker::new(active, shared)).collect()
    }

    fn new(endpoint: &Rc<ActiveEndpoint>, shared: &Rc<SharedMemory>) -> Rc<Worker> {
        Rc::new(Worker {
            endpoint: endpoint.clone(),
            shared: shared.clone(),
            cpu_lease: RefCell::new(None),
            next_poll: Cell::new(Time::ZERO),
            is_waiting: Cell::new(false),
            store_wait_reason: endpoint.cpu().sim().register_wait_reason("a store of another program"),
        })
    }

    /// Returns the number of the worker's endpoint, from 0.
    pub fn id(&self) -> usize {
        self.endpoint.id().index()
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.endpoint.endpoint_count()
    }

    /// Returns the worker's active-message endpoint. Its methods acquire the processor, which the program must first
    /// [release](Worker::release).
    pub fn endpoint(&self) -> &Rc<ActiveEndpoint> {
        &self.endpoint
    }

    /// Returns the number of times that the program waited for a block.
    pub fn faults(&self) -> u64 {
        self.shared.faults()
    }

    /// Executes `instructions` instructions, in the cycles that the processor needs for them.
    pub async fn compute(&self, instructions: u64) {
        let mut remaining_cycles = self.endpoint.cpu().cycles_of(instructions);
        while remaining_cycles > 0 {
            if self.cpu_lease.borrow().is_none() {
                self.acquire_cpu().await;
            }
            let chunk_cycles = remaining_cycles.min(self.poll_interval());
            self.endpoint.cpu().work(chunk_cycles);
            remaining_cycles -= chunk_cycles;
            if self.is_poll_due() {
                self.poll().await;
            }
        }
    }

    /// Releases the processor if a computation or an access holds it. A program calls this before it calls its
    /// [endpoint](Worker::endpoint) itself, whose methods acquire the processor.
    pub async fn release(&self) {
        if self.cpu_lease.borrow().is_some() {
            self.release_cpu(Cause::Synchronization).await;
        }
    }

    /// Loads eight bytes, and waits for them.
    pub async fn load(&self, at: SharedAddress) -> u64 {
        match self.try_load(at) {
            Ok(value) => value,
            Err(pending) => pending.load(self).await,
        }
    }

    /// Stores eight bytes, and waits until they are stored.
    pub async fn store(&self, at: SharedAddress, value: u64) {
        if let Err(pending) = self.try_store(at, value) {
            pending.store(self, value).await;
        }
    }

    /// Loads eight bytes if no wait is needed. Most accesses need none, and then no future is created.
    #[inline]
    pub fn try_load(&self, at: SharedAddress) -> Result<u64, PendingAccess> {
        let address = self.try_access(at, AccessMode::Read).ok_or(PendingAccess { at, address: None })?;
        self.endpoint.cpu().try_load(address, 8).ok_or(PendingAccess { at, address: Some(address) })
    }

    /// Stores eight bytes if no wait is needed.
    #[inline]
    pub fn try_store(&self, at: SharedAddress, value: u64) -> Result<(), PendingAccess> {
        let address = self.try_access(at, AccessMode::Write).ok_or(PendingAccess { at, address: None })?;
        match self.endpoint.cpu().try_store(address, 8, value) {
            true => Ok(()),
            false => Err(PendingAccess { at, address: Some(address) }),
        }
    }

    /// Atomically replaces two words of eight bytes each, in one block, by the result of `change`. Returns the previous
    /// words.
    pub async fn update_pair(&self, at: SharedAddress, change: impl Fn([u64; 2]) -> [u64; 2]) -> [u64; 2] {
        loop {
            let (address, is_granted_once) = match self.try_access(at, AccessMode::Write) {
                Some(address) => (address, false),
                None => self.access(at, AccessMode::Write).await,
            };
            let previous = self.shared.update_pair(address, &change).await;
            self.finish_access(at, is_granted_once).await;
            if let Some(previous) = previous {
                return previous;
            }
        }
    }

    /// Prefetches a block that the program will load or store to. Another program may invalidate it before it is used.
    /// If software keeps memory coherent, the call has no effect and takes no time.
    pub async fn prefetch(&self, at: SharedAddress, mode: AccessMode) {
        if self.shared.supports_prefetching() {
            self.acquire_cpu().await;
            self.shared.prefetch(at, mode).await;
        }
    }

    /// Returns the program's copy of a block to its home, which then need not invalidate it before the next write. The
    /// call has no effect on blocks of this worker's own memory, or on copies that the program may store to. It has no
    /// effect at all if hardware keeps memory coherent.
    pub async fn check_in(&self, at: SharedAddress) {
        if self.shared.has_read_only_copy(at) {
            self.release_cpu(Cause::Send).await;
            self.shared.check_in(at).await;
        }
    }

    /// Loads a floating-point number.
    pub async fn load_f64(&self, at: SharedAddress) -> f64 {
        match self.try_load(at) {
            Ok(value) => f64::from_bits(value),
            Err(pending) => f64::from_bits(pending.load(self).await),
        }
    }

    /// Stores a floating-point number.
    pub async fn store_f64(&self, at: SharedAddress, value: f64) {
        if let Err(pending) = self.try_store(at, value.to_bits()) {
            pending.store(self, value.to_bits()).await;
        }
    }

    /// Acquires a lock.
    pub async fn lock(&self, number: u32) {
        self.release_cpu(Cause::Synchronization).await;
        self.shared.lock(number).await;
    }

    /// Releases a lock.
    pub async fn unlock(&self, number: u32) {
        self.release_cpu(Cause::Synchronization).await;
        self.shared.unlock(number).await;
    }

    /// Waits until all workers have entered the barrier.
    pub async fn barrier(&self) {
        self.release_cpu(Cause::Synchronization).await;
        self.endpoint.barrier().await;
    }

    /// Combines one value of each worker by messages. Returns the result, on each worker.
    pub(super) async fn reduce(&self, collective: &Collective, value: u64, combine: impl Fn(u64, u64) -> u64) -> u64 {
        self.release_cpu(Cause::Synchronization).await;
        collective.reduce(&self.endpoint, value, combine).await
    }

    /// Waits until `condition` holds for the word at `at`, which is loaded again whenever it was written.
    pub async fn wait_for(&self, at: SharedAddress, condition: impl Fn(u64) -> bool) {
        let _wait_reason_guard = self.endpoint.cpu().sim().polls_for(self.store_wait_reason);
        self.is_waiting.set(true);
        while !condition(self.load(at).await) {
            self.release_cpu(Cause::Synchronization).await;
            let is_invalidated = || self.shared.accessible_address(at, AccessMode::Read).is_none();
            match self.shared.shares_cache() {
                // A store by a program that shares the cache invalidates no copy, so the word is loaded at intervals.
                true => {
                    let cycle = self.endpoint.cycle() + SHARED_CACHE_POLL_CYCLES;
                    self.endpoint.wait_until_cycle(cycle, is_invalidated).await;
                }
                false => self.endpoint.wait_until(is_invalidated).await,
            }
        }
        self.is_waiting.set(false);
    }

    /// Waits until `condition` holds. Only handlers may change its value.
    pub async fn wait_until(&self, condition: impl Fn() -> bool) {
        self.release_cpu(Cause::Synchronization).await;
        self.endpoint.wait_until(condition).await;
    }

    /// Returns the address of the bytes of `at`, if the access needs no wait.
    #[inline]
    fn try_access(&self, at: SharedAddress, mode: AccessMode) -> Option<Address> {
        if self.cpu_lease.borrow().is_none() || self.is_poll_due() {
            return None;
        }
        let address = self.shared.accessible_address(at, mode)?;
        self.endpoint.cpu().work(self.shared.tag_check_cycles());
        Some(address)
    }

    /// Waits until the tag allows the access. Returns the address, and whether the access was granted only once.
    async fn access(&self, at: SharedAddress, mode: AccessMode) -> (Address, bool) {
        self.acquire_cpu().await;
        if self.is_poll_due() {
            self.poll().await;
        }
        self.acquire_cpu().await;
        self.endpoint.cpu().work(self.shared.tag_check_cycles());
        if let Some(address) = self.shared.accessible_address(at, mode) {
            return (address, false);
        }
        self.release_cpu(Cause::Block).await;
        let address = self.shared.fault(at, mode).await;
        self.acquire_cpu().await;
        (address, true)
    }

    async fn finish_access(&self, at: SharedAddress, is_granted_once: bool) {
        if is_granted_once {
            self.release_cpu(Cause::Block).await;
            self.shared.end_use(at).await;
        }
    }

    /// Sends words in bulk to the transfer handler of another worker's program.
    pub async fn transfer(&self, to: EndpointId, words: &[u32]) {
        self.release_cpu(Cause::Send).await;
        self.endpoint.transfer(to, 0, words).await;
    }

    /// Sends words to a handler of another worker's program.
    pub async fn send(&self, to: usize, handler: u8, words: &[u32]) {
        self.release_cpu(Cause::Send).await;
        parallel::send(&self.endpoint, to, handler, words).await;
    }

    async fn acquire_cpu(&self) {
        if self.cpu_lease.borrow().is_none() {
            let lease = self.endpoint.cpu().acquire("program").await;
            *self.cpu_lease.borrow_mut() = Some(lease);
            self.endpoint.charge_to(Cause::Compute);
        }
    }

    /// Releases the processor, and charges the time from now on to `cause`.
    async fn release_cpu(&self, cause: Cause) {
        if self.cpu_lease.borrow().is_some() {
            self.endpoint.cpu().sync().await;
            self.cpu_lease.borrow_mut().take();
        }
        self.endpoint.charge_to(cause);
    }

    fn is_poll_due(&self) -> bool {
        self.endpoint.now() >= self.next_poll.get()
    }

    /// Returns the cycles between two polls. If messages interrupt, no message waits longer than this.
    fn poll_interval(&self) -> u64 {
        if self.endpoint.is_interrupted() { INTERRUPTED_POLL_CYCLES } else { POLL_INTERVAL_CYCLES }
    }

    async fn poll(&self) {
        self.release_cpu(Cause::Receive).await;
        if !self.is_waiting.get() {
            // The program has computed or accessed memory since the last poll.
            self.endpoint.cpu().sim().progress();
        }
        self.endpoint.poll().await;
        self.next_poll.set(self.endpoint.now() + self.endpoint.clock().cycles(self.poll_interval()));
    }
}

/// An access of eight bytes that has to wait.
#[must_use = "the access is not made until it is awaited"]
pub struct PendingAccess {
    at: SharedAddress,
    /// The address of the bytes, if the tag allows the access and only the processor has to wait.
    address: Option<Address>,
}

impl PendingAccess {
    /// Waits until the bytes can be loaded, and returns them.
    pub async fn load(mut self, worker: &Worker) -> u64 {
        let cpu = worker.endpoint.cpu();
        loop {
            let loaded = if let Some(address) = self.address.take() {
                cpu.load(address, 8).await
            } else {
                let (address, is_granted_once) = worker.access(self.at, AccessMode::Read).await;
                let loaded = cpu.load(address, 8).await;
                worker.finish_access(self.at, is_granted_once).await;
                loaded
            };
            // If hardware keeps memory coherent, other nodes may take the block while the miss is in progress.
            match loaded.or_else(|_| worker.try_load(self.at)) {
                Ok(value) => return value,
                Err(pending) => self = pending,
            }
        }
    }

    /// Waits until the bytes can be stored, and stores them.
    pub async fn store(mut self, worker: &Worker, value: u64) {
        let cpu = worker.endpoint.cpu();
        loop {
            let stored = if let Some(address) = self.address.take() {
                cpu.store(address, 8, value).await
            } else {
                let (address, is_granted_once) = worker.access(self.at, AccessMode::Write).await;
                let stored = cpu.store(address, 8, value).await;
                worker.finish_access(self.at, is_granted_once).await;
                stored
            };
            match stored.or_else(|_| worker.try_store(self.at, value)) {
                Ok(()) => return,
                Err(pending) => self = pending,
            }
        }
    }
}

/// Starts a program on each worker. No program ends before all are done, since others may need what is in its memory.
pub fn start<F: Future<Output = ()> + 'static>(
    world: &World,
    workers: &[Rc<Worker>],
    mut program: impl FnMut(Rc<Worker>) -> F,
) {
    parallel::start(world, |endpoint| {
        let worker = workers[endpoint.id().index()].clone();
        let program = program(worker.clone());
        async move {
            program.await;
            worker.barrier().await;
        }
    });
}

/// Returns the metrics of a shared-memory program: packets, messages, time by cause, and faults.
pub fn metrics(world: &World, workers: &[Rc<Worker>]) -> Vec<Metric> {
    parallel::metrics(world, [fault_metric(workers)])
}

/// Returns the mean number of times that a program waited for a block.
pub fn fault_metric(workers: &[Rc<Worker>]) -> Metric {
    let faults: u64 = workers.iter().map(|worker| worker.faults()).sum();
    Metric::cost("shared_memory.faults", faults as f64 / workers.len() as f64, "")
}
