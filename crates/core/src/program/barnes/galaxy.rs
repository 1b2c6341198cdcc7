//! The problem: bodies of Plummer's model that attract each other. Defaults are those of SPLASH-2.

use crate::engine::rng::{self, RandomStream};
use rand::RngExt;

/// A vector of space.
pub type Vector = [f64; 3];

/// The parameters of a galaxy. Mass and the constant of gravity are 1, the energy is -1/4.
#[derive(Clone, Debug)]
pub struct Galaxy {
    /// How many bodies there are; one at least.
    pub bodies: usize,
    /// θ: a cell counts as one body from where its side over its distance is less.
    pub opening: f64,
    /// Distances are softened by so much, which is more than zero.
    pub softening: f64,
    /// The time of a step.
    pub step: f64,
}

impl Default for Galaxy {
    fn default() -> Galaxy {
        Galaxy { bodies: 16_384, opening: 1.0, softening: 0.05, step: 0.025 }
    }
}

/// A body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Its mass.
    pub mass: f64,
    /// Where it is.
    pub position: Vector,
    /// How fast it moves, half a step before.
    pub velocity: Vector,
    /// The force on it, over its mass.
    pub acceleration: Vector,
    /// Its potential.
    pub potential: f64,
    /// Interactions that its force took in the last step.
    pub cost: u64,
}

/// What a unit of length of Plummer's model is, if the energy is to be -1/4.
const LENGTH: f64 = 3.0 * std::f64::consts::PI / 16.0;

impl Galaxy {
    /// Plummer's model, drawn from a seed, at rest in the origin (Aarseth, Hénon and Wielen 1974).
    pub fn begin(&self, seed: u64) -> Vec<Body> {
        let mut random = rng::stream(seed, "bodies of a galaxy");
        let mass = 1.0 / self.bodies as f64;
        let mut bodies: Vec<Body> = (0..self.bodies).map(|_| body(mass, &mut random)).collect();
        for axis in 0..3 {
            let mean = |of: fn(&Body) -> &Vector| bodies.iter().map(|body| of(body)[axis]).sum::<f64>() * mass;
            let (position, velocity) = (mean(|body| &body.position), mean(|body| &body.velocity));
            for body in &mut bodies {
                body.position[axis] -= position;
                body.velocity[axis] -= velocity;
            }
        }
        bodies
    }

    /// Moves a body by its acceleration; in the first step its velocity is half a step behind only.
    pub fn advance(&self, body: &mut Body, is_first: bool) {
        let kick = if is_first { self.step / 2.0 } else { self.step };
        for axis in 0..3 {
            body.velocity[axis] += body.acceleration[axis] * kick;
            body.position[axis] += body.velocity[axis] * self.step;
        }
    }
}

/// The greatest magnitude of a coordinate.
pub fn reach<'a>(bodies: impl Iterator<Item = &'a Body>) -> f64 {
    bodies.flat_map(|body| body.position).fold(0.0, |reach, coordinate| coordinate.abs().max(reach))
}

/// A body with this share of the mass inside its radius; the outermost thousandth is left out.
fn body(mass: f64, random: &mut RandomStream) -> Body {
    let inside = 0.999 * (1.0 - random.random::<f64>());
    let radius = 1.0 / (libm::pow(inside, -2.0 / 3.0) - 1.0).sqrt();
    let speed = std::f64::consts::SQRT_2 * share_of_escape(random) / libm::pow(1.0 + radius * radius, 0.25);
    Body {
        mass,
        position: direction(random).map(|component| component * radius * LENGTH),
        velocity: direction(random).map(|component| component * speed / LENGTH.sqrt()),
        cost: 1,
        ..Body::default()
    }
}

/// What part of the speed of escape a body has: of density q²(1 - q²)^3.5, which is below 0.1.
fn share_of_escape(random: &mut RandomStream) -> f64 {
    loop {
        let (share, height) = (random.random::<f64>(), 0.1 * random.random::<f64>());
        if height < share * share * libm::pow(1.0 - share * share, 3.5) {
            return share;
        }
    }
}

/// Any direction, all alike.
fn direction(random: &mut RandomStream) -> Vector {
    loop {
        let place = [(); 3].map(|()| 2.0 * random.random::<f64>() - 1.0);
        let square: f64 = place.iter().map(|component| component * component).sum();
        if square > 0.0 && square <= 1.0 {
            return place.map(|component| component / square.sqrt());
        }
    }
}
