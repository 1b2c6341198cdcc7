//! `CNI512Q`: a coherent interface without a cache, with its queues in its own memory.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | processor cache |
//! | buffering | in the interface or virtual memory, processor involved | |
//!
//! The interface is the home of both queues of 512 blocks, in memory as slow as main memory (120 ns, Table 3 note a).
//! The processor caches the queues. The interface prefetches a message while the processor composes it. The interface
//! writes an arriving message to its own memory, without a bus transfer of the data, and invalidates the processor's
//! copies of the blocks. The processor then reads the message directly from the interface. A message is written as one
//! burst, which takes one access time whatever its length.
//!
//! The module leaves out contention between the interface's two sides for its memory. Parameters: blocks of a queue,
//! memory time.

use super::device::{self, Deposit, ReceiveShared, SendRegisters};
use super::driver::{QueueReceiver, QueueSender};
use super::layout::{QueueLayout, RECEIVE_QUEUE, SEND_QUEUE, header_last};
use super::prefetch::{BlockStore, Observer, Prefetch};
use super::sending;
use crate::engine::{Sim, Time};
use crate::host::block::{block_of, offset_in_block};
use crate::host::memory_bus::{Agent, AgentId, SnoopEffect, TransactionKind};
use crate::host::{Address, AnyCoherentPort, BLOCK_BYTES, Block};
use crate::ni::designs::half::HalfContext;
use crate::ni::designs::parameters::SendNotice;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// The memory of one queue.
struct QueueMemory {
    queue: QueueLayout,
    blocks: RefCell<Vec<Block>>,
}

impl QueueMemory {
    fn new(base: Address, context: &HalfContext<'_>) -> QueueMemory {
        let queue = QueueLayout::new(base, context.parameters.queue_blocks, context.parameters.message_blocks_max());
        QueueMemory { queue, blocks: RefCell::new(vec![Block::ZERO; queue.blocks()]) }
    }

    /// Returns the address range of the queue.
    fn range(&self) -> Range<Address> {
        let base = self.queue.block(0, 0);
        base..base + (self.queue.blocks() * BLOCK_BYTES) as u64
    }

    fn index(&self, address: Address) -> usize {
        self.queue.index(block_of(address)).expect("the address is in the queue")
    }

    fn read(&self, address: Address, data: &mut Block) {
        *data = self.blocks.borrow()[self.index(address)];
    }

    fn write(&self, address: Address, bytes: usize, data: &Block) {
        let part = offset_in_block(address)..offset_in_block(address) + bytes;
        self.blocks.borrow_mut()[self.index(address)].0[part.clone()].copy_from_slice(&data.0[part]);
    }
}

/// The sending device: the home of the send queue.
struct SendDevice {
    memory: QueueMemory,
    /// Whether each block in this memory has the value that the processor last wrote.
    is_current: Vec<Cell<bool>>,
    observer: Rc<Observer>,
    memory_time: Time,
}

impl Agent for SendDevice {
    fn snoop(&self, kind: TransactionKind, block: Address, _: &mut Block) -> SnoopEffect {
        if let (TransactionKind::ReadExclusive | TransactionKind::Invalidate, Some(index)) =
            (kind, self.memory.queue.index(block))
        {
            self.is_current[index].set(false);
            self.observer.observe(kind, block);
        }
        SnoopEffect::NO_COPY
    }

    fn home_time(&self, _: Address) -> Time {
        self.memory_time
    }

    fn home_read(&self, address: Address, _bytes: usize, data: &mut Block) {
        self.memory.read(address, data);
    }

    fn home_write(&self, address: Address, _bytes: usize, data: &Block) {
        self.store(block_of(address), data);
    }
}

impl BlockStore for SendDevice {
    fn valid_copy(&self, block: Address) -> Option<Block> {
        let index = self.memory.index(block);
        self.is_current[index].get().then(|| self.memory.blocks.borrow()[index])
    }

    fn store(&self, block: Address, data: &Block) {
        self.memory.write(block, BLOCK_BYTES, data);
        self.is_current[self.memory.index(block)].set(true);
    }
}

/// The receiving device: the home of the receive queue.
struct ReceiveDevice {
    memory: QueueMemory,
    memory_time: Time,
}

impl Agent for ReceiveDevice {
    fn snoops(&self) -> bool {
        false
    }

    fn home_time(&self, _: Address) -> Time {
        self.memory_time
    }

    fn home_read(&self, address: Address, _: usize, data: &mut Block) {
        self.memory.read(address, data);
    }

    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.memory.write(address, bytes, data);
    }
}

/// The receive loop's access to the interface's memory.
struct HomeDeposit {
    sim: Sim,
    port: AnyCoherentPort,
    id: AgentId,
    device: Rc<ReceiveDevice>,
}

impl Deposit for HomeDeposit {
    async fn deposit(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn()) {
        self.sim.delay(self.device.memory_time).await;
        let write_order: Vec<usize> = header_last(blocks.len()).collect();
        let addresses: Vec<Address> =
            write_order.iter().map(|block| self.device.memory.queue.block(position, *block)).collect();
        let on_ownership = |index: usize| {
            self.device.memory.write(addresses[index], BLOCK_BYTES, &blocks[write_order[index]]);
            if write_order[index] == 0 {
                on_visible();
            }
        };
        self.port.upgrade(self.id, &addresses, on_ownership).await;
    }

    async fn read(&self, block: Address) -> Block {
        self.port.read_shared(self.id, block, || None).await
    }
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>) -> QueueSender {
    let (parameters, memory, port) =
        (context.parameters, QueueMemory::new(SEND_QUEUE, context), context.coherent_port());
    let (sim, name, queue) = (context.sim(), context.name(), memory.queue);
    let observer = Observer::new(sim, name, queue, port.snoop_delay(), parameters.notice == SendNotice::Line);
    let device = Rc::new(SendDevice {
        is_current: vec![Cell::new(false); queue.blocks()],
        memory,
        observer: observer.clone(),
        memory_time: parameters.memory_time,
    });
    let id = port.attach(device.clone(), Some(device.memory.range()));
    let source = Prefetch::new(sim, (&port, id), device, observer, parameters.outstanding, name);
    let registers = SendRegisters::new(context);
    sending::start(context, &registers, queue, source);
    QueueSender::new(context, registers, queue, None)
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> QueueReceiver {
    let (port, shared) = (context.coherent_port(), ReceiveShared::new(context));
    let memory_time = context.parameters.memory_time;
    let device = Rc::new(ReceiveDevice { memory: QueueMemory::new(RECEIVE_QUEUE, context), memory_time });
    let queue = device.memory.queue;
    let id = port.attach(device.clone(), Some(device.memory.range()));
    let target = HomeDeposit { sim: context.sim().clone(), port, id, device };
    device::start_receiving(context, &shared, queue, target);
    QueueReceiver::new(context, shared, queue)
}
