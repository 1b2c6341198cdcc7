//! Fetches of blocks of the send queue, on demand or before they are needed.
//!
//! A message is prefetched while it is composed: block *i* is fetched when the processor requests ownership of the
//! block after it (Mukherjee and Hill 1998, §6.1.1). If the fetch is too early, the processor's next store to the block
//! invalidates the copy, and the block is fetched again after the tail is written. A device behind a link sees only the
//! requests for blocks of which it has a copy or is the home, and sees them one link crossing later.
//!
//! A device with several transactions outstanding also fetches the blocks that it expects to need next
//! ([`Fetch::announce`]). A block that was fetched too early is fetched again, since the device's copy is coherent.

use super::device::Fetch;
use super::layout::QueueLayout;
use super::work_pool::WorkPool;
use crate::engine::{Mailbox, Signal, Sim, Time};
use crate::host::memory_bus::{AgentId, TransactionKind};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use std::cell::RefCell;
use std::rc::Rc;

/// The interface's storage for fetched blocks of the send queue.
pub trait BlockStore {
    /// Returns the copy of a block, if there is a valid one.
    fn valid_copy(&self, block: Address) -> Option<Block>;
    /// Stores a block that has been fetched.
    fn store(&self, block: Address, data: &Block);
}

/// The transactions of the processor that a sending device acts on.
pub struct Observer {
    sim: Sim,
    queue: QueueLayout,
    /// Time from a transaction until the device acts on it.
    delay: Time,
    /// Blocks that are complete and to be prefetched.
    complete_blocks: Mailbox<Address>,
    /// Header blocks whose copies the device has lost; used if the processor notifies the device by the headers.
    lost_headers: Option<Mailbox<Address>>,
}

impl Observer {
    /// Creates an observer of `queue`. With `watches_headers` it records the ownership requests for headers.
    pub fn new(sim: &Sim, name: &str, queue: QueueLayout, delay: Time, watches_headers: bool) -> Rc<Observer> {
        Rc::new(Observer {
            sim: sim.clone(),
            queue,
            delay,
            complete_blocks: Mailbox::new(sim, format!("{name}: a block to prefetch")),
            lost_headers: watches_headers.then(|| Mailbox::new(sim, format!("{name}: a message in the send queue"))),
        })
    }

    /// Acts on a transaction. When the processor requests ownership of a block, the previous block of the message is
    /// complete and may be prefetched.
    pub fn observe(&self, kind: TransactionKind, block: Address) {
        let (TransactionKind::ReadExclusive | TransactionKind::Invalidate, Some(index)) =
            (kind, self.queue.index(block))
        else {
            return;
        };
        let at = self.sim.now() + self.delay;
        match (&self.lost_headers, self.queue.is_first(index)) {
            (Some(lost_headers), true) => lost_headers.send_at(at, block),
            // The header is written last, so the ownership of another block does not show that the previous one is
            // complete.
            (Some(_), false) | (None, true) => {}
            (None, false) => self.complete_blocks.send_at(at, block - BLOCK_BYTES as u64),
        }
    }
}

/// Fetches blocks into a [`BlockStore`], on demand or before they are needed.
pub struct Prefetch<K> {
    port: AnyCoherentPort,
    id: AgentId,
    block_store: Rc<K>,
    observer: Rc<Observer>,
    /// The tasks of a device with several transactions outstanding.
    concurrent: Option<Rc<ConcurrentFetches>>,
}

/// The fetches under way.
struct ConcurrentFetches {
    pool: Rc<WorkPool>,
    in_progress: RefCell<Vec<Address>>,
    block_fetched: Signal,
}

impl<K> Clone for Prefetch<K> {
    fn clone(&self) -> Prefetch<K> {
        Prefetch {
            port: self.port.clone(),
            id: self.id,
            block_store: self.block_store.clone(),
            observer: self.observer.clone(),
            concurrent: self.concurrent.clone(),
        }
    }
}

impl<K: BlockStore + 'static> Prefetch<K> {
    /// Creates a prefetcher with `outstanding` transactions, and starts its tasks.
    pub fn new(
        sim: &Sim,
        (port, id): (&AnyCoherentPort, AgentId),
        block_store: Rc<K>,
        observer: Rc<Observer>,
        outstanding: usize,
        name: &str,
    ) -> Prefetch<K> {
        let concurrent = (outstanding > 1).then(|| {
            Rc::new(ConcurrentFetches {
                pool: WorkPool::start(sim, &format!("{name} fetch"), outstanding),
                in_progress: RefCell::default(),
                block_fetched: Signal::new(sim, format!("{name}: a block")),
            })
        });
        let prefetch = Prefetch { port: port.clone(), id, block_store, observer, concurrent };
        sim.spawn_server(format!("{name} prefetch"), prefetch.clone().serve());
        prefetch
    }

    async fn serve(self) {
        loop {
            let block = self.observer.complete_blocks.receive().await;
            match &self.concurrent {
                Some(_) => self.announce(block),
                None => {
                    self.fetch(block).await;
                }
            }
        }
    }

    async fn read(&self, block: Address) -> Block {
        // The task that serves demands and the one that prefetches may fetch the same block.
        let data = self.port.read_shared(self.id, block, || self.block_store.valid_copy(block)).await;
        self.block_store.store(block, &data);
        data
    }
}

impl<K: BlockStore + 'static> Fetch for Prefetch<K> {
    async fn fetch(&self, block: Address) -> Block {
        let Some(concurrent) = &self.concurrent else {
            return match self.block_store.valid_copy(block) {
                Some(data) => data,
                None => self.read(block).await,
            };
        };
        loop {
            if let Some(data) = self.block_store.valid_copy(block) {
                return data;
            }
            let is_being_fetched = concurrent.in_progress.borrow().contains(&block);
            if is_being_fetched {
                concurrent.block_fetched.wait().await;
                continue;
            }
            concurrent.in_progress.borrow_mut().push(block);
            let data = self.read(block).await;
            concurrent.in_progress.borrow_mut().retain(|address| *address != block);
            concurrent.block_fetched.notify();
            return data;
        }
    }

    fn announce(&self, block: Address) {
        let Some(concurrent) = &self.concurrent else { return };
        if self.block_store.valid_copy(block).is_none() && !concurrent.in_progress.borrow().contains(&block) {
            let prefetch = self.clone();
            concurrent.pool.submit(async move {
                prefetch.fetch(block).await;
            });
        }
    }

    async fn header_changed(&self, block: Address) {
        let Some(lost_headers) = &self.observer.lost_headers else { return };
        // Each loss of the copy has a notification, which arrives later.
        while lost_headers.receive().await != block || self.block_store.valid_copy(block).is_some() {}
    }
}
