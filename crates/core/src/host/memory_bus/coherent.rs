//! The memory bus as a coherent port, and its processor as one that waits by snooping.

use super::agent::{Agent, AgentId, TransactionKind};
use super::bus::Bus;
use super::processor::MemoryBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block};
use crate::host::coherent_port::CoherentPort;
use crate::host::coherent_processor::{CoherentProcessor, PolledRegister};
use std::ops::Range;
use std::rc::Rc;

impl Bus {
    /// Runs a transaction that gives its agent no data.
    fn block_write<'a>(
        &'a self,
        agent: AgentId,
        kind: TransactionKind,
        block: Address,
        mut data: Block,
    ) -> LocalFuture<'a> {
        Box::pin(async move {
            self.transact(agent, kind, block, BLOCK_BYTES, &mut data).await;
        })
    }
}

impl CoherentPort for Bus {
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId {
        Bus::attach(self, agent, home)
    }

    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        held: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            let granted = self.acquire(agent).await;
            if let Some(data) = held() {
                return data;
            }
            let mut data = Block::ZERO;
            granted.run(TransactionKind::Read, block, BLOCK_BYTES, &mut data).await;
            data
        })
    }

    fn read_own<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block> {
        Box::pin(async move {
            let mut data = Block::ZERO;
            self.transact(agent, TransactionKind::ReadExclusive, block, BLOCK_BYTES, &mut data).await;
            data
        })
    }

    fn upgrade<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a> {
        self.block_write(agent, TransactionKind::Invalidate, block, Block::ZERO)
    }

    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        self.block_write(agent, TransactionKind::WriteBack, block, data)
    }

    fn write_through<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a> {
        self.block_write(agent, TransactionKind::WriteBlock, block, data)
    }
}

impl CoherentProcessor for MemoryBusProcessor {
    fn attention(&self) -> &Signal {
        MemoryBusProcessor::attention(self)
    }

    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a> {
        Box::pin(MemoryBusProcessor::spin(self, address, round_cycles, reason, wake))
    }

    fn pass_polls<'a>(&'a self, register: &'a PolledRegister<'a>, wake: &'a dyn Fn() -> Time) -> LocalFuture<'a, bool> {
        Box::pin(MemoryBusProcessor::pass_polls(self, register, wake))
    }

    fn resume_read(&self, over_bus: bool) {
        MemoryBusProcessor::resume_read(self, over_bus);
    }
}
