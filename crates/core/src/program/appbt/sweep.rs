//! Block-tridiagonal systems along an axis, one for each line of points: forward elimination, then backward
//! substitution (Thomas's method).
//!
//! A line may cross several subcubes. A chunk is a row of lines. If lines begin or continue in another subcube, that
//! subcube must have completed the chunk first.

use super::coupling::{self, Coupling, QUANTITIES};
use super::field::FlowField;
use super::gas::{self, Gas};
use super::subcubes::Subcube;

/// Eliminates below the diagonal on a processor's part of the lines of a chunk.
pub fn forward(gas: &Gas, field: &mut FlowField, subcube: &Subcube, axis: usize, chunk: usize) {
    let stride = gas.stride(axis);
    for line in subcube.lines(gas, axis, chunk) {
        for (point, index) in subcube.line_points(gas, axis, line) {
            let mut diagonal = scaled_identity(1.0 + 2.0 * gas.dissipation_factor());
            let mut right = field.residuals[point];
            if index > 1 {
                let lower = off_diagonal(gas, field, point - stride, axis, -gas.flux_factor());
                diagonal = coupling::subtract_matrix_product(&diagonal, &lower, &field.upper_matrices[point - stride]);
                right = coupling::subtract_product(&right, &lower, &field.residuals[point - stride]);
            }
            // The matrix of the last inner point is multiplied by the change of the surface, which is zero.
            let upper = off_diagonal(gas, field, point + stride, axis, gas.flux_factor());
            (field.upper_matrices[point], field.residuals[point]) = coupling::solve(diagonal, upper, right);
        }
    }
}

/// Substitutes backward on a processor's part of the lines of a chunk.
pub fn backward(gas: &Gas, field: &mut FlowField, subcube: &Subcube, axis: usize, chunk: usize) {
    let stride = gas.stride(axis);
    for line in subcube.lines(gas, axis, chunk) {
        for (point, index) in subcube.line_points(gas, axis, line).rev() {
            if index + 2 < gas.points_per_side {
                let solution_after = field.residuals[point + stride];
                field.residuals[point] =
                    coupling::subtract_product(&field.residuals[point], &field.upper_matrices[point], &solution_after);
            }
        }
    }
}

/// Returns the coupling between the change of a point and that of the adjacent point.
fn off_diagonal(gas: &Gas, field: &FlowField, point: usize, axis: usize, factor: f64) -> Coupling {
    let mut matrix = gas::jacobian(&field.states[point], axis);
    matrix.iter_mut().flatten().for_each(|value| *value *= factor);
    (0..QUANTITIES).for_each(|quantity| matrix[quantity][quantity] -= gas.dissipation_factor());
    matrix
}

fn scaled_identity(value: f64) -> Coupling {
    let mut matrix = Coupling::default();
    (0..QUANTITIES).for_each(|quantity| matrix[quantity][quantity] = value);
    matrix
}
