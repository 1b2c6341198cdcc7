//! Prefetch of a message while it is composed: block *i* is fetched when the processor requests ownership of block *i +
//! 1*.
//!
//! Models (Mukherjee and Hill 1998, §6.1.1): when the processor requests ownership of a block of the send queue, the
//! interface snoops that and fetches the previous block. If the fetch is too early, the processor's next store to the
//! block invalidates the copy, and the block is fetched again after the tail is written.

use super::device::Fetch;
use super::layout::QueueLayout;
use crate::engine::{Mailbox, Sim};
use crate::host::memory_bus::{AgentId, TransactionKind};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use std::rc::Rc;

/// The interface's storage for fetched blocks of the send queue.
pub trait BlockStore {
    /// Returns the copy of a block, if there is a valid one.
    fn held(&self, block: Address) -> Option<Block>;
    /// Stores a block that has been fetched.
    fn store(&self, block: Address, data: &Block);
}

/// Fetches blocks into a [`BlockStore`], on demand or before they are needed.
pub struct Prefetch<K> {
    port: AnyCoherentPort,
    id: AgentId,
    blocks: Rc<K>,
    prefetch_queue: Rc<Mailbox<Address>>,
}

impl<K> Clone for Prefetch<K> {
    fn clone(&self) -> Prefetch<K> {
        Prefetch {
            port: self.port.clone(),
            id: self.id,
            blocks: self.blocks.clone(),
            prefetch_queue: self.prefetch_queue.clone(),
        }
    }
}

/// Creates the queue of blocks to be prefetched.
pub fn prefetch_queue(sim: &Sim, name: &str) -> Rc<Mailbox<Address>> {
    Rc::new(Mailbox::new(sim, format!("{name}: a block to prefetch")))
}

/// Requests the prefetch of the block before `block` when the processor requests ownership of `block`: the previous
/// block is complete then.
pub fn observe(queue: &QueueLayout, prefetch_queue: &Mailbox<Address>, kind: TransactionKind, block: Address) {
    if let (TransactionKind::ReadExclusive | TransactionKind::Invalidate, Some(index)) = (kind, queue.index(block))
        && !queue.is_first(index)
    {
        prefetch_queue.send(block - BLOCK_BYTES as u64);
    }
}

impl<K: BlockStore + 'static> Prefetch<K> {
    /// Creates a prefetcher and starts its task.
    pub fn new(
        sim: &Sim,
        port: &AnyCoherentPort,
        id: AgentId,
        blocks: Rc<K>,
        prefetch_queue: Rc<Mailbox<Address>>,
        name: &str,
    ) -> Prefetch<K> {
        let prefetch = Prefetch { port: port.clone(), id, blocks, prefetch_queue };
        sim.spawn_server(format!("{name} prefetch"), prefetch.clone().serve());
        prefetch
    }

    async fn serve(self) {
        loop {
            let block = self.prefetch_queue.receive().await;
            self.fetch(block).await;
        }
    }
}

impl<K: BlockStore> Fetch for Prefetch<K> {
    async fn fetch(&self, block: Address) -> Block {
        if let Some(data) = self.blocks.held(block) {
            return data;
        }
        // The task that serves demands and the one that prefetches may fetch the same block.
        let data = self.port.read_shared(self.id, block, || self.blocks.held(block)).await;
        self.blocks.store(block, &data);
        data
    }
}
