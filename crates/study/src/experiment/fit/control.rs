//! The control of a running fit: reports of its progress, and the request to stop it.

use std::path::Path;

/// A receiver of the progress of a fit. It is called from several threads.
pub trait FitMonitor: Sync {
    /// Reports that the probe of `constants` constants begins. The probe determines which of them influence the numbers
    /// that are fitted.
    fn probe_begins(&self, _constants: usize) {}
    /// Reports the end of the probe: the constants without effect on the numbers, the constants whose values in the
    /// probe were all refused, and the number of runs. None of these constants is fitted.
    fn probe_ends(&self, _without_effect: &[String], _refused: &[RefusedConstant], _runs: usize) {}
    /// Reports that fit `number` of `total` in a series begins, of which `name` says what it is fitted on.
    fn fit_of_series_begins(&self, _number: usize, _total: usize, _name: &str) {}
    /// Reports the number of constants that are fitted, and the largest number of runs in one step of the solver.
    fn fit_begins(&self, _constants: usize, _runs_of_step: usize) {}
    /// Reports the number of runs that begin, and the number of results found in the state file.
    fn runs_begin(&self, _runs: usize, _stored: usize) {}
    /// Reports the end of a run.
    fn run_ends(&self) {}
    /// Reports that the solver tried a set of values.
    fn step_ends(&self, _step: &FitStep) {}
    /// Reports a warning about the runs of the fit, at its end.
    fn warn(&self, _warning: &str) {}
    /// Returns whether the fit is to stop. Runs in progress are then completed, and no further runs begin.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A constant that is not fitted, because the probe gave no number for any of its changed values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedConstant {
    /// The key of the constant.
    pub key: String,
    /// The reason why the first changed value gave no number.
    pub reason: String,
}

/// A monitor that reports nothing and never stops the fit.
#[derive(Clone, Copy, Debug)]
pub struct Unmonitored;

impl FitMonitor for Unmonitored {}

/// A set of values that the solver tried.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct FitStep {
    /// The number of the step, counted from 1. The first step is at the starting values.
    pub number: usize,
    /// The largest number of steps.
    pub steps_max: usize,
    /// An estimate of the number of steps left, from the rate of convergence; `None` before the rate is known.
    pub steps_left: Option<usize>,
    /// The root mean square of the relative errors of the numbers whose runs completed; 0 if none completed.
    pub rms: f64,
    /// The number with the largest error, and this error; `None` if no run completed.
    pub largest_error: Option<(String, f64)>,
    /// The number of runs that did not complete.
    pub incomplete_runs: usize,
}

impl FitStep {
    /// Returns step `number` of at most `steps_max`, with no errors recorded yet.
    pub fn new(number: usize, steps_max: usize) -> FitStep {
        FitStep { number, steps_max, steps_left: None, rms: 0.0, largest_error: None, incomplete_runs: 0 }
    }
}

/// The control of a fit.
#[derive(Clone, Copy)]
pub struct FitControl<'a> {
    /// The receiver of progress.
    pub monitor: &'a dyn FitMonitor,
    /// The file that holds the results of all runs so far. The fit resumes from it.
    pub state: Option<&'a Path>,
}

impl FitControl<'static> {
    /// Returns a control without reports and without a state file.
    pub fn unlimited() -> FitControl<'static> {
        FitControl { monitor: &Unmonitored, state: None }
    }
}
