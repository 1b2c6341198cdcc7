//! The result of a fit: the fitted constants, the residuals of the data, and whether each residual is within its
//! tolerance.

use super::correlation::UndeterminedCombination;
use super::number::{Datum, IncompleteNumber};
use narrows_core::text::Origin;
use serde_json::{Map, Value as Json, json};

/// The result of a fit.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FitResult {
    /// The fitted constants.
    pub constants: Vec<FittedConstant>,
    /// The data of the fit, with their errors.
    pub residuals: Vec<Residual>,
    /// Whether the solver converged.
    pub converged: bool,
    /// Whether the fit was stopped. The constants are then the best values so far, without rounding.
    pub stopped: bool,
    /// The ratio of the standard deviation of the errors to the assumed noise.
    pub noise_ratio: f64,
    /// The correlation of each two constants, in the order of the constants.
    pub correlation: Vec<Vec<f64>>,
    /// The combinations of constants that the data do not determine.
    pub undetermined: Vec<UndeterminedCombination>,
    /// The data without a simulated value for some values of the constants.
    pub incomplete: Vec<IncompleteNumber>,
}

/// A fitted constant.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedConstant {
    /// The key, with `*` for names of parts.
    pub key: String,
    /// The source locations of its value.
    pub origins: Vec<Origin>,
    /// The current value in the machine, as written.
    pub start_value: String,
    /// The fitted value, rounded to its uncertainty.
    pub rounded_value: String,
    /// The value to use: the fitted one, or the current one if it lies within half a standard deviation of the fit.
    pub final_value: String,
    /// The fitted value in its smallest unit, not rounded.
    pub value: f64,
    /// The standard deviation of the logarithm of the value before the fit.
    pub prior_std_dev: f64,
    /// The standard deviation of the logarithm of the value after the fit.
    pub std_dev: f64,
    /// Whether the data rather than the prior determine it.
    pub determined: bool,
    /// The bound that the fitted value is at.
    pub bound: Option<Bound>,
    /// The distance of the fitted value from the starting value, in standard deviations of the prior.
    pub distance: f64,
}

/// A bound of a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The least value.
    Lower(String),
    /// The greatest value.
    Upper(String),
}

/// A datum of the fit, with its simulated values before and after the fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// The datum, with its expected value.
    pub datum: Datum,
    /// The simulated value with the current constants; NaN if there is no value.
    pub start_value: f64,
    /// The simulated value with the final constants; NaN if there is no value.
    pub fitted_value: f64,
    /// The reason for which the datum has no simulated value after the fit, such as a deadlock of the run.
    pub missing_reason: Option<String>,
}

/// Adjacent data of a curve that are all too high or all too low, or have no value for the same reason.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FailedRange {
    /// The name of the first datum.
    pub first: String,
    /// The name of the last datum.
    pub last: String,
    /// The number of data in the range.
    pub count: usize,
    /// The smallest and the largest error by magnitude; NaN if there are no simulated values.
    pub error_range: (f64, f64),
    /// The smallest of the tolerances.
    pub tolerance: f64,
    /// The reason for which the data have no simulated value.
    pub missing_reason: Option<String>,
}

impl FailedRange {
    /// Returns the range from the datum `first` to the datum `last`, whose errors are not yet known (NaN).
    pub fn new(first: &str, last: &str, count: usize) -> FailedRange {
        let (first, last) = (first.to_owned(), last.to_owned());
        FailedRange {
            first,
            last,
            count,
            error_range: (f64::NAN, f64::NAN),
            tolerance: f64::INFINITY,
            missing_reason: None,
        }
    }
}

impl Residual {
    /// Returns the relative error after the fit; NaN if there is no simulated value.
    pub fn error(&self) -> f64 {
        self.fitted_value / self.datum.expected - 1.0
    }

    /// Returns whether there is a simulated value after the fit, with an error of at most the tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        // The margin is the same as in the judgement of claims.
        self.error().abs() <= self.datum.tolerance * (1.0 + 1e-12)
    }
}

impl FitResult {
    /// Returns whether every datum has a simulated value after the fit, with an error of at most its tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        self.residuals.iter().all(Residual::is_within_tolerance)
    }

    /// Returns the ranges of the curves whose errors exceed the tolerances.
    pub fn failed_ranges(&self) -> Vec<FailedRange> {
        let failure_key =
            |residual: &Residual| (residual.datum.curve, residual.missing_reason.clone(), residual.error() > 0.0);
        let is_same_range = |a: &Residual, b: &Residual| {
            a.is_within_tolerance() == b.is_within_tolerance()
                && (a.is_within_tolerance() || failure_key(a) == failure_key(b))
        };
        let failed_parts = self.residuals.chunk_by(is_same_range).filter(|part| !part[0].is_within_tolerance());
        let failed_range = |part: &[Residual]| {
            let mut errors: Vec<f64> = part.iter().map(Residual::error).collect();
            errors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
            let (first, last) = (&part[0], &part[part.len() - 1]);
            FailedRange {
                error_range: (errors[0], errors[errors.len() - 1]),
                tolerance: part.iter().map(|residual| residual.datum.tolerance).fold(f64::INFINITY, f64::min),
                missing_reason: first.missing_reason.clone(),
                ..FailedRange::new(&first.datum.name, &last.datum.name, part.len())
            }
        };
        failed_parts.map(failed_range).collect()
    }

    /// Returns the datum with the largest error after the fit.
    pub fn largest_error(&self) -> Option<&Residual> {
        let residuals_with_value = self.residuals.iter().filter(|residual| residual.error().is_finite());
        residuals_with_value.max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()))
    }

    /// Returns the result as JSON.
    pub fn json(&self) -> Json {
        json!({
            "constants": self.constants.iter().map(|constant| self.constant_json(constant)).collect::<Vec<_>>(),
            "residuals": self.residuals.iter().map(residual_json).collect::<Vec<_>>(),
            "converged": self.converged,
            "stopped": self.stopped,
            "reached": self.is_within_tolerance(),
            "failed": self.failed_ranges().iter().map(failed_json).collect::<Vec<_>>(),
            "noise_ratio": self.noise_ratio,
            "correlation": self.correlation,
            "undetermined": self.undetermined.iter().map(|combination| self.combination_json(combination)).collect::<Vec<_>>(),
            "incomplete": self.incomplete.iter().map(|incomplete| json!({
                "name": self.residuals[incomplete.datum].datum.name,
                "reason": incomplete.reason,
                "evaluations": incomplete.evaluations,
            })).collect::<Vec<_>>(),
        })
    }

    fn constant_json(&self, constant: &FittedConstant) -> Json {
        let bound = constant.bound.as_ref().map(|bound| match bound {
            Bound::Lower(_) => "lower",
            Bound::Upper(_) => "upper",
        });
        json!({
            "key": constant.key, "before": constant.start_value, "after": constant.final_value, "determined": constant.determined,
            "fitted": constant.rounded_value, "prior": constant.prior_std_dev, "std_dev": constant.std_dev,
            "std_dev_scaled": self.scaled_std_dev(constant), "at_bound": constant.bound.is_some(), "bound": bound,
            "distance": constant.distance,
        })
    }

    fn combination_json(&self, combination: &UndeterminedCombination) -> Json {
        let change_entry = |(index, change): &(usize, f64)| (self.constants[*index].key.clone(), json!(change));
        let changes: Map<_, _> = combination.changes.iter().map(change_entry).collect();
        json!({ "changes": changes, "effect": combination.effect })
    }

    /// Returns the standard deviation of a constant, multiplied by the noise ratio if that is above 1.
    pub fn scaled_std_dev(&self, constant: &FittedConstant) -> f64 {
        constant.std_dev * self.noise_ratio.max(1.0)
    }
}

fn residual_json(residual: &Residual) -> Json {
    json!({
        "name": residual.datum.name, "unit": residual.datum.unit, "expected": residual.datum.expected,
        "before": residual.start_value, "after": residual.fitted_value,
        "error": residual.error(), "tolerance": residual.datum.tolerance,
        "within": residual.is_within_tolerance(), "missing": residual.missing_reason,
    })
}

fn failed_json(failed: &FailedRange) -> Json {
    json!({
        "first": failed.first, "last": failed.last, "numbers": failed.count, "errors": [failed.error_range.0, failed.error_range.1],
        "tolerance": failed.tolerance, "missing": failed.missing_reason,
    })
}
