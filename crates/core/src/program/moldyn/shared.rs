//! The program of a processor with positions and forces in shared memory (Chong et al. 1998, §4.4.2): it loads the
//! positions that its pairs need, and adds what others' particles feel to their forces, under their locks; then each
//! moves its own. Barriers part moving from computing. It may prefetch: positions to read, forces to write.
//!
//! A force takes two blocks, of which the lock has the second's other half: who changes a block has it, and nobody comes
//! between. Each processor begins with the particles behind its own, so that not all are at one home at once.

use super::fixed::Force;
use super::run::{Own, Run};
use super::{costs, fixed};
use crate::messaging::World;
use crate::messaging::shared::SharedAddress;
use crate::program::worker::{self, Worker};
use crate::protocol::directory::Want;
use std::rc::Rc;

/// Bytes of a force: two blocks.
pub(super) const FORCE_BLOCKS_BYTES: usize = 32;
const BLOCK: u32 = 16;

impl Run {
    /// Starts it on all.
    pub fn start_loading(self: Rc<Run>, world: &World) {
        worker::start(world, &self.workers, |worker| self.clone().load_and_change(worker));
    }

    async fn load_and_change(self: Rc<Self>, worker: Rc<Worker>) {
        let (own, all) = (self.split.of(worker.id()), self.liquid.particles());
        let mut it = self.own();
        for at in own.clone() {
            self.clear(&worker, at).await;
        }
        worker.barrier().await;
        self.span.begun(worker.end());
        for iteration in 0..self.parameters.iterations {
            self.drift(&worker, &mut it).await;
            worker.barrier().await;
            if iteration.is_multiple_of(self.liquid.list_every) {
                self.make_list(&worker, &mut it, (own.end..all).chain(0..own.start)).await;
            }
            let potential = self.change_forces(&worker, &mut it).await;
            worker.barrier().await;
            for at in own.clone() {
                let force = self.force(&worker, at).await;
                fixed::add(&mut it.sums[at], force);
                self.clear(&worker, at).await;
            }
            worker.compute(costs::KICK * own.len() as u64).await;
            self.kick(own.clone(), &mut it, potential);
        }
        worker.barrier().await;
        self.over(&worker, it);
    }

    /// The forces of the processor's pairs; what others' particles feel is added to theirs. Their potential energy.
    async fn change_forces(&self, worker: &Worker, it: &mut Own) -> i64 {
        let own = self.split.of(worker.id());
        let mut remote: Vec<usize> = it.list.remote().iter().map(|at| *at as usize).collect();
        let behind = remote.partition_point(|at| *at < own.end);
        remote.rotate_left(behind);
        let ahead = self.parameters.prefetch as usize;
        for (number, particle) in remote.iter().enumerate() {
            if let Some(next) = remote.get(number + ahead).filter(|_| ahead > 0) {
                prefetch_blocks(worker, self.place(*next), Want::Read).await;
            }
            self.load_position(worker, &mut it.positions, *particle).await;
        }
        it.sums.fill(Force::default());
        let (interacting, potential) = it.list.forces(&self.liquid, &it.positions, &mut it.sums);
        let pairs = it.list.pairs();
        worker.compute(costs::forces(self.liquid.particles(), own.len(), pairs, interacting)).await;
        // Of those on the list only some are near enough to feel something.
        remote.retain(|at| it.sums[*at] != Force::default());
        for (number, particle) in remote.iter().enumerate() {
            if let Some(next) = remote.get(number + ahead).filter(|_| ahead > 0) {
                prefetch_blocks(worker, self.force_place(*next), Want::Write).await;
            }
            worker.compute(costs::SHARED_ADD + costs::LOCK).await;
            let (place, [x, y, z]) = (self.force_place(*particle), it.sums[*particle].map(i64::cast_unsigned));
            worker.change(place, |[had_x, had_y]| [had_x.wrapping_add(x), had_y.wrapping_add(y)]).await;
            worker.change(place.plus(BLOCK), |[had_z, lock]| [had_z.wrapping_add(z), lock]).await;
        }
        potential
    }

    /// Where others add to the force on a particle.
    fn force_place(&self, particle: usize) -> SharedAddress {
        let processor = self.split.processor(particle);
        let first = self.split.of(processor).start;
        self.forces[processor].plus(((particle - first) * FORCE_BLOCKS_BYTES) as u32)
    }

    /// What others have added to the force on a particle.
    async fn force(&self, worker: &Worker, particle: usize) -> Force {
        let (place, mut force) = (self.force_place(particle), Force::default());
        for (axis, sum) in (0..).zip(&mut force) {
            *sum = worker.load(place.plus(8 * axis)).await.cast_signed();
        }
        force
    }

    /// They begin anew.
    async fn clear(&self, worker: &Worker, particle: usize) {
        for axis in 0..3 {
            worker.store(self.force_place(particle).plus(8 * axis), 0).await;
        }
    }
}

/// Prefetches the two blocks of a position or of a force.
async fn prefetch_blocks(worker: &Worker, place: SharedAddress, want: Want) {
    worker.prefetch(place, want).await;
    worker.prefetch(place.plus(BLOCK), want).await;
}
