//! Coupling-tridiagonal systems along an axis, one for each line of points: elimination forward, substitution
//! backward (Thomas's method).
//!
//! A line may run through several subcubes. A chunk is a row of lines; where lines come from or go to
//! another subcube, that one must be done with the chunk.

use super::coupling::{self, Coupling, QUANTITIES};
use super::field::Field;
use super::gas::{self, Gas};
use super::subcubes::Subcube;

/// Eliminates below the diagonal on a processor's part of the lines of a chunk.
pub fn forward(gas: &Gas, field: &mut Field, subcube: &Subcube, axis: usize, chunk: usize) {
    let stride = gas.stride(axis);
    for line in subcube.lines(gas, axis, chunk) {
        for (point, index) in subcube.along(gas, axis, line) {
            let mut diagonal = scaled_unit(1.0 + 2.0 * gas.of_dissipation());
            let mut right = field.residuals[point];
            if index > 1 {
                let lower = off_diagonal(gas, field, point - stride, axis, -gas.of_flux());
                diagonal = coupling::less_coupling_product(&diagonal, &lower, &field.uppers[point - stride]);
                right = coupling::less_product(&right, &lower, &field.residuals[point - stride]);
            }
            // The last point's is multiplied by a change of the surface: none.
            let upper = off_diagonal(gas, field, point + stride, axis, gas.of_flux());
            (field.uppers[point], field.residuals[point]) = coupling::solve(diagonal, upper, right);
        }
    }
}

/// Substitutes, from the last point to the first.
pub fn backward(gas: &Gas, field: &mut Field, subcube: &Subcube, axis: usize, chunk: usize) {
    let stride = gas.stride(axis);
    for line in subcube.lines(gas, axis, chunk) {
        for (point, index) in subcube.along(gas, axis, line).rev() {
            if index + 2 < gas.points {
                let after = field.residuals[point + stride];
                field.residuals[point] = coupling::less_product(&field.residuals[point], &field.uppers[point], &after);
            }
        }
    }
}

/// How a point's change is felt by the one next to it.
fn off_diagonal(gas: &Gas, field: &Field, point: usize, axis: usize, factor: f64) -> Coupling {
    let mut matrix = gas::jacobian(&field.states[point], axis);
    matrix.iter_mut().flatten().for_each(|value| *value *= factor);
    (0..QUANTITIES).for_each(|of| matrix[of][of] -= gas.of_dissipation());
    matrix
}

fn scaled_unit(value: f64) -> Coupling {
    let mut matrix = Coupling::default();
    (0..QUANTITIES).for_each(|of| matrix[of][of] = value);
    matrix
}
