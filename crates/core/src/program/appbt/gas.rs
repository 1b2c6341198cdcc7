//! The problem: an inviscid gas in a cube of unit side with second-order dissipation, driven so that a known smooth
//! solution is steady.
//!
//! Adjacent points are `1 / (points - 1)` apart, and the state of points on the surface is fixed to the solution. The
//! driving term is the negative residual of the discrete equations at the solution, so the solution satisfies them
//! exactly. The defaults are those of BT's class W (24 points, its time step). The polynomials of the solution are also
//! BT's, and the dissipation is that of BT along two of its axes.

use super::coupling::{Coupling, QUANTITIES, Quantities};

/// The parameters of the gas.
#[derive(Clone, Debug)]
pub struct Gas {
    /// Number of points along a side; at least three, one of which is inside.
    pub points_per_side: usize,
    /// Length of a time step.
    pub time_step: f64,
    /// The coefficient of dissipation.
    pub dissipation: f64,
}

impl Default for Gas {
    fn default() -> Gas {
        Gas { points_per_side: 24, time_step: 0.0008, dissipation: 0.75 }
    }
}

/// The ratio of specific heats of air.
const GAMMA: f64 = 1.4;

/// Coefficients of the solution, for each quantity: the constant; then x, y, z; x², y², z²; x³, y³, z³; x⁴, y⁴, z⁴.
const POLYNOMIALS: [[f64; 13]; QUANTITIES] = [
    [2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3],
    [1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5],
    [2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4],
    [2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3],
    [5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2],
];

/// Returns the exact solution at a position in the cube.
pub fn solution(position: [f64; 3]) -> Quantities {
    POLYNOMIALS.map(|coefficients| {
        let polynomial = |axis: usize| {
            let coordinate = position[axis];
            coordinate
                * (coefficients[1 + axis]
                    + coordinate
                        * (coefficients[4 + axis]
                            + coordinate * (coefficients[7 + axis] + coordinate * coefficients[10 + axis])))
        };
        coefficients[0] + polynomial(0) + polynomial(1) + polynomial(2)
    })
}

/// Returns the flux of each quantity along an axis.
pub fn flux(state: &Quantities, axis: usize) -> Quantities {
    let [density, x, y, z, energy] = *state;
    let speed = state[1 + axis] / density;
    let pressure = (GAMMA - 1.0) * (energy - 0.5 * (x * x + y * y + z * z) / density);
    let mut flux = [density * speed, x * speed, y * speed, z * speed, (energy + pressure) * speed];
    flux[1 + axis] += pressure;
    flux
}

/// Returns the Jacobian of the flux along an axis.
pub fn jacobian(state: &Quantities, axis: usize) -> Coupling {
    let inverse = 1.0 / state[0];
    let velocity = [state[1] * inverse, state[2] * inverse, state[3] * inverse];
    let half_square = 0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    let (speed, gamma_energy) = (velocity[axis], GAMMA * state[4] * inverse);
    let (momentum_index, gamma_minus_1) = (1 + axis, GAMMA - 1.0);
    let mut matrix = Coupling::default();
    matrix[0][momentum_index] = 1.0;
    for row in 0..3 {
        matrix[1 + row][0] = -velocity[row] * speed;
        matrix[1 + row][1 + row] += speed;
        matrix[1 + row][momentum_index] += velocity[row];
        matrix[momentum_index][1 + row] -= gamma_minus_1 * velocity[row];
        matrix[4][1 + row] = -gamma_minus_1 * velocity[row] * speed;
    }
    matrix[momentum_index][0] += gamma_minus_1 * half_square;
    matrix[momentum_index][4] = gamma_minus_1;
    matrix[4][0] = speed * (2.0 * gamma_minus_1 * half_square - gamma_energy);
    matrix[4][momentum_index] += gamma_energy - gamma_minus_1 * half_square;
    matrix[4][4] = GAMMA * speed;
    matrix
}

impl Gas {
    /// Returns the number of points in the cube.
    pub fn point_count(&self) -> usize {
        self.points_per_side * self.points_per_side * self.points_per_side
    }

    /// Returns the number of the point with the given indices along the three axes.
    pub fn point(&self, indices: [usize; 3]) -> usize {
        (indices[0] * self.points_per_side + indices[1]) * self.points_per_side + indices[2]
    }

    /// Returns the indices of a point along the three axes.
    pub fn indices_of(&self, point: usize) -> [usize; 3] {
        [
            point / (self.points_per_side * self.points_per_side),
            point / self.points_per_side % self.points_per_side,
            point % self.points_per_side,
        ]
    }

    /// Returns the position of a point in the cube.
    pub fn position(&self, indices: [usize; 3]) -> [f64; 3] {
        indices.map(|index| index as f64 / (self.points_per_side - 1) as f64)
    }

    /// Returns the difference between the numbers of two points that are adjacent along an axis.
    pub fn stride(&self, axis: usize) -> usize {
        [self.points_per_side * self.points_per_side, self.points_per_side, 1][axis]
    }

    /// Returns whether a point is on the surface, where the state is fixed.
    pub fn is_on_surface(&self, indices: [usize; 3]) -> bool {
        indices.iter().any(|index| *index == 0 || *index + 1 == self.points_per_side)
    }

    /// Returns the factor by which flux differences are multiplied in a time step.
    pub fn flux_factor(&self) -> f64 {
        self.time_step * (self.points_per_side - 1) as f64 / 2.0
    }

    /// Returns the factor by which second differences are multiplied in a time step.
    pub fn dissipation_factor(&self) -> f64 {
        let inverse_spacing = (self.points_per_side - 1) as f64;
        self.time_step * self.dissipation * inverse_spacing * inverse_spacing
    }
}
