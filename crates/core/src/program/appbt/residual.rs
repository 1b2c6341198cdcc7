//! The right-hand side: what the equations would change in a time step, by a stencil of seven points.

use super::coupling::{QUANTITIES, Quantities};
use super::field::Field;
use super::gas::{self, Gas};
use super::subcubes::Subcube;

/// What fluxes and dissipation change at an inner point.
pub fn change(gas: &Gas, states: &[Quantities], point: usize) -> Quantities {
    let mut change = Quantities::default();
    for axis in 0..3 {
        let (before, here, after) =
            (&states[point - gas.stride(axis)], &states[point], &states[point + gas.stride(axis)]);
        let (from, to) = (gas::flux(before, axis), gas::flux(after, axis));
        for of in 0..QUANTITIES {
            let second_difference = after[of] - 2.0 * here[of] + before[of];
            change[of] += gas.of_dissipation() * second_difference - gas.of_flux() * (to[of] - from[of]);
        }
    }
    change
}

/// The right-hand side of a processor's points; gives the greatest magnitude of each quantity.
pub fn residuals(gas: &Gas, field: &mut Field, subcube: &Subcube) -> Quantities {
    let mut norm = Quantities::default();
    for point in subcube.inner_points(gas) {
        let change = change(gas, &field.states, point);
        for of in 0..QUANTITIES {
            let value = change[of] + field.driving[point][of];
            field.residuals[point][of] = value;
            norm[of] = norm[of].max(value.abs());
        }
    }
    norm
}

/// Adds the solutions of a processor's points to their states.
pub fn add(gas: &Gas, field: &mut Field, subcube: &Subcube) {
    for point in subcube.inner_points(gas) {
        let states = field.states[point].iter_mut();
        states.zip(field.residuals[point]).for_each(|(state, change)| *state += change);
    }
}
