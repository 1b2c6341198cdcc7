//! Tests that compare runs of several processors, in any order of execution, with the run of one.

use super::super::fixed::{self, Force};
use super::super::liquid::{Liquid, Molecules};
use super::super::motion;
use super::super::pairs::PairList;
use super::super::serial::{self, Trajectory};
use super::super::split::Split;
use super::{slab_owners, small_liquid};
use crate::engine::rng;
use rand::RngExt;
use std::ops::Range;

/// An emulated processor.
struct EmulatedProcessor {
    own_particles: Range<usize>,
    list: PairList,
    sums: Vec<Force>,
    energies: [i64; 2],
}

/// Emulates several processors. In each phase, they run in another order.
fn emulate(liquid: &Liquid, seed: u64, iterations: u64, split: &Split) -> Trajectory {
    let mut random = rng::stream(seed, "order of processors");
    let mut molecules = split.renumbered(&liquid.initial_state(seed));
    let (parts, zero) = (split.parts(), Force::default());
    let new_processor = |processor| EmulatedProcessor {
        own_particles: split.particles(processor),
        list: PairList::default(),
        sums: vec![zero; liquid.particle_count()],
        energies: [0; 2],
    };
    let mut processors: Vec<EmulatedProcessor> = (0..parts).map(new_processor).collect();
    let mut order = |seed: u64| -> Vec<usize> {
        let mut order: Vec<usize> = (0..parts).collect();
        (1..parts).for_each(|last| order.swap(last, random.random_range(0..=last as u64) as usize));
        order.rotate_left(seed as usize % parts);
        order
    };
    let mut energies = Vec::new();
    for iteration in 0..iterations {
        for processor in order(iteration) {
            let EmulatedProcessor { own_particles, sums, .. } = &mut processors[processor];
            for particle in own_particles.clone() {
                let Molecules { positions, velocities } = &mut molecules;
                motion::drift(liquid, &mut positions[particle], &mut velocities[particle], sums[particle]);
            }
        }
        for processor in order(iteration) {
            let EmulatedProcessor { own_particles, list, sums, energies } = &mut processors[processor];
            if iteration.is_multiple_of(liquid.list_every) {
                *list = PairList::new(liquid, &molecules.positions, own_particles.clone());
            }
            sums.fill(zero);
            energies[0] = list.add_forces(liquid, &molecules.positions, sums).1;
        }
        for step in 0..if parts > 1 { parts } else { 0 } {
            let segment_sent_by = |processor: usize| {
                processors[processor].sums[split.particles(split.sent_segment_owner(processor, step))].to_vec()
            };
            let sent_segments: Vec<Vec<Force>> = (0..parts).map(segment_sent_by).collect();
            for processor in order(iteration) {
                let predecessor = (processor + parts - 1) % parts;
                assert_eq!(split.sent_segment_owner(predecessor, step), split.received_segment_owner(processor, step));
                split.accumulate(processor, step, &sent_segments[predecessor], &mut processors[processor].sums);
            }
        }
        for processor in order(iteration) {
            let EmulatedProcessor { own_particles, sums, energies, .. } = &mut processors[processor];
            let kinetic = own_particles
                .clone()
                .map(|particle| motion::kick(liquid, &mut molecules.velocities[particle], sums[particle]));
            energies[1] = kinetic.fold(0, i64::wrapping_add);
        }
        let order = order(iteration);
        energies.push([0, 1].map(|kind| order.iter().map(|processor| processors[*processor].energies[kind]).sum()));
    }
    Trajectory { molecules, energies }
}

#[test]
fn any_number_of_processors_in_any_order_matches_the_serial_run() {
    let liquid = small_liquid();
    let serial = serial::run(&liquid, 7, 45);
    for (parts, axis) in [(1, 0), (2, 1), (3, 2), (7, 0), (16, 1)] {
        let split = Split::new(&slab_owners(&liquid.initial_state(7).positions, parts, axis), parts);
        let parallel = emulate(&liquid, 7, 45, &split);
        let expected = Trajectory { molecules: split.renumbered(&serial.molecules), energies: serial.energies.clone() };
        assert!(parallel == expected, "{parts} processors");
    }
}

/// Checks the forces of Alewife's version, in which the processor that computes a pair sends the force to the processor
/// of the other particle.
#[test]
fn forces_returned_in_any_order_equal_those_of_the_ring() {
    let (liquid, parts) = (small_liquid(), 5);
    let molecules = serial::run(&liquid, 9, 10).molecules;
    let split = Split::new(&slab_owners(&molecules.positions, parts, 2), parts);
    let positions = split.renumbered(&molecules).positions;
    let computed_forces = |processor: usize| {
        let mut sums = vec![Force::default(); positions.len()];
        PairList::new(&liquid, &positions, split.particles(processor)).add_forces(&liquid, &positions, &mut sums);
        sums
    };
    let computed_forces: Vec<Vec<Force>> = (0..parts).map(computed_forces).collect();
    let mut ring = computed_forces.clone();
    for step in 0..parts {
        let segment_sent_by =
            |processor: usize| ring[processor][split.particles(split.sent_segment_owner(processor, step))].to_vec();
        let sent_segments: Vec<Vec<Force>> = (0..parts).map(segment_sent_by).collect();
        (0..parts).for_each(|processor| {
            let arrived_segment = &sent_segments[(processor + parts - 1) % parts];
            split.accumulate(processor, step, arrived_segment, &mut ring[processor]);
        });
    }
    for (home, order) in [[3, 0, 4, 1, 2], [2, 4, 1, 0, 3]].iter().cycle().take(parts).enumerate() {
        let mut sums = vec![Force::default(); split.particles(home).len()];
        for from in order {
            let forces = &computed_forces[*from][split.particles(home)];
            sums.iter_mut().zip(forces).for_each(|(sum, force)| fixed::add(sum, *force));
        }
        assert!(sums == ring[home][split.particles(home)], "processor {home}");
        assert!(sums.iter().any(|force| *force != Force::default()), "there are forces");
    }
}
