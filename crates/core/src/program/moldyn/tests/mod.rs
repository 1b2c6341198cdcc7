//! Tests of the physics of the liquid, and of runs of several processors against the run of one.

mod emulated_run;

use super::fixed::{self, Force, Vector};
use super::liquid::{Liquid, Molecules};
use super::pairs::{self, PairList};
use super::serial;
use super::split::{FORCE_BYTES, Split, VECTOR_BYTES};
use std::collections::BTreeSet;

/// Returns a liquid of 256 particles: the smallest cube in which lists do not contain all pairs.
fn small_liquid() -> Liquid {
    Liquid { cells_per_side: 4, cutoff: 2.0, ..Liquid::default() }
}

/// Returns a partition into slabs along an axis, of equal size within one particle.
fn slab_owners(positions: &[Vector], parts: usize, axis: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|one, other| positions[*one][axis].total_cmp(&positions[*other][axis]).then(one.cmp(other)));
    let mut owners = vec![0; positions.len()];
    order.iter().enumerate().for_each(|(rank, particle)| owners[*particle] = (rank * parts / positions.len()) as u32);
    owners
}

fn momentum(molecules: &Molecules) -> Vector {
    [0, 1, 2].map(|axis| molecules.velocities.iter().map(|velocity| velocity[axis]).sum())
}

#[test]
fn initial_liquid_has_the_stated_temperature_and_distribution() {
    let liquid = Liquid::default();
    let molecules = liquid.initial_state(1);
    assert_eq!((liquid.particle_count(), molecules.positions.len()), (2048, 2048));
    let squares: f64 = molecules.velocities.iter().flatten().map(|component| component * component).sum();
    assert!((16.0 * squares / 2047.0 - liquid.temperature).abs() < 1e-12);
    // In a normal distribution, 68 % of the values are within one standard deviation; for 6144 numbers, the standard
    // deviation of that share is 0.6 %.
    let deviation = (squares / 6144.0).sqrt();
    let count_within_deviation =
        molecules.velocities.iter().flatten().filter(|component| component.abs() < deviation).count();
    assert!((0.665..0.701).contains(&(count_within_deviation as f64 / 6144.0)), "{count_within_deviation}");
    assert_eq!(molecules, liquid.initial_state(1));
    assert_ne!(molecules, liquid.initial_state(2));
}

#[test]
fn lower_particle_computes_pairs_of_even_sum() {
    for particle in 0..9 {
        let computes =
            |other: &usize| particle != *other && (particle < *other) == (particle + other).is_multiple_of(2);
        assert!(pairs::computed_partners(particle, 9).eq((0..9).filter(computes)));
    }
}

#[test]
fn lists_have_each_near_pair_once() {
    let liquid = small_liquid();
    let positions = serial::run(&liquid, 3, 30).molecules.positions;
    let half_lists = [0..100, 100..256].map(|own_particles| PairList::new(&liquid, &positions, own_particles));
    let pairs_of = |list: &PairList| -> Vec<[usize; 2]> {
        let partners =
            list.iter().flat_map(|(particle, partners)| partners.iter().map(move |other| [particle, *other as usize]));
        partners.map(|[particle, other]| [particle.min(other), particle.max(other)]).collect()
    };
    let mut listed_pairs: Vec<[usize; 2]> = half_lists.iter().flat_map(pairs_of).collect();
    listed_pairs.sort_unstable();
    let is_within_cutoff = |first: usize, second: usize| {
        let offset = pairs::offset(liquid.side(), positions[first], positions[second]);
        offset.iter().map(|component| component * component).sum::<f64>().sqrt() < 2.4
    };
    let all_pairs = (0..256).flat_map(|first| (first + 1..256).map(move |second| [first, second]));
    assert_eq!(listed_pairs, all_pairs.filter(|[first, second]| is_within_cutoff(*first, *second)).collect::<Vec<_>>());
    let pairs_per_particle = half_lists.iter().map(|list| list.pair_count() as f64 / list.iter().count() as f64);
    assert!(
        pairs_per_particle.clone().fold(0.0, f64::max) < 1.1 * pairs_per_particle.fold(f64::MAX, f64::min),
        "the work is balanced"
    );
    assert!(half_lists[0].remote_partners().iter().all(|other| (100..256).contains(other)));
}

#[test]
fn force_is_the_slope_of_the_energy() {
    let liquid = Liquid { cutoff: 2.5, ..small_liquid() };
    let interaction = |distance: f64| {
        let positions = [[1.0, 1.0, 1.0], [1.0 + distance, 1.0, 1.0]];
        let mut sums = [Force::default(); 2];
        let (count, energy) = PairList::new(&liquid, &positions, 0..2).add_forces(&liquid, &positions, &mut sums);
        assert_eq!(sums[0], fixed::opposite(sums[1]));
        (count, fixed::from_quanta(energy), fixed::from_quanta(sums[1][0]))
    };
    for distance in [0.9, 1.0, 1.1225, 1.5, 2.4] {
        let slope = (interaction(distance + 1e-4).1 - interaction(distance - 1e-4).1) / 2e-4;
        // A force of 1 is 48 units of energy over length; the quantum over the width is 1e-6.
        let force = 48.0 * interaction(distance).2;
        assert!((force + slope).abs() < 1e-5 * slope.abs().max(1.0), "at {distance}: {force}, {slope}");
    }
    assert!(interaction(2.4999).1.abs() < 1e-4, "the energy is zero at the cut-off");
    assert_eq!(interaction(2.51), (0, 0.0, 0.0));
}

#[test]
fn energy_and_momentum_are_conserved() {
    let liquid = Liquid::default();
    let run = serial::run(&liquid, 1, 60);
    let totals: Vec<f64> = run.energies.iter().map(|energies| fixed::from_quanta(energies[0] + energies[1])).collect();
    let kinetic = fixed::from_quanta(run.energies[0][1]);
    let energy_drift = totals.iter().map(|total| (total - totals[0]).abs()).fold(0.0, f64::max);
    // The error of Verlet's method is of second order in the step, which is a hundredth of a vibration: about 10⁻⁴.
    assert!(energy_drift < 0.0005 * kinetic, "{energy_drift} of {kinetic}");
    assert!(
        fixed::from_quanta(run.energies[59][1]) < 0.8 * kinetic,
        "the lattice melts: half of its kinetic energy becomes potential"
    );
    // There are 2048 velocities of about 0.3, each with its rounding error.
    assert!(momentum(&run.molecules).iter().all(|component| component.abs() < 1e-11), "{:?}", momentum(&run.molecules));
}

#[test]
fn smaller_steps_conserve_energy_better() {
    let energy_drift = |time_step: f64, iterations: u64| {
        let run = serial::run(&Liquid { time_step, list_every: 5, ..small_liquid() }, 1, iterations);
        let totals = run.energies.iter().map(|energies| energies[0] + energies[1]);
        let totals: Vec<f64> = totals.map(fixed::from_quanta).collect();
        totals.iter().map(|total| (total - totals[0]).abs()).fold(0.0, f64::max)
    };
    assert!(energy_drift(0.016, 60) < energy_drift(0.064, 15) / 3.0);
}

#[test]
fn range_and_rebuild_interval_of_lists_do_not_change_the_result() {
    let default_run = serial::run(&small_liquid(), 5, 40);
    for (list_reach, list_every) in [(1.2, 1), (1.5, 20), (2.0, 20)] {
        assert_eq!(
            default_run,
            serial::run(&Liquid { list_reach, list_every, ..small_liquid() }, 5, 40),
            "{list_reach}, {list_every}"
        );
    }
}

#[test]
fn split_is_a_partition_of_the_particles() {
    let liquid = Liquid::default();
    let positions = liquid.initial_state(1).positions;
    let split = Split::new(&slab_owners(&positions, 16, 0), 16);
    let molecules = split.renumbered(&liquid.initial_state(1));
    let bit_patterns =
        |positions: &[Vector]| -> BTreeSet<[u64; 3]> { positions.iter().map(|at| at.map(f64::to_bits)).collect() };
    assert_eq!(bit_patterns(&molecules.positions), bit_patterns(&positions));
    assert_eq!(bit_patterns(&positions).len(), 2048);
    for processor in 0..16 {
        assert_eq!(split.particles(processor).len() * FORCE_BYTES, 3072, "the peak of Table 4, without its header");
        assert!(split.particles(processor).all(|particle| split.owner(particle) == processor));
    }
    assert_eq!(VECTOR_BYTES, size_of::<Vector>());
}
