//! How numbers answer to constants: d ln(number) / d ln(constant), by central differences.
//!
//! Each constant is changed by its prior's standard deviation both ways, as far as it may well be off:
//! where numbers bend, or bounce from one run to the next, that is what they do over its range.

use super::Unknown;
use crate::experiment::threads::one_by_one;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
use rayon::prelude::*;

/// The most that a constant is changed each way, however wide its prior (chosen).
const STEP_MAX: f64 = 0.25;

/// The numbers that a constant up and down gives, each with the logarithm of its factor.
pub type Change = Option<(f64, Vec<f64>)>;

/// The elasticities of numbers to one constant, from what changes up and down gave, and the values
/// between; what one side does not give is taken from the middle.
pub fn of(middle: &[f64], down: &Change, up: &Change) -> Vec<f64> {
    let standing = (0.0, middle.to_vec());
    let (low, high) = (down.as_ref().unwrap_or(&standing), up.as_ref().unwrap_or(&standing));
    let apart = high.0 - low.0;
    let slope = |(low, high): (&f64, &f64)| {
        let change = (high / low).ln() / apart;
        if change.is_finite() { change } else { 0.0 }
    };
    low.1.iter().zip(&high.1).map(slope).collect()
}

/// Gives numbers of machines, each with settings over it; nothing if one cannot be run so.
pub type Numbers<'a> = &'a (dyn Fn(&[(usize, Vec<String>)]) -> Option<Vec<f64>> + Sync);

/// The elasticities of what `numbers` gives, by constant: for each it is told the machines that have it
/// as settings over each, by their place in `machines`, and gives nothing if it cannot be run so.
pub fn all(
    unknowns: &[Unknown],
    machines: &[&Read<Machine>],
    middle: &[f64],
    numbers: Numbers<'_>,
    done: &(dyn Fn() + Sync),
) -> Vec<Vec<f64>> {
    let change = |unknown: &Unknown, factor: f64| -> Change {
        let of = |(place, read): (usize, &&Read<Machine>)| Some((place, unknown.times(factor, read)?));
        let changed: Vec<_> = machines.iter().enumerate().filter_map(of).collect();
        let really = changed.first()?.1.1;
        let sets: Vec<(usize, Vec<String>)> = changed.into_iter().map(|(place, (sets, _))| (place, sets)).collect();
        let told = numbers(&sets).map(|numbers| (really.ln(), numbers));
        done();
        told
    };
    let one = |unknown: &Unknown| {
        let step = 1.0 + unknown.prior.min(STEP_MAX);
        let [down, up] = [step.recip(), step].map(|factor| change(unknown, factor));
        of(middle, &down, &up)
    };
    one_by_one(unknowns.par_iter()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_exponent_as_elasticity() {
        let number = |x: f64| vec![3.0 * x.powf(-0.7), 5.0];
        let at = |x: f64| Some((x.ln(), number(x)));
        let slopes = of(&number(1.0), &at(0.95), &at(1.05));
        assert!((slopes[0] + 0.7).abs() < 1e-12 && slopes[1] == 0.0, "{slopes:?}");
        let one_sided = of(&number(1.0), &None, &at(1.05));
        assert!((one_sided[0] + 0.7).abs() < 1e-12, "{one_sided:?}");
    }
}
