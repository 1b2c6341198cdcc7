//! Elasticities of numbers to constants: d ln(number) / d ln(constant), by central differences.
//!
//! Each constant is changed up and down by the standard deviation of its prior. The difference therefore averages over
//! the plausible range of the constant, including nonlinearity and noise between runs.

use super::UncertainConstant;
use crate::experiment::threads::one_task_per_run;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
use rayon::prelude::*;

/// The largest relative change of a constant, for wide priors (chosen).
const STEP_MAX: f64 = 0.25;

/// The logarithm of the factor by which a constant is changed, and the numbers that result; `None` if it cannot be.
pub type Change = Option<(f64, Vec<f64>)>;

/// Returns the elasticities of numbers to one constant from a change down, the unchanged numbers `middle`, and a change
/// up. If one change is missing, the difference is one-sided.
pub fn of(middle: &[f64], down: &Change, up: &Change) -> Vec<f64> {
    let unchanged = (0.0, middle.to_vec());
    let (low, high) = (down.as_ref().unwrap_or(&unchanged), up.as_ref().unwrap_or(&unchanged));
    let apart = high.0 - low.0;
    let slope = |(low, high): (&f64, &f64)| {
        let change = (high / low).ln() / apart;
        if change.is_finite() { change } else { 0.0 }
    };
    low.1.iter().zip(&high.1).map(slope).collect()
}

/// A function that returns the numbers with overrides applied to some machines, each given by its index; `None` if one
/// of them cannot be run.
pub type Numbers<'a> = &'a (dyn Fn(&[(usize, Vec<String>)]) -> Option<Vec<f64>> + Sync);

/// Returns the elasticities of the numbers to each of `unknowns`. For each change, `numbers` is called with the
/// overrides of the machines that have the constant, by their index in `machines`; `done` is called after each change.
pub fn all(
    unknowns: &[UncertainConstant],
    machines: &[&Read<Machine>],
    middle: &[f64],
    numbers: Numbers<'_>,
    done: &(dyn Fn() + Sync),
) -> Vec<Vec<f64>> {
    let change = |unknown: &UncertainConstant, factor: f64| -> Change {
        let overrides = |(index, read): (usize, &&Read<Machine>)| Some((index, unknown.scaled_by(factor, read)?));
        let changed: Vec<_> = machines.iter().enumerate().filter_map(overrides).collect();
        let really = changed.first()?.1.1;
        let sets: Vec<(usize, Vec<String>)> = changed.into_iter().map(|(index, (sets, _))| (index, sets)).collect();
        let change = numbers(&sets).map(|numbers| (really.ln(), numbers));
        done();
        change
    };
    let one = |unknown: &UncertainConstant| {
        let step = 1.0 + unknown.prior.min(STEP_MAX);
        let [down, up] = [step.recip(), step].map(|factor| change(unknown, factor));
        of(middle, &down, &up)
    };
    one_task_per_run(unknowns.par_iter()).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elasticity_of_a_power_is_its_exponent() {
        let number = |x: f64| vec![3.0 * x.powf(-0.7), 5.0];
        let at = |x: f64| Some((x.ln(), number(x)));
        let slopes = of(&number(1.0), &at(0.95), &at(1.05));
        assert!((slopes[0] + 0.7).abs() < 1e-12 && slopes[1] == 0.0, "{slopes:?}");
        let one_sided = of(&number(1.0), &None, &at(1.05));
        assert!((one_sided[0] + 0.7).abs() < 1e-12, "{one_sided:?}");
    }
}
