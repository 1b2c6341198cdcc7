//! The DMA port of an initiator on a bus: the engine that awaits a transfer drives it, burst by burst.

use super::block::{BLOCK_BYTES, block_of, offset_in_block};
use super::device::Direction;
use super::dma::{DmaInitiator, MemoryBusInitiator};
use super::dma_port::{DataBeat, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSteps, DmaTags, NoFreeTag};
use super::io_bus::IoBusHost;
use super::memory_bus::TransactionKind;
use crate::engine::{Bytes, Signal, Time};
use std::rc::Rc;

/// A port over an initiator. Transfers compete for the bus in the order of their requests, burst by burst.
pub struct BusDma {
    initiator: Rc<DmaInitiator>,
    tags: Rc<DmaTags>,
}

impl BusDma {
    /// Returns a port with `tags` tags over `initiator`.
    pub fn new(initiator: impl Into<Rc<DmaInitiator>>, tags: u32) -> BusDma {
        let initiator = initiator.into();
        let tags = DmaTags::new(initiator.sim(), "the DMA engine", tags);
        BusDma { initiator, tags }
    }
}

impl DmaPort for BusDma {
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag> {
        let (tag, initiator) = (self.tags.take()?, self.initiator.clone());
        Ok(DmaCompletion::new(|steps| async move {
            match &*initiator {
                DmaInitiator::IoBus(host) => through_bridge(host, &request, &steps).await,
                DmaInitiator::MemoryBus(initiator) => by_transactions(initiator, &request, &steps).await,
            }
            drop(tag);
        }))
    }

    fn freed(&self) -> &Signal {
        self.tags.freed()
    }

    fn tags(&self) -> u32 {
        self.tags.count()
    }
}

/// Moves a transfer through the bridge of an I/O bus.
async fn through_bridge(host: &IoBusHost, request: &DmaRequest, steps: &DmaSteps) {
    let direction = match &request.operation {
        DmaOperation::Read(_) => Direction::Read,
        DmaOperation::Write(_) => Direction::Write,
    };
    let (sim, bytes) = (host.pci.sim(), request.operation.bytes());
    let mut stream = host.bridge.open(direction).await;
    steps.set_up(host.bridge.parameters().of(direction).0).await;
    let (mut moved, mut data) = (Bytes::ZERO, Vec::new());
    while moved < bytes {
        let (address, offset) = (request.address + moved.get(), moved.get());
        let burst = stream.burst(bytes - moved).await;
        let from = sim.now();
        let beat = DataBeat {
            offset,
            bytes: burst.bytes,
            began: burst.began,
            from,
            to: from + burst.time + host.snoop(address, burst.bytes),
            rate: stream.rate(),
        };
        data.resize(beat.bytes.len(), 0);
        match &request.operation {
            DmaOperation::Read(_) => {
                host.read_by_dma(address, &mut data);
                steps.read_beat(beat, &mut data).await;
                sim.until(beat.to).await;
            }
            DmaOperation::Write(source) => {
                source.load(offset, &mut data);
                steps.write_beat(beat).await;
                sim.until(beat.to).await;
                host.write_by_dma(address, &data);
            }
        }
        drop(burst);
        moved += beat.bytes;
        steps.passed().await;
    }
    stream.close();
}

/// Moves a transfer by transactions of the memory bus, one for each block.
async fn by_transactions(initiator: &MemoryBusInitiator, request: &DmaRequest, steps: &DmaSteps) {
    let MemoryBusInitiator { sim, bus, id } = initiator;
    let bytes = request.operation.bytes();
    steps.set_up(Time::ZERO).await;
    let (mut moved, mut read) = (Bytes::ZERO, Vec::new());
    while moved < bytes {
        let address = request.address + moved.get();
        let (block, start) = (block_of(address), offset_in_block(address));
        let part = start..BLOCK_BYTES.min(start + (bytes - moved).len());
        let began = sim.now();
        let granted = bus.acquire(*id).await;
        // What is read, and the rest of a block that is written in part, is as it was when the bus was granted: nobody
        // else can access it in between. A block is written whole, and its owner loses it.
        let mut data = bus.peek(block);
        let kind = match request.operation {
            DmaOperation::Read(_) => TransactionKind::Read,
            DmaOperation::Write(_) => TransactionKind::WriteBlock,
        };
        let transaction = granted.begin(kind, block, BLOCK_BYTES, &mut data);
        let beat = DataBeat {
            offset: moved.get(),
            bytes: Bytes(part.len() as u64),
            began,
            from: transaction.from,
            to: transaction.to,
            rate: bus.peak(),
        };
        match &request.operation {
            DmaOperation::Read(_) => {
                read.clear();
                read.extend_from_slice(&data.0[part]);
                steps.read_beat(beat, &mut read).await;
            }
            DmaOperation::Write(source) => {
                source.load(beat.offset, &mut data.0[part]);
                steps.write_beat(beat).await;
            }
        }
        let done = transaction.finish(&mut data).await;
        sim.until(done.settled).await;
        moved += beat.bytes;
        steps.passed().await;
    }
}
