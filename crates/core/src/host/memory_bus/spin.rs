//! Polls of a cached word, which stays as it is until its block is taken away.
//!
//! Models: a loop of loads that hit. The rounds in which the block is there are passed at once; the next one begins
//! where it would have begun. Where [`Spin::Each`] says so, every round is simulated.

use super::parameters::Spin;
use super::processor::MemoryBusProcessor;
use crate::engine::sim::WaitReasonId;
use crate::engine::{Signal, Time};
use crate::host::block::Address;

impl MemoryBusProcessor {
    /// Ends one round of a loop that polls the cached word at `address`, which takes `round_cycles`
    /// beside the load: returns when another load could tell something new.
    /// `wake` says when the program has something else to do, if that is known.
    pub async fn spin(&self, address: Address, round_cycles: u64, reason: WaitReasonId, wake: &dyn Fn() -> Time) {
        self.work(round_cycles);
        match self.0.parameters.spin {
            Spin::Each => self.simulate_poll().await,
            Spin::Skipped => self.skip_polls(address, round_cycles, reason, wake).await,
        }
    }

    /// Told when the block that is polled is taken away, and to be told of what else a program waits
    /// for.
    pub fn attention(&self) -> &Signal {
        self.0.cache.lost()
    }

    async fn simulate_poll(&self) {
        self.sync().await;
        // What happens at this very instant is seen by this poll.
        self.0.sim.delay(Time::ZERO).await;
    }

    async fn skip_polls(&self, address: Address, round_cycles: u64, reason: WaitReasonId, wake: &dyn Fn() -> Time) {
        // A round that begins before the block is lost still hits.
        while self.0.cache.contents().borrow().find(address).is_some() {
            let wake = wake();
            if wake <= self.0.sim.now() {
                break;
            }
            self.0.cache.watch(address).wait_for(reason, wake).await;
        }
        let now = self.0.sim.now();
        let clock = self.0.parameters.clock;
        let round = clock.cycles(round_cycles + self.0.parameters.hit_cycles).max(Time::from_ps(1));
        let rounds = now.since(self.time()).ps().div_ceil(round.ps());
        self.set_time(self.time() + round * rounds);
    }
}
