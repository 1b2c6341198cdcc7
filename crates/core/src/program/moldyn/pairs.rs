//! Lists of pairs that are near enough to interact, and the forces of the pairs that do.
//!
//! A pair is computed once, by the processor of one of its particles: that of the particle with the lower number if the
//! sum of both numbers is even, otherwise that of the other particle. This balances the work. The forces on the two
//! particles are exactly opposite.

use super::fixed::{self, Force, Vector};
use super::liquid::Liquid;
use std::ops::Range;

/// The pairs that a processor computes.
#[derive(Clone, Debug, Default)]
pub struct PairList {
    /// Particles of the processor.
    own_particles: Range<usize>,
    /// For each own particle, the index after its last partner.
    partner_ends: Vec<u32>,
    partners: Vec<u32>,
    /// Partners that belong to other processors, each once and in order.
    remote_partners: Vec<u32>,
}

/// Returns, in order, the particles with which `particle` forms a pair that the processor of `particle` computes.
/// `particle_count` is the number of all particles.
pub fn computed_partners(particle: usize, particle_count: usize) -> impl Iterator<Item = usize> {
    ((particle + 1) % 2..particle).step_by(2).chain((particle + 2..particle_count).step_by(2))
}

impl PairList {
    /// Creates the list of the pairs of own particles with any others, from all positions.
    pub fn new(liquid: &Liquid, positions: &[Vector], own_particles: Range<usize>) -> PairList {
        let (side, range_squared) = (liquid.side(), liquid.list_range_squared());
        let mut list = PairList { own_particles: own_particles.clone(), ..PairList::default() };
        for particle in own_particles {
            let is_near =
                |other: &usize| squared_length(offset(side, positions[particle], positions[*other])) < range_squared;
            list.partners
                .extend(computed_partners(particle, positions.len()).filter(is_near).map(|other| other as u32));
            list.partner_ends.push(list.partners.len() as u32);
        }
        let mut is_partner = vec![false; positions.len()];
        list.partners.iter().for_each(|other| is_partner[*other as usize] = true);
        is_partner[list.own_particles.clone()].fill(false);
        list.remote_partners =
            (0..).zip(is_partner).filter_map(|(other, is_partner)| is_partner.then_some(other)).collect();
        list
    }

    /// Returns the number of pairs.
    pub fn pair_count(&self) -> usize {
        self.partners.len()
    }

    /// Returns each own particle with its partners, in the order in which positions are read.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let partner_begins = std::iter::once(&0).chain(&self.partner_ends);
        let partners =
            partner_begins.zip(&self.partner_ends).map(|(begin, end)| &self.partners[*begin as usize..*end as usize]);
        self.own_particles.clone().zip(partners)
    }

    /// Returns the particles of other processors whose positions are read, in order.
    pub fn remote_partners(&self) -> &[u32] {
        &self.remote_partners
    }

    /// Adds the forces of all pairs to `sums`, which has an element for each particle. Returns the number of pairs that
    /// interact, and their potential energy in quanta.
    pub fn add_forces(&self, liquid: &Liquid, positions: &[Vector], sums: &mut [Force]) -> (usize, i64) {
        let (side, cutoff) = (liquid.side(), liquid.cutoff_squared());
        let (mut interacting_pairs, mut energy) = (0, 0i64);
        for (particle, partners) in self.iter() {
            for other in partners.iter().map(|other| *other as usize) {
                let offset = offset(side, positions[particle], positions[other]);
                let Some((force, potential)) = force(cutoff, offset) else { continue };
                fixed::add(&mut sums[particle], force);
                fixed::add(&mut sums[other], fixed::opposite(force));
                interacting_pairs += 1;
                energy = energy.wrapping_add(potential);
            }
        }
        (interacting_pairs, energy)
    }
}

/// Returns the vector from the nearest image of the second position to the first.
#[inline]
pub fn offset(side: f64, first: Vector, second: Vector) -> Vector {
    // This does not use `map`, because the compiler inlines its closure only with link-time optimisation.
    let component = |axis: usize| match first[axis] - second[axis] {
        distance if distance > side / 2.0 => distance - side,
        distance if distance < -side / 2.0 => distance + side,
        distance => distance,
    };
    [component(0), component(1), component(2)]
}

#[inline]
fn squared_length(vector: Vector) -> f64 {
    vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}

/// Returns the force on the first particle of a pair, and the potential energy, which is zero at the cut-off; `None`
/// beyond the cut-off.
fn force(cutoff_squared: f64, offset: Vector) -> Option<(Force, i64)> {
    let squared_distance = squared_length(offset);
    let inverse_square = (squared_distance < cutoff_squared).then(|| 1.0 / squared_distance)?;
    let cube = inverse_square * inverse_square * inverse_square;
    let strength = (cube * cube - 0.5 * cube) * inverse_square;
    let cube_at_cutoff = 1.0 / (cutoff_squared * cutoff_squared * cutoff_squared);
    let potential = 4.0 * (cube * cube - cube - (cube_at_cutoff * cube_at_cutoff - cube_at_cutoff));
    Some((offset.map(|component| fixed::to_quanta(component * strength)), fixed::to_quanta(potential)))
}
