//! The flow field: the values of all points, and their initial state.

use super::coupling::{Coupling, QUANTITIES, Quantities};
use super::gas::{self, Gas};
use super::residual;

/// The flow field: the values of all points, by the number of the point. States, residuals and matrices are shared; the
/// driving term is private to the processor of the point.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowField {
    /// The density, momenta and energy of each point.
    pub states: Vec<Quantities>,
    /// The right-hand side, which the sweeps overwrite with the solution.
    pub residuals: Vec<Quantities>,
    /// The matrices above the diagonal after elimination, in the current sweep.
    pub upper_matrices: Vec<Coupling>,
    /// The driving term of each point in a time step.
    pub driving_terms: Vec<Quantities>,
}

impl FlowField {
    /// Returns the initial flow field: the solution on the surface, and a blend of solutions inside.
    pub fn new(gas: &Gas) -> FlowField {
        let point_count = gas.point_count();
        let states = (0..point_count)
            .map(|point| initial_state(gas.position(gas.indices_of(point)), gas.is_on_surface(gas.indices_of(point))))
            .collect();
        let zero = Quantities::default();
        FlowField {
            states,
            residuals: vec![zero; point_count],
            upper_matrices: vec![Coupling::default(); point_count],
            driving_terms: driving_terms(gas),
        }
    }
}

/// Returns the initial state of a point: the solution on the surface, and inside a blend, over the three axes, of the
/// solutions on opposite faces, as in BT.
fn initial_state(position: [f64; 3], is_on_surface: bool) -> Quantities {
    if is_on_surface {
        return gas::solution(position);
    }
    let axis_blends = [0, 1, 2].map(|axis| {
        let face = |coordinate: f64| {
            let mut position = position;
            position[axis] = coordinate;
            gas::solution(position)
        };
        let (low, high) = (face(0.0), face(1.0));
        let mut mean = Quantities::default();
        (0..QUANTITIES).for_each(|quantity| {
            mean[quantity] = position[axis] * high[quantity] + (1.0 - position[axis]) * low[quantity]
        });
        mean
    });
    let mut state = Quantities::default();
    for (quantity, state) in state.iter_mut().enumerate() {
        let [x, y, z] = [axis_blends[0][quantity], axis_blends[1][quantity], axis_blends[2][quantity]];
        *state = x + y + z - x * y - x * z - y * z + x * y * z;
    }
    state
}

/// Returns the driving term of each point, which keeps the solution steady.
fn driving_terms(gas: &Gas) -> Vec<Quantities> {
    let solution: Vec<Quantities> =
        (0..gas.point_count()).map(|point| gas::solution(gas.position(gas.indices_of(point)))).collect();
    let zero = Quantities::default();
    let negated_change = |point: usize| match gas.is_on_surface(gas.indices_of(point)) {
        true => zero,
        false => residual::change(gas, &solution, point).map(|change| -change),
    };
    (0..gas.point_count()).map(negated_change).collect()
}
