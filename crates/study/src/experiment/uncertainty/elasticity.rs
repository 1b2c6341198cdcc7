//! Elasticities of numbers with respect to constants, d ln(number) / d ln(constant), by central differences.
//!
//! Each constant is changed up and down by the standard deviation of its prior. The difference is therefore an average
//! over the plausible range of the constant, and includes nonlinearity and noise between runs.

use super::UncertainConstant;
use crate::experiment::threads::one_task_per_run;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
use rayon::prelude::*;

/// The largest relative change of a constant, which limits the change for wide priors (chosen).
const STEP_MAX: f64 = 0.25;

/// The logarithm of the factor by which a constant is changed, and the resulting numbers; `None` if the change is
/// impossible.
pub type Change = Option<(f64, Vec<f64>)>;

/// The elasticities of numbers with respect to one constant.
pub struct ConstantElasticities {
    /// The elasticity of each number; 0 if the constant could not be changed at all.
    pub numbers: Vec<f64>,
    /// The reason for which a change failed, if the constant could not be changed in one or in both directions.
    pub failed_change: Option<String>,
}

/// Returns the elasticities of numbers with respect to one constant, from the numbers after a change down, the
/// unchanged numbers `unchanged`, and the numbers after a change up. If one change is missing, or did not give the
/// number, the difference is one-sided.
pub fn elasticities(unchanged: &[f64], decrease: &Change, increase: &Change) -> Vec<f64> {
    let log_factor_and_number = |change: &Change, index: usize| {
        let changed = change.as_ref().map(|(log_factor, numbers)| (*log_factor, numbers[index]));
        changed.filter(|(_, number)| !number.is_nan()).unwrap_or((0.0, unchanged[index]))
    };
    let slope = |index: usize| {
        let (low, high) = (log_factor_and_number(decrease, index), log_factor_and_number(increase, index));
        let change = libm::log(high.1 / low.1) / (high.0 - low.0);
        if change.is_finite() { change } else { 0.0 }
    };
    (0..unchanged.len()).map(slope).collect()
}

/// A function that applies overrides to some machines, each given by its index, and returns the resulting numbers. It
/// returns `None` if a machine is invalid with its overrides, and the reason if there are no numbers to compare.
pub type NumbersFn<'a> = &'a (dyn Fn(&[(usize, Vec<String>)]) -> Result<Option<Vec<f64>>, String> + Sync);

/// Returns the elasticities of the numbers with respect to each of `unknowns`. For each change, `numbers_with` is
/// called with the overrides of the machines that have the constant, by their index in `machines`; `on_trial_done` is
/// called after each change.
pub fn elasticities_of_constants(
    unknowns: &[UncertainConstant],
    machines: &[&Read<Machine>],
    unchanged: &[f64],
    numbers_with: NumbersFn<'_>,
    on_trial_done: &(dyn Fn() + Sync),
) -> Vec<ConstantElasticities> {
    let change_by = |unknown: &UncertainConstant, factor: f64| -> Result<Change, String> {
        let overrides =
            |(index, description): (usize, &&Read<Machine>)| Some((index, unknown.scaled_by(factor, description)?));
        let changed_machines: Vec<_> = machines.iter().enumerate().filter_map(overrides).collect();
        let Some(&(_, (_, exact_factor))) = changed_machines.first() else { return Ok(None) };
        let overrides_by_machine: Vec<(usize, Vec<String>)> =
            changed_machines.into_iter().map(|(index, (overrides, _))| (index, overrides)).collect();
        let numbers = numbers_with(&overrides_by_machine);
        on_trial_done();
        Ok(numbers?.map(|numbers| (libm::log(exact_factor), numbers)))
    };
    let elasticities_of = |unknown: &UncertainConstant| {
        let (increase, mut failed_change) = (1.0 + unknown.prior.min(STEP_MAX), None);
        let [down, up] = [increase.recip(), increase].map(|factor| {
            let change = change_by(unknown, factor).unwrap_or_else(|why| {
                failed_change.get_or_insert(why);
                None
            });
            if change.as_ref().is_some_and(|(_, numbers)| lacks_number(unchanged, numbers)) {
                failed_change.get_or_insert("the changed machine does not measure all numbers".to_owned());
            }
            change
        });
        ConstantElasticities { numbers: elasticities(unchanged, &down, &up), failed_change }
    };
    one_task_per_run(unknowns.par_iter()).map(elasticities_of).collect()
}

/// Returns the constants that could not be changed in both directions, each with the reason.
pub fn failed_changes(unknowns: &[UncertainConstant], elasticities: &[ConstantElasticities]) -> Vec<(String, String)> {
    let pairs = unknowns.iter().zip(elasticities);
    pairs.filter_map(|(unknown, constant)| Some((unknown.name(), constant.failed_change.clone()?))).collect()
}

/// Returns whether a number is missing although the unchanged machines gave it.
fn lacks_number(unchanged: &[f64], numbers: &[f64]) -> bool {
    unchanged.iter().zip(numbers).any(|(unchanged, changed)| !unchanged.is_nan() && changed.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elasticity_of_a_power_is_its_exponent() {
        let metrics = |x: f64| vec![3.0 * x.powf(-0.7), 5.0];
        let changed_to = |x: f64| Some((x.ln(), metrics(x)));
        let slopes = elasticities(&metrics(1.0), &changed_to(0.95), &changed_to(1.05));
        assert!((slopes[0] + 0.7).abs() < 1e-12 && slopes[1] == 0.0, "{slopes:?}");
        let one_sided = elasticities(&metrics(1.0), &None, &changed_to(1.05));
        assert!((one_sided[0] + 0.7).abs() < 1e-12, "{one_sided:?}");
        let unmeasured = Some((0.95f64.ln(), vec![f64::NAN, 5.0]));
        let one_sided = elasticities(&metrics(1.0), &unmeasured, &changed_to(1.05));
        assert!((one_sided[0] + 0.7).abs() < 1e-12, "a number that is not measured does not count as unchanged");
    }
}
