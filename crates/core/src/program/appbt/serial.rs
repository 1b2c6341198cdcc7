//! The run on one processor, with which results are compared.

use super::coupling::Quantities;
use super::field::FlowField;
use super::gas::Gas;
use super::subcubes::{Subcube, Subcubes};
use super::{residual, sweep};

/// Runs the program. Returns the field at the end, and the greatest residual of each quantity in each iteration.
pub fn run(gas: &Gas, iterations: u64) -> (FlowField, Vec<Quantities>) {
    let whole_cube = Subcubes::new(gas, 1).expect("one processor can have the whole cube").subcube_of(0);
    let mut field = FlowField::new(gas);
    let norms = (0..iterations).map(|_| iterate(gas, &mut field, &whole_cube)).collect();
    (field, norms)
}

fn iterate(gas: &Gas, field: &mut FlowField, whole_cube: &Subcube) -> Quantities {
    let norm = residual::compute_residuals(gas, field, whole_cube);
    for axis in 0..3 {
        (0..whole_cube.chunks(axis)).for_each(|chunk| sweep::forward(gas, field, whole_cube, axis, chunk));
        (0..whole_cube.chunks(axis)).for_each(|chunk| sweep::backward(gas, field, whole_cube, axis, chunk));
    }
    residual::add_solutions(gas, field, whole_cube);
    norm
}
