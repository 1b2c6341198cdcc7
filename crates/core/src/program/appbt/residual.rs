//! The right-hand side: the change of the state in a time step, by a stencil of seven points.

use super::coupling::{QUANTITIES, Quantities};
use super::field::FlowField;
use super::gas::{self, Gas};
use super::subcubes::Subcube;

/// Returns the change of the state of an inner point by fluxes and dissipation.
pub fn change(gas: &Gas, states: &[Quantities], point: usize) -> Quantities {
    let mut change = Quantities::default();
    for axis in 0..3 {
        let (state_before, state_here, state_after) =
            (&states[point - gas.stride(axis)], &states[point], &states[point + gas.stride(axis)]);
        let (flux_before, flux_after) = (gas::flux(state_before, axis), gas::flux(state_after, axis));
        for quantity in 0..QUANTITIES {
            let second_difference = state_after[quantity] - 2.0 * state_here[quantity] + state_before[quantity];
            change[quantity] += gas.dissipation_factor() * second_difference
                - gas.flux_factor() * (flux_after[quantity] - flux_before[quantity]);
        }
    }
    change
}

/// Computes the right-hand side of a processor's points. Returns the greatest magnitude of each quantity of
/// the right-hand side.
pub fn compute_residuals(gas: &Gas, field: &mut FlowField, subcube: &Subcube) -> Quantities {
    let mut norm = Quantities::default();
    for point in subcube.inner_points(gas) {
        let change = change(gas, &field.states, point);
        for quantity in 0..QUANTITIES {
            let value = change[quantity] + field.driving_terms[point][quantity];
            field.residuals[point][quantity] = value;
            norm[quantity] = norm[quantity].max(value.abs());
        }
    }
    norm
}

/// Adds the solutions of a processor's points to their states.
pub fn add_solutions(gas: &Gas, field: &mut FlowField, subcube: &Subcube) {
    for point in subcube.inner_points(gas) {
        let states = field.states[point].iter_mut();
        states.zip(field.residuals[point]).for_each(|(state, change)| *state += change);
    }
}
