//! Do molecules stay in the box, do collisions conserve what they should and lead to equilibrium, and do
//! parts make the same of it?

use super::collide::{DIFFERENCE_MAX, difference, scattered};
use super::gas::SPEED;
use super::run::Flight;
use super::*;
use crate::engine::{Bytes, rng};
use crate::messaging::shared::Space;
use crate::program::WorkloadSpec;
use crate::program::input::partition;
use crate::text::Parameters;
use rand::RngExt;
use rand::seq::SliceRandom;

const SMALL: GasSize = GasSize { cells: [6, 5, 4], molecules: 700 };

fn sum(molecules: &[Molecule], of: impl Fn([f64; 3]) -> f64) -> f64 {
    molecules.iter().map(|molecule| of(molecule.velocity.map(f64::from))).sum()
}

fn energy([u, v, w]: [f64; 3]) -> f64 {
    u * u + v * v + w * w
}

#[test]
fn a_molecule_flies_round_the_box_and_back_from_walls() {
    let fly = |position, velocity| {
        let mut molecule = Molecule { number: 0, cell: 0, position, velocity };
        molecule.fly([4, 3, 2]);
        molecule
    };
    let plain = fly([1.5, 1.5, 0.5], [0.25, 0.25, 0.25]);
    assert_eq!((plain.position, plain.cell), ([1.75, 1.75, 0.75], 4 + 1));
    let round = fly([3.5, 0.25, 1.75], [0.75, -0.5, 0.5]);
    assert_eq!((round.position, round.velocity, round.cell), ([0.25, 0.25, 1.75], [0.75, 0.5, -0.5], 12));
    let far = fly([0.5, 0.5, 0.5], [-9.0, 6.25, 8.0]);
    assert_eq!((far.position, far.velocity), ([3.5, 0.75, 0.5], [-9.0, 6.25, 8.0]), "there, back and there again");
    for tiny in [-1e-30, -1e-7, 1e-7] {
        let edge = fly([0.0, 0.0, 2.0_f32.next_down()], [tiny, tiny, -tiny]);
        assert!(edge.cell < 24 && edge.position[0] < 4.0 && edge.position[2] < 2.0, "{edge:?}");
    }
}

#[test]
fn a_molecule_travels_in_eight_words() {
    let molecule = Molecule { number: 1, cell: 2, position: [0.1, -0.2, 3.0], velocity: [1e-20, 5.0, -6.5] };
    assert_eq!(Molecule::of(molecule.words()), molecule);
    assert_eq!(std::mem::size_of_val(&molecule.words()), 32);
}

#[test]
fn a_collision_conserves_momentum_and_energy() {
    let mut random = rng::stream(1, "collisions");
    for _ in 0..1000 {
        let [one, other] = [(); 2].map(|()| [(); 3].map(|()| random.random_range(-1.0_f32..1.0)));
        let direction = [0.6, 0.0, -0.8];
        let [new_one, new_other] = scattered(one, other, difference(one, other), direction);
        // Velocities of at most 2, each rounded to single precision.
        for axis in 0..3 {
            assert!((one[axis] + other[axis] - new_one[axis] - new_other[axis]).abs() < 1e-6);
        }
        let of = |velocity: [f32; 3]| energy(velocity.map(f64::from));
        assert!((of(one) + of(other) - of(new_one) - of(new_other)).abs() < 2e-6);
        assert!((difference(new_one, new_other) - difference(one, other)).abs() < 1e-6);
    }
}

#[test]
fn a_gas_keeps_its_molecules_momentum_and_energy() {
    let gas = Gas::new(SMALL, 3);
    let (molecules, collisions, _) = gas.serial(ITERATIONS);
    assert!(collisions.collided > 1000);
    assert!(molecules.iter().enumerate().all(|(number, molecule)| molecule.number == number as u32));
    // Thousands of collisions, each rounded to single precision.
    let [before, after] =
        [&gas.molecules, &molecules].map(|molecules| [sum(molecules, energy), sum(molecules, |v| v[0])]);
    assert!((after[0] / before[0] - 1.0).abs() < 1e-6, "energy {before:?} {after:?}");
    assert!((after[1] / before[1] - 1.0).abs() < 1e-6, "momentum along the wind {before:?} {after:?}");
}

#[test]
fn pairs_collide_as_often_as_their_velocities_differ() {
    let (_, collisions, _) = Gas::new(GasSize { cells: [10, 10, 10], molecules: 8000 }, 3).serial(ITERATIONS);
    // The mean difference of Maxwell's velocities is 4 / sqrt(pi) of their standard deviation.
    let expected = 4.0 / std::f64::consts::PI.sqrt() * SPEED / DIFFERENCE_MAX;
    let part = collisions.collided as f64 / collisions.pairs as f64;
    // Some 90 000 pairs: a standard deviation of half a percent.
    assert!((part / expected - 1.0).abs() < 0.02, "{part} {expected}");
}

/// Velocities that are all equally large become Maxwell's.
#[test]
fn any_gas_comes_to_equilibrium() {
    let one_speed = |random: &mut rng::RandomStream| {
        let mut sign = || if random.random::<bool>() { SPEED as f32 } else { -SPEED as f32 };
        [sign(), sign(), sign()]
    };
    let gas = Gas::with(GasSize { cells: [10, 10, 10], molecules: 8000 }, 3, one_speed);
    let kurtosis = |molecules: &[Molecule]| {
        let (square, fourth) = (sum(molecules, |v| v[1].powi(2)), sum(molecules, |v| v[1].powi(4)));
        fourth * molecules.len() as f64 / (square * square)
    };
    assert!((kurtosis(&gas.molecules) - 1.0).abs() < 1e-6);
    // Of 8000 molecules it has a standard deviation of sqrt(24 / 8000).
    let equilibrium = kurtosis(&gas.serial(60).0);
    assert!((equilibrium - 3.0).abs() < 0.17, "{equilibrium}");
}

/// Of molecules that all fly alike nothing dissipates; of a shear along y what its gradient says, but at walls half.
#[test]
fn gradients_of_the_flow_are_seen() {
    let size = [5, 4, 3];
    let uniform = |_: u32| [7.0, 0.5, -0.25, 0.125];
    assert!((0..60).all(|cell| flow::dissipation(cell, size, uniform) == 0.0));
    let shear = |cell: u32| [1.0, 0.5 * (cell / 5 % 4) as f32, 0.0, 0.0];
    let expected = |cell: u32| if (1..3).contains(&(cell / 5 % 4)) { 0.25 } else { 0.0625 };
    assert!((0..60).all(|cell| flow::dissipation(cell, size, shear) == expected(cell)));
    assert_eq!(flow::of_words(flow::words([7.0, 0.5, -0.25, 0.125])), uniform(0));
    let corner = [[Some(4), Some(1)], [None, Some(5)], [None, Some(20)]];
    assert_eq!(flow::beside(0, size), corner, "round the box along x");
}

/// Runs the parts, each molecule taken in an order of its own; how many were handed over.
fn parallel(gas: &Gas, owners: &[u32], parts: usize, iterations: u64) -> (Vec<Molecule>, Collisions, usize) {
    let mut random = rng::stream(11, "orders");
    let mut shares = GasShare::all(gas, owners, parts);
    let (mut collisions, mut handed) = (Collisions::default(), 0);
    let mut order: Vec<usize> = (0..parts).collect();
    for iteration in 0..iterations {
        order.shuffle(&mut random);
        let mut leaving = Vec::new();
        for share in order.iter().copied() {
            for at in 0..shares[share].cells.len() {
                leaving.extend(shares[share].fly(gas, iteration, at));
            }
        }
        leaving.shuffle(&mut random);
        handed += leaving.len();
        for (to, molecule) in leaving {
            shares[to].take(iteration, Molecule::of(molecule.words()));
        }
        for part in 0..parts {
            let sent: u64 = shares.iter().map(|share| u64::from(share.sent()[part])).sum();
            assert_eq!(shares[part].taken(iteration), sent);
        }
        order.shuffle(&mut random);
        for share in order.iter().copied() {
            (0..shares[share].cells.len()).for_each(|at| collisions.add(shares[share].collide(gas, iteration, at)));
        }
    }
    let mut molecules: Vec<Molecule> = shares.iter().flat_map(|share| share.molecules().copied()).collect();
    molecules.sort_unstable_by_key(|molecule| molecule.number);
    (molecules, collisions, handed)
}

fn bits(molecules: &[Molecule]) -> Vec<[u32; 8]> {
    molecules.iter().map(Molecule::words).collect()
}

#[test]
fn parts_make_of_it_what_one_makes_of_it() {
    let gas = Gas::new(SMALL, 2);
    let (serial, collisions, _) = gas.serial(6);
    assert_eq!(bits(&serial), bits(&Gas::new(SMALL, 2).serial(6).0));
    assert_ne!(bits(&serial), bits(&Gas::new(SMALL, 3).serial(6).0));
    for parts in [1, 2, 7, 16] {
        for owners in [partition::parts(&SMALL.centres(), parts), partition::dealt(SMALL.cells(), parts)] {
            let (molecules, of_parts, handed) = parallel(&gas, &owners, parts, 6);
            assert!(bits(&molecules) == bits(&serial), "{parts} parts");
            assert_eq!(of_parts, collisions);
            assert_eq!(handed > 0, parts > 1);
        }
    }
}

/// What comes early is kept for its iteration.
#[test]
fn a_molecule_of_the_next_iteration_waits_for_it() {
    let gas = Gas::new(SMALL, 2);
    let owners = partition::parts(&SMALL.centres(), 2);
    let mut share = GasShare::all(&gas, &owners, 2).remove(0);
    let early = Molecule { number: 5000, cell: share.cells[3], position: [0.5; 3], velocity: [0.0; 3] };
    share.take(1, early);
    assert_eq!((share.taken(0), share.taken(1)), (0, 1));
    share.collide(&gas, 0, 3);
    assert!(share.molecules().all(|molecule| molecule.number != 5000));
    share.collide(&gas, 1, 3);
    assert!(share.molecules().any(|molecule| molecule.number == 5000));
}

#[test]
fn the_papers_gas_has_its_numbers() {
    let gas = Gas::new(GasSize::defaults(), 1);
    assert_eq!((gas.molecules.len(), GasSize::defaults().cells()), (48_600, 9720));
    let mut count = vec![0; GasSize::defaults().cells()];
    gas.molecules.iter().for_each(|molecule| count[molecule.cell as usize] += 1);
    assert!(count.iter().all(|count| *count == 5));
    let owners = partition::parts(&GasSize::defaults().centres(), 16);
    let (serial, collisions, _) = gas.serial(3);
    let (molecules, of_parts, handed) = parallel(&gas, &owners, 16, 3);
    assert!(bits(&molecules) == bits(&serial) && of_parts == collisions);
    // Some six of a hundred fly into another processor's cells in an iteration.
    assert!((3 * 48_600 * 4 / 100..3 * 48_600 * 8 / 100).contains(&handed), "{handed}");
}

fn described(text: &str) -> Dsmc {
    super::super::tests::read::<Dsmc>(&format!("[workload.dsmc]\n{text}"))
}

#[test]
fn what_does_not_fit_is_told() {
    assert!(described("").check_endpoints(16).is_empty());
    assert!(described("cells = [4, 2, 2]\nmolecules = 60\niterations = 2").check_endpoints(16).is_empty());
    assert_eq!(described("cells = [4, 2, 2]\nmolecules = 60\niterations = 2").check_endpoints(16 + 1)[0].key, "cells");
}

/// A processor that has all; one molecule is off by as little as can be.
fn ended(is_right: bool) {
    let space = Space::new(1, Bytes(128));
    let flight = Flight::new(&described("cells = [4, 2, 2]\nmolecules = 60\niterations = 2"), 1, 7, &space);
    let (mut molecules, collisions, dissipated) = flight.gas.serial(2);
    if !is_right {
        molecules[7].velocity[2] = f32::from_bits(molecules[7].velocity[2].to_bits() ^ 1);
    }
    flight.end(0, (molecules, collisions, dissipated));
}

#[test]
fn a_gas_that_is_right_is_taken() {
    ended(true);
}

#[test]
#[should_panic(expected = "the gas is not that of a serial run")]
fn a_gas_that_is_wrong_in_one_bit_is_told() {
    ended(false);
}
