//! The run on one processor, with which results are compared.

use super::fixed::Force;
use super::liquid::{Liquid, Molecules};
use super::motion;
use super::pairs::PairList;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Particles at the end.
    pub molecules: Molecules,
    /// Potential and kinetic energy of each iteration, in quanta.
    pub energies: Vec<[i64; 2]>,
}

/// Runs the program. The forces of the first move are those of a perfect lattice, which are zero.
pub fn run(liquid: &Liquid, seed: u64, iterations: u64) -> Trajectory {
    let mut molecules = liquid.initial_state(seed);
    let mut forces = vec![Force::default(); liquid.particle_count()];
    let (mut list, mut energies) = (PairList::default(), Vec::new());
    for iteration in 0..iterations {
        let Molecules { positions, velocities } = &mut molecules;
        for ((position, velocity), force) in positions.iter_mut().zip(velocities.iter_mut()).zip(&forces) {
            motion::drift(liquid, position, velocity, *force);
        }
        if iteration.is_multiple_of(liquid.list_every) {
            list = PairList::new(liquid, positions, 0..liquid.particle_count());
        }
        forces.fill(Force::default());
        let (_, potential) = list.add_forces(liquid, positions, &mut forces);
        let kinetic =
            velocities.iter_mut().zip(&forces).map(|(velocity, force)| motion::kick(liquid, velocity, *force));
        energies.push([potential, kinetic.fold(0, i64::wrapping_add)]);
    }
    Trajectory { molecules, energies }
}
