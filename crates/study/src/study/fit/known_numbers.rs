//! The numbers of a study's claims for various values of the constants, each computed once for several fits, and stored
//! in a state file from which a series of fits resumes.

use super::PreparedFit;
use crate::experiment::fit::control::FitControl;
use crate::experiment::fit::evaluation::Evaluations;
use crate::experiment::fit::number::{Datum, PredictionResult, PredictionSource};
use crate::experiment::fit::state::{FitIdentity, StateFile};
use crate::experiment::fit::{FitResult, fit};
use narrows_core::text::Problem;
use std::collections::BTreeMap;

/// The numbers that are known.
pub struct KnownNumbers<'a> {
    /// The claims and constants of the series.
    pub prepared: &'a PreparedFit<'a>,
    /// The control of the series.
    pub control: FitControl<'a>,
    evaluations: Evaluations<'a>,
}

/// A subset of the numbers of a series, on which one fit is made.
struct DataSubset<'a> {
    evaluations: &'a Evaluations<'a>,
    indices: Vec<usize>,
}

impl PredictionSource for DataSubset<'_> {
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult {
        self.evaluations.number(self.indices[datum], constants)
    }

    fn depends_on(&self, datum: usize, constant: usize) -> bool {
        self.evaluations.depends_on(self.indices[datum], constant)
    }

    fn reports_runs(&self) -> bool {
        true
    }
}

impl<'a> KnownNumbers<'a> {
    /// Returns the numbers that the state file of the control holds.
    ///
    /// # Errors
    ///
    /// Reports a state file that cannot be used.
    pub fn open(prepared: &'a PreparedFit<'a>, control: FitControl<'a>) -> Result<KnownNumbers<'a>, Problem> {
        let identity = FitIdentity::new(prepared.inputs_digest.clone(), &prepared.constants, &prepared.data);
        let state = control.state.map(|path| StateFile::open(path, identity)).transpose()?;
        if let Some((_, predictions)) = &state {
            control.monitor.runs_begin(0, predictions.len());
        }
        let evaluations = Evaluations::new(&prepared.predictor, control, state);
        Ok(KnownNumbers { prepared, control, evaluations })
    }

    /// Fits the constants on the numbers with these indices. Returns `None` if the fit was stopped.
    ///
    /// # Errors
    ///
    /// Reports the errors of the fit, and a state file that cannot be written.
    pub fn fit(&self, indices: Vec<usize>) -> Result<Option<FitResult>, Problem> {
        // Each number of a study is a curve of its own.
        let datum = |(curve, index): (usize, &usize)| Datum { curve, ..self.prepared.data[*index].clone() };
        let data: Vec<Datum> = indices.iter().enumerate().map(datum).collect();
        let subset = DataSubset { evaluations: &self.evaluations, indices };
        let control = FitControl { state: None, ..self.control };
        let fit_result = fit(&self.prepared.constants, &data, &subset, self.prepared.inputs_digest.clone(), control);
        if self.is_stopped()? { Ok(None) } else { fit_result.map(Some) }
    }

    /// Returns whether the series is to stop.
    ///
    /// # Errors
    ///
    /// Reports a state file that cannot be written.
    pub fn is_stopped(&self) -> Result<bool, Problem> {
        self.evaluations.write_problem().map_or(Ok(self.control.monitor.is_stopped()), Err)
    }

    /// Computes the numbers with these indices that are not known for these values of the constants. Each point of an
    /// artifact is run once for all of its claims.
    pub fn run_points(&self, indices: &[usize], values: &[&str]) {
        let is_unknown = |index: &&usize| !self.evaluations.is_known(&self.evaluations.evaluation(**index, values));
        let mut indices_by_artifact = BTreeMap::<&str, Vec<usize>>::new();
        for index in indices.iter().filter(is_unknown) {
            let artifact = &self.prepared.predictor.claims[*index].artifact.text;
            indices_by_artifact.entry(artifact).or_default().push(*index);
        }
        for indices in indices_by_artifact.values() {
            let numbers = self.prepared.predictor.numbers(indices, values, self.control.monitor);
            let Some(numbers) = numbers else { return };
            let evaluation = |index: &usize| self.evaluations.evaluation(*index, values);
            self.evaluations.add(indices.iter().map(evaluation).zip(numbers));
        }
    }

    /// Returns a number that is known for these values of the constants; `None` if it has no value.
    pub fn number(&self, index: usize, values: &[&str]) -> Option<f64> {
        self.evaluations.prediction(&self.evaluations.evaluation(index, values)).ok()
    }
}
