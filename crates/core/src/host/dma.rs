//! Direct memory access: the initiator on a bus that serves an interface's engine, and transfers of single blocks.
//!
//! On an I/O bus, a transfer goes through the bridge, with a set-up time, bursts, and competition with the processor.
//! On a memory bus, each block is a separate transaction: a read finds a block wherever it is, and a write invalidates
//! all cached copies. On a host whose port serves transfers of any length, the port is the initiator. Longer transfers
//! are left out here; a port carries them out (`dma_port.rs`, `bus_dma.rs`).

use super::block::{Address, BLOCK_BYTES, Block};
use super::device::Direction;
use super::dma_port::{DmaOperation, DmaPort, DmaRequest, submit_when_free};
use super::io_bus::IoBusHost;
use super::memory_bus::{Agent, AgentId, Bus, MemoryBusNode, TransactionKind};
use crate::engine::{Bytes, Sim};
use std::rc::Rc;

/// The initiator of an engine's transfers.
pub enum DmaInitiator {
    /// Transfers go through a bridge.
    IoBus(Rc<IoBusHost>),
    /// Transfers are transactions of an agent on the memory bus.
    MemoryBus(MemoryBusInitiator),
    /// Transfers go through a port that serves several engines.
    Port(Sim, Rc<dyn DmaPort>),
}

/// An initiator on the memory bus.
pub struct MemoryBusInitiator {
    pub(super) sim: Sim,
    pub(super) bus: Rc<Bus>,
    pub(super) id: AgentId,
}

/// An agent that keeps no copies of blocks.
struct NonCachingAgent;

impl Agent for NonCachingAgent {
    fn snoops(&self) -> bool {
        false
    }
}

impl DmaInitiator {
    /// Attaches an initiator to the memory bus of `node`.
    pub fn memory_bus(node: &MemoryBusNode) -> DmaInitiator {
        let id = node.bus.attach(Rc::new(NonCachingAgent), None);
        DmaInitiator::MemoryBus(MemoryBusInitiator { sim: node.cores[0].sim().clone(), bus: node.bus.clone(), id })
    }

    /// Returns the simulation.
    pub fn sim(&self) -> &Sim {
        match self {
            DmaInitiator::IoBus(host) => host.pci.sim(),
            DmaInitiator::MemoryBus(initiator) => &initiator.sim,
            DmaInitiator::Port(sim, _) => sim,
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
                cross_bridge(host, Direction::Read, address).await;
                host.read_by_dma(address, &mut data.0);
            }
            DmaInitiator::Port(_, port) => {
                let operation = DmaOperation::Read(Bytes(BLOCK_BYTES as u64));
                let mut transfer = submit_when_free(&**port, &DmaRequest { address, operation }).await;
                let mut bytes = Vec::new();
                while let Some(beat) = transfer.next_beat(&mut bytes).await {
                    data.0[beat.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
                }
            }
        }
        data
    }

    /// Writes the block at `address`. Returns when it is in memory.
    pub async fn write_block(&self, address: Address, mut data: Block) {
        match self {
            DmaInitiator::MemoryBus(MemoryBusInitiator { sim, bus, id }) => {
                let result = bus.transact(*id, TransactionKind::WriteBlock, address, BLOCK_BYTES, &mut data).await;
                sim.until(result.completed_at).await;
            }
            DmaInitiator::IoBus(host) => {
                cross_bridge(host, Direction::Write, address).await;
                host.write_by_dma(address, &data.0);
            }
            DmaInitiator::Port(_, port) => {
                let operation = DmaOperation::Write(data.0.to_vec().into());
                submit_when_free(&**port, &DmaRequest { address, operation }).await.done().await;
            }
        }
    }
}

/// Waits for the time that a block takes through the bridge, in one or more bursts. The whole block is read, or visible
/// in memory, when its last burst has crossed the bridge.
async fn cross_bridge(host: &IoBusHost, direction: Direction, mut address: Address) {
    let mut stream = host.bridge.open(direction).await;
    let mut remaining_bytes = BLOCK_BYTES as u64;
    while remaining_bytes > 0 {
        let burst = stream.burst(Bytes(remaining_bytes)).await;
        host.pci.sim().delay(burst.time + host.snoop(address, burst.bytes)).await;
        remaining_bytes -= burst.bytes.get();
        address += burst.bytes.get();
    }
    stream.close();
}
