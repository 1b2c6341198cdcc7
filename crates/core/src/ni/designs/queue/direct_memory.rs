//! `CNI0Qm`: StarT-JR-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | interface | interface |
//! | source, destination | cache or memory | memory |
//! | buffering | in memory, processor not involved | |
//!
//! Both queues are at home in main memory, and the interface keeps no copies: it fetches a
//! message by coherent reads when it is told of it, and writes an arriving one to memory block by
//! block. It does not answer to coherence signals, so it cannot prefetch (§6.1.1).
//!
//! On a host that does not snoop the processor polls memory, and the interface reads and writes it
//! through the bridge: a descriptor ring, but for the payload that stands in it.
//!
//! Leaves out: the I/O bus on which the real one sits, as the paper does, where the host has none.
//! Parameters: blocks of a queue.

use super::device::{self, Deposit, Fetch, ReceiveShared, SendRegisters};
use super::driver::{QueueReceiver, QueueSender};
use super::layout::{QueueLayout, header_last};
use crate::host::{Address, BLOCK_BYTES, Block, DmaInitiator};
use crate::ni::designs::half::HalfContext;

/// Reads and writes main memory, and keeps nothing.
struct Direct {
    initiator: DmaInitiator,
    queue: QueueLayout,
}

impl Fetch for Direct {
    async fn fetch(&self, block: Address) -> Block {
        self.initiator.read_block(block).await
    }
}

impl Deposit for Direct {
    async fn deposit(&self, position: u64, blocks: &[Block]) {
        for block in header_last(blocks.len()) {
            self.initiator.write_block(self.queue.block(position, block), blocks[block]).await;
        }
    }

    async fn look(&self, block: Address) -> Block {
        self.initiator.read_block(block).await
    }
}

/// A queue of the site's size in main memory.
pub fn queue_in_memory(context: &HalfContext<'_>) -> QueueLayout {
    let p = context.parameters;
    let base = context.host().allocate(p.queue_blocks as usize * BLOCK_BYTES);
    QueueLayout::new(base, p.queue_blocks, p.message_blocks_max())
}

/// Builds the sending half.
pub fn sender(context: &HalfContext<'_>) -> QueueSender {
    let (queue, registers) = (queue_in_memory(context), SendRegisters::new(context));
    let sender = QueueSender::new(context, registers.clone(), queue, None);
    device::start_sending(context, &registers, queue, Direct { initiator: context.host().dma(), queue });
    sender
}

/// Builds the receiving half.
pub fn receiver(context: &HalfContext<'_>) -> QueueReceiver {
    let (queue, shared) = (queue_in_memory(context), ReceiveShared::new(context));
    device::start_receiving(context, &shared, queue, Direct { initiator: context.host().dma(), queue });
    QueueReceiver::new(context, shared, queue)
}
