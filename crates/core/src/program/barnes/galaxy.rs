//! The problem: bodies of Plummer's model that attract each other. The defaults are those of SPLASH-2.

use crate::engine::rng::{self, RandomStream};
use rand::RngExt;

/// A vector in space.
pub type Vector = [f64; 3];

/// The parameters of a galaxy. The total mass and the gravitational constant are 1, and the energy is -1/4.
#[derive(Clone, Debug)]
pub struct Galaxy {
    /// Number of bodies; at least one.
    pub body_count: usize,
    /// θ: a cell counts as one body if its side over its distance is less than this.
    pub opening: f64,
    /// Softening length, which is positive.
    pub softening: f64,
    /// Length of a time step.
    pub time_step: f64,
}

impl Default for Galaxy {
    fn default() -> Galaxy {
        Galaxy { body_count: 16_384, opening: 1.0, softening: 0.05, time_step: 0.025 }
    }
}

/// A body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Mass.
    pub mass: f64,
    /// Position.
    pub position: Vector,
    /// Velocity half a step ago.
    pub velocity: Vector,
    /// Force divided by mass.
    pub acceleration: Vector,
    /// Gravitational potential.
    pub potential: f64,
    /// Number of interactions in the force computation of the last step.
    pub cost: u64,
}

/// Unit of length of Plummer's model for an energy of -1/4.
const LENGTH: f64 = 3.0 * std::f64::consts::PI / 16.0;

impl Galaxy {
    /// Returns the initial bodies: Plummer's model drawn from a seed, with its centre of mass at rest in the origin
    /// (Aarseth, Hénon and Wielen 1974).
    pub fn initial_bodies(&self, seed: u64) -> Vec<Body> {
        let mut random = rng::stream(seed, "bodies of a galaxy");
        let mass = 1.0 / self.body_count as f64;
        let mut bodies: Vec<Body> = (0..self.body_count).map(|_| draw_body(mass, &mut random)).collect();
        for axis in 0..3 {
            let mean = |field: fn(&Body) -> &Vector| bodies.iter().map(|body| field(body)[axis]).sum::<f64>() * mass;
            let (position, velocity) = (mean(|body| &body.position), mean(|body| &body.velocity));
            for body in &mut bodies {
                body.position[axis] -= position;
                body.velocity[axis] -= velocity;
            }
        }
        bodies
    }

    /// Moves a body by its acceleration. In the first step, its velocity is not yet half a step behind.
    pub fn advance(&self, body: &mut Body, is_first: bool) {
        let kick = if is_first { self.time_step / 2.0 } else { self.time_step };
        for axis in 0..3 {
            body.velocity[axis] += body.acceleration[axis] * kick;
            body.position[axis] += body.velocity[axis] * self.time_step;
        }
    }
}

/// Returns the greatest magnitude of a coordinate.
pub fn extent<'a>(bodies: impl Iterator<Item = &'a Body>) -> f64 {
    bodies.flat_map(|body| body.position).fold(0.0, |extent, coordinate| coordinate.abs().max(extent))
}

/// Draws a body of Plummer's model, from a random fraction of the total mass within its radius. The outermost
/// thousandth of the mass is left out.
fn draw_body(mass: f64, random: &mut RandomStream) -> Body {
    let mass_inside = 0.999 * (1.0 - random.random::<f64>());
    let radius = 1.0 / (libm::pow(mass_inside, -2.0 / 3.0) - 1.0).sqrt();
    let speed = std::f64::consts::SQRT_2 * escape_speed_fraction(random) / libm::pow(1.0 + radius * radius, 0.25);
    Body {
        mass,
        position: draw_direction(random).map(|component| component * radius * LENGTH),
        velocity: draw_direction(random).map(|component| component * speed / LENGTH.sqrt()),
        cost: 1,
        ..Body::default()
    }
}

/// Draws the speed of a body as a fraction of the escape speed, with density q²(1 - q²)^3.5, which is below 0.1.
fn escape_speed_fraction(random: &mut RandomStream) -> f64 {
    loop {
        let (fraction, height) = (random.random::<f64>(), 0.1 * random.random::<f64>());
        if height < fraction * fraction * libm::pow(1.0 - fraction * fraction, 3.5) {
            return fraction;
        }
    }
}

/// Draws a direction with uniform distribution.
fn draw_direction(random: &mut RandomStream) -> Vector {
    loop {
        let point = [(); 3].map(|()| 2.0 * random.random::<f64>() - 1.0);
        let squared_length: f64 = point.iter().map(|component| component * component).sum();
        if squared_length > 0.0 && squared_length <= 1.0 {
            return point.map(|component| component / squared_length.sqrt());
        }
    }
}
