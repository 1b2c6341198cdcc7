//! The program of a processor with positions and forces in shared memory (Chong et al. 1998, §4.4.2). It loads the
//! positions that its pairs need, and adds its forces on particles of other processors to the forces in shared memory,
//! each of which has a lock. Then it moves its own particles. Barriers separate moving from computing. The program may
//! prefetch positions for reading and forces for writing.
//!
//! A force occupies two blocks; the lock is in the second block, next to the third component. A processor that updates
//! a block holds it exclusively, so no other update intervenes. Each processor begins with the particles after its own,
//! so that not all processors access the same home at once.

use super::fixed::Force;
use super::run::{MoldynRun, ProcessorState};
use super::{costs, fixed};
use crate::messaging::World;
use crate::messaging::shared::SharedAddress;
use crate::program::worker::{self, Worker};
use crate::protocol::directory::AccessMode;
use std::rc::Rc;

/// Bytes of a force, which occupies two blocks.
pub(super) const FORCE_BLOCKS_BYTES: usize = 32;
const BLOCK_BYTES: u32 = 16;

impl MoldynRun {
    /// Starts the program on all processors.
    pub fn start_loading(self: Rc<MoldynRun>, world: &World) {
        worker::start(world, &self.workers, |worker| self.clone().load_and_update(worker));
    }

    /// Runs the program of a processor.
    async fn load_and_update(self: Rc<Self>, worker: Rc<Worker>) {
        let (own_particles, particle_count) = (self.split.particles(worker.id()), self.liquid.particle_count());
        let mut state = self.initial_state();
        for particle in own_particles.clone() {
            self.clear_force(&worker, particle).await;
        }
        worker.barrier().await;
        self.timed_section.mark_start(worker.endpoint());
        for iteration in 0..self.parameters.iterations {
            self.drift(&worker, &mut state).await;
            worker.barrier().await;
            if iteration.is_multiple_of(self.liquid.list_every) {
                self.make_list(&worker, &mut state, (own_particles.end..particle_count).chain(0..own_particles.start))
                    .await;
            }
            let potential = self.update_forces(&worker, &mut state).await;
            worker.barrier().await;
            for particle in own_particles.clone() {
                let force = self.external_force(&worker, particle).await;
                fixed::add(&mut state.force_sums[particle], force);
                self.clear_force(&worker, particle).await;
            }
            worker.compute(costs::KICK * own_particles.len() as u64).await;
            self.kick(own_particles.clone(), &mut state, potential);
        }
        worker.barrier().await;
        self.finish(&worker, state);
    }

    /// Computes the forces of the processor's pairs, and adds the forces on particles of other processors to shared
    /// memory. Returns the potential energy of the pairs.
    async fn update_forces(&self, worker: &Worker, state: &mut ProcessorState) -> i64 {
        let own_particles = self.split.particles(worker.id());
        let mut remote_particles: Vec<usize> =
            state.list.remote_partners().iter().map(|particle| *particle as usize).collect();
        let first_after_own = remote_particles.partition_point(|particle| *particle < own_particles.end);
        remote_particles.rotate_left(first_after_own);
        let prefetch_distance = self.parameters.prefetch as usize;
        for (index, particle) in remote_particles.iter().enumerate() {
            if let Some(prefetched_particle) =
                remote_particles.get(index + prefetch_distance).filter(|_| prefetch_distance > 0)
            {
                prefetch_blocks(worker, self.address(*prefetched_particle), AccessMode::Read).await;
            }
            self.load_position(worker, &mut state.positions, *particle).await;
        }
        state.force_sums.fill(Force::default());
        let (interacting_pairs, potential) =
            state.list.add_forces(&self.liquid, &state.positions, &mut state.force_sums);
        let pairs = state.list.pair_count();
        worker
            .compute(costs::forces(self.liquid.particle_count(), own_particles.len(), pairs, interacting_pairs))
            .await;
        // Only some of the particles on the list are near enough to interact.
        remote_particles.retain(|particle| state.force_sums[*particle] != Force::default());
        for (index, particle) in remote_particles.iter().enumerate() {
            if let Some(prefetched_particle) =
                remote_particles.get(index + prefetch_distance).filter(|_| prefetch_distance > 0)
            {
                prefetch_blocks(worker, self.force_address(*prefetched_particle), AccessMode::Write).await;
            }
            worker.compute(costs::SHARED_ADD + costs::LOCK).await;
            let (address, [x, y, z]) =
                (self.force_address(*particle), state.force_sums[*particle].map(i64::cast_unsigned));
            worker.update_pair(address, |[old_x, old_y]| [old_x.wrapping_add(x), old_y.wrapping_add(y)]).await;
            worker.update_pair(address.plus(BLOCK_BYTES), |[old_z, lock]| [old_z.wrapping_add(z), lock]).await;
        }
        potential
    }

    /// Returns the address at which other processors accumulate their forces on a particle.
    fn force_address(&self, particle: usize) -> SharedAddress {
        let processor = self.split.owner(particle);
        let first = self.split.particles(processor).start;
        self.force_areas[processor].plus(((particle - first) * FORCE_BLOCKS_BYTES) as u32)
    }

    /// Loads the sum of the forces of other processors on a particle.
    async fn external_force(&self, worker: &Worker, particle: usize) -> Force {
        let (address, mut force) = (self.force_address(particle), Force::default());
        for (axis, sum) in (0..).zip(&mut force) {
            *sum = worker.load(address.plus(8 * axis)).await.cast_signed();
        }
        force
    }

    /// Clears the sum of the forces of other processors on a particle.
    async fn clear_force(&self, worker: &Worker, particle: usize) {
        for axis in 0..3 {
            worker.store(self.force_address(particle).plus(8 * axis), 0).await;
        }
    }
}

/// Prefetches the two blocks of a position or of a force.
async fn prefetch_blocks(worker: &Worker, address: SharedAddress, mode: AccessMode) {
    worker.prefetch(address, mode).await;
    worker.prefetch(address.plus(BLOCK_BYTES), mode).await;
}
