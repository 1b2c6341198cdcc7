//! Direct memory access: the transfers between an interface's engine and main memory.
//!
//! On an I/O bus a transfer goes through the bridge: set-up, bursts, and competition with the processor. On a memory bus
//! each block is a transaction of its own; a read finds a block wherever it is, a write invalidates all cached copies.

use super::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use super::device::Direction;
use super::io_bus::{DmaStream, IoBusHost};
use super::memory_bus::{Agent, AgentId, Bus, MemoryBusNode, TransactionKind};
use crate::engine::{Bytes, Rate, Sim, Time};
use std::rc::Rc;

/// The initiator of an engine's transfers.
pub enum DmaInitiator {
    /// Transfers go through a bridge.
    IoBus(Rc<IoBusHost>),
    /// Transfers are transactions of an agent on the memory bus.
    MemoryBus(MemoryBusInitiator),
}

/// An initiator on the memory bus.
pub struct MemoryBusInitiator {
    sim: Sim,
    bus: Rc<Bus>,
    id: AgentId,
}

/// An agent that keeps no copies of blocks.
struct NonCachingAgent;

impl Agent for NonCachingAgent {
    fn snoops(&self) -> bool {
        false
    }
}

/// Bytes that flow between an engine and memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Number of bytes.
    pub bytes: Bytes,
    /// Start of the service by buses and memory, which may be before the bytes flow.
    pub began: Time,
    /// Arrival of the first byte.
    pub from: Time,
    /// Arrival of the last byte.
    pub to: Time,
    /// Rate between the two.
    pub rate: Rate,
}

impl DmaInitiator {
    /// Attaches an initiator to the memory bus of `node`.
    pub fn memory_bus(node: &MemoryBusNode) -> DmaInitiator {
        let id = node.bus.attach(Rc::new(NonCachingAgent), None);
        DmaInitiator::MemoryBus(MemoryBusInitiator { sim: node.processor.sim().clone(), bus: node.bus.clone(), id })
    }

    /// Sets a transfer up.
    pub async fn open(&self, direction: Direction) -> MemoryTransfer<'_> {
        match self {
            DmaInitiator::IoBus(host) => {
                let setup = host.bridge.parameters().of(direction).0;
                let stream = Box::new(host.bridge.open(direction).await);
                MemoryTransfer { route: Route::IoBus(host, stream, Vec::new()), direction, setup }
            }
            DmaInitiator::MemoryBus(initiator) => {
                MemoryTransfer { route: Route::MemoryBus(initiator), direction, setup: Time::ZERO }
            }
        }
    }

    /// Returns the peak rate of the bridge or the bus.
    pub fn rate(&self, direction: Direction) -> Rate {
        match self {
            DmaInitiator::IoBus(host) => host.bridge.parameters().of(direction).1,
            DmaInitiator::MemoryBus(initiator) => initiator.bus.peak(),
        }
    }

    /// Reads the block at `address`.
    pub async fn read_block(&self, address: Address) -> Block {
        let mut data = Block::ZERO;
        match self {
            DmaInitiator::MemoryBus(MemoryBusInitiator { bus, id, .. }) => {
                bus.transact(*id, TransactionKind::Read, address, BLOCK_BYTES, &mut data).await;
            }
            DmaInitiator::IoBus(host) => {
                cross(host, Direction::Read).await;
                host.memory.read(address, &mut data.0);
            }
        }
        data
    }

    /// Writes the block at `address`; returns when it is in memory.
    pub async fn write_block(&self, address: Address, mut data: Block) {
        match self {
            DmaInitiator::MemoryBus(MemoryBusInitiator { sim, bus, id }) => {
                let done = bus.transact(*id, TransactionKind::WriteBlock, address, BLOCK_BYTES, &mut data).await;
                sim.until(done.settled).await;
            }
            DmaInitiator::IoBus(host) => {
                cross(host, Direction::Write).await;
                host.memory.write_by_dma(address, &data.0);
            }
        }
    }
}

/// Takes the time of a block through the bridge, in one or more bursts: the block is read, or visible in memory, as a
/// whole when its last burst has crossed.
async fn cross(host: &IoBusHost, direction: Direction) {
    let mut stream = host.bridge.open(direction).await;
    let mut left = BLOCK_BYTES as u64;
    while left > 0 {
        let burst = stream.burst(Bytes(left)).await;
        host.pci.sim().delay(burst.time).await;
        left -= burst.bytes.get();
    }
    stream.close();
}

/// A transfer between an engine and memory.
pub struct MemoryTransfer<'a> {
    route: Route<'a>,
    direction: Direction,
    setup: Time,
}

enum Route<'a> {
    /// With the buffer for a burst's bytes.
    IoBus(&'a IoBusHost, Box<DmaStream<'a>>, Vec<u8>),
    MemoryBus(&'a MemoryBusInitiator),
}

impl MemoryTransfer<'_> {
    /// Returns the service time of its set-up.
    pub fn setup(&self) -> Time {
        self.setup
    }

    /// Moves up to `left` bytes at `address`. Calls `flows` when they begin to flow, which takes the bytes of a read and
    /// gives those of a write. Returns when the last byte has arrived.
    pub async fn burst(&mut self, address: Address, left: Bytes, flows: impl FnOnce(&Flow, &mut [u8])) -> Flow {
        let direction = self.direction;
        match &mut self.route {
            Route::IoBus(host, stream, buffer) => {
                let burst = stream.burst(left).await;
                let from = host.pci.sim().now();
                let to = from + burst.time;
                let flow = Flow { bytes: burst.bytes, began: burst.began, from, to, rate: stream.rate() };
                if buffer.len() < flow.bytes.len() {
                    buffer.resize(flow.bytes.len(), 0);
                }
                let data = &mut buffer[..flow.bytes.len()];
                if direction == Direction::Read {
                    host.memory.read(address, data);
                }
                flows(&flow, data);
                host.pci.sim().until(to).await;
                if direction == Direction::Write {
                    host.memory.write_by_dma(address, data);
                }
                drop(burst);
                flow
            }
            Route::MemoryBus(initiator) => initiator.burst(direction, address, left, flows).await,
        }
    }

    /// Releases what was held for the whole transfer.
    pub fn close(self) {
        if let Route::IoBus(_, stream, _) = self.route {
            stream.close();
        }
    }
}

impl MemoryBusInitiator {
    async fn burst(
        &self,
        direction: Direction,
        address: Address,
        left: Bytes,
        flows: impl FnOnce(&Flow, &mut [u8]),
    ) -> Flow {
        let offset = offset_in_block(address);
        let bytes = left.len().min(BLOCK_BYTES - offset);
        let began = self.sim.now();
        let granted = self.bus.acquire(self.id).await;
        // What is read, and the rest of a block that is written in part, is as it was when the bus was granted: nobody
        // else can access it in between. A block is written whole, and its owner loses it.
        let mut data = self.bus.peek(block_of(address));
        let kind = if direction == Direction::Read { TransactionKind::Read } else { TransactionKind::WriteBlock };
        let mut flowed = None;
        let moved = Bytes(bytes as u64);
        let (rate, part) = (self.bus.peak(), offset..offset + bytes);
        let run = granted.run_told(kind, block_of(address), BLOCK_BYTES, &mut data, |from, to, data| {
            let flow = Flow { bytes: moved, began, from, to, rate };
            flows(&flow, &mut data.0[part]);
            flowed = Some(flow);
        });
        let done = run.await;
        self.sim.until(done.settled).await;
        flowed.expect("a transaction begins before it ends")
    }
}
