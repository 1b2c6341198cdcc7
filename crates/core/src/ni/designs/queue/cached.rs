//! `CNI32Qm`: a coherent interface with small caches, its queues in main memory.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | processor cache |
//! | buffering | in the interface's cache or memory, processor not involved | |
//!
//! The home of the queues is main memory. The interface caches 32 blocks of each queue, with an access time of 60 ns.
//! The interface prefetches a message into its send cache while the processor composes it. The interface writes an
//! arriving message into its receive cache, from which the processor reads it directly. It invalidates the other copies
//! of each block without reading the block, since it writes whole blocks. Two rules apply (Mukherjee and Hill 1998,
//! §4):
//!
//! * If the receive cache is full of unread messages, a message bypasses it and goes to main memory. The interface
//!   first reads the queue's head from memory, since its copy of the head may be out of date.
//! * Blocks of messages that have been read are dead, and are replaced without a write-back, with one exception. Each
//!   header contains a sense, which shows in which lap (pass through the ring) it was written. If the old header in
//!   main memory has the sense of the next lap, the processor would mistake it for the header of a new message. The
//!   dead block is then written back over the old header.
//!
//! The caches are direct-mapped (chosen; the paper does not say): consecutive slots of the queue map to consecutive
//! cache lines, so lines are replaced in the order of the queue. A receive cache is full when the message that would be
//! replaced has not been read.
//!
//! With the throttle ([`throttle`]) a sender adapts its rate to its receiver's rate.
//!
//! The module leaves out contention between the interface's two sides for its memory. Parameters: blocks of a queue,
//! blocks of a cache, memory time.

use super::device::{self, Deposit, ReceiveShared, SendRegisters};
use super::direct_memory::queue_in_memory;
use super::driver::{QueueReceiver, QueueSender};
use super::layout::{QueueLayout, header_last};
use super::prefetch::{BlockStore, Observer, Prefetch};
use super::sending;
use super::throttle::Throttle;
use crate::engine::{Bytes, Sim, Time};
use crate::host::memory_bus::{Agent, AgentId, Cache, MoesiState, SnoopEffect, TransactionKind, moesi};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use crate::ni::designs::half::HalfContext;
use crate::ni::designs::parameters::SendNotice;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A direct-mapped cache of queue blocks.
struct QueueCache(RefCell<Cache>);

impl QueueCache {
    fn new(blocks: usize) -> QueueCache {
        QueueCache(RefCell::new(Cache::new(Bytes((blocks * BLOCK_BYTES) as u64), 1)))
    }

    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        let mut cache = self.0.borrow_mut();
        let Some((line, state)) = cache.find(block) else { return SnoopEffect::NO_COPY };
        let effect = moesi::snoop(state, kind);
        if effect.supplies {
            *data = cache.block(line);
        }
        cache.set_state(line, effect.next_state);
        effect
    }

    fn get(&self, block: Address) -> Option<Block> {
        let cache = self.0.borrow();
        cache.find(block).map(|(line, _)| cache.block(line))
    }

    fn put(&self, block: Address, state: MoesiState, data: &Block) {
        let mut cache = self.0.borrow_mut();
        let line = match cache.find(block) {
            Some((line, _)) => line,
            None => cache.victim(block).0,
        };
        cache.fill(line, block, state, data);
    }

    fn drop_block(&self, block: Address) {
        let mut cache = self.0.borrow_mut();
        if let Some((line, _)) = cache.find(block) {
            cache.set_state(line, MoesiState::Invalid);
        }
    }
}

/// The sending device.
struct SendDevice {
    cache: QueueCache,
    observer: Rc<Observer>,
}

impl Agent for SendDevice {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        self.observer.observe(kind, block);
        self.cache.snoop(kind, block, data)
    }
    fn state(&self, block: Address) -> MoesiState {
        self.cache.0.borrow().state(block)
    }
}

impl BlockStore for SendDevice {
    fn valid_copy(&self, block: Address) -> Option<Block> {
        self.cache.get(block)
    }
    fn store(&self, block: Address, data: &Block) {
        self.cache.put(block, MoesiState::Shared, data);
    }
}

/// The receiving device.
struct ReceiveDevice {
    cache: QueueCache,
    memory_time: Time,
}

impl Agent for ReceiveDevice {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        self.cache.snoop(kind, block, data)
    }
    fn supply_time(&self) -> Time {
        self.memory_time
    }
    fn state(&self, block: Address) -> MoesiState {
        self.cache.0.borrow().state(block)
    }
    fn peek(&self, block: Address) -> Option<Block> {
        let owns_block = self.state(block).owns();
        owns_block.then(|| self.cache.get(block)).flatten()
    }
}

/// The receive loop's access to the cache and to main memory.
struct CacheDeposit {
    sim: Sim,
    port: AnyCoherentPort,
    id: AgentId,
    device: Rc<ReceiveDevice>,
    shared: Rc<ReceiveShared>,
    queue: QueueLayout,
    /// The content of each cache line: the number of a message, and the index of a block of that message.
    lines: Vec<Cell<Option<(u64, usize)>>>,
    /// The sense of each slot's header in main memory.
    memory_senses: Vec<Cell<u8>>,
}

impl Deposit for CacheDeposit {
    async fn deposit(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn()) {
        self.sim.delay(self.device.memory_time).await;
        match self.free_lines(position, blocks.len()).await {
            true => self.fill(position, blocks, on_visible).await,
            false => self.bypass(position, blocks, on_visible).await,
        }
    }

    async fn read(&self, block: Address) -> Block {
        self.port.read_shared(self.id, block, || None).await
    }
}

impl CacheDeposit {
    fn line(&self, position: u64, block: usize) -> &Cell<Option<(u64, usize)>> {
        let index = self.queue.index(self.queue.block(position, block)).expect("the block is in the queue");
        &self.lines[index % self.lines.len()]
    }

    /// Frees the cache lines of message `position`; returns `false` if one of them holds an unread message.
    async fn free_lines(&self, position: u64, blocks: usize) -> bool {
        if self.has_been_read(position, blocks, self.shared.known_head()) {
            self.drop_read_blocks(position, blocks).await;
            return true;
        }
        self.shared.update_head(self).await;
        let is_free = self.has_been_read(position, blocks, self.shared.known_head());
        if is_free {
            self.drop_read_blocks(position, blocks).await;
        }
        is_free
    }

    /// Returns whether the processor has read the messages in the cache lines of message `position`.
    fn has_been_read(&self, position: u64, blocks: usize, head: u64) -> bool {
        (0..blocks).all(|block| self.line(position, block).get().is_none_or(|(old_position, _)| old_position < head))
    }

    async fn drop_read_blocks(&self, position: u64, blocks: usize) {
        for block in 0..blocks {
            if let Some((old_position, old_block)) = self.line(position, block).take() {
                self.drop_block_of(position, old_position, old_block).await;
            }
        }
    }

    /// Drops a block of the dead message `old_position`, so that message `position` can use the cache line.
    async fn drop_block_of(&self, position: u64, old_position: u64, block: usize) {
        let (address, slot) = (self.queue.block(old_position, block), self.queue.slot(old_position));
        let next_sense = self.queue.sense(old_position + self.queue.slots());
        let is_overwritten = slot == self.queue.slot(position);
        if block == 0 && !is_overwritten && self.memory_senses[slot].get() == next_sense {
            let data = self.device.cache.get(address).expect("the block of an occupied line is in the cache");
            self.device.cache.drop_block(address);
            self.port.write_back(self.id, address, data).await;
            self.memory_senses[slot].set(self.queue.sense(old_position));
        }
        self.device.cache.drop_block(address);
    }

    /// Drops the block that a message of an earlier lap has at the same address, if the cache holds it.
    fn drop_older_lap(&self, position: u64, block: usize) {
        let (line, address) = (self.line(position, block), self.queue.block(position, block));
        if line.get().is_some_and(|(old_position, old_block)| self.queue.block(old_position, old_block) == address) {
            line.set(None);
            self.device.cache.drop_block(address);
        }
    }

    async fn fill(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn()) {
        // Other packets may be deposited at the same time, so the lines are occupied before the first transaction.
        for block in 0..blocks.len() {
            self.line(position, block).set(Some((position, block)));
        }
        let write_order: SmallVec<[usize; 4]> = header_last(blocks.len()).collect();
        let addresses: SmallVec<[Address; 4]> =
            write_order.iter().map(|block| self.queue.block(position, *block)).collect();
        let on_ownership = |index: usize| {
            self.device.cache.put(addresses[index], MoesiState::Modified, &blocks[write_order[index]]);
            if write_order[index] == 0 {
                on_visible();
            }
        };
        self.port.upgrade(self.id, &addresses, on_ownership).await;
    }

    async fn bypass(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn()) {
        for block in header_last(blocks.len()) {
            let address = self.queue.block(position, block);
            self.drop_older_lap(position, block);
            let on_written = || {
                if block == 0 {
                    self.memory_senses[self.queue.slot(position)].set(self.queue.sense(position));
                    on_visible();
                }
            };
            self.port.write_through(self.id, address, blocks[block], on_written).await;
        }
    }
}

/// Builds the sending half, with a throttle if there is one.
pub fn sender(context: &HalfContext<'_>, throttle: Option<Throttle>) -> QueueSender {
    let (parameters, queue, port) = (context.parameters, queue_in_memory(context), context.coherent_port());
    let (sim, name, watches_headers) = (context.sim(), context.name(), parameters.notice == SendNotice::Line);
    let observer = Observer::new(sim, name, queue, port.snoop_delay(), watches_headers);
    let device = Rc::new(SendDevice { cache: QueueCache::new(parameters.cache_blocks), observer: observer.clone() });
    let id = port.attach(device.clone(), None);
    let source = Prefetch::new(sim, (&port, id), device, observer, parameters.outstanding, name);
    let registers = SendRegisters::new(context);
    sending::start(context, &registers, queue, source);
    QueueSender::new(context, registers, queue, throttle)
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> QueueReceiver {
    let (parameters, queue, port) = (context.parameters, queue_in_memory(context), context.coherent_port());
    let shared = ReceiveShared::new(context);
    let device =
        Rc::new(ReceiveDevice { cache: QueueCache::new(parameters.cache_blocks), memory_time: parameters.memory_time });
    let target = CacheDeposit {
        sim: context.sim().clone(),
        id: port.attach(device.clone(), None),
        port,
        device,
        shared: shared.clone(),
        queue,
        lines: vec![Cell::new(None); parameters.cache_blocks],
        memory_senses: vec![Cell::new(0); queue.slots() as usize],
    };
    device::start_receiving(context, &shared, queue, target);
    QueueReceiver::new(context, shared, queue)
}
