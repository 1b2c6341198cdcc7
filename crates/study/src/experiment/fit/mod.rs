//! Calibration as code: constants fitted on published numbers, or on a user's measurements.
//!
//! Each constant has a starting value, which is a prior too, of so many per cent; each number has a
//! noise. Least squares in logarithms settle them; the elasticities there say how well each constant is
//! determined. A value is written as far as it is known: to the first digit of half its standard
//! deviation; one that stands within that of the fit stays. Leaves out what the model leaves out: a fit
//! is no proof of a mechanism.
//!
//! | file | holds |
//! |---|---|
//! | `constant.rs` | a constant to be fitted, as it is named |
//! | `free.rs` | the same, as it stands in machines |
//! | `solve.rs` | weighted least squares |
//! | `curve.rs`, `unit.rs` | measured curves, as they are read |
//! | `measured.rs` | of a machine, on curves |
//! | `write.rs` | values put into files |

pub mod constant;
pub mod curve;
pub mod free;
pub mod measured;
pub mod solve;
pub mod unit;
pub mod write;

use crate::experiment::uncertainty::Posterior;
use free::Free;
use narrows_core::text::{Origin, Problem};
use serde_json::json;
use solve::{Answers, Datum, solve};

/// A constant is determined when the numbers leave it no freer than this part of its prior: then the
/// starting value has a sixteenth of the say (chosen).
const DETERMINED: f64 = 0.25;

/// What a fit gave.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Fitted {
    /// The constants.
    pub constants: Vec<Settled>,
    /// The numbers fitted on.
    pub residuals: Vec<Residual>,
    /// Whether the solver came to an end.
    pub settled: bool,
}

impl Fitted {
    /// The same as JSON.
    pub fn json(&self) -> serde_json::Value {
        let constant = |one: &Settled| {
            json!({
                "key": one.key, "before": one.before, "after": one.after, "determined": one.determined, "fitted": one.fitted,
                "prior": one.prior, "left_free": one.left_free, "at_bound": one.at_bound,
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
            "settled": self.settled,
        })
    }
}

/// A constant that was fitted.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    /// Its key, `*` for names of parts.
    pub key: String,
    /// Where it stands.
    pub origins: Vec<Origin>,
    /// What it is in the machine, as it stands there.
    pub before: String,
    /// What the fit gives, written as far as it is known.
    pub fitted: String,
    /// What it is to be: the same, or what stands where that is as near as the fit is known.
    pub after: String,
    /// The same in its smallest unit, not rounded.
    pub value: f64,
    /// One standard deviation of its logarithm, before the fit.
    pub prior: f64,
    /// And after it.
    pub left_free: f64,
    /// Whether the numbers determine it, and not its prior.
    pub determined: bool,
    /// Whether it lies at one of its bounds.
    pub at_bound: bool,
}

/// A number that was fitted on.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// It, and what it is to be.
    pub datum: Datum,
    /// What the machine gave as it stood.
    pub before: f64,
    /// What it gives with the fitted constants, as they are written.
    pub after: f64,
}

impl Residual {
    /// The error with the fitted constants, as a part.
    pub fn error(&self) -> f64 {
        self.after / self.datum.expected - 1.0
    }
}

/// Fits the constants on the data. The error says which number the starting values do not give.
pub fn fit(frees: &[Free], data: &[Datum], answers: &dyn Answers) -> Result<Fitted, Problem> {
    let solved = solve(frees, data, answers).map_err(|datum| {
        let problem = Problem::new(format!("the machine gives no {} with the starting values", datum.name));
        problem.help("starting values must be sound together: a run with them must come to its end")
    })?;
    let squares = &solved.squares;
    let (logs, rows) = (squares.logs(), squares.rows());
    let priors: Vec<f64> = frees.iter().map(|free| free.prior).collect();
    let noisy: Vec<(&[f64], f64)> = rows.iter().zip(data).map(|(row, datum)| (row.as_slice(), datum.noise)).collect();
    let posterior = Posterior::of(&priors, &noisy);
    let settled = |(at, free): (usize, &Free)| free.settled(logs[at].exp(), posterior.constant(at));
    let constants: Vec<Settled> = frees.iter().enumerate().map(settled).collect();
    let numbers = |values: Vec<&str>| squares.numbers(&values);
    let before = numbers(frees.iter().map(|free| free.standing.value.as_str()).collect());
    let after = numbers(constants.iter().map(|constant| constant.after.as_str()).collect());
    let each = data.iter().zip(before.into_iter().zip(after));
    let residuals = each.map(|(datum, (before, after))| Residual { datum: datum.clone(), before, after }).collect();
    Ok(Fitted { constants, residuals, settled: solved.settled })
}

impl Free {
    fn settled(&self, value: f64, left_free: f64) -> Settled {
        let near = |bound: f64| (value / bound).ln().abs() < 0.01;
        // What stands as near to the fit as it is known says the same.
        let stands = (value / self.standing.number()).ln().abs() <= left_free / 2.0;
        let rounded = self.standing.rounded(value, value * left_free / 2.0).0;
        Settled {
            key: self.key.clone(),
            origins: self.origins.clone(),
            before: self.standing.value.clone(),
            after: if stands { self.standing.value.clone() } else { rounded.clone() },
            fitted: rounded,
            value,
            prior: self.prior,
            left_free,
            determined: left_free <= DETERMINED * self.prior,
            at_bound: near(self.bounds.0) || near(self.bounds.1),
        }
    }
}
