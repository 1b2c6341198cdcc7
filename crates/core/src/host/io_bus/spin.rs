//! Polls of a cached word, which does not change until a DMA write invalidates its block.
//!
//! The module models a loop of loads that hit. All rounds in which the block is cached are skipped in one step, and
//! counted as hits and as work of the processor; the next round begins at the same time as without skipping. If code of
//! several priorities shares the processor, or with [`SpinModel::EveryPoll`], every round is simulated. Polls of
//! a device's register are always simulated, because each poll is a transaction of the bus.
//!
//! The module leaves out the effect of skipped polls on other tasks of the same priority, which is at most one round at
//! a time.

use super::cache::SnoopedCache;
use super::cpu::IoBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};
use crate::host::block::Address;
use crate::host::cache::SpinModel;
use crate::host::coherent_processor::{CoherentProcessor, PolledRegister};
use crate::host::processor::Processor;

impl IoBusProcessor {
    fn snooped_cache(&self) -> &SnoopedCache {
        self.cache().expect("a processor without a cache is not coherent")
    }

    async fn poll_cached(
        &self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake_time: &dyn Fn() -> Time,
    ) {
        let (sim, cache) = (self.sim(), self.snooped_cache());
        self.work(round_cycles);
        self.sync().await;
        if cache.parameters().spin == SpinModel::EveryPoll || self.is_preemptible() {
            // The next poll sees all events of this instant.
            sim.delay(Time::ZERO).await;
            return;
        }
        let start = sim.now();
        // A round that begins before the block is invalidated still hits.
        while cache.holds(address) {
            let deadline = wake_time();
            if deadline <= sim.now() {
                break;
            }
            cache.block_drop_signal().wait_for(reason, deadline).await;
        }
        let round_time = self.clock().cycles(round_cycles + cache.parameters().hit_cycles).max(Time::from_ps(1));
        let round_count = sim.now().since(start).ps().div_ceil(round_time.ps());
        let end = start + round_time * round_count;
        cache.count_accesses(round_count);
        self.arbiter().record_active(start, end);
        sim.until(end).await;
    }
}

impl CoherentProcessor for IoBusProcessor {
    fn wakeup(&self) -> &Signal {
        self.snooped_cache().block_drop_signal()
    }

    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a> {
        Box::pin(self.poll_cached(address, round_cycles, reason, wake_time))
    }

    fn skip_polls<'a>(
        &'a self,
        register: &'a PolledRegister<'a>,
        _wake_time: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a, bool> {
        self.work(register.round_cycles);
        Box::pin(std::future::ready(false))
    }

    fn resume_read(&self, _over_bus: bool) {
        // There is nothing to resume, because no read ends within `skip_polls`.
    }
}
