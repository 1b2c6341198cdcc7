//! The hardware make: loads and stores go to the processor's cache, and the interface finds what is not there.
//!
//! A place of shared memory has one address on each node: what is in a program's own part lies in its node's memory,
//! and of what is in another node's memory there are copies in the cache alone. A program that waits for a block
//! gives the processor up to others of its node, which costs a change of contexts; where messages interrupt, their
//! handlers run meanwhile. It may give it up to a loop of stated cycles, and goes on when that is over and the block
//! there: so a network is emulated that is farther.

use super::{SharedAddress, SharedMemory};
use crate::engine::EndId;
use crate::host::alewife::remote;
use crate::host::{Address, Processor};
use crate::messaging::active::Active;
use crate::ni::cmmu::Coherence;
use crate::protocol::directory::Want;
use std::cell::Cell;
use std::rc::Rc;

/// What an end has that hardware keeps coherent.
pub(super) struct Hardware {
    unit: Rc<Coherence>,
    /// By end, the address of its part of shared memory, as this node has it.
    parts: Vec<Address>,
    /// Whether other programs are on its node, and the cycles to change to this one from them.
    is_shared: bool,
    switch: u64,
    /// The cycles of any change of contexts.
    context_switch: u64,
    /// Whether what the program waited for was granted for one access.
    granted: Cell<bool>,
}

impl Hardware {
    /// Of the end over `active`; `places` says by end where its part lies in its node's memory.
    pub fn new(active: &Active, places: &[Address]) -> Hardware {
        let unit = active.coherence().expect("a checked machine has hardware that shares memory").clone();
        let homes: Vec<_> = (0..places.len()).map(|end| active.node_of(EndId(end as u32))).collect();
        let part = |(&home, &place)| if home == unit.node() { place } else { remote(home, place) };
        let parts = homes.iter().zip(places).map(part).collect();
        let processor = active.cpu().alewife().expect("the processor of a node whose interface serves misses");
        let is_shared = homes.iter().filter(|home| **home == unit.node()).count() > 1;
        let context_switch = processor.parameters().switch;
        let switch = if is_shared { context_switch } else { 0 };
        Hardware { unit, parts, is_shared, switch, context_switch, granted: Cell::new(false) }
    }

    /// The address of a place.
    #[inline]
    fn address(&self, at: SharedAddress) -> Address {
        self.parts[at.home.index()] + u64::from(at.offset)
    }

    /// Its address, if the processor may do this with it.
    #[inline]
    pub fn place(&self, at: SharedAddress, want: Want) -> Option<Address> {
        let address = self.address(at);
        self.unit.may(address, want).then_some(address)
    }

    /// The program waits until it may do this, if it must; whether it did.
    pub async fn fault(&self, end: &SharedMemory, at: SharedAddress, want: Want) -> (Address, bool) {
        let (address, active) = (self.address(at), end.active());
        let cpu = active.cpu();
        {
            let _turn = cpu.hold("miss").await;
            cpu.work(self.unit.costs().request);
            cpu.sync().await;
        }
        let grant = self.unit.demand(address, want).await;
        self.granted.set(grant.is_some());
        let Some(grant) = grant else { return (address, false) };
        let over = self.delays(active).await;
        match active.is_interrupted() {
            true => active.wait_until(|| grant.get()).await,
            false => self.unit.wait(&grant).await,
        }
        cpu.sync().await;
        if let Some(over) = over {
            match active.is_interrupted() {
                true => _ = active.wait_until_cycle(over, || false).await,
                false => cpu.until(active.clock().end_of_cycle(over)).await,
            }
            cpu.work(self.context_switch);
        }
        self.unit.settle(address);
        cpu.work(self.switch);
        (address, true)
    }

    /// The processor changes to a loop that delays, where it does; in which cycle that is over.
    async fn delays(&self, active: &Active) -> Option<u64> {
        let delay = self.unit.costs().delay;
        if delay == 0 {
            return None;
        }
        active.cpu().work(self.context_switch);
        active.cpu().sync().await;
        Some(active.cycle() + delay)
    }

    /// The program has done what it was granted, if it was.
    pub async fn used(&self, at: SharedAddress) {
        if self.granted.take() {
            self.unit.used(self.address(at)).await;
        }
    }

    /// The program will want a block.
    pub async fn prefetch(&self, end: &SharedMemory, at: SharedAddress, want: Want) {
        let (address, cpu) = (self.address(at), end.active().cpu());
        cpu.work(self.unit.costs().prefetch);
        if !self.unit.may(address, want) {
            cpu.sync().await;
            self.unit.prefetch(address, want).await;
        }
    }

    /// Whether other programs of its node have its cache, too.
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Cycles of a handler of locks.
    pub fn lock(&self) -> u64 {
        self.unit.costs().lock
    }
}
