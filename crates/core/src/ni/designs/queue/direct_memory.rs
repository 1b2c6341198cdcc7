//! `CNI0Qm`: StarT-JR-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | memory |
//! | buffering | in memory, processor not involved | |
//!
//! The home of both queues is main memory, and the interface keeps no copies. It fetches a message by coherent reads
//! when the tail is written, and writes an arriving message to memory block by block. It does not snoop, so it cannot
//! prefetch (Mukherjee and Hill 1998, §6.1.1).
//!
//! On a host without snooping the processor polls memory, and the interface reads and writes memory through the bridge.
//! The queue is then a descriptor ring whose descriptors contain the payload.
//!
//! The devices of both nodes execute one-sided operations ([`remote_memory`](super::remote_memory)).
//!
//! The module leaves out the I/O bus of the real interface, as the paper does, unless the host has one. Parameters:
//! blocks of a queue.

use super::device::{self, Deposit, Fetch, ReceiveShared, SendRegisters};
use super::driver::{QueueReceiver, QueueSender};
use super::layout::{QueueLayout, header_last};
use super::remote_memory::RemoteMemory;
use super::sending;
use crate::fabric::Packet;
use crate::host::{Address, BLOCK_BYTES, Block, DmaInitiator};
use crate::ni::designs::half::HalfContext;
use std::rc::Rc;

/// The device's access to main memory, without a cache.
struct MemoryAccess {
    initiator: Rc<DmaInitiator>,
    queue: QueueLayout,
    /// One-sided operations, if the device executes them.
    remote: Option<Rc<RemoteMemory>>,
}

impl Fetch for MemoryAccess {
    async fn fetch(&self, block: Address) -> Block {
        self.initiator.read_block(block).await
    }
}

impl Deposit for MemoryAccess {
    async fn deposit(&self, position: u64, blocks: &[Block], on_visible: &dyn Fn()) {
        for block in header_last(blocks.len()) {
            self.initiator.write_block(self.queue.block(position, block), blocks[block]).await;
        }
        on_visible();
    }

    async fn read(&self, block: Address) -> Block {
        self.initiator.read_block(block).await
    }

    async fn consume(&self, packet: &Packet) -> bool {
        match &self.remote {
            Some(remote) => remote.serve(packet).await,
            None => false,
        }
    }
}

/// Allocates a queue in main memory.
pub fn queue_in_memory(context: &HalfContext<'_>) -> QueueLayout {
    let parameters = context.parameters;
    let base = context.host().allocate(parameters.queue_blocks as usize * BLOCK_BYTES);
    QueueLayout::new(base, parameters.queue_blocks, parameters.message_blocks_max())
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>) -> QueueSender {
    let (queue, registers) = (queue_in_memory(context), SendRegisters::new(context));
    let sender = QueueSender::new(context, registers.clone(), queue, None);
    let initiator = Rc::new(context.host().dma());
    sending::start(context, &registers, queue, MemoryAccess { initiator, queue, remote: None });
    sender
}

/// Builds the receiving half, whose device may execute one-sided operations.
pub fn receiver(context: &HalfContext<'_>, executes_operations: bool) -> QueueReceiver {
    let (queue, shared) = (queue_in_memory(context), ReceiveShared::new(context));
    let initiator = Rc::new(context.host().dma());
    let remote = executes_operations.then(|| RemoteMemory::new(context, &initiator));
    device::start_receiving(context, &shared, queue, MemoryAccess { initiator, queue, remote: remote.clone() });
    QueueReceiver::new(context, shared, queue).with_operations(remote)
}
