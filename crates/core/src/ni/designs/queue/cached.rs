//! `CNI32Qm`: a coherent interface with small caches, its queues in main memory.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | processor cache |
//! | buffering | in the interface's cache or memory, processor not involved | |
//!
//! The queues are at home in main memory; the interface caches 32 blocks of each (60 ns). It
//! prefetches what is composed into its send cache. An arriving message it claims block by block
//! (an invalidation; the whole block is new) and keeps in its receive cache, from which the
//! processor reads it directly. Two rules (§4):
//!
//! * A receive cache full of messages not yet read is bypassed: the message goes to main memory.
//!   The interface then reads the head, which its lazy pointer does not keep current.
//! * Blocks of messages already read are dead, and replaced without being written back.
//!   Except where the header left in memory has the very sense of the next lap, which the
//!   processor would take for a message: then the dead header is written back over it.
//!
//! The caches are direct-mapped (chosen; the paper does not say): consecutive slots of the queue
//! have consecutive places, so replacement is in the order of the queue, and a receive cache is
//! full when the message that would be replaced has not been read.
//!
//! With the throttle ([`throttle`]) the sender keeps to its receiver's pace.
//!
//! Leaves out: contention between the interface's two sides for its memory.
//! Parameters: blocks of a queue, blocks of a cache, memory time.

use super::device::{self, Deposit, ReceiveShared, SendRegisters};
use super::direct_memory::queue_in_memory;
use super::driver::{QueueReceiver, QueueSender};
use super::layout::{QueueLayout, header_last};
use super::prefetch::{self, Keep, Prefetch};
use super::throttle::Throttle;
use crate::engine::{Bytes, Mailbox, Sim, Time};
use crate::host::memory_bus::{Agent, AgentId, Cache, Snooped, State, TransactionKind, moesi};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use crate::ni::designs::half::HalfContext;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A direct-mapped cache of queue blocks.
struct QueueCache(RefCell<Cache>);

impl QueueCache {
    fn new(blocks: usize) -> QueueCache {
        QueueCache(RefCell::new(Cache::new(Bytes((blocks * BLOCK_BYTES) as u64), 1)))
    }

    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        let mut cache = self.0.borrow_mut();
        let Some((place, state)) = cache.find(block) else { return Snooped::NOTHING };
        let snooped = moesi::snoop(state, kind);
        if snooped.supplies {
            *data = cache.block(place);
        }
        cache.set_state(place, snooped.next);
        snooped
    }

    fn get(&self, block: Address) -> Option<Block> {
        let cache = self.0.borrow();
        cache.find(block).map(|(place, _)| cache.block(place))
    }

    fn put(&self, block: Address, state: State, data: &Block) {
        let mut cache = self.0.borrow_mut();
        let place = match cache.find(block) {
            Some((place, _)) => place,
            None => cache.victim(block).0,
        };
        cache.fill(place, block, state, data);
    }

    fn drop_block(&self, block: Address) {
        let mut cache = self.0.borrow_mut();
        if let Some((place, _)) = cache.find(block) {
            cache.set_state(place, State::Invalid);
        }
    }
}

/// The sending device.
struct SendDevice {
    queue: QueueLayout,
    cache: QueueCache,
    wanted: Rc<Mailbox<Address>>,
}

impl Agent for SendDevice {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        prefetch::observe(&self.queue, &self.wanted, kind, block);
        self.cache.snoop(kind, block, data)
    }
    fn state(&self, block: Address) -> State {
        self.cache.0.borrow().state(block)
    }
}

impl Keep for SendDevice {
    fn held(&self, block: Address) -> Option<Block> {
        self.cache.get(block)
    }
    fn keep(&self, block: Address, data: &Block) {
        self.cache.put(block, State::Shared, data);
    }
}

/// The receiving device.
struct ReceiveDevice {
    cache: QueueCache,
    time: Time,
}

impl Agent for ReceiveDevice {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        self.cache.snoop(kind, block, data)
    }
    fn supply_time(&self) -> Time {
        self.time
    }
    fn state(&self, block: Address) -> State {
        self.cache.0.borrow().state(block)
    }
    fn peek(&self, block: Address) -> Option<Block> {
        let answers = self.state(block).owns();
        answers.then(|| self.cache.get(block)).flatten()
    }
}

/// The receiving device at work.
struct Filling {
    sim: Sim,
    port: AnyCoherentPort,
    id: AgentId,
    device: Rc<ReceiveDevice>,
    shared: Rc<ReceiveShared>,
    queue: QueueLayout,
    /// What is in each place of the cache: message, and block of it.
    resident: Vec<Cell<Option<(u64, usize)>>>,
    /// The sense of each slot's header in main memory.
    memory_senses: Vec<Cell<u8>>,
}

impl Deposit for Filling {
    async fn deposit(&self, position: u64, blocks: &[Block]) {
        self.sim.delay(self.device.time).await;
        match self.make_room(position, blocks.len()).await {
            true => self.fill(position, blocks).await,
            false => self.bypass(position, blocks).await,
        }
    }

    async fn look(&self, block: Address) -> Block {
        self.port.read_shared(self.id, block, || None).await
    }
}

impl Filling {
    fn place(&self, position: u64, block: usize) -> &Cell<Option<(u64, usize)>> {
        let index = self.queue.index(self.queue.block(position, block)).expect("a block of the queue");
        &self.resident[index % self.resident.len()]
    }

    /// Frees the places of message `position`; false if a message not yet read is in one.
    async fn make_room(&self, position: u64, blocks: usize) -> bool {
        if self.is_read(position, blocks, self.shared.head_known()) {
            self.drop_dead(position, blocks).await;
            return true;
        }
        self.shared.update_head(self).await;
        let room = self.is_read(position, blocks, self.shared.head_known());
        if room {
            self.drop_dead(position, blocks).await;
        }
        room
    }

    /// Whether what is in the places of message `position` has been read by the processor.
    fn is_read(&self, position: u64, blocks: usize, head: u64) -> bool {
        (0..blocks).all(|block| self.place(position, block).get().is_none_or(|(old, _)| old < head))
    }

    async fn drop_dead(&self, position: u64, blocks: usize) {
        for block in 0..blocks {
            if let Some((old, old_block)) = self.place(position, block).take() {
                self.drop_one(position, old, old_block).await;
            }
        }
    }

    /// Drops a block of the dead message `old` to make room for message `position`.
    async fn drop_one(&self, position: u64, old: u64, block: usize) {
        let (address, slot) = (self.queue.block(old, block), self.queue.slot(old));
        let next_sense = self.queue.sense(old + self.queue.slots());
        let is_overwritten = slot == self.queue.slot(position);
        if block == 0 && !is_overwritten && self.memory_senses[slot].get() == next_sense {
            let data = self.device.cache.get(address).expect("a resident block is in the cache");
            self.device.cache.drop_block(address);
            self.port.write_back(self.id, address, data).await;
            self.memory_senses[slot].set(self.queue.sense(old));
        }
        self.device.cache.drop_block(address);
    }

    /// Drops what the cache still holds of the same block from an older lap.
    fn forget(&self, position: u64, block: usize) {
        let (place, address) = (self.place(position, block), self.queue.block(position, block));
        if place.get().is_some_and(|(old, old_block)| self.queue.block(old, old_block) == address) {
            place.set(None);
            self.device.cache.drop_block(address);
        }
    }

    async fn fill(&self, position: u64, blocks: &[Block]) {
        for block in header_last(blocks.len()) {
            let address = self.queue.block(position, block);
            self.port.upgrade(self.id, address).await;
            self.device.cache.put(address, State::Modified, &blocks[block]);
            self.place(position, block).set(Some((position, block)));
        }
    }

    async fn bypass(&self, position: u64, blocks: &[Block]) {
        for block in header_last(blocks.len()) {
            let address = self.queue.block(position, block);
            self.forget(position, block);
            self.port.write_through(self.id, address, blocks[block]).await;
        }
        self.memory_senses[self.queue.slot(position)].set(self.queue.sense(position));
    }
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>, throttled: bool) -> QueueSender {
    let (queue, port) = (queue_in_memory(context), context.coherent());
    let device = Rc::new(SendDevice {
        queue,
        cache: QueueCache::new(context.parameters.cache_blocks),
        wanted: prefetch::wanted(context.sim(), context.name()),
    });
    let id = port.attach(device.clone(), None);
    let source = Prefetch::new(context.sim(), &port, id, device.clone(), device.wanted.clone(), context.name());
    let registers = SendRegisters::new(context);
    device::start_sending(context, &registers, queue, source);
    QueueSender::new(context, registers, queue, throttled.then(Throttle::default))
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> QueueReceiver {
    let (p, queue, port) = (context.parameters, queue_in_memory(context), context.coherent());
    let shared = ReceiveShared::new(context);
    let device = Rc::new(ReceiveDevice { cache: QueueCache::new(p.cache_blocks), time: p.memory_time });
    let target = Filling {
        sim: context.sim().clone(),
        id: port.attach(device.clone(), None),
        port,
        device,
        shared: shared.clone(),
        queue,
        resident: vec![Cell::new(None); p.cache_blocks],
        memory_senses: vec![Cell::new(0); queue.slots() as usize],
    };
    device::start_receiving(context, &shared, queue, target);
    QueueReceiver::new(context, shared, queue)
}
