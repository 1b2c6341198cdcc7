//! Calibration: constants fitted on published numbers or on a user's measurements.
//!
//! Each constant has a starting value and a prior about it, each number a noise. Least squares in logarithms give the
//! constants; the elasticities at the solution give the uncertainty of each. A value is rounded to the first digit of
//! half its standard deviation; a current value within half a standard deviation of the fit is kept. A good fit does
//! not prove that the model's mechanisms are right.
//!
//! | file | holds |
//! |---|---|
//! | `constant.rs` | the declaration of a constant to be fitted |
//! | `free_constant.rs` | the constant as the machines have it |
//! | `solve.rs` | weighted least squares |
//! | `curve.rs`, `unit.rs` | readers of measured curves |
//! | `curve_fit.rs` | calibration of one machine on curves |
//! | `write.rs` | edits of the files that define the constants |

pub mod constant;
pub mod curve;
pub mod curve_fit;
pub mod free_constant;
pub mod solve;
pub mod unit;
pub mod write;

use crate::experiment::uncertainty::Posterior;
use free_constant::FreeConstant;
use narrows_core::text::{Origin, Problem};
use serde_json::json;
use solve::{Datum, NumberSource, solve};

/// A constant is determined when its standard deviation after the fit is at most this fraction of its prior: the
/// starting value then has a weight of one sixteenth (chosen).
const DETERMINED: f64 = 0.25;

/// The result of a fit.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FitResult {
    /// The fitted constants.
    pub constants: Vec<FittedConstant>,
    /// The numbers fitted on, with their errors.
    pub residuals: Vec<Residual>,
    /// Whether the solver converged.
    pub converged: bool,
}

impl FitResult {
    /// Returns the result as JSON.
    pub fn json(&self) -> serde_json::Value {
        let constant = |one: &FittedConstant| {
            json!({
                "key": one.key, "before": one.before, "after": one.after, "determined": one.determined, "fitted": one.fitted,
                "prior": one.prior, "left_free": one.std_dev, "at_bound": one.at_bound,
            })
        };
        let residual = |one: &Residual| {
            json!({
                "name": one.datum.name, "unit": one.datum.unit, "expected": one.datum.expected,
                "before": one.before, "after": one.after, "error": one.error(),
            })
        };
        json!({
            "constants": self.constants.iter().map(constant).collect::<Vec<_>>(),
            "residuals": self.residuals.iter().map(residual).collect::<Vec<_>>(),
            "settled": self.converged,
        })
    }
}

/// A fitted constant.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedConstant {
    /// The key, with `*` for names of parts.
    pub key: String,
    /// The source locations of its value.
    pub origins: Vec<Origin>,
    /// The current value in the machine, as written.
    pub before: String,
    /// The fitted value, rounded to its uncertainty.
    pub fitted: String,
    /// The value to use: the fitted one, or the current one if it lies within half a standard deviation of the fit.
    pub after: String,
    /// The fitted value in its smallest unit, not rounded.
    pub value: f64,
    /// One standard deviation of the logarithm before the fit.
    pub prior: f64,
    /// One standard deviation of the logarithm after the fit.
    pub std_dev: f64,
    /// Whether the numbers rather than the prior determine it.
    pub determined: bool,
    /// Whether the fitted value lies at one of the bounds.
    pub at_bound: bool,
}

/// A number fitted on, before and after the fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// The number, with its expected value.
    pub datum: Datum,
    /// The number with the current constants.
    pub before: f64,
    /// The number with the constants `after` the fit.
    pub after: f64,
}

impl Residual {
    /// Returns the relative error after the fit.
    pub fn error(&self) -> f64 {
        self.after / self.datum.expected - 1.0
    }
}

/// Fits the constants on the data.
///
/// # Errors
///
/// Reports a number that the machine does not give with the starting values.
pub fn fit(free: &[FreeConstant], data: &[Datum], source: &dyn NumberSource) -> Result<FitResult, Problem> {
    let solution = solve(free, data, source).map_err(|datum| {
        let problem = Problem::new(format!("the machine gives no {} with the starting values", datum.name));
        problem.help("choose starting values with which the run completes")
    })?;
    let problem = &solution.problem;
    let (logs, rows) = (problem.logs(), problem.elasticity_rows());
    let priors: Vec<f64> = free.iter().map(|free| free.prior).collect();
    let noisy: Vec<(&[f64], f64)> = rows.iter().zip(data).map(|(row, datum)| (row.as_slice(), datum.noise)).collect();
    let posterior = Posterior::of(&priors, &noisy);
    let fitted = |(at, free): (usize, &FreeConstant)| free.fitted(logs[at].exp(), posterior.constant(at));
    let constants: Vec<FittedConstant> = free.iter().enumerate().map(fitted).collect();
    let numbers = |values: Vec<&str>| problem.numbers(&values);
    let before = numbers(free.iter().map(|free| free.current.value.as_str()).collect());
    let after = numbers(constants.iter().map(|constant| constant.after.as_str()).collect());
    let each = data.iter().zip(before.into_iter().zip(after));
    let residuals = each.map(|(datum, (before, after))| Residual { datum: datum.clone(), before, after }).collect();
    Ok(FitResult { constants, residuals, converged: solution.converged })
}

impl FreeConstant {
    fn fitted(&self, value: f64, std_dev: f64) -> FittedConstant {
        let near = |bound: f64| (value / bound).ln().abs() < 0.01;
        // A current value within the uncertainty of the fit agrees with it.
        let agrees = (value / self.current.number()).ln().abs() <= std_dev / 2.0;
        let rounded = self.current.rounded(value, value * std_dev / 2.0).0;
        FittedConstant {
            key: self.key.clone(),
            origins: self.origins.clone(),
            before: self.current.value.clone(),
            after: if agrees { self.current.value.clone() } else { rounded.clone() },
            fitted: rounded,
            value,
            prior: self.prior,
            std_dev,
            determined: std_dev <= DETERMINED * self.prior,
            at_bound: near(self.bounds.0) || near(self.bounds.1),
        }
    }
}
