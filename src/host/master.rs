//! An interface's own engine on its way to memory.
//!
//! On an I/O bus it goes through the bridge: set-up, bursts, and competition with the processor. On a
//! memory bus each block is a transaction of its own; a read finds a block wherever it is, a write
//! takes all cached copies away.

use super::io_bus::{DmaStream, IoBusHost};
use super::memory_bus::block::{Address, BLOCK_BYTES, Block, block_of, offset_in_block};
use super::memory_bus::{Agent, AgentId, Bus, MemoryBusNode, TransactionKind};
use crate::engine::{Bytes, Rate, Sim, Time};
use std::rc::Rc;

pub use super::io_bus::Direction;

/// A way to memory.
pub enum Master {
    /// Through a bridge.
    IoBus(Rc<IoBusHost>),
    /// As an agent on the memory bus.
    MemoryBus(OnMemoryBus),
}

/// An agent that keeps no copies.
pub struct OnMemoryBus {
    sim: Sim,
    bus: Rc<Bus>,
    id: AgentId,
}

struct KeepsNothing;

impl Agent for KeepsNothing {
    fn snoops(&self) -> bool {
        false
    }
}

/// Bytes that flow between an engine and memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flow {
    /// How many.
    pub bytes: Bytes,
    /// When buses and memory began to serve the burst, which may be before they flow.
    pub began: Time,
    /// When they begin to flow.
    pub from: Time,
    /// When the last of them is there.
    pub to: Time,
    /// At what rate meanwhile.
    pub rate: Rate,
}

impl Master {
    pub(super) fn memory_bus(node: &MemoryBusNode) -> Master {
        let id = node.bus.attach(Rc::new(KeepsNothing), None);
        Master::MemoryBus(OnMemoryBus { sim: node.processor.sim().clone(), bus: node.bus.clone(), id })
    }

    /// Sets a transfer up.
    pub async fn open(&self, direction: Direction) -> MemoryTransfer<'_> {
        match self {
            Master::IoBus(host) => {
                let setup = host.bridge.parameters().of(direction).0;
                let stream = Box::new(host.bridge.open(direction).await);
                MemoryTransfer { way: Way::IoBus(host, stream, Vec::new()), direction, setup }
            }
            Master::MemoryBus(master) => MemoryTransfer { way: Way::MemoryBus(master), direction, setup: Time::ZERO },
        }
    }

    /// The peak rate of what it goes through.
    pub fn rate(&self, direction: Direction) -> Rate {
        match self {
            Master::IoBus(host) => host.bridge.parameters().of(direction).1,
            Master::MemoryBus(master) => master.bus.peak(),
        }
    }

    /// Reads the block at `address`.
    pub async fn read_block(&self, address: Address) -> Block {
        let mut data = Block::ZERO;
        match self {
            Master::MemoryBus(OnMemoryBus { bus, id, .. }) => {
                bus.transact(*id, TransactionKind::Read, address, BLOCK_BYTES, &mut data).await;
            }
            Master::IoBus(host) => {
                cross(host, Direction::Read).await;
                host.memory.read(address, &mut data.0);
            }
        }
        data
    }

    /// Writes the block at `address`; returns when it is in memory.
    pub async fn write_block(&self, address: Address, mut data: Block) {
        match self {
            Master::MemoryBus(OnMemoryBus { sim, bus, id }) => {
                let done = bus.transact(*id, TransactionKind::WriteBlock, address, BLOCK_BYTES, &mut data).await;
                sim.until(done.settled).await;
            }
            Master::IoBus(host) => {
                cross(host, Direction::Write).await;
                host.memory.write_by_dma(address, &data.0);
            }
        }
    }
}

/// The time of a block through the bridge, in however many bursts: it is read, or seen in memory, as a
/// whole when the last of it has crossed.
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
    way: Way<'a>,
    direction: Direction,
    setup: Time,
}

enum Way<'a> {
    /// With the room for a burst's bytes.
    IoBus(&'a IoBusHost, Box<DmaStream<'a>>, Vec<u8>),
    MemoryBus(&'a OnMemoryBus),
}

impl MemoryTransfer<'_> {
    /// How long it took to set up, waits not counted.
    pub fn setup(&self) -> Time {
        self.setup
    }

    /// Moves up to `left` bytes at `address`. When they begin to flow, `flows` is told of them: it takes
    /// the bytes of a read, and gives those of a write. Returns when the last of them is there.
    pub async fn burst(&mut self, address: Address, left: Bytes, flows: impl FnOnce(&Flow, &mut [u8])) -> Flow {
        let direction = self.direction;
        match &mut self.way {
            Way::IoBus(host, stream, room) => {
                let burst = stream.burst(left).await;
                let from = host.pci.sim().now();
                let to = from + burst.time;
                let flow = Flow { bytes: burst.bytes, began: burst.began, from, to, rate: stream.rate() };
                if room.len() < flow.bytes.len() {
                    room.resize(flow.bytes.len(), 0);
                }
                let data = &mut room[..flow.bytes.len()];
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
            Way::MemoryBus(master) => master.burst(direction, address, left, flows).await,
        }
    }

    /// Lets go what was held for the whole transfer.
    pub fn close(self) {
        if let Way::IoBus(_, stream, _) = self.way {
            stream.close();
        }
    }
}

impl OnMemoryBus {
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
        // What is read, and what stands beside what is written, is what it was when the bus was granted;
        // nobody else can look in between. A block goes whole: who had it loses it.
        let mut data = self.bus.peek(block_of(address));
        let kind = if direction == Direction::Read { TransactionKind::Read } else { TransactionKind::WriteBlock };
        let mut told = None;
        let moved = Bytes(bytes as u64);
        let (rate, part) = (self.bus.peak(), offset..offset + bytes);
        let run = granted.run_told(kind, block_of(address), BLOCK_BYTES, &mut data, |from, to, data| {
            let flow = Flow { bytes: moved, began, from, to, rate };
            flows(&flow, &mut data.0[part]);
            told = Some(flow);
        });
        let done = run.await;
        self.sim.until(done.settled).await;
        told.expect("a transaction begins before it ends")
    }
}
