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
mod evaluation;
pub mod free_constant;
pub mod number;
mod result;
mod socket_log;
mod solve;
mod state;
mod steps;
pub mod unit;
pub mod write;

pub use result::{Bound, FailedPart, FitResult, FittedConstant, Residual};

use crate::experiment::uncertainty::Posterior;
use control::FitControl;
use correlation::DETERMINED;
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

/// Returns the number of runs of one step of the solver at most: at its values, and on both sides of each constant,
/// each number is a run.
fn runs_of_step(constants: usize, numbers: usize) -> usize {
    numbers * (1 + 2 * constants)
}

/// Fits the constants on the data. `description` is a digest of everything else on which the numbers depend.
///
/// # Errors
///
/// Reports numbers that a run with the starting values does not give, and a state file that cannot be used.
pub fn fit(
    free: &[FreeConstant],
    data: &[Datum],
    source: &dyn PredictionSource,
    description: String,
    control: FitControl<'_>,
) -> Result<FitResult, Problem> {
    control.monitor.fit_begins(free.len(), runs_of_step(free.len(), data.len()));
    let identity = FitIdentity::new(description, free, data);
    let state = control.state.map(|path| StateFile::open(path, identity)).transpose()?;
    let evaluations = Evaluations::new(source, control, state);
    let solution = solve(free, data, evaluations, control.monitor).map_err(missing_start_values)?;
    let problem = &solution.problem;
    let rows = problem.elasticity_rows();
    let priors: Vec<f64> = free.iter().map(|free| free.prior).collect();
    let noisy: Vec<(&[f64], f64)> = rows.iter().zip(data).map(|(row, datum)| (row.as_slice(), datum.noise)).collect();
    let posterior = Posterior::new(&priors, &noisy);
    let start_numbers = problem.numbers(&free.iter().map(|free| free.current.value.as_str()).collect::<Vec<_>>());
    let (constants, after) = rounded(problem, free, &posterior);
    if let Some(error) = problem.evaluations.write_problem() {
        return Err(error);
    }
    let value = |prediction: &PredictionResult| prediction.as_ref().copied().unwrap_or(f64::NAN);
    let pairs = data.iter().zip(start_numbers.iter().zip(after));
    let residual = |(datum, (start_number, fitted_number)): (&Datum, (&PredictionResult, PredictionResult))| Residual {
        datum: datum.clone(),
        start_value: value(start_number),
        fitted_value: value(&fitted_number),
        missing: fitted_number.err(),
    };
    let residuals: Vec<Residual> = pairs.map(residual).collect();
    let undetermined = correlation::undetermined(&priors, &noisy);
    let stopped = problem.evaluations.is_stopped();
    Ok(FitResult {
        noise_ratio: noise_ratio(&residuals, free.len().saturating_sub(undetermined.len())),
        residuals,
        converged: solution.converged && !stopped,
        stopped,
        correlation: posterior.correlation(),
        undetermined,
        incomplete: problem.evaluations.incomplete(),
        constants,
    })
}

/// Returns the constants rounded to their uncertainty, and the numbers with these constants. If the fit was stopped,
/// the constants are those of the best step, whose numbers are known.
fn rounded(
    problem: &FitProblem<'_>,
    free: &[FreeConstant],
    posterior: &Posterior,
) -> (Vec<FittedConstant>, Vec<PredictionResult>) {
    let logs = problem.logs();
    let fitted_constant =
        |(index, free): (usize, &FreeConstant)| free.fitted_constant(libm::exp(logs[index]), posterior.constant(index));
    let mut constants: Vec<FittedConstant> = free.iter().enumerate().map(fitted_constant).collect();
    let numbers = |constants: &[FittedConstant]| {
        problem.numbers(&constants.iter().map(|constant| constant.final_value.as_str()).collect::<Vec<_>>())
    };
    let rounded_numbers = numbers(&constants);
    if !rounded_numbers.iter().any(|number| number.as_ref().is_err_and(|reason| reason == NOT_RUN)) {
        return (constants, rounded_numbers);
    }
    for (constant, (text, _)) in constants.iter_mut().zip(problem.representable()) {
        (constant.rounded_value, constant.final_value) = (text.clone(), text);
    }
    let rounded_numbers = numbers(&constants);
    (constants, rounded_numbers)
}

/// Returns the problem of numbers that a run with the starting values does not give.
fn missing_start_values(missing: Vec<(&Datum, String)>) -> Problem {
    let names: Vec<String> =
        missing.iter().take(NAMES_MAX).map(|(datum, why)| format!("{} ({why})", datum.name)).collect();
    let further = match missing.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let problem =
        Problem::new(format!("with the starting values, the machine gives no value for {}{further}", names.join(", ")));
    problem.help("choose starting values with which every run completes")
}

/// Returns the standard deviation of the errors as a multiple of the noise, if `determined` constants were fitted.
fn noise_ratio(residuals: &[Residual], determined: usize) -> f64 {
    let errors = residuals
        .iter()
        .map(|residual| libm::log(residual.fitted_value / residual.datum.expected) / residual.datum.noise);
    let errors: Vec<f64> = errors.filter(|error| error.is_finite()).collect();
    let freedom = errors.len().saturating_sub(determined).max(1);
    (errors.iter().map(|error| error * error).sum::<f64>() / freedom as f64).sqrt()
}

impl FreeConstant {
    fn fitted_constant(&self, value: f64, std_dev: f64) -> FittedConstant {
        let is_near = |bound: f64| libm::log(value / bound).abs() < 0.01;
        let format = |bound: f64| self.current.quantize(bound).0;
        let bound = match self.bounds {
            (least, _) if is_near(least) => Some(Bound::Lower(format(least))),
            (_, most) if is_near(most) => Some(Bound::Upper(format(most))),
            _ => None,
        };
        // A current value within the uncertainty of the fit agrees with it.
        let agrees = libm::log(value / self.current.number()).abs() <= std_dev / 2.0;
        let rounded = self.current.rounded(value, value * std_dev / 2.0).0;
        FittedConstant {
            key: self.key.clone(),
            origins: self.origins.clone(),
            start_value: self.current.value.clone(),
            final_value: if agrees { self.current.value.clone() } else { rounded.clone() },
            rounded_value: rounded,
            value,
            prior: self.prior,
            std_dev,
            determined: std_dev <= DETERMINED * self.prior,
            bound,
            distance: libm::log(value / self.start) / self.prior,
        }
    }
}
