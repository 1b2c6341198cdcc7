//! The processor of the memory bus as a [`CoherentProcessor`], for callers that use it only through this trait.

use super::processor::MemoryBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};
use crate::host::block::Address;
use crate::host::coherent_processor::{CoherentProcessor, PolledRegister};

impl CoherentProcessor for MemoryBusProcessor {
    fn wakeup(&self) -> &Signal {
        MemoryBusProcessor::wakeup(self)
    }

    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a> {
        Box::pin(MemoryBusProcessor::spin(self, address, round_cycles, reason, wake_time))
    }

    fn skip_polls<'a>(
        &'a self,
        register: &'a PolledRegister<'a>,
        wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a, bool> {
        Box::pin(MemoryBusProcessor::skip_polls(self, register, wake_time))
    }

    fn drain_stores(&self) -> LocalFuture<'_> {
        Box::pin(MemoryBusProcessor::fence(self))
    }

    fn resume_read(&self, over_bus: bool) {
        MemoryBusProcessor::resume_read(self, over_bus);
    }
}
