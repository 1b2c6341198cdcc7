//! Tests that the gas converges to its solution, and that runs of several processors match the run of one.

mod emulated_run;

use super::coupling::{self, Coupling, QUANTITIES, Quantities};
use super::field::FlowField;
use super::gas::{self, Gas};
use super::reads::{self, Phase};
use super::subcubes::Subcubes;
use super::{residual, serial, sweep};
use crate::engine::rng;
use rand::RngExt;

fn gas_with_points(points: usize) -> Gas {
    Gas { points_per_side: points, ..Gas::default() }
}

fn max_error(gas: &Gas, field: &FlowField) -> f64 {
    let deviation_at = |point: usize| {
        let solution = gas::solution(gas.position(gas.indices_of(point)));
        field.states[point].iter().zip(solution).map(|(state, solution)| (state - solution).abs()).fold(0.0, f64::max)
    };
    (0..gas.point_count()).map(deviation_at).fold(0.0, f64::max)
}

#[test]
fn jacobian_is_the_derivative_of_the_flux() {
    let state = gas::solution([0.3, 0.6, 0.8]);
    for axis in 0..3 {
        let jacobian = gas::jacobian(&state, axis);
        for column in 0..QUANTITIES {
            let flux_at = |change: f64| {
                let mut state = state;
                state[column] += change;
                gas::flux(&state, axis)
            };
            let (up, down) = (flux_at(1e-5), flux_at(-1e-5));
            for row in 0..QUANTITIES {
                let slope = (up[row] - down[row]) / 2e-5;
                assert!((jacobian[row][column] - slope).abs() < 1e-8, "axis {axis}, {row} by {column}: {slope}");
            }
        }
    }
}

#[test]
fn solve_inverts_a_matrix_and_a_vector() {
    let mut random = rng::stream(1, "matrices");
    let mut draw =
        || -> Coupling { [(); QUANTITIES].map(|()| [(); QUANTITIES].map(|()| random.random::<f64>() - 0.5)) };
    let (mut matrix, right) = (draw(), draw());
    (0..QUANTITIES).for_each(|row| matrix[row][row] += 4.0);
    let vector = right[2].map(|value| value + 1.0);
    let (solved_matrix, solved_vector) = coupling::solve(matrix, right, vector);
    let vector_residual = coupling::subtract_product(&vector, &matrix, &solved_vector);
    let matrix_residual = coupling::subtract_matrix_product(&right, &matrix, &solved_matrix);
    assert!(
        vector_residual.iter().chain(matrix_residual.iter().flatten()).all(|value| value.abs() < 1e-14),
        "{vector_residual:?} {matrix_residual:?}"
    );
}

#[test]
fn the_solution_is_steady() {
    let gas = gas_with_points(9);
    let mut field = FlowField::new(&gas);
    (0..gas.point_count()).for_each(|point| field.states[point] = gas::solution(gas.position(gas.indices_of(point))));
    let whole_cube = Subcubes::new(&gas, 1).expect("the cube has enough points").subcube_of(0);
    assert_eq!(residual::compute_residuals(&gas, &mut field, &whole_cube), Quantities::default());
}

#[test]
fn residual_falls_and_the_solution_converges() {
    let gas = Gas { points_per_side: 12, time_step: 0.01, ..Gas::default() };
    let (field, norms) = serial::run(&gas, 120);
    let initial_error = max_error(&gas, &FlowField::new(&gas));
    assert!(initial_error > 0.5, "the initial state is far from the solution: {initial_error}");
    assert!(max_error(&gas, &field) < 1e-9 * initial_error, "{}", max_error(&gas, &field));
    let (first, last) = (norms[0], norms[119]);
    assert!((0..QUANTITIES).all(|quantity| last[quantity] < 1e-9 * first[quantity]), "{first:?} {last:?}");
    // In four iterations of the data set, the residual of each quantity falls in each iteration.
    let (_, norms) = serial::run(&Gas::default(), 4);
    assert!(
        (0..3).all(|step| (0..QUANTITIES).all(|quantity| norms[step + 1][quantity] < norms[step][quantity])),
        "{norms:?}"
    );
}

#[test]
fn sweeps_solve_their_systems() {
    let gas = Gas { points_per_side: 8, time_step: 0.01, ..Gas::default() };
    let whole_cube = Subcubes::new(&gas, 1).expect("the cube has enough points").subcube_of(0);
    for axis in 0..3 {
        let mut field = FlowField::new(&gas);
        residual::compute_residuals(&gas, &mut field, &whole_cube);
        let right_hand_sides = field.residuals.clone();
        (0..whole_cube.chunks(axis)).for_each(|chunk| sweep::forward(&gas, &mut field, &whole_cube, axis, chunk));
        (0..whole_cube.chunks(axis)).for_each(|chunk| sweep::backward(&gas, &mut field, &whole_cube, axis, chunk));
        // Applies the implicit operator, which is computed from the Jacobians alone, to the solution.
        for point in whole_cube.inner_points(&gas) {
            let [before, after] = [point - gas.stride(axis), point + gas.stride(axis)];
            let minus = coupling::subtract_product(
                &[0.0; 5],
                &gas::jacobian(&field.states[after], axis),
                &field.residuals[after],
            );
            let plus = coupling::subtract_product(
                &[0.0; 5],
                &gas::jacobian(&field.states[before], axis),
                &field.residuals[before],
            );
            for quantity in 0..QUANTITIES {
                let [low, here, high] = [before, point, after].map(|point| field.residuals[point][quantity]);
                let product = here - gas.dissipation_factor() * (low - 2.0 * here + high)
                    + gas.flux_factor() * (plus[quantity] - minus[quantity]);
                assert!(
                    (product - right_hand_sides[point][quantity]).abs() < 1e-12,
                    "axis {axis}, point {point}: {product} {}",
                    right_hand_sides[point][quantity]
                );
            }
        }
    }
}

#[test]
fn subcubes_partition_the_points() {
    let gas = Gas::default();
    assert_eq!(Subcubes::new(&gas, 16).expect("the cube has enough points").shape(), [4, 2, 2]);
    assert_eq!(Subcubes::new(&gas, 32).expect("the cube has enough points").shape(), [4, 4, 2]);
    assert_eq!(Subcubes::new(&gas, 24).expect("the cube has enough points").shape(), [4, 3, 2]);
    assert!(Subcubes::new(&gas, 29).is_none(), "29 subcubes would need 29 planes");
    for processors in [1, 2, 7, 16, 23, 64] {
        let subcubes = Subcubes::new(&gas, processors).expect("the cube has enough points");
        let mut owners: Vec<(usize, usize)> =
            (0..gas.point_count()).map(|point| subcubes.owner_and_index(gas.indices_of(point))).collect();
        let inner_count: usize =
            (0..processors).map(|processor| subcubes.subcube_of(processor).inner_points(&gas).count()).sum();
        assert_eq!(inner_count, 22 * 22 * 22);
        owners.sort_unstable();
        let sizes = (0..processors)
            .map(|processor| subcubes.subcube_of(processor).point_ranges.iter().map(|range| range.len()).product());
        let all_points = sizes
            .enumerate()
            .flat_map(|(processor, size): (usize, usize)| (0..size).map(move |index| (processor, index)));
        assert_eq!(owners, all_points.collect::<Vec<_>>(), "{processors} processors");
    }
}

#[test]
fn remote_reads_are_the_adjacent_planes() {
    let gas = Gas::default();
    let subcubes = Subcubes::new(&gas, 16).expect("the cube has enough points");
    // 4 × 2 × 2: a subcube inside has 6 × 11 × 11 inner points, and two neighbours along x.
    let processor = 4;
    assert_eq!(reads::remote_reads(&gas, &subcubes, processor, Phase::Residual).len(), 2 * 121 + 2 * 66);
    let forward = reads::remote_reads(&gas, &subcubes, processor, Phase::Forward(0, 0));
    let bytes: usize = forward.iter().map(|(_, kind, _)| kind.bytes()).sum();
    assert_eq!(bytes, 11 * (40 + 40 + 200) + 11 * 40);
    assert_eq!(reads::predecessor(&gas, &subcubes, processor, Phase::Forward(0, 3)), Some(0));
    assert_eq!(reads::predecessor(&gas, &subcubes, processor, Phase::Backward(0, 3)), Some(8));
    assert_eq!(reads::predecessor(&gas, &subcubes, 0, Phase::Forward(0, 3)), None);
}
