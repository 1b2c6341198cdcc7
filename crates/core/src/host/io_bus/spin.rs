//! Polls of a cached word, which does not change until a DMA write invalidates its block.
//!
//! The module models a loop of loads that hit. All rounds in which the block is cached are skipped in one step, and
//! counted as hits and as work of the processor; the next round begins at the time at which it would have begun. If
//! code of several priorities shares the processor, or with [`Spin::Each`], every round is simulated. Polls of a
//! device's register are always simulated: each is a transaction of the bus.
//!
//! The module leaves out the effect of skipped polls on other tasks of the same priority, which is at most one round at
//! a time.

use super::cache::SnoopedCache;
use super::cpu::IoBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{LocalFuture, Signal, Time};
use crate::host::block::Address;
use crate::host::cache::Spin;
use crate::host::coherent_processor::{CoherentProcessor, PolledRegister};
use crate::host::processor::Processor;

impl IoBusProcessor {
    fn snooped(&self) -> &SnoopedCache {
        self.cache().expect("a processor without a cache is not coherent")
    }

    async fn poll_cached(&self, address: Address, round_cycles: u64, reason: WaitReasonId, wake: &dyn Fn() -> Time) {
        let (sim, cache) = (self.sim(), self.snooped());
        self.work(round_cycles);
        self.sync().await;
        if cache.parameters().spin == Spin::Each || self.is_preemptible() {
            // The next poll sees all events of this instant.
            sim.delay(Time::ZERO).await;
            return;
        }
        let began = sim.now();
        // A round that begins before the block is invalidated still hits.
        while cache.holds(address) {
            let wake = wake();
            if wake <= sim.now() {
                break;
            }
            cache.lost().wait_for(reason, wake).await;
        }
        let round = self.clock().cycles(round_cycles + cache.parameters().hit_cycles).max(Time::from_ps(1));
        let rounds = sim.now().since(began).ps().div_ceil(round.ps());
        let end = began + round * rounds;
        cache.count_accesses(rounds);
        self.arbiter().record_active(began, end);
        sim.until(end).await;
    }
}

impl CoherentProcessor for IoBusProcessor {
    fn wakeup(&self) -> &Signal {
        self.snooped().lost()
    }

    fn spin<'a>(
        &'a self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a> {
        Box::pin(self.poll_cached(address, round_cycles, reason, wake))
    }

    fn pass_polls<'a>(
        &'a self,
        register: &'a PolledRegister<'a>,
        _wake: &'a dyn Fn() -> Time,
    ) -> LocalFuture<'a, bool> {
        self.work(register.round_cycles);
        Box::pin(std::future::ready(false))
    }

    fn resume_read(&self, _over_bus: bool) {
        // There is nothing to resume, because no read ends within `pass_polls`.
    }
}
