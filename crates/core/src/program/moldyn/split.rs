//! The particles of each processor, and the ring that adds up forces.
//!
//! The partition is made once, from the initial positions, by recursive bisection; particles are renumbered so that
//! those of a processor are contiguous. "One execution of the reduction protocol iterates as many times as there are
//! processors. In each of these iterations, a processor sends […] data to the same neighboring processor" (Mukherjee
//! and Hill, §5.2): with P processors the sums of processor s's particles start at s and return after P steps. With
//! 2048 particles on 16 processors, a segment has 128 times three sums of 8 bytes, which are 3072 bytes. Their Table 4
//! has a peak at 3084 bytes, which includes a header of 12 bytes. (The text says 1.5 Kbyte, which would be sums of 4
//! bytes.)

use super::fixed::{self, Force, Vector};
use super::liquid::Molecules;
use std::ops::Range;

/// Bytes of the three sums of a particle.
pub const FORCE_BYTES: usize = 24;
/// Bytes of a position, and of a velocity, in shared memory.
pub const VECTOR_BYTES: usize = 24;

/// A partition of the particles.
#[derive(Clone, Debug)]
pub struct Split {
    /// Old number of each particle, by its new number.
    old_numbers: Vec<u32>,
    /// First particle of each processor; at the end, the number of particles.
    first_particles: Vec<usize>,
}

impl Split {
    /// Creates the partition of the particles among `parts` processors. `owners` has the processor of each particle, by
    /// the old number of the particle.
    pub fn new(owners: &[u32], parts: usize) -> Split {
        let mut old_numbers: Vec<u32> = (0..owners.len() as u32).collect();
        old_numbers.sort_by_key(|old| owners[*old as usize]);
        let first_particle = |part: usize| old_numbers.partition_point(|old| (owners[*old as usize] as usize) < part);
        let first_particles = (0..=parts).map(first_particle).collect();
        Split { old_numbers, first_particles }
    }

    /// Returns the same particles by their new numbers.
    pub fn renumbered(&self, molecules: &Molecules) -> Molecules {
        let permute = |old: &[Vector]| self.old_numbers.iter().map(|number| old[*number as usize]).collect();
        Molecules { positions: permute(&molecules.positions), velocities: permute(&molecules.velocities) }
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.first_particles.len() - 1
    }

    /// Returns the particles of a processor.
    pub fn particles(&self, processor: usize) -> Range<usize> {
        self.first_particles[processor]..self.first_particles[processor + 1]
    }

    /// Returns the processor of a particle.
    pub fn owner(&self, particle: usize) -> usize {
        self.first_particles.partition_point(|first| *first <= particle) - 1
    }

    /// Returns the processor whose sums `processor` sends to the next one in a step of the ring. In the first step it
    /// is `processor`.
    pub fn sent_segment_owner(&self, processor: usize, step: usize) -> usize {
        (processor + self.parts() - step) % self.parts()
    }

    /// Returns the processor whose sums `processor` receives in a step of the ring. In the last step it is `processor`.
    pub fn received_segment_owner(&self, processor: usize, step: usize) -> usize {
        (processor + self.parts() - step - 1) % self.parts()
    }

    /// Adds sums that arrived in a step to the processor's array. The processor's own segment, which arrives last,
    /// replaces the sums in the array, since it contains them.
    pub fn accumulate(&self, processor: usize, step: usize, arrived_sums: &[Force], sums: &mut [Force]) {
        let owner = self.received_segment_owner(processor, step);
        let sums = &mut sums[self.particles(owner)];
        match owner == processor {
            true => sums.copy_from_slice(arrived_sums),
            false => sums.iter_mut().zip(arrived_sums).for_each(|(sum, arrived)| fixed::add(sum, *arrived)),
        }
    }
}
