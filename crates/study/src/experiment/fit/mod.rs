//! Calibration: constants fitted on published numbers or on a user's measurements.
//!
//! Each constant has a starting value and a prior about it, and each number has a noise and a tolerance. Least squares
//! in logarithms determine the constants. The elasticities at the solution determine the uncertainty of each constant,
//! the correlations, and the combinations that the numbers do not determine. A value is rounded to the first digit of
//! half its standard deviation; a current value within half a standard deviation of the fit is kept. A fit has failed
//! if the error of some number is above its tolerance. A good fit does not prove that the model's mechanisms are right.
//!
//! | file | holds |
//! |---|---|
//! | `constant.rs` | the declaration of a constant to be fitted |
//! | `free_constant.rs` | the constant as the machines have it |
//! | `number.rs` | a number to fit on, and the source of its values |
//! | `solve.rs`, `steps.rs` | weighted least squares, and the steps so far |
//! | `evaluation.rs`, `state.rs` | the numbers computed so far, in memory and in a file |
//! | `control.rs` | progress, and the request to stop |
//! | `correlation.rs` | combinations of constants that the numbers do not determine |
//! | `result.rs` | the result |
//! | `curve.rs`, `socket_log.rs`, `unit.rs` | readers of measured curves |
//! | `curve_fit.rs` | calibration of one machine on curves |
//! | `write.rs` | edits of the files that define the constants |

pub mod constant;
pub mod control;
pub mod correlation;
pub mod curve;
pub mod curve_fit;
pub(crate) mod evaluation;
pub mod free_constant;
pub mod number;
mod result;
mod socket_log;
mod solve;
pub(crate) mod state;
mod steps;
pub mod unit;
pub mod write;

pub use result::{Bound, FailedRange, FitResult, FittedConstant, Residual};

use crate::experiment::uncertainty::Posterior;
use control::FitControl;
use correlation::DETERMINED_FRACTION_MAX;
use evaluation::Evaluations;
use free_constant::FreeConstant;
use narrows_core::text::Problem;
use number::{Datum, NOT_RUN, PredictionResult, PredictionSource};
use solve::{FitProblem, solve};
use state::{FitIdentity, StateFile};

/// The tolerance of a measured number if none is stated, in standard deviations of its noise. With it, one in 20 curves
/// of 20 points has a point beyond the tolerance if noise is the only error (normal distribution).
pub const TOLERANCE_IN_NOISE: f64 = 3.0;

/// The largest number of names in a message.
const NAMES_MAX: usize = 8;

/// Returns the largest number of runs in one step of the solver. A step runs each number with the current values, and
/// with a smaller and a larger value of each constant.
fn runs_of_step_max(constants: usize, numbers: usize) -> usize {
    numbers * (1 + 2 * constants)
}

/// Fits the constants on the data. `description` is a digest of everything else on which the numbers depend.
///
/// # Errors
///
/// Reports numbers that have no value with the starting values, and a state file that cannot be used.
pub fn fit(
    free_constants: &[FreeConstant],
    data: &[Datum],
    source: &dyn PredictionSource,
    description: String,
    control: FitControl<'_>,
) -> Result<FitResult, Problem> {
    control.monitor.fit_begins(free_constants.len(), runs_of_step_max(free_constants.len(), data.len()));
    let identity = FitIdentity::new(description, free_constants, data);
    let state = control.state.map(|path| StateFile::open(path, identity)).transpose()?;
    let evaluations = Evaluations::new(source, control, state);
    let solution = solve(free_constants, data, evaluations, control.monitor).map_err(missing_start_values_problem)?;
    let problem = &solution.problem;
    let rows = problem.elasticity_rows();
    let priors: Vec<f64> = free_constants.iter().map(|constant| constant.prior).collect();
    let elasticities_with_noise: Vec<(&[f64], f64)> =
        rows.iter().zip(data).map(|(row, datum)| (row.as_slice(), datum.noise)).collect();
    let posterior = Posterior::new(&priors, &elasticities_with_noise);
    let start_numbers =
        problem.numbers(&free_constants.iter().map(|constant| constant.current.value.as_str()).collect::<Vec<_>>());
    let (constants, fitted_numbers) = round_constants(problem, free_constants, &posterior);
    if let Some(error) = problem.evaluations.write_problem() {
        return Err(error);
    }
    let value_or_nan = |prediction: &PredictionResult| prediction.as_ref().copied().unwrap_or(f64::NAN);
    let numbers_by_datum = data.iter().zip(start_numbers.iter().zip(fitted_numbers));
    let residual = |(datum, (start_number, fitted_number)): (&Datum, (&PredictionResult, PredictionResult))| Residual {
        datum: datum.clone(),
        start_value: value_or_nan(start_number),
        fitted_value: value_or_nan(&fitted_number),
        missing_reason: fitted_number.err(),
    };
    let residuals: Vec<Residual> = numbers_by_datum.map(residual).collect();
    let undetermined = correlation::undetermined_combinations(&priors, &elasticities_with_noise);
    let stopped = problem.evaluations.is_stopped();
    Ok(FitResult {
        noise_ratio: noise_ratio(&residuals, free_constants.len().saturating_sub(undetermined.len())),
        residuals,
        converged: solution.converged && !stopped,
        stopped,
        correlation: posterior.correlation(),
        undetermined,
        incomplete: problem.evaluations.incomplete_numbers(),
        constants,
    })
}

/// Returns the constants rounded to their uncertainty, and the numbers with these constants. If the fit was stopped,
/// the constants are those of the best step, whose numbers are known.
fn round_constants(
    problem: &FitProblem<'_>,
    free_constants: &[FreeConstant],
    posterior: &Posterior,
) -> (Vec<FittedConstant>, Vec<PredictionResult>) {
    let logarithms = problem.constant_logarithms();
    let fitted_constant = |(index, constant): (usize, &FreeConstant)| {
        constant.fitted_constant(libm::exp(logarithms[index]), posterior.constant_std_dev(index))
    };
    let mut constants: Vec<FittedConstant> = free_constants.iter().enumerate().map(fitted_constant).collect();
    let numbers_with = |constants: &[FittedConstant]| {
        problem.numbers(&constants.iter().map(|constant| constant.final_value.as_str()).collect::<Vec<_>>())
    };
    let rounded_numbers = numbers_with(&constants);
    if !rounded_numbers.iter().any(|number| number.as_ref().is_err_and(|reason| reason == NOT_RUN)) {
        return (constants, rounded_numbers);
    }
    for (constant, (text, _)) in constants.iter_mut().zip(problem.representable_values()) {
        (constant.rounded_value, constant.final_value) = (text.clone(), text);
    }
    let rounded_numbers = numbers_with(&constants);
    (constants, rounded_numbers)
}

/// Returns the problem of numbers that have no value with the starting values.
fn missing_start_values_problem(missing: Vec<(&Datum, String)>) -> Problem {
    let names: Vec<String> =
        missing.iter().take(NAMES_MAX).map(|(datum, why)| format!("{} ({why})", datum.name)).collect();
    let omitted_names = match missing.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let problem = Problem::new(format!(
        "with the starting values, the machine gives no value for {}{omitted_names}",
        names.join(", ")
    ));
    problem.help("choose starting values with which every run completes")
}

/// Returns the standard deviation of the errors as a multiple of the noise, if `determined_count` constants were
/// fitted.
fn noise_ratio(residuals: &[Residual], determined_count: usize) -> f64 {
    let errors = residuals
        .iter()
        .map(|residual| libm::log(residual.fitted_value / residual.datum.expected) / residual.datum.noise);
    let errors: Vec<f64> = errors.filter(|error| error.is_finite()).collect();
    let degrees_of_freedom = errors.len().saturating_sub(determined_count).max(1);
    (errors.iter().map(|error| error * error).sum::<f64>() / degrees_of_freedom as f64).sqrt()
}

impl FreeConstant {
    fn fitted_constant(&self, value: f64, std_dev: f64) -> FittedConstant {
        // A current value within the uncertainty of the fit agrees with it.
        let agrees = libm::log(value / self.current.number()).abs() <= std_dev / 2.0;
        let (rounded, rounded_amount) = self.current.rounded(value, value * std_dev / 2.0);
        // A value that is rounded to a bound, or beyond it, is at the bound, too.
        let is_near = |bound: f64| libm::log(value / bound).abs() < 0.01;
        let format = |bound: f64| self.current.quantize(bound).0;
        let bound = match self.bounds {
            (least, _) if is_near(least) || !agrees && rounded_amount <= least => Some(Bound::Lower(format(least))),
            (_, most) if is_near(most) || !agrees && rounded_amount >= most => Some(Bound::Upper(format(most))),
            _ => None,
        };
        let rounded = match &bound {
            Some(Bound::Lower(text) | Bound::Upper(text)) if !agrees => text.clone(),
            _ => rounded,
        };
        FittedConstant {
            key: self.key.clone(),
            origins: self.origins.clone(),
            start_value: self.current.value.clone(),
            final_value: if agrees { self.current.value.clone() } else { rounded.clone() },
            rounded_value: rounded,
            value,
            prior_std_dev: self.prior,
            std_dev,
            determined: std_dev <= DETERMINED_FRACTION_MAX * self.prior,
            bound,
            distance: libm::log(value / self.start) / self.prior,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::loaded_description::LoadedDescription;
    use constant::FitConstant;
    use narrows_core::machine::Registry;
    use narrows_core::text::SpannedString;

    #[test]
    fn value_that_is_rounded_beyond_a_bound_is_at_the_bound() {
        let loaded = LoadedDescription::example(Registry::shared(), "pcie-messages").expect("an example");
        let description = loaded.read(&[]).unwrap_or_else(|_| panic!("a valid description"));
        let text = SpannedString::without_location;
        let key = text("hosts.pcie-gen3-x8.pcie.root-complex");
        let declaration = FitConstant { key, start: None, prior: 1.0, bounds: Some((text("320 ns"), text("2 us"))) };
        let Ok(constant) = FreeConstant::find(&declaration, &[&description]) else { panic!("it has this constant") };
        // With this uncertainty, 340 ns is rounded to 300 ns.
        let fitted = constant.fitted_constant(340_000.0, 0.8);
        assert_eq!(fitted.bound, Some(Bound::Lower("320 ns".to_owned())));
        assert_eq!(fitted.final_value, "320 ns");
        let inside = constant.fitted_constant(400_000.0, 0.1);
        assert_eq!((inside.bound, inside.final_value.as_str()), (None, "400 ns"));
    }
}
