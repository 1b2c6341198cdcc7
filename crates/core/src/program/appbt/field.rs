//! What each point holds, and how it begins.

use super::coupling::{Coupling, QUANTITIES, Quantities};
use super::gas::{self, Gas};
use super::residual;

/// All points, by number. States, residuals and matrices are shared; the driving term is its processor's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Density, momenta, energy.
    pub states: Vec<Quantities>,
    /// The right-hand side, which sweeps make the solution of.
    pub residuals: Vec<Quantities>,
    /// What elimination leaves above the diagonal, in the sweep that runs.
    pub uppers: Vec<Coupling>,
    /// What drives the gas, in a time step.
    pub driving: Vec<Quantities>,
}

impl Field {
    /// The beginning: the solution on the surface, blended inside.
    pub fn new(gas: &Gas) -> Field {
        let size = gas.size();
        let states = (0..size).map(|point| blended(gas.place(gas.at(point)), gas.is_held(gas.at(point)))).collect();
        let none = Quantities::default();
        Field { states, residuals: vec![none; size], uppers: vec![Coupling::default(); size], driving: driving(gas) }
    }
}

/// The solution, or the mean of that on opposite faces, blended over the three axes as BT does it.
fn blended(place: [f64; 3], is_held: bool) -> Quantities {
    if is_held {
        return gas::solution(place);
    }
    let along = [0, 1, 2].map(|axis| {
        let face = |at: f64| {
            let mut place = place;
            place[axis] = at;
            gas::solution(place)
        };
        let (low, high) = (face(0.0), face(1.0));
        let mut mean = Quantities::default();
        (0..QUANTITIES).for_each(|of| mean[of] = place[axis] * high[of] + (1.0 - place[axis]) * low[of]);
        mean
    });
    let mut state = Quantities::default();
    for (of, state) in state.iter_mut().enumerate() {
        let [x, y, z] = [along[0][of], along[1][of], along[2][of]];
        *state = x + y + z - x * y - x * z - y * z + x * y * z;
    }
    state
}

/// What keeps the solution as it is.
fn driving(gas: &Gas) -> Vec<Quantities> {
    let solution: Vec<Quantities> = (0..gas.size()).map(|point| gas::solution(gas.place(gas.at(point)))).collect();
    let none = Quantities::default();
    let of = |point: usize| match gas.is_held(gas.at(point)) {
        true => none,
        false => residual::change(gas, &solution, point).map(|change| -change),
    };
    (0..gas.size()).map(of).collect()
}
