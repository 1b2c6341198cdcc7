//! Sums in fixed point, which are exact and therefore independent of their order.
//!
//! A quantum is 2⁻³², and forces and energies of a pair are of the order of 1. A force that does not fit (of particles
//! that are nearer than a fifth of their size) wraps around, with the same result in any order.

/// Number of quanta in 1.
const QUANTA_PER_UNIT: f64 = (1u64 << 32) as f64;

/// A vector in space.
pub type Vector = [f64; 3];

/// A sum of forces in quanta.
pub type Force = [i64; 3];

/// Returns a value in quanta. It is rounded towards zero, so that the results for x and -x are opposite.
pub fn to_quanta(value: f64) -> i64 {
    (value * QUANTA_PER_UNIT) as i64
}

/// Returns the value of a number of quanta.
pub fn from_quanta(quanta: i64) -> f64 {
    quanta as f64 / QUANTA_PER_UNIT
}

/// Adds a force to a sum.
pub fn add(sum: &mut Force, force: Force) {
    sum.iter_mut().zip(force).for_each(|(sum, force)| *sum = sum.wrapping_add(force));
}

/// Returns the force that six words encode; the low word of each component comes first.
pub fn from_words(words: &[u32]) -> Force {
    [0, 1, 2].map(|axis| (u64::from(words[2 * axis]) | u64::from(words[2 * axis + 1]) << 32) as i64)
}

/// Returns the opposite force.
pub fn opposite(force: Force) -> Force {
    force.map(i64::wrapping_neg)
}
