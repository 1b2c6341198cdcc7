//! Weighted least squares in logarithms, by the Levenberg–Marquardt method.
//!
//! The solver minimises Σ ((ln number − ln expected) / noise)² + Σ ((ln constant − ln start) / prior)², so priors are
//! residuals like any other. A constant is represented by a sine of the solver's parameter, which keeps it between its
//! bounds. Constants are whole cycles and picoseconds, so a number is computed at the nearest representable values and
//! extrapolated linearly from there. Slopes are central differences. A `PredictionSource` provides the numbers.

use super::control::FitMonitor;
use super::evaluation::Evaluations;
use super::free_constant::FreeConstant;
use super::number::{Datum, Evaluation, PredictionResult};
use super::steps::{Steps, TOLERANCE};
use crate::experiment::uncertainty::elasticity;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, PI};

/// The maximum number of evaluations of the residuals, divided by the number of constants plus one (chosen: if a fit
/// converges, ten steps suffice).
const EVALUATIONS_PER_CONSTANT: usize = 20;
/// The solver's parameter in the middle of the bounds. It is not 0, since the solver's steps are proportional to its
/// parameters.
const PARAMETER_OFFSET: f64 = 1.0;
/// The relative change of a constant in a central difference. It is large enough to exceed rounding, and small enough
/// for the response to be linear (chosen).
const RELATIVE_CHANGE: f64 = 0.05;
/// The residual of a machine that cannot be run; it is larger than any other residual.
const INVALID_RESIDUAL: f64 = 1e3;

/// The least-squares problem for the solver.
pub struct FitProblem<'a> {
    constants: &'a [FreeConstant],
    data: &'a [Datum],
    /// The numbers computed so far.
    pub evaluations: Evaluations<'a>,
    monitor: &'a dyn FitMonitor,
    parameters: DVector<f64>,
    steps: RefCell<Steps>,
}

/// The state of the problem at the end of the solver.
pub struct Solution<'a> {
    /// The problem, at the best constants found.
    pub problem: FitProblem<'a>,
    /// Whether the solver converged.
    pub converged: bool,
}

/// Runs the solver from the starting values, until it converges, reaches the largest number of steps, or is stopped.
///
/// # Errors
///
/// Returns the numbers that have no value with the starting values, each with the reason.
pub fn solve<'a>(
    constants: &'a [FreeConstant],
    data: &'a [Datum],
    evaluations: Evaluations<'a>,
    monitor: &'a dyn FitMonitor,
) -> Result<Solution<'a>, Vec<(&'a Datum, String)>> {
    let parameters = DVector::from_iterator(constants.len(), constants.iter().map(FreeConstant::parameter));
    let steps = RefCell::new(Steps::new(EVALUATIONS_PER_CONSTANT * (constants.len() + 1)));
    let problem = FitProblem { constants, data, evaluations, monitor, parameters, steps };
    let start = problem.numbers(&value_texts(&problem.representable_values()));
    let missing = data.iter().zip(start).filter_map(|(datum, prediction)| Some((datum, prediction.err()?)));
    let missing: Vec<(&Datum, String)> = missing.collect();
    if !missing.is_empty() && !problem.evaluations.is_stopped() {
        return Err(missing);
    }
    let solver = LevenbergMarquardt::new().with_ftol(TOLERANCE).with_xtol(TOLERANCE).with_gtol(TOLERANCE);
    let (mut problem, report) = solver.with_patience(EVALUATIONS_PER_CONSTANT).minimize(problem);
    let converged = match report.termination {
        // The numbers change in steps of whole cycles, so the solver may find no further improvement near the minimum.
        TerminationReason::NoImprovementPossible(_) => true,
        // The fit was stopped, so the solver left the problem at the values that it tried last.
        TerminationReason::User(_) => {
            problem.return_to_best();
            false
        }
        other => other.was_successful(),
    };
    Ok(Solution { problem, converged })
}

impl FreeConstant {
    /// Returns the solver's parameter at the starting value.
    fn parameter(&self) -> f64 {
        let (lower, upper) = self.bound_logarithms();
        PARAMETER_OFFSET + libm::asin(2.0 * (libm::log(self.start) - lower) / (upper - lower) - 1.0)
    }

    fn bound_logarithms(&self) -> (f64, f64) {
        (libm::log(self.bounds.0), libm::log(self.bounds.1))
    }

    /// Returns the logarithm of the constant for a value of the solver's parameter, and its derivative.
    fn logarithm(&self, parameter: f64) -> (f64, f64) {
        let (lower, upper) = self.bound_logarithms();
        let half_range = (upper - lower) / 2.0;
        // The derivative is 0 at a bound, and a step beyond a bound is reflected.
        let angle = (parameter - PARAMETER_OFFSET + FRAC_PI_2).rem_euclid(2.0 * PI) - FRAC_PI_2;
        (lower + half_range * (1.0 + libm::sin(angle)), half_range * libm::cos(angle))
    }
}

/// A representable value as text, and its logarithm.
type RepresentableValue = (String, f64);

/// The values of one constant below and above the current one.
type Neighbours = (usize, [Option<RepresentableValue>; 2]);

/// Returns the texts of representable values.
fn value_texts(values: &[RepresentableValue]) -> Vec<&str> {
    values.iter().map(|(text, _)| text.as_str()).collect()
}

impl FitProblem<'_> {
    /// Returns the logarithms of the constants.
    pub fn constant_logarithms(&self) -> Vec<f64> {
        self.constants.iter().zip(&self.parameters).map(|(free, parameter)| free.logarithm(*parameter).0).collect()
    }

    /// Returns the representable values nearest to the constants.
    pub fn representable_values(&self) -> Vec<RepresentableValue> {
        let quantized = |(free, log): (&FreeConstant, f64)| {
            let (text, number) = free.current.quantize(libm::exp(log));
            (text, libm::log(number))
        };
        self.constants.iter().zip(self.constant_logarithms()).map(quantized).collect()
    }

    /// Returns to the best values that the solver tried, or otherwise to the starting values.
    fn return_to_best(&mut self) {
        if let Some(best) = self.steps.borrow().best_parameters() {
            self.parameters.copy_from(best);
        }
    }

    /// Returns the evaluations of all numbers for these values of the constants.
    fn evaluations_at(&self, values: &[&str]) -> Vec<Evaluation> {
        (0..self.data.len()).map(|datum| self.evaluations.evaluation(datum, values)).collect()
    }

    /// Returns the numbers for these values of the constants.
    pub fn numbers(&self, values: &[&str]) -> Vec<PredictionResult> {
        let evaluations = self.evaluations_at(values);
        self.evaluations.run_missing(evaluations.iter().cloned().collect());
        evaluations.iter().map(|evaluation| self.evaluations.prediction(evaluation)).collect()
    }

    /// Returns the evaluation of a number with the value of one constant replaced.
    fn evaluation_with(&self, datum: usize, values: &[&str], constant: usize, value: &str) -> Evaluation {
        let mut values = values.to_vec();
        values[constant] = value;
        self.evaluations.evaluation(datum, &values)
    }

    /// Returns the elasticities of each number with respect to each of these constants, at the nearest representable
    /// values, and the numbers at these values; `None` if the fit was stopped.
    fn elasticities(&self, constants: &[usize]) -> Option<(Vec<f64>, DMatrix<f64>)> {
        let representable = self.representable_values();
        let values = value_texts(&representable);
        let unchanged = self.evaluations_at(&values);
        let neighbours: Vec<Neighbours> =
            constants.iter().map(|index| (*index, self.neighbours(*index, &representable[*index]))).collect();
        let dependent_data =
            |constant: usize| (0..self.data.len()).filter(move |datum| self.evaluations.depends_on(*datum, constant));
        let mut evaluations: BTreeSet<Evaluation> = unchanged.iter().cloned().collect();
        for (constant, neighbours) in &neighbours {
            for (value, _) in neighbours.iter().flatten() {
                evaluations.extend(
                    dependent_data(*constant).map(|datum| self.evaluation_with(datum, &values, *constant, value)),
                );
            }
        }
        if !self.evaluations.run_missing(evaluations) {
            return None;
        }
        let prediction = |evaluation: &Evaluation| self.evaluations.prediction(evaluation).unwrap_or(f64::NAN);
        let unchanged: Vec<f64> = unchanged.iter().map(prediction).collect();
        let mut slopes = DMatrix::zeros(self.data.len(), self.constants.len());
        for (constant, neighbours) in &neighbours {
            for datum in dependent_data(*constant) {
                let log_change_and_number = |side: &Option<RepresentableValue>| {
                    let (value, log) = side.as_ref()?;
                    let evaluation = self.evaluation_with(datum, &values, *constant, value);
                    let prediction = self.evaluations.prediction(&evaluation).ok()?;
                    Some((log - representable[*constant].1, vec![prediction]))
                };
                let [down, up] = [&neighbours[0], &neighbours[1]].map(log_change_and_number);
                slopes[(datum, *constant)] = elasticity::elasticities(&unchanged[datum..=datum], &down, &up)[0];
            }
        }
        Some((unchanged, slopes))
    }

    /// Returns the values below and above a constant for a central difference: a step away, or otherwise the adjacent
    /// representable value.
    fn neighbours(&self, constant: usize, (text, log): &RepresentableValue) -> [Option<RepresentableValue>; 2] {
        let free = &self.constants[constant];
        [-1.0, 1.0].map(|direction| {
            let current_value = libm::exp(*log);
            let stepped = free.current.quantize(current_value * libm::pow(1.0 + RELATIVE_CHANGE, direction));
            let (value, number) =
                if stepped.0 == *text { free.current.quantize(current_value + direction) } else { stepped };
            (value != *text).then(|| (value, libm::log(number)))
        })
    }

    /// Returns the elasticities of each number with respect to all constants. After a stop, they are those of the last
    /// complete step, or 0.
    pub fn elasticity_rows(&self) -> Vec<Vec<f64>> {
        let indices: Vec<usize> = (0..self.constants.len()).collect();
        let slopes = self.elasticities(&indices).map(|(_, slopes)| slopes);
        let rows = slopes.or_else(|| self.steps.borrow().slopes().cloned());
        let rows = rows.unwrap_or_else(|| DMatrix::zeros(self.data.len(), self.constants.len()));
        rows.row_iter().map(|row| row.iter().copied().collect()).collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for FitProblem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, parameters: &DVector<f64>) {
        self.parameters.copy_from(parameters);
    }

    fn params(&self) -> DVector<f64> {
        self.parameters.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let (logs, representable) = (self.constant_logarithms(), self.representable_values());
        let rounding: Vec<f64> = logs.iter().zip(&representable).map(|(log, (_, nearest))| log - nearest).collect();
        // A constant with negligible rounding needs no extrapolation.
        let rounded_constants: Vec<usize> =
            (0..rounding.len()).filter(|index| rounding[*index].abs() > TOLERANCE).collect();
        let (numbers, slopes) = self.elasticities(&rounded_constants)?;
        let data_residuals = self.data.iter().enumerate().map(|(index, datum)| {
            let extrapolation: f64 =
                rounded_constants.iter().map(|constant| slopes[(index, *constant)] * rounding[*constant]).sum();
            let residual = (libm::log(numbers[index] / datum.expected) + extrapolation) / datum.noise;
            if residual.is_finite() { residual } else { INVALID_RESIDUAL }
        });
        let prior_residuals =
            self.constants.iter().zip(&logs).map(|(free, log)| (log - libm::log(free.start)) / free.prior);
        let residuals = DVector::from_vec(data_residuals.chain(prior_residuals).collect());
        let step = self.steps.borrow_mut().add_step(&self.parameters, residuals.norm_squared(), self.data, &numbers);
        self.monitor.step_ends(&step);
        Some(residuals)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let indices: Vec<usize> = (0..self.constants.len()).collect();
        let (_, slopes) = self.elasticities(&indices)?;
        let data = self.data.len();
        let mut jacobian = DMatrix::zeros(data + self.constants.len(), self.constants.len());
        for (constant, free) in self.constants.iter().enumerate() {
            let (_, derivative) = free.logarithm(self.parameters[constant]);
            for (index, datum) in self.data.iter().enumerate() {
                jacobian[(index, constant)] = slopes[(index, constant)] * derivative / datum.noise;
            }
            jacobian[(data + constant, constant)] = derivative / free.prior;
        }
        self.steps.borrow_mut().set_slopes(slopes);
        Some(jacobian)
    }
}
