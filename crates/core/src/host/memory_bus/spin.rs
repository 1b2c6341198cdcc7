//! Polls of a cached word, which cannot change until its block is invalidated.
//!
//! The module models a loop of loads that hit. The rounds in which the block is in the cache are skipped; the next
//! round begins at the same time as without skipping. With [`SpinModel::EveryPoll`], every round is simulated.
//! Other parts can observe no difference.

use super::parameters::SpinModel;
use super::processor::MemoryBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Signal, Time};
use crate::host::block::Address;

impl MemoryBusProcessor {
    /// Ends one round of a loop that polls the cached word at `address` and takes `round_cycles` in addition to the
    /// load. Returns when another load could return a new value. `wake_time` returns the time at which the program has
    /// other work, if it is known.
    pub async fn spin(&self, address: Address, round_cycles: u64, reason: WaitReasonId, wake_time: &dyn Fn() -> Time) {
        self.work(round_cycles);
        match self.0.parameters.spin {
            SpinModel::EveryPoll => self.simulate_poll().await,
            SpinModel::SkippedPolls => self.skip_cached_polls(address, round_cycles, reason, wake_time).await,
        }
    }

    /// Returns the signal that is notified when the polled block was invalidated. Other events that a waiting program
    /// must see notify the same signal.
    pub fn wakeup(&self) -> &Signal {
        self.0.cache.watched_block_dropped()
    }

    async fn simulate_poll(&self) {
        self.sync().await;
        // This poll sees all events of this instant.
        self.0.sim.delay(Time::ZERO).await;
    }

    async fn skip_cached_polls(
        &self,
        address: Address,
        round_cycles: u64,
        reason: WaitReasonId,
        wake_time: &dyn Fn() -> Time,
    ) {
        // A round that begins before the block is invalidated hits.
        while self.0.cache.contents().borrow().find(address).is_some() {
            let deadline = wake_time();
            if deadline <= self.0.sim.now() {
                break;
            }
            self.0.cache.watch(address).wait_for(reason, deadline).await;
        }
        let now = self.0.sim.now();
        let clock = self.0.parameters.clock;
        let round_time = clock.cycles(round_cycles + self.0.parameters.hit_cycles).max(Time::from_ps(1));
        let round_count = now.since(self.time()).ps().div_ceil(round_time.ps());
        self.set_time(self.time() + round_time * round_count);
    }
}
