//! Prefetch of a message while it is composed: block *i* when the processor asks for *i + 1*.
//!
//! Models (§6.1.1): the interface sees the processor's request to own a block of the send queue,
//! and fetches the block before it. A block fetched too early is taken away by the processor's
//! next store to it, and fetched again when the message is told of.

use super::device::Fetch;
use super::layout::QueueLayout;
use crate::engine::{Mailbox, Sim};
use crate::host::memory_bus::{AgentId, TransactionKind};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use std::rc::Rc;

/// Where an interface keeps the blocks of the send queue that it has fetched.
pub trait Keep {
    /// The block, if a copy is here that is not out of date.
    fn held(&self, block: Address) -> Option<Block>;
    /// Keeps a block just fetched.
    fn keep(&self, block: Address, data: &Block);
}

/// Fetches blocks into a [`Keep`], asked to or ahead.
pub struct Prefetch<K> {
    port: AnyCoherentPort,
    id: AgentId,
    kept: Rc<K>,
    wanted: Rc<Mailbox<Address>>,
}

impl<K> Clone for Prefetch<K> {
    fn clone(&self) -> Prefetch<K> {
        Prefetch { port: self.port.clone(), id: self.id, kept: self.kept.clone(), wanted: self.wanted.clone() }
    }
}

/// The blocks to be prefetched.
pub fn wanted(sim: &Sim, name: &str) -> Rc<Mailbox<Address>> {
    Rc::new(Mailbox::new(sim, format!("{name}: a block to prefetch")))
}

/// The processor asks to own `block`: the one before it in the message is complete.
pub fn observe(queue: &QueueLayout, wanted: &Mailbox<Address>, kind: TransactionKind, block: Address) {
    if let (TransactionKind::ReadExclusive | TransactionKind::Invalidate, Some(index)) = (kind, queue.index(block))
        && !queue.is_first(index)
    {
        wanted.send(block - BLOCK_BYTES as u64);
    }
}

impl<K: Keep + 'static> Prefetch<K> {
    /// A prefetcher at work.
    pub fn new(
        sim: &Sim,
        port: &AnyCoherentPort,
        id: AgentId,
        kept: Rc<K>,
        wanted: Rc<Mailbox<Address>>,
        name: &str,
    ) -> Prefetch<K> {
        let prefetch = Prefetch { port: port.clone(), id, kept, wanted };
        sim.spawn_server(format!("{name} prefetch"), prefetch.clone().serve());
        prefetch
    }

    async fn serve(self) {
        loop {
            let block = self.wanted.receive().await;
            self.fetch(block).await;
        }
    }
}

impl<K: Keep> Fetch for Prefetch<K> {
    async fn fetch(&self, block: Address) -> Block {
        if let Some(data) = self.kept.held(block) {
            return data;
        }
        // The other of the two tasks that fetch may be faster.
        let data = self.port.read_shared(self.id, block, || self.kept.held(block)).await;
        self.kept.keep(block, &data);
        data
    }
}
