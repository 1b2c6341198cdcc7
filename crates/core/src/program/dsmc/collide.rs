//! The collisions of the molecules of a cell in a time step: hard spheres, by the no-time-counter method (Bird 1994,
//! §11.1).

use super::Molecule;
use super::gas::SPEED_STD_DEV;
use crate::engine::rng::RandomStream;
use rand::RngExt;

/// Counts of collisions in one or several cells.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Collisions {
    /// Number of pairs drawn.
    pub pairs: u64,
    /// Number of these pairs that collided.
    pub collided_pairs: u64,
}

/// Largest relative speed that the method assumes (chosen). One pair in millions is faster; it collides only as often
/// as a pair with this speed.
pub(super) const RELATIVE_SPEED_MAX: f64 = 8.0 * SPEED_STD_DEV;
/// Fraction of all pairs of a cell that are drawn (chosen: a molecule collides once in about six steps, so its mean
/// free path is about a cell).
const DRAWN_PAIR_FRACTION: f64 = 0.15;

/// Collides the molecules of a cell, which are in the order of their numbers.
pub(super) fn collide(molecules: &mut [Molecule], random: &mut RandomStream) -> Collisions {
    let count = molecules.len();
    if count < 2 {
        return Collisions::default();
    }
    let pairs = (DRAWN_PAIR_FRACTION * (count * (count - 1) / 2) as f64 + random.random::<f64>()) as u64;
    let mut collided_pairs = 0;
    for _ in 0..pairs {
        let one = random.random_range(0..count as u64) as usize;
        let other = (one + 1 + random.random_range(0..count as u64 - 1) as usize) % count;
        let speed = relative_speed(molecules[one].velocity, molecules[other].velocity);
        if random.random::<f64>() * RELATIVE_SPEED_MAX < speed {
            [molecules[one].velocity, molecules[other].velocity] =
                scattered_velocities(molecules[one].velocity, molecules[other].velocity, speed, draw_direction(random));
            collided_pairs += 1;
        }
    }
    Collisions { pairs, collided_pairs }
}

/// Returns the relative speed of two velocities.
pub(super) fn relative_speed(one: [f32; 3], other: [f32; 3]) -> f64 {
    let difference = |axis: usize| f64::from(one[axis]) - f64::from(other[axis]);
    (difference(0) * difference(0) + difference(1) * difference(1) + difference(2) * difference(2)).sqrt()
}

/// Returns two velocities after a collision with this relative speed. From the mean of the velocities, one goes in
/// `direction` and the other in the opposite direction.
pub(super) fn scattered_velocities(one: [f32; 3], other: [f32; 3], speed: f64, direction: [f64; 3]) -> [[f32; 3]; 2] {
    let mean = [0, 1, 2].map(|axis: usize| (f64::from(one[axis]) + f64::from(other[axis])) / 2.0);
    let velocity = |sign: f64| [0, 1, 2].map(|axis: usize| (mean[axis] + sign * speed / 2.0 * direction[axis]) as f32);
    [velocity(1.0), velocity(-1.0)]
}

/// Draws a direction with uniform distribution (Marsaglia 1972). The method needs square roots, which every machine
/// rounds alike, and no sines.
fn draw_direction(random: &mut RandomStream) -> [f64; 3] {
    loop {
        let (u, v) = (2.0 * random.random::<f64>() - 1.0, 2.0 * random.random::<f64>() - 1.0);
        let squared_radius = u * u + v * v;
        if squared_radius < 1.0 {
            let root = 2.0 * (1.0 - squared_radius).sqrt();
            return [u * root, v * root, 1.0 - 2.0 * squared_radius];
        }
    }
}
