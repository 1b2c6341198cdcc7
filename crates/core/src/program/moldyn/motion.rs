//! The motion of a particle under forces (velocity Verlet, in two halves).

use super::fixed::{self, Force, Vector};
use super::liquid::Liquid;

/// Applies the first half of a kick, by the forces of the last iteration, and moves the particle.
pub fn drift(liquid: &Liquid, position: &mut Vector, velocity: &mut Vector, force: Force) {
    let side = liquid.side();
    half_kick(liquid, velocity, force);
    for (position, velocity) in position.iter_mut().zip(velocity) {
        *position += *velocity * liquid.time_step;
        if *position < 0.0 {
            *position += side;
        } else if *position >= side {
            *position -= side;
        }
    }
}

/// Applies the second half of the kick, by the forces of this iteration. Returns the kinetic energy in quanta.
pub fn kick(liquid: &Liquid, velocity: &mut Vector, force: Force) -> i64 {
    half_kick(liquid, velocity, force);
    fixed::to_quanta(24.0 * velocity.iter().map(|component| component * component).sum::<f64>())
}

fn half_kick(liquid: &Liquid, velocity: &mut Vector, force: Force) {
    velocity
        .iter_mut()
        .zip(force)
        .for_each(|(velocity, force)| *velocity += fixed::from_quanta(force) * liquid.time_step / 2.0);
}
