//! Extensions of a driver: operations other than messages, which some interfaces offer.
//!
//! A workload or a kind of shared memory names the extension that it needs, and a machine is checked for it before time
//! 0. Extensions are therefore optional, and their methods do not panic. A new extension is a new method of
//! [`DriverExtensions`] whose default returns `None`.

use super::verbs::Verbs;
use crate::engine::{Bytes, Journey, LocalFuture, NodeId, Time};
use crate::host::{Address, Direction};
use crate::protocol::directory::AccessMode;
use std::cell::Cell;
use std::rc::Rc;

/// The operations that a driver offers in addition to messages; none by default.
pub trait DriverExtensions {
    /// Returns the host DMA engine, if it can be driven without firmware.
    fn host_dma(&self) -> Option<&dyn HostDmaEngine> {
        None
    }

    /// Returns the queue pairs to which programs post requests, if the interface has any.
    fn verbs(&self) -> Option<&dyn Verbs> {
        None
    }

    /// Returns the unit that keeps memory coherent between nodes, if the interface has one.
    fn coherence(&self) -> Option<Rc<dyn CoherenceUnit>> {
        None
    }
}

/// A DMA engine between host memory and the interface that can be driven without firmware.
///
/// Several transfers may be requested at once only if the interface declares that its engine has a queue
/// ([`InterfaceLimits::with_queued_host_dma`](super::InterfaceLimits::with_queued_host_dma)).
pub trait HostDmaEngine {
    /// Transfers `bytes` bytes between host memory at `address` and the interface, and returns at the end.
    fn transfer<'a>(
        &'a self,
        direction: Direction,
        address: Address,
        bytes: Bytes,
        journey: Journey,
    ) -> LocalFuture<'a, ()>;

    /// Returns the tick of the timer with which the engine measures latencies; `None` if it measures them exactly.
    fn timer_tick(&self) -> Option<Time> {
        None
    }
}

/// Permission to access a block; set when the access is granted.
pub type Grant = Rc<Cell<bool>>;

/// Cycles of a program that accesses memory kept coherent by hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessCosts {
    /// Cycles from an access that needs another node until its request is at the network.
    pub request: u64,
    /// Cycles of a loop in another context, to which the processor switches whenever it waits for another node; 0 if it
    /// waits idly.
    pub delay: u64,
    /// Cycles to request a prefetch.
    pub prefetch: u64,
    /// Cycles to handle a lock at its home node.
    pub lock: u64,
}

/// Hardware that keeps memory coherent between nodes, as the programs of its node use it.
pub trait CoherenceUnit {
    /// Returns the costs of accesses.
    fn access_costs(&self) -> AccessCosts;

    /// Returns the node.
    fn node(&self) -> NodeId;

    /// Returns the address by which the processor accesses `address` of the memory of another node, `home`.
    fn remote(&self, home: NodeId, address: Address) -> Address;

    /// Returns whether the processor may access `address` without waiting for another node.
    fn may_access(&self, address: Address, mode: AccessMode) -> bool;

    /// Requests the block at `address`; returns the grant to wait for, or `None` if the access hits.
    fn demand<'a>(&'a self, address: Address, mode: AccessMode) -> LocalFuture<'a, Option<Grant>>;

    /// Waits for a grant; nothing else runs on the processor in the meantime.
    fn wait<'a>(&'a self, grant: &'a Grant) -> LocalFuture<'a, ()>;

    /// Moves a block that was granted into the cache.
    fn move_to_cache(&self, address: Address);

    /// Reports that the program has used the block that it was granted, which may then be evicted.
    fn end_use<'a>(&'a self, address: Address) -> LocalFuture<'a, ()>;

    /// Requests the block at `address` without waiting for it.
    fn prefetch<'a>(&'a self, address: Address, mode: AccessMode) -> LocalFuture<'a, ()>;
}
