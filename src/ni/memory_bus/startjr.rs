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
//! Leaves out: the I/O bus on which the real one sits, as the paper does.
//! Parameters: blocks of a queue.

use super::coherent_queue::{Queue, header_last};
use super::fifo::Output;
use super::queue_device::{self, Deposit, Fetch, ReceiveShared, ReceiveTimes, SendRegisters};
use super::queue_driver::{QueueReceiver, QueueSender};
use super::{RECEIVE_BASE, Receiver, SEND_BASE, Sender, Site};
use crate::engine::Time;
use crate::host::memory_bus::block::{Address, BLOCK_BYTES, Block};
use crate::host::memory_bus::{Agent, AgentId, Bus, Kind};
use std::rc::Rc;

struct SendDevice {
    registers: Rc<SendRegisters>,
    time: Time,
}

impl Agent for SendDevice {
    fn home_time(&self, _: Address) -> Time {
        self.time
    }
    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        self.registers.read(address, bytes, data);
    }
    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.registers.write(address, bytes, data);
    }
}

/// Reads and writes main memory, and keeps nothing.
struct Direct {
    bus: Rc<Bus>,
    id: AgentId,
    queue: Queue,
}

impl Fetch for Direct {
    async fn fetch(&self, block: Address) -> Block {
        let mut data = Block::ZERO;
        self.bus.transact(self.id, Kind::Read, block, BLOCK_BYTES, &mut data).await;
        data
    }
}

impl Deposit for Direct {
    async fn deposit(&self, position: u64, blocks: &[Block]) {
        for block in header_last(blocks.len()) {
            let address = self.queue.block(position, block);
            self.bus.transact(self.id, Kind::WriteBlock, address, BLOCK_BYTES, &mut blocks[block].clone()).await;
        }
    }

    fn agent(&self) -> (&Bus, AgentId) {
        (&self.bus, self.id)
    }
}

/// The receiving device has no registers: the queue says everything.
struct ReceiveDevice;

impl Agent for ReceiveDevice {}

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    (Sender::Memory(sender(site)), Receiver::Queue(receiver(site)))
}

/// A queue of the site's size in main memory.
pub fn queue_in_memory(site: &Site) -> Queue {
    let p = site.parameters;
    let base = site.node.allocate(p.queue_blocks as usize * BLOCK_BYTES);
    Queue::new(base, p.queue_blocks, p.message_blocks_max())
}

fn sender(site: &Site) -> QueueSender {
    let (p, queue) = (site.parameters, queue_in_memory(site));
    let registers = Rc::new(SendRegisters::new(site));
    let device = Rc::new(SendDevice { registers: registers.clone(), time: p.memory_time });
    let id = site.node.attach(device, SEND_BASE..SEND_BASE + 64);
    let source = Direct { bus: site.node.bus.clone(), id, queue };
    let output = Output::new(site.sim, &site.node.name, site.port, p.processing_time);
    let work = queue_device::serve_sends(registers.clone(), queue, site.port.clone(), output, source);
    site.sim.spawn_server(format!("{} send queue", site.node.name), work);
    QueueSender::new(site, registers, queue, None)
}

/// Builds the receiving half.
pub fn receiver(site: &Site) -> QueueReceiver {
    let (p, queue) = (site.parameters, queue_in_memory(site));
    let shared = ReceiveShared::new(site);
    let id = site.node.attach(Rc::new(ReceiveDevice), RECEIVE_BASE..RECEIVE_BASE + 64);
    let target = Direct { bus: site.node.bus.clone(), id, queue };
    let times = ReceiveTimes { processing: p.processing_time, head_poll: p.head_poll_time };
    let work = queue_device::serve_receives(site.sim.clone(), shared.clone(), queue, site.port.clone(), times, target);
    site.sim.spawn_server(format!("{} receive queue", site.node.name), work);
    QueueReceiver::new(site, shared, queue)
}
