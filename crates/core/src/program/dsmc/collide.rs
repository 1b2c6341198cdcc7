//! The collisions of a cell in a step: hard spheres, pairs without time counter (Bird 1994, §11.1).

use super::Molecule;
use super::gas::SPEED;
use crate::engine::rng::RandomStream;
use rand::RngExt;

/// What happened in cells.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Collisions {
    /// Pairs that were drawn.
    pub pairs: u64,
    /// Those of them that collided.
    pub collided: u64,
}

/// The largest difference of velocities that is reckoned with; one in millions is larger, and collides as
/// often as this one (chosen).
pub(super) const DIFFERENCE_MAX: f64 = 8.0 * SPEED;
/// The part of all pairs of a cell that is drawn (chosen: a molecule collides once in some six steps, its
/// mean free path is about a cell).
const DRAWN: f64 = 0.15;

/// Lets the molecules of a cell collide, which are in the order of their numbers.
pub(super) fn collide(molecules: &mut [Molecule], random: &mut RandomStream) -> Collisions {
    let count = molecules.len();
    if count < 2 {
        return Collisions::default();
    }
    let pairs = (DRAWN * (count * (count - 1) / 2) as f64 + random.random::<f64>()) as u64;
    let mut collided = 0;
    for _ in 0..pairs {
        let one = random.random_range(0..count as u64) as usize;
        let other = (one + 1 + random.random_range(0..count as u64 - 1) as usize) % count;
        let difference = difference(molecules[one].velocity, molecules[other].velocity);
        if random.random::<f64>() * DIFFERENCE_MAX < difference {
            [molecules[one].velocity, molecules[other].velocity] =
                scattered(molecules[one].velocity, molecules[other].velocity, difference, direction(random));
            collided += 1;
        }
    }
    Collisions { pairs, collided }
}

/// How much two velocities differ.
pub(super) fn difference(one: [f32; 3], other: [f32; 3]) -> f64 {
    let along = |axis: usize| f64::from(one[axis]) - f64::from(other[axis]);
    (along(0) * along(0) + along(1) * along(1) + along(2) * along(2)).sqrt()
}

/// The velocities of two after a collision: about their middle, in a direction and against it.
pub(super) fn scattered(one: [f32; 3], other: [f32; 3], difference: f64, direction: [f64; 3]) -> [[f32; 3]; 2] {
    let middle = [0, 1, 2].map(|axis: usize| (f64::from(one[axis]) + f64::from(other[axis])) / 2.0);
    let along =
        |sign: f64| [0, 1, 2].map(|axis: usize| (middle[axis] + sign * difference / 2.0 * direction[axis]) as f32);
    [along(1.0), along(-1.0)]
}

/// Any direction, all equally likely (Marsaglia 1972): roots are the same on every machine, sines are not.
fn direction(random: &mut RandomStream) -> [f64; 3] {
    loop {
        let (u, v) = (2.0 * random.random::<f64>() - 1.0, 2.0 * random.random::<f64>() - 1.0);
        let square = u * u + v * v;
        if square < 1.0 {
            let root = 2.0 * (1.0 - square).sqrt();
            return [u * root, v * root, 1.0 - 2.0 * square];
        }
    }
}
