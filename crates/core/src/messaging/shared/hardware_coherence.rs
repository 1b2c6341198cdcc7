//! Shared memory in hardware: loads and stores access the processor's cache, and the interface serves misses.
//!
//! Each address of shared memory corresponds to one address on each node: an endpoint's own part is in its node's
//! memory, and copies of other nodes' memory are only in the cache. A program that waits for a block lets other
//! programs of its node run, which costs a context switch; if messages interrupt, their handlers run meanwhile. If a
//! delay is stated, the program does not let others run: it switches to a loop of that many cycles, and continues when
//! the loop has ended and the block has arrived. The loop emulates a slower network.
//!
//! The directory and the cache are not part of this module; they belong to the interface
//! ([`ni::cmmu`](crate::ni::cmmu)).

use super::space::SharedAddress;
use crate::engine::EndpointId;
use crate::host::{Address, Processor};
use crate::messaging::active::ActiveEndpoint;
use crate::ni::{AccessCosts, CoherenceUnit};
use crate::protocol::directory::AccessMode;
use std::cell::Cell;
use std::rc::Rc;

/// An endpoint's shared memory that hardware keeps coherent.
pub(super) struct HardwareCoherence {
    active: Rc<ActiveEndpoint>,
    unit: Rc<dyn CoherenceUnit>,
    costs: AccessCosts,
    /// The address of each endpoint's part of shared memory, as seen by this node.
    part_addresses: Vec<Address>,
    /// Whether other programs run on the node.
    is_shared: bool,
    /// Cycles to switch to this program from another program of its node.
    switch_cycles: u64,
    /// Cycles of a context switch between any two programs.
    context_switch: u64,
    /// Whether the access for which the program waited was granted for a single use.
    was_granted: Cell<bool>,
}

impl HardwareCoherence {
    /// Creates the shared memory of the endpoint over `active`; `bases` are the addresses of the endpoints' parts in
    /// their own nodes' memories.
    pub fn new(active: &Rc<ActiveEndpoint>, bases: &[Address]) -> HardwareCoherence {
        let unit = active.coherence().expect("a checked machine has hardware that shares memory");
        let costs = unit.access_costs();
        let homes: Vec<_> = (0..bases.len()).map(|number| active.node_of(EndpointId(number as u32))).collect();
        let part_address = |(&home, &base)| if home == unit.node() { base } else { unit.remote(home, base) };
        let part_addresses = homes.iter().zip(bases).map(part_address).collect();
        let is_shared = homes.iter().filter(|home| **home == unit.node()).count() > 1;
        let context_switch = active.cpu().context_switch_cycles();
        let switch_cycles = if is_shared { context_switch } else { 0 };
        HardwareCoherence {
            active: active.clone(),
            unit,
            costs,
            part_addresses,
            is_shared,
            switch_cycles,
            context_switch,
            was_granted: Cell::new(false),
        }
    }

    #[inline]
    fn address(&self, at: SharedAddress) -> Address {
        self.part_addresses[at.home.index()] + u64::from(at.offset)
    }

    /// Returns the address of `at`, if the processor may access it with `mode`.
    #[inline]
    pub fn accessible_address(&self, at: SharedAddress, mode: AccessMode) -> Option<Address> {
        let address = self.address(at);
        self.unit.may_access(address, mode).then_some(address)
    }

    /// Waits until the program may access `at`. Returns its address, and whether the program waited.
    pub async fn fault(&self, at: SharedAddress, mode: AccessMode) -> (Address, bool) {
        let (address, active) = (self.address(at), &self.active);
        let cpu = active.cpu();
        {
            let _lease = cpu.acquire("miss").await;
            cpu.work(self.costs.request);
            cpu.sync().await;
        }
        let grant = self.unit.demand(address, mode).await;
        self.was_granted.set(grant.is_some());
        let Some(grant) = grant else { return (address, false) };
        let loop_end = self.begin_delay().await;
        match active.is_interrupted() {
            true => active.wait_until(|| grant.get()).await,
            false => self.unit.wait(&grant).await,
        }
        cpu.sync().await;
        if let Some(loop_end) = loop_end {
            match active.is_interrupted() {
                true => _ = active.wait_until_cycle(loop_end, || false).await,
                false => cpu.until(active.clock().end_of_cycle(loop_end)).await,
            }
            cpu.work(self.context_switch);
        }
        self.unit.move_to_cache(address);
        cpu.work(self.switch_cycles);
        (address, true)
    }

    /// Switches to the delay loop, if a delay is stated, and returns the cycle in which the loop ends.
    async fn begin_delay(&self) -> Option<u64> {
        let delay = self.costs.delay;
        if delay == 0 {
            return None;
        }
        self.active.cpu().work(self.context_switch);
        self.active.cpu().sync().await;
        Some(self.active.cycle() + delay)
    }

    /// Ends the access to `at`, if a fault granted it.
    pub async fn end_use(&self, at: SharedAddress) {
        if self.was_granted.take() {
            self.unit.end_use(self.address(at)).await;
        }
    }

    /// Prefetches the block of `at`.
    pub async fn prefetch(&self, at: SharedAddress, mode: AccessMode) {
        let (address, cpu) = (self.address(at), self.active.cpu());
        cpu.work(self.costs.prefetch);
        if !self.unit.may_access(address, mode) {
            cpu.sync().await;
            self.unit.prefetch(address, mode).await;
        }
    }

    /// Returns whether other programs of the node use its cache.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the cycles of a handler of locks.
    pub fn lock_cycles(&self) -> u64 {
        self.costs.lock
    }
}
