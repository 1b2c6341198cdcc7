//! The problem: an inviscid gas in a cube of unit side with a second-order dissipation, driven so that a known smooth
//! solution is steady.
//!
//! Points lie `1 / (points - 1)` apart, those of the surface held at the solution. The driving term is what the
//! discrete equations make of the solution, so they are solved by it exactly. The defaults are those of
//! BT's class W (24 points, its time step); the solution's polynomials are BT's, too, and the dissipation is
//! that which BT has along two of its axes.

use super::coupling::{Coupling, QUANTITIES, Quantities};

/// The parameters of the gas.
#[derive(Clone, Debug)]
pub struct Gas {
    /// Points along a side; three at least, one of which is inside.
    pub points: usize,
    /// The time of an iteration.
    pub step: f64,
    /// The coefficient of dissipation.
    pub dissipation: f64,
}

impl Default for Gas {
    fn default() -> Gas {
        Gas { points: 24, step: 0.0008, dissipation: 0.75 }
    }
}

/// The ratio of specific heats of air.
const GAMMA: f64 = 1.4;

/// By quantity: the constant; then x, y, z; x², y², z²; x³, y³, z³; x⁴, y⁴, z⁴.
const POLYNOMIALS: [[f64; 13]; QUANTITIES] = [
    [2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3],
    [1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5],
    [2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4],
    [2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3],
    [5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2],
];

/// The solution at a place of the cube.
pub fn solution(place: [f64; 3]) -> Quantities {
    POLYNOMIALS.map(|of| {
        let along = |axis: usize| {
            let at = place[axis];
            at * (of[1 + axis] + at * (of[4 + axis] + at * (of[7 + axis] + at * of[10 + axis])))
        };
        of[0] + along(0) + along(1) + along(2)
    })
}

/// The flux of each quantity along an axis.
pub fn flux(state: &Quantities, axis: usize) -> Quantities {
    let [density, x, y, z, energy] = *state;
    let speed = state[1 + axis] / density;
    let pressure = (GAMMA - 1.0) * (energy - 0.5 * (x * x + y * y + z * z) / density);
    let mut flux = [density * speed, x * speed, y * speed, z * speed, (energy + pressure) * speed];
    flux[1 + axis] += pressure;
    flux
}

/// How that depends on each quantity.
pub fn jacobian(state: &Quantities, axis: usize) -> Coupling {
    let inverse = 1.0 / state[0];
    let velocity = [state[1] * inverse, state[2] * inverse, state[3] * inverse];
    let half_square = 0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    let (speed, heat) = (velocity[axis], GAMMA * state[4] * inverse);
    let (along, rest) = (1 + axis, GAMMA - 1.0);
    let mut matrix = Coupling::default();
    matrix[0][along] = 1.0;
    for row in 0..3 {
        matrix[1 + row][0] = -velocity[row] * speed;
        matrix[1 + row][1 + row] += speed;
        matrix[1 + row][along] += velocity[row];
        matrix[along][1 + row] -= rest * velocity[row];
        matrix[4][1 + row] = -rest * velocity[row] * speed;
    }
    matrix[along][0] += rest * half_square;
    matrix[along][4] = rest;
    matrix[4][0] = speed * (2.0 * rest * half_square - heat);
    matrix[4][along] += heat - rest * half_square;
    matrix[4][4] = GAMMA * speed;
    matrix
}

impl Gas {
    /// Points of the cube.
    pub fn size(&self) -> usize {
        self.points * self.points * self.points
    }

    /// The number of a point.
    pub fn point(&self, at: [usize; 3]) -> usize {
        (at[0] * self.points + at[1]) * self.points + at[2]
    }

    /// Where it is, in points.
    pub fn at(&self, point: usize) -> [usize; 3] {
        [point / (self.points * self.points), point / self.points % self.points, point % self.points]
    }

    /// Where it is in the cube.
    pub fn place(&self, at: [usize; 3]) -> [f64; 3] {
        at.map(|index| index as f64 / (self.points - 1) as f64)
    }

    /// How far apart the numbers of points are that lie next to each other along an axis.
    pub fn stride(&self, axis: usize) -> usize {
        [self.points * self.points, self.points, 1][axis]
    }

    /// Whether a point is one of the surface, which is held.
    pub fn is_held(&self, at: [usize; 3]) -> bool {
        at.iter().any(|index| *index == 0 || *index + 1 == self.points)
    }

    /// What stands before differences of fluxes in a time step.
    pub fn of_flux(&self) -> f64 {
        self.step * (self.points - 1) as f64 / 2.0
    }

    /// What stands before second differences.
    pub fn of_dissipation(&self) -> f64 {
        let per_length = (self.points - 1) as f64;
        self.step * self.dissipation * per_length * per_length
    }
}
