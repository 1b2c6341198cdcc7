//! Sums in fixed point: exact, so the same in any order.
//!
//! A quantum is 2⁻³², where forces and energies of a pair are of the order of 1. A force that does not
//! fit (particles nearer than a fifth of their size) wraps round, in any order alike.

/// Quanta in one.
const QUANTA: f64 = (1u64 << 32) as f64;

/// A vector of space.
pub type Vector = [f64; 3];

/// A sum of forces, in quanta.
pub type Force = [i64; 3];

/// A value in quanta, rounded towards zero, so that those of x and -x are opposite.
pub fn quanta(value: f64) -> i64 {
    (value * QUANTA) as i64
}

/// The value of a sum of quanta.
pub fn value(quanta: i64) -> f64 {
    quanta as f64 / QUANTA
}

/// Adds a force to another.
pub fn add(sum: &mut Force, force: Force) {
    sum.iter_mut().zip(force).for_each(|(sum, force)| *sum = sum.wrapping_add(force));
}

/// The sums that six words say, the low word of each first.
pub fn of_words(words: &[u32]) -> Force {
    [0, 1, 2].map(|axis| (u64::from(words[2 * axis]) | u64::from(words[2 * axis + 1]) << 32) as i64)
}

/// The opposite force.
pub fn opposite(force: Force) -> Force {
    force.map(i64::wrapping_neg)
}
