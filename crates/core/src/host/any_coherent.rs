//! Coherent ports and processors of any kind as one type: an enum with a variant for those of the memory bus, and a
//! trait object for all others.
//!
//! The coherent queues run a transaction for every block and poll in every idle round. Ports and processors of the
//! memory bus are therefore dispatched by a match, without a boxed future; those of another crate are dispatched
//! virtually. [`CoherentPort`] and [`CoherentProcessor`] document the methods.

use super::any_processor::AnyProcessor;
use super::block::{Address, BLOCK_BYTES, Block};
use super::coherent_port::CoherentPort;
use super::coherent_processor::{CoherentProcessor, PolledRegister};
use super::memory_bus::agent::{Agent, AgentId, TransactionKind};
use super::memory_bus::bus::Bus;
use super::memory_bus::processor::MemoryBusProcessor;
use super::processor::Processor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Signal, Time};
use std::ops::Range;
use std::rc::Rc;

/// A port on a coherent interconnect, of any kind. Clones refer to the same port.
#[derive(Clone)]
pub struct AnyCoherentPort(PortKind);

#[derive(Clone)]
enum PortKind {
    MemoryBus(Rc<Bus>),
    Custom(Rc<dyn CoherentPort>),
}

impl AnyCoherentPort {
    /// Wraps a port from another crate.
    pub fn custom(port: Rc<dyn CoherentPort>) -> AnyCoherentPort {
        AnyCoherentPort(PortKind::Custom(port))
    }

    /// Wraps a memory bus.
    pub(super) fn memory_bus(bus: Rc<Bus>) -> AnyCoherentPort {
        AnyCoherentPort(PortKind::MemoryBus(bus))
    }

    /// Attaches an agent, as [`CoherentPort::attach`] describes.
    pub fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId {
        match &self.0 {
            PortKind::MemoryBus(bus) => bus.attach(agent, home),
            PortKind::Custom(port) => port.attach(agent, home),
        }
    }

    /// Fetches a block that `agent` will only read, as [`CoherentPort::read_shared`] describes.
    pub async fn read_shared(&self, agent: AgentId, block: Address, cached_copy: impl Fn() -> Option<Block>) -> Block {
        match &self.0 {
            PortKind::MemoryBus(bus) => {
                let grant = match bus.try_acquire(agent, block) {
                    Some(grant) => grant,
                    None => bus.acquire(agent, block).await,
                };
                if let Some(data) = cached_copy() {
                    return data;
                }
                let mut data = Block::ZERO;
                if let Err(transaction) = grant.start(TransactionKind::Read, block, BLOCK_BYTES, &mut data) {
                    transaction.finish(&mut data).await;
                }
                data
            }
            PortKind::Custom(port) => port.read_shared(agent, block, &cached_copy).await,
        }
    }

    /// Fetches a block that `agent` will write, as [`CoherentPort::read_exclusive`] describes.
    pub async fn read_exclusive(&self, agent: AgentId, block: Address) -> Block {
        match &self.0 {
            PortKind::MemoryBus(bus) => {
                let mut data = Block::ZERO;
                bus.transact(agent, TransactionKind::ReadExclusive, block, BLOCK_BYTES, &mut data).await;
                data
            }
            PortKind::Custom(port) => port.read_exclusive(agent, block).await,
        }
    }

    /// Invalidates all other copies, as [`CoherentPort::upgrade`] describes.
    pub async fn upgrade(&self, agent: AgentId, blocks: &[Address], on_ownership: impl Fn(usize)) {
        match &self.0 {
            PortKind::MemoryBus(bus) => {
                for (index, block) in blocks.iter().enumerate() {
                    let mut no_data = Block::ZERO;
                    bus.transact(agent, TransactionKind::Invalidate, *block, BLOCK_BYTES, &mut no_data).await;
                    on_ownership(index);
                }
            }
            PortKind::Custom(port) => port.upgrade(agent, blocks, &on_ownership).await,
        }
    }

    /// Returns a block that `agent` owns to its home, as [`CoherentPort::write_back`] describes.
    pub async fn write_back(&self, agent: AgentId, block: Address, mut data: Block) {
        match &self.0 {
            PortKind::MemoryBus(bus) => {
                bus.transact(agent, TransactionKind::WriteBack, block, BLOCK_BYTES, &mut data).await;
            }
            PortKind::Custom(port) => port.write_back(agent, block, data).await,
        }
    }

    /// Writes a whole block to its home, as [`CoherentPort::write_through`] describes.
    pub async fn write_through(&self, agent: AgentId, block: Address, mut data: Block, on_visible: impl Fn()) {
        match &self.0 {
            PortKind::MemoryBus(bus) => {
                bus.transact(agent, TransactionKind::WriteBlock, block, BLOCK_BYTES, &mut data).await;
                on_visible();
            }
            PortKind::Custom(port) => port.write_through(agent, block, data, &on_visible).await,
        }
    }

    /// Returns the time until an agent acts on a snoop, as [`CoherentPort::snoop_delay`] describes.
    pub fn snoop_delay(&self) -> Time {
        match &self.0 {
            PortKind::MemoryBus(_) => Time::ZERO,
            PortKind::Custom(port) => port.snoop_delay(),
        }
    }
}

/// A processor whose cache snoops, of any kind.
#[derive(Clone, Copy)]
pub enum AnyCoherentProcessor<'a> {
    /// A processor on a coherent memory bus.
    MemoryBus(&'a MemoryBusProcessor),
    /// A processor from another crate.
    Custom(&'a dyn CoherentProcessor),
}

impl<'a> AnyCoherentProcessor<'a> {
    /// Returns the signal that is notified when the polled block has been invalidated, as [`CoherentProcessor::wakeup`]
    /// describes.
    pub fn wakeup(self) -> &'a Signal {
        match self {
            AnyCoherentProcessor::MemoryBus(cpu) => cpu.wakeup(),
            AnyCoherentProcessor::Custom(cpu) => cpu.wakeup(),
        }
    }

    /// Ends one round of polling the cached word at `address`, as [`CoherentProcessor::spin`] describes.
    pub async fn spin(self, address: Address, round_cycles: u64, reason: WaitReasonId, wake_time: &dyn Fn() -> Time) {
        match self {
            AnyCoherentProcessor::MemoryBus(cpu) => cpu.spin(address, round_cycles, reason, wake_time).await,
            AnyCoherentProcessor::Custom(cpu) => cpu.spin(address, round_cycles, reason, wake_time).await,
        }
    }

    /// Skips rounds in which `register` shows no event, as [`CoherentProcessor::skip_polls`] describes.
    pub async fn skip_polls(self, register: &PolledRegister<'_>, wake_time: &dyn Fn() -> Time) -> bool {
        match self {
            AnyCoherentProcessor::MemoryBus(cpu) => cpu.skip_polls(register, wake_time).await,
            AnyCoherentProcessor::Custom(cpu) => cpu.skip_polls(register, wake_time).await,
        }
    }

    /// Continues at the end of the read that showed an event, as [`CoherentProcessor::resume_read`] describes.
    pub fn resume_read(self, over_bus: bool) {
        match self {
            AnyCoherentProcessor::MemoryBus(cpu) => cpu.resume_read(over_bus),
            AnyCoherentProcessor::Custom(cpu) => cpu.resume_read(over_bus),
        }
    }
}

impl AnyProcessor {
    /// Returns the processor if its cache snoops, otherwise `None`.
    pub(crate) fn snooping(&self) -> Option<AnyCoherentProcessor<'_>> {
        match self {
            AnyProcessor::MemoryBus(cpu) => Some(AnyCoherentProcessor::MemoryBus(cpu)),
            other => Processor::coherent(other).map(AnyCoherentProcessor::Custom),
        }
    }
}
