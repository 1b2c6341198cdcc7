//! Is a run of several processors, in any order, that of one?

use super::super::fixed::{self, Force};
use super::super::liquid::{Liquid, Molecules};
use super::super::motion;
use super::super::pairs::PairList;
use super::super::serial::{self, Trajectory};
use super::super::split::Split;
use super::{slabs, small};
use crate::engine::rng;
use rand::RngExt;
use std::ops::Range;

/// A processor of a run by hand.
struct Worker {
    own: Range<usize>,
    list: PairList,
    sums: Vec<Force>,
    energies: [i64; 2],
}

/// A run of several processors, each phase in another order of them.
fn by_hand(liquid: &Liquid, seed: u64, iterations: u64, split: &Split) -> Trajectory {
    let mut random = rng::stream(seed, "order of processors");
    let mut molecules = split.renumbered(&liquid.begin(seed));
    let (parts, none) = (split.parts(), Force::default());
    let worker = |processor| Worker {
        own: split.of(processor),
        list: PairList::default(),
        sums: vec![none; liquid.particles()],
        energies: [0; 2],
    };
    let mut workers: Vec<Worker> = (0..parts).map(worker).collect();
    let mut order = |seed: u64| -> Vec<usize> {
        let mut order: Vec<usize> = (0..parts).collect();
        (1..parts).for_each(|last| order.swap(last, random.random_range(0..=last as u64) as usize));
        order.rotate_left(seed as usize % parts);
        order
    };
    let mut energies = Vec::new();
    for iteration in 0..iterations {
        for processor in order(iteration) {
            let Worker { own, sums, .. } = &mut workers[processor];
            for particle in own.clone() {
                let Molecules { positions, velocities } = &mut molecules;
                motion::drift(liquid, &mut positions[particle], &mut velocities[particle], sums[particle]);
            }
        }
        for processor in order(iteration) {
            let Worker { own, list, sums, energies } = &mut workers[processor];
            if iteration.is_multiple_of(liquid.list_every) {
                *list = PairList::new(liquid, &molecules.positions, own.clone());
            }
            sums.fill(none);
            energies[0] = list.forces(liquid, &molecules.positions, sums).1;
        }
        for step in 0..if parts > 1 { parts } else { 0 } {
            let sent = |processor: usize| workers[processor].sums[split.of(split.sent(processor, step))].to_vec();
            let sent: Vec<Vec<Force>> = (0..parts).map(sent).collect();
            for processor in order(iteration) {
                let before = (processor + parts - 1) % parts;
                assert_eq!(split.sent(before, step), split.received(processor, step));
                split.take(processor, step, &sent[before], &mut workers[processor].sums);
            }
        }
        for processor in order(iteration) {
            let Worker { own, sums, energies, .. } = &mut workers[processor];
            let kicked =
                own.clone().map(|particle| motion::kick(liquid, &mut molecules.velocities[particle], sums[particle]));
            energies[1] = kicked.fold(0, i64::wrapping_add);
        }
        let order = order(iteration);
        energies.push([0, 1].map(|kind| order.iter().map(|processor| workers[*processor].energies[kind]).sum()));
    }
    Trajectory { molecules, energies }
}

#[test]
fn any_number_of_processors_in_any_order_gives_the_serial_answer() {
    let liquid = small();
    let serial = serial::run(&liquid, 7, 45);
    for (parts, axis) in [(1, 0), (2, 1), (3, 2), (7, 0), (16, 1)] {
        let split = Split::new(&slabs(&liquid.begin(7).positions, parts, axis), parts);
        let parallel = by_hand(&liquid, 7, 45, &split);
        let expected = Trajectory { molecules: split.renumbered(&serial.molecules), energies: serial.energies.clone() };
        assert!(parallel == expected, "{parts} processors");
    }
}

/// Alewife's way: whoever has computed pairs with another's particles sends it what it found.
#[test]
fn forces_sent_home_in_any_order_are_those_of_the_ring() {
    let (liquid, parts) = (small(), 5);
    let molecules = serial::run(&liquid, 9, 10).molecules;
    let split = Split::new(&slabs(&molecules.positions, parts, 2), parts);
    let positions = split.renumbered(&molecules).positions;
    let found = |processor: usize| {
        let mut sums = vec![Force::default(); positions.len()];
        PairList::new(&liquid, &positions, split.of(processor)).forces(&liquid, &positions, &mut sums);
        sums
    };
    let found: Vec<Vec<Force>> = (0..parts).map(found).collect();
    let mut ring = found.clone();
    for step in 0..parts {
        let sent = |of: usize| ring[of][split.of(split.sent(of, step))].to_vec();
        let sent: Vec<Vec<Force>> = (0..parts).map(sent).collect();
        (0..parts).for_each(|of| split.take(of, step, &sent[(of + parts - 1) % parts], &mut ring[of]));
    }
    for (home, order) in [[3, 0, 4, 1, 2], [2, 4, 1, 0, 3]].iter().cycle().take(parts).enumerate() {
        let mut sums = vec![Force::default(); split.of(home).len()];
        for from in order {
            let came = &found[*from][split.of(home)];
            sums.iter_mut().zip(came).for_each(|(sum, came)| fixed::add(sum, *came));
        }
        assert!(sums == ring[home][split.of(home)], "processor {home}");
        assert!(sums.iter().any(|force| *force != Force::default()), "there are forces");
    }
}
