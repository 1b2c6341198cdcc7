//! A number to fit on, and the source of its values.

use std::collections::BTreeMap;

/// A number that constants are fitted on.
#[derive(Clone, PartialEq, Debug)]
pub struct Datum {
    /// The name of the number.
    pub name: String,
    /// The unit of the number.
    pub unit: String,
    /// The expected value.
    pub expected: f64,
    /// One standard deviation of the number's logarithm.
    pub noise: f64,
    /// The largest relative error of a successful fit.
    pub tolerance: f64,
    /// The curve that the number is on. Numbers of one curve are adjacent, by increasing size.
    pub curve: usize,
}

/// One evaluation: the index of a number, and the values of the constants. Values of constants that the number does not
/// depend on are empty.
pub type Evaluation = (usize, Vec<String>);

/// The result of an evaluation: the number, or the reason why it has no value.
pub type PredictionResult = Result<f64, String>;

/// The results of evaluations.
pub type KnownPredictions = BTreeMap<Evaluation, PredictionResult>;

/// The reason given for a number whose run did not begin before the fit was stopped.
pub const NOT_RUN: &str = "not run";

/// The source of numbers for given values of the constants. It is called from several threads.
pub trait PredictionSource: Sync {
    /// Returns the number with index `datum` for these values of the constants.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no number: the machine cannot be described with these values, or its run did not
    /// complete.
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult;
    /// Returns whether the number may depend on the constant.
    fn depends_on(&self, datum: usize, constant: usize) -> bool;
    /// Returns whether the source itself reports its runs to the monitor of the fit, since it knows some numbers without
    /// a run.
    fn reports_runs(&self) -> bool {
        false
    }
}

/// A number that has no value for some values of the constants.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct IncompleteNumber {
    /// The index of the number.
    pub datum: usize,
    /// The reason, such as the outcome of its run.
    pub reason: String,
    /// The number of sets of values for which the number has no value for this reason.
    pub evaluations: usize,
}

impl IncompleteNumber {
    /// Returns the number with index `datum`, which has no value for this reason in `evaluations` evaluations.
    pub fn new(datum: usize, reason: &str, evaluations: usize) -> IncompleteNumber {
        IncompleteNumber { datum, reason: reason.to_owned(), evaluations }
    }
}
