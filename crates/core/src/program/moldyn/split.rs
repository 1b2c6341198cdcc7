//! Which particles a processor has, and the ring that adds forces up.
//!
//! Parts are made once, from the first positions, by recursive bisection; particles are numbered
//! anew, so that those of a processor lie together. "One execution of the reduction protocol iterates as many
//! times as there are processors. In each of these iterations, a processor sends […] data to the same
//! neighboring processor" (Mukherjee and Hill, §5.2): with P processors the sums of processor s's particles
//! begin at s and come home after P steps. With 2048 particles on 16 that is 128 times three sums of 8
//! bytes, 3072 in all: the peak at 3084 of their Table 4, less a header of 12. (The text says 1.5
//! Kbyte, which would be sums of 4 bytes.)

use super::fixed::{self, Force, Vector};
use super::liquid::Molecules;
use std::ops::Range;

/// Bytes of the three sums of a particle.
pub const FORCE_BYTES: usize = 24;
/// Bytes of a position, and of a velocity, in shared memory.
pub const VECTOR_BYTES: usize = 24;

/// A partition.
#[derive(Clone, Debug)]
pub struct Split {
    /// By new number: the old one.
    order: Vec<u32>,
    /// By processor: its first particle; and the end of all.
    begins: Vec<usize>,
}

impl Split {
    /// From the part of each particle, by old number.
    pub fn new(parts_of: &[u32], parts: usize) -> Split {
        let mut order: Vec<u32> = (0..parts_of.len() as u32).collect();
        order.sort_by_key(|old| parts_of[*old as usize]);
        let begin = |part: usize| order.partition_point(|old| (parts_of[*old as usize] as usize) < part);
        let begins = (0..=parts).map(begin).collect();
        Split { order, begins }
    }

    /// The same particles by their new numbers.
    pub fn renumbered(&self, molecules: &Molecules) -> Molecules {
        let of = |old: &[Vector]| self.order.iter().map(|number| old[*number as usize]).collect();
        Molecules { positions: of(&molecules.positions), velocities: of(&molecules.velocities) }
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.begins.len() - 1
    }

    /// The particles of a processor.
    pub fn of(&self, processor: usize) -> Range<usize> {
        self.begins[processor]..self.begins[processor + 1]
    }

    /// The processor of a particle.
    pub fn processor(&self, particle: usize) -> usize {
        self.begins.partition_point(|begin| *begin <= particle) - 1
    }

    /// Whose sums a processor sends to the next one in a step of the ring: its own first.
    pub fn sent(&self, processor: usize, step: usize) -> usize {
        (processor + self.parts() - step) % self.parts()
    }

    /// Whose sums come to it from the one before, in the same step: its own last.
    pub fn received(&self, processor: usize, step: usize) -> usize {
        (processor + self.parts() - step - 1) % self.parts()
    }

    /// Takes sums that came in a step into the processor's own array. Those that come home have its
    /// own forces in them already.
    pub fn take(&self, processor: usize, step: usize, came: &[Force], sums: &mut [Force]) {
        let whose = self.received(processor, step);
        let sums = &mut sums[self.of(whose)];
        match whose == processor {
            true => sums.copy_from_slice(came),
            false => sums.iter_mut().zip(came).for_each(|(sum, came)| fixed::add(sum, *came)),
        }
    }
}
