//! Tests that molecules stay in the box, that collisions conserve momentum and energy and lead to equilibrium, and that
//! runs of several processors match the serial run.

use super::collide::{RELATIVE_SPEED_MAX, relative_speed, scattered_velocities};
use super::gas::SPEED_STD_DEV;
use super::run::GasRun;
use super::*;
use crate::engine::{Bytes, rng};
use crate::messaging::shared::Space;
use crate::program::WorkloadSpec;
use crate::program::input::partition;
use crate::text::Parameters;
use rand::RngExt;
use rand::seq::SliceRandom;

const SMALL_GAS: GasSize = GasSize { cells: [6, 5, 4], molecules: 700 };

fn velocity_sum(molecules: &[Molecule], quantity: impl Fn([f64; 3]) -> f64) -> f64 {
    molecules.iter().map(|molecule| quantity(molecule.velocity.map(f64::from))).sum()
}

fn squared_speed([u, v, w]: [f64; 3]) -> f64 {
    u * u + v * v + w * w
}

#[test]
fn molecules_wrap_along_x_and_reflect_at_walls() {
    let advanced = |position, velocity| {
        let mut molecule = Molecule { number: 0, cell: 0, position, velocity };
        molecule.advance([4, 3, 2]);
        molecule
    };
    let plain = advanced([1.5, 1.5, 0.5], [0.25, 0.25, 0.25]);
    assert_eq!((plain.position, plain.cell), ([1.75, 1.75, 0.75], 4 + 1));
    let wrapped = advanced([3.5, 0.25, 1.75], [0.75, -0.5, 0.5]);
    assert_eq!((wrapped.position, wrapped.velocity, wrapped.cell), ([0.25, 0.25, 1.75], [0.75, 0.5, -0.5], 12));
    let far_moved = advanced([0.5, 0.5, 0.5], [-9.0, 6.25, 8.0]);
    assert_eq!(
        (far_moved.position, far_moved.velocity),
        ([3.5, 0.75, 0.5], [-9.0, 6.25, 8.0]),
        "reflected several times"
    );
    for tiny in [-1e-30, -1e-7, 1e-7] {
        let edge = advanced([0.0, 0.0, 2.0_f32.next_down()], [tiny, tiny, -tiny]);
        assert!(edge.cell < 24 && edge.position[0] < 4.0 && edge.position[2] < 2.0, "{edge:?}");
    }
}

#[test]
fn molecule_encoding_is_eight_words_and_lossless() {
    let molecule = Molecule { number: 1, cell: 2, position: [0.1, -0.2, 3.0], velocity: [1e-20, 5.0, -6.5] };
    assert_eq!(Molecule::from_words(molecule.words()), molecule);
    assert_eq!(std::mem::size_of_val(&molecule.words()), 32);
}

#[test]
fn collisions_conserve_momentum_and_energy() {
    let mut random = rng::stream(1, "collisions");
    for _ in 0..1000 {
        let [one, other] = [(); 2].map(|()| [(); 3].map(|()| random.random_range(-1.0_f32..1.0)));
        let direction = [0.6, 0.0, -0.8];
        let [new_one, new_other] = scattered_velocities(one, other, relative_speed(one, other), direction);
        // Velocities are at most 2, each rounded to single precision.
        for axis in 0..3 {
            assert!((one[axis] + other[axis] - new_one[axis] - new_other[axis]).abs() < 1e-6);
        }
        let energy_of = |velocity: [f32; 3]| squared_speed(velocity.map(f64::from));
        assert!((energy_of(one) + energy_of(other) - energy_of(new_one) - energy_of(new_other)).abs() < 2e-6);
        assert!((relative_speed(new_one, new_other) - relative_speed(one, other)).abs() < 1e-6);
    }
}

#[test]
fn serial_run_conserves_molecules_momentum_and_energy() {
    let gas = Gas::new(SMALL_GAS, 3);
    let (molecules, collisions, _) = gas.run_serially(ITERATIONS);
    assert!(collisions.collided_pairs > 1000);
    assert!(molecules.iter().enumerate().all(|(number, molecule)| molecule.number == number as u32));
    // There are thousands of collisions, each rounded to single precision.
    let [sums_before, sums_after] = [&gas.molecules, &molecules]
        .map(|molecules| [velocity_sum(molecules, squared_speed), velocity_sum(molecules, |v| v[0])]);
    assert!((sums_after[0] / sums_before[0] - 1.0).abs() < 1e-6, "energy {sums_before:?} {sums_after:?}");
    assert!(
        (sums_after[1] / sums_before[1] - 1.0).abs() < 1e-6,
        "momentum along the wind {sums_before:?} {sums_after:?}"
    );
}

#[test]
fn collision_rate_is_proportional_to_relative_speed() {
    let (_, collisions, _) = Gas::new(GasSize { cells: [10, 10, 10], molecules: 8000 }, 3).run_serially(ITERATIONS);
    // For Maxwellian velocities, the mean relative speed is 4 / sqrt(pi) times the standard deviation of a component.
    let expected = 4.0 / std::f64::consts::PI.sqrt() * SPEED_STD_DEV / RELATIVE_SPEED_MAX;
    let fraction = collisions.collided_pairs as f64 / collisions.pairs as f64;
    // For about 90 000 pairs the standard deviation is half a percent.
    assert!((fraction / expected - 1.0).abs() < 0.02, "{fraction} {expected}");
}

/// Checks that velocities of equal magnitude become Maxwellian.
#[test]
fn gas_relaxes_to_equilibrium() {
    let draw_equal_speed = |random: &mut rng::RandomStream| {
        let mut sign = || if random.random::<bool>() { SPEED_STD_DEV as f32 } else { -SPEED_STD_DEV as f32 };
        [sign(), sign(), sign()]
    };
    let gas = Gas::with_velocities(GasSize { cells: [10, 10, 10], molecules: 8000 }, 3, draw_equal_speed);
    let kurtosis = |molecules: &[Molecule]| {
        let (square, fourth) = (velocity_sum(molecules, |v| v[1].powi(2)), velocity_sum(molecules, |v| v[1].powi(4)));
        fourth * molecules.len() as f64 / (square * square)
    };
    assert!((kurtosis(&gas.molecules) - 1.0).abs() < 1e-6);
    // For 8000 molecules, the standard deviation of the kurtosis is sqrt(24 / 8000).
    let equilibrium = kurtosis(&gas.run_serially(60).0);
    assert!((equilibrium - 3.0).abs() < 0.17, "{equilibrium}");
}

/// Checks that a uniform flow has no dissipation, and that a shear along y has the dissipation of its gradient, which
/// is halved at walls.
#[test]
fn dissipation_is_that_of_the_gradient() {
    let size = [5, 4, 3];
    let uniform = |_: u32| [7.0, 0.5, -0.25, 0.125];
    assert!((0..60).all(|cell| flow::dissipation(cell, size, uniform) == 0.0));
    let shear = |cell: u32| [1.0, 0.5 * (cell / 5 % 4) as f32, 0.0, 0.0];
    let expected = |cell: u32| if (1..3).contains(&(cell / 5 % 4)) { 0.25 } else { 0.0625 };
    assert!((0..60).all(|cell| flow::dissipation(cell, size, shear) == expected(cell)));
    assert_eq!(flow::state_from_words(flow::state_words([7.0, 0.5, -0.25, 0.125])), uniform(0));
    let corner = [[Some(4), Some(1)], [None, Some(5)], [None, Some(20)]];
    assert_eq!(flow::adjacent_cells(0, size), corner, "the box is periodic along x");
}

/// Runs several processors, which receive molecules in random order. Returns also the number of molecules that were
/// sent.
fn run_in_parallel(
    gas: &Gas,
    owners: &[u32],
    processors: usize,
    iterations: u64,
) -> (Vec<Molecule>, Collisions, usize) {
    let mut random = rng::stream(11, "orders");
    let mut shares = GasShare::all(gas, owners, processors);
    let (mut collisions, mut migrations) = (Collisions::default(), 0);
    let mut order: Vec<usize> = (0..processors).collect();
    for iteration in 0..iterations {
        order.shuffle(&mut random);
        let mut leaving_molecules = Vec::new();
        for share in order.iter().copied() {
            for index in 0..shares[share].cells.len() {
                leaving_molecules.extend(shares[share].advance(gas, iteration, index));
            }
        }
        leaving_molecules.shuffle(&mut random);
        migrations += leaving_molecules.len();
        for (to, molecule) in leaving_molecules {
            shares[to].receive(iteration, Molecule::from_words(molecule.words()));
        }
        for processor in 0..processors {
            let sent_count: u64 = shares.iter().map(|share| u64::from(share.sent_counts()[processor])).sum();
            assert_eq!(shares[processor].received_count(iteration), sent_count);
        }
        order.shuffle(&mut random);
        for share in order.iter().copied() {
            (0..shares[share].cells.len())
                .for_each(|index| collisions.add(shares[share].collide(gas, iteration, index)));
        }
    }
    let mut molecules: Vec<Molecule> = shares.iter().flat_map(|share| share.molecules().copied()).collect();
    molecules.sort_unstable_by_key(|molecule| molecule.number);
    (molecules, collisions, migrations)
}

fn encodings(molecules: &[Molecule]) -> Vec<[u32; 8]> {
    molecules.iter().map(Molecule::words).collect()
}

#[test]
fn parallel_runs_match_the_serial_run() {
    let gas = Gas::new(SMALL_GAS, 2);
    let (serial, collisions, _) = gas.run_serially(6);
    assert_eq!(encodings(&serial), encodings(&Gas::new(SMALL_GAS, 2).run_serially(6).0));
    assert_ne!(encodings(&serial), encodings(&Gas::new(SMALL_GAS, 3).run_serially(6).0));
    for processors in [1, 2, 7, 16] {
        for owners in [
            partition::by_coordinates(&SMALL_GAS.centres(), processors),
            partition::round_robin(SMALL_GAS.cell_count(), processors),
        ] {
            let (molecules, parallel_collisions, migrations) = run_in_parallel(&gas, &owners, processors, 6);
            assert!(encodings(&molecules) == encodings(&serial), "{processors} processors");
            assert_eq!(parallel_collisions, collisions);
            assert_eq!(migrations > 0, processors > 1);
        }
    }
}

/// Checks that a molecule that arrives early is kept for its iteration.
#[test]
fn molecules_of_the_next_iteration_do_not_collide_in_this_one() {
    let gas = Gas::new(SMALL_GAS, 2);
    let owners = partition::by_coordinates(&SMALL_GAS.centres(), 2);
    let mut share = GasShare::all(&gas, &owners, 2).remove(0);
    let early_molecule = Molecule { number: 5000, cell: share.cells[3], position: [0.5; 3], velocity: [0.0; 3] };
    share.receive(1, early_molecule);
    assert_eq!((share.received_count(0), share.received_count(1)), (0, 1));
    share.collide(&gas, 0, 3);
    assert!(share.molecules().all(|molecule| molecule.number != 5000));
    share.collide(&gas, 1, 3);
    assert!(share.molecules().any(|molecule| molecule.number == 5000));
}

#[test]
fn default_gas_has_the_numbers_of_the_paper() {
    let gas = Gas::new(GasSize::defaults(), 1);
    assert_eq!((gas.molecules.len(), GasSize::defaults().cell_count()), (48_600, 9720));
    let mut count = vec![0; GasSize::defaults().cell_count()];
    gas.molecules.iter().for_each(|molecule| count[molecule.cell as usize] += 1);
    assert!(count.iter().all(|count| *count == 5));
    let owners = partition::by_coordinates(&GasSize::defaults().centres(), 16);
    let (serial, collisions, _) = gas.run_serially(3);
    let (molecules, parallel_collisions, migrations) = run_in_parallel(&gas, &owners, 16, 3);
    assert!(encodings(&molecules) == encodings(&serial) && parallel_collisions == collisions);
    // In an iteration, about six of a hundred molecules enter a cell of another processor.
    assert!((3 * 48_600 * 4 / 100..3 * 48_600 * 8 / 100).contains(&migrations), "{migrations}");
}

fn parameters(text: &str) -> Dsmc {
    super::super::tests::read::<Dsmc>(&format!("[workload.dsmc]\n{text}"))
}

#[test]
fn more_processors_than_cells_are_rejected() {
    assert!(parameters("").check_endpoints(16).is_empty());
    assert!(parameters("cells = [4, 2, 2]\nmolecules = 60\niterations = 2").check_endpoints(16).is_empty());
    assert_eq!(parameters("cells = [4, 2, 2]\nmolecules = 60\niterations = 2").check_endpoints(16 + 1)[0].key, "cells");
}

/// Checks the result of one processor that has the whole gas. If `is_correct` is false, one bit of a molecule is wrong.
fn check_result(is_correct: bool) {
    let space = Space::new(1, Bytes(128));
    let gas_run = GasRun::new(&parameters("cells = [4, 2, 2]\nmolecules = 60\niterations = 2"), 1, 7, &space);
    let (mut molecules, collisions, dissipation) = gas_run.gas.run_serially(2);
    if !is_correct {
        molecules[7].velocity[2] = f32::from_bits(molecules[7].velocity[2].to_bits() ^ 1);
    }
    gas_run.finish(0, (molecules, collisions, dissipation));
}

#[test]
fn correct_gas_is_accepted() {
    check_result(true);
}

#[test]
#[should_panic(expected = "the gas differs from that of a serial run")]
fn gas_with_one_wrong_bit_is_rejected() {
    check_result(false);
}
