//! Weighted least squares in logarithms, by the Levenberg–Marquardt method.
//!
//! The solver minimises Σ ((ln number − ln expected) / noise)² + Σ ((ln constant − ln start) / prior)², so priors are
//! residuals like any other. A constant between its bounds is a sine of the solver's parameter. Constants are whole
//! cycles and picoseconds, so a number is computed at the nearest representable values and extrapolated linearly from
//! there. Slopes are central differences. Where the numbers come from is left to a `NumberSource`.

use super::free_constant::FreeConstant;
use crate::experiment::threads::one_task_per_run;
use crate::experiment::uncertainty::elasticity;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Mutex;

/// The relative change of the sum of squares, or of the constants, below which the solver ends (chosen: constants are
/// rounded far more coarsely).
const TOLERANCE: f64 = 1e-4;
/// The limit on evaluations of the residuals, per constant and one more (chosen: ten steps suffice where any number
/// does).
const PATIENCE: usize = 20;
/// The solver's parameter in the middle of the bounds. It is not 0, since the solver's steps are proportional to its
/// parameters.
const PARAMETER_OFFSET: f64 = 1.0;
/// The relative change of a constant in a central difference: large enough to exceed rounding, small enough for the
/// response to be linear (chosen).
const STEP: f64 = 0.05;
/// The residual of a machine that cannot be run: larger than any other.
const INVALID_RESIDUAL: f64 = 1e3;

/// A number to fit on.
#[derive(Clone, PartialEq, Debug)]
pub struct Datum {
    /// The name of the number.
    pub name: String,
    /// The unit of the number.
    pub unit: String,
    /// The expected value.
    pub expected: f64,
    /// One standard deviation of the logarithm.
    pub noise: f64,
}

/// The source of numbers for given values of the constants. It is called from several threads.
pub trait NumberSource: Sync {
    /// Returns the number with index `datum` for these values of the constants, or `None` if the machine cannot be run
    /// with them.
    fn number(&self, datum: usize, constants: &[&str]) -> Option<f64>;
    /// Returns whether the number may depend on the constant.
    fn depends_on(&self, datum: usize, constant: usize) -> bool;
    /// Called after each number is computed.
    fn report_progress(&self) {}
}

/// One evaluation: the index of a number, and the values of the constants; those it does not depend on are empty.
type Evaluation = (usize, Vec<String>);

/// The least-squares problem for the solver.
pub struct FitProblem<'a> {
    constants: &'a [FreeConstant],
    data: &'a [Datum],
    source: &'a dyn NumberSource,
    known: Mutex<BTreeMap<Evaluation, Option<f64>>>,
    at: DVector<f64>,
}

/// The state of the problem at the end of the solver.
pub struct Solution<'a> {
    /// The problem, at the best constants found.
    pub problem: FitProblem<'a>,
    /// Whether the solver converged.
    pub converged: bool,
}

/// Solves from the starting values.
///
/// # Errors
///
/// Returns the first number that the machine does not give with the starting values.
pub fn solve<'a>(
    constants: &'a [FreeConstant],
    data: &'a [Datum],
    source: &'a dyn NumberSource,
) -> Result<Solution<'a>, &'a Datum> {
    let at = DVector::from_iterator(constants.len(), constants.iter().map(FreeConstant::parameter));
    let problem = FitProblem { constants, data, source, known: Mutex::default(), at };
    let start = problem.representable();
    let start = problem.numbers(&start.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>());
    if let Some(place) = start.iter().position(|number| number.is_nan()) {
        return Err(&data[place]);
    }
    let solver = LevenbergMarquardt::new().with_ftol(TOLERANCE).with_xtol(TOLERANCE).with_gtol(TOLERANCE);
    let (problem, report) = solver.with_patience(PATIENCE).minimize(problem);
    let converged = match report.termination {
        // The numbers change in whole cycles, so no further improvement can be found.
        TerminationReason::NoImprovementPossible(_) => true,
        other => other.was_successful(),
    };
    Ok(Solution { problem, converged })
}

impl FreeConstant {
    /// Returns the solver's parameter at the starting value.
    fn parameter(&self) -> f64 {
        let (least, most) = self.logs();
        PARAMETER_OFFSET + (2.0 * (self.start.ln() - least) / (most - least) - 1.0).asin()
    }

    fn logs(&self) -> (f64, f64) {
        (self.bounds.0.ln(), self.bounds.1.ln())
    }

    /// Returns the constant's logarithm at a value of the solver's parameter, and its derivative.
    fn logarithm(&self, parameter: f64) -> (f64, f64) {
        let (least, most) = self.logs();
        let half = (most - least) / 2.0;
        // The derivative is 0 at a bound, and a step beyond a bound is reflected.
        let angle = (parameter - PARAMETER_OFFSET + FRAC_PI_2).rem_euclid(2.0 * PI) - FRAC_PI_2;
        (least + half * (1.0 + angle.sin()), half * angle.cos())
    }
}

/// A representable value as text, and its logarithm.
type Written = (String, f64);

impl FitProblem<'_> {
    /// Returns the logarithms of the constants.
    pub fn logs(&self) -> Vec<f64> {
        self.constants.iter().zip(&self.at).map(|(free, at)| free.logarithm(*at).0).collect()
    }

    /// Returns the representable values nearest to the constants.
    fn representable(&self) -> Vec<Written> {
        let near = |(free, log): (&FreeConstant, f64)| {
            let (text, number) = free.current.quantize(log.exp());
            (text, number.ln())
        };
        self.constants.iter().zip(self.logs()).map(near).collect()
    }

    fn evaluation(&self, datum: usize, values: &[&str]) -> Evaluation {
        let of = |(constant, value): (usize, &&str)| match self.source.depends_on(datum, constant) {
            true => (*value).to_owned(),
            false => String::new(),
        };
        (datum, values.iter().enumerate().map(of).collect())
    }

    /// Runs all evaluations that are not yet known, in parallel.
    fn evaluate(&self, evaluations: BTreeSet<Evaluation>) {
        let open: Vec<Evaluation> = {
            let known = self.known.lock().expect("no thread panics with it");
            evaluations.into_iter().filter(|evaluation| !known.contains_key(evaluation)).collect()
        };
        let evaluate = |evaluation: Evaluation| {
            let values: Vec<&str> = evaluation.1.iter().map(String::as_str).collect();
            let number = self.source.number(evaluation.0, &values).filter(|number| *number > 0.0 && number.is_finite());
            self.source.report_progress();
            (evaluation, number)
        };
        let evaluated: Vec<_> = one_task_per_run(open.into_par_iter()).map(evaluate).collect();
        self.known.lock().expect("no thread panics with it").extend(evaluated);
    }

    fn known_number(&self, evaluation: &Evaluation) -> Option<f64> {
        self.known.lock().expect("no thread panics with it").get(evaluation).copied().flatten()
    }

    /// Returns the numbers for these values of the constants; NaN where the machine cannot be run.
    pub fn numbers(&self, values: &[&str]) -> Vec<f64> {
        let evaluations: Vec<Evaluation> = (0..self.data.len()).map(|datum| self.evaluation(datum, values)).collect();
        self.evaluate(evaluations.iter().cloned().collect());
        evaluations.iter().map(|evaluation| self.known_number(evaluation).unwrap_or(f64::NAN)).collect()
    }

    /// Returns the elasticity of each number to each of these constants, at the nearest representable values.
    fn elasticities(&self, constants: &[usize]) -> DMatrix<f64> {
        let representable = self.representable();
        let values: Vec<&str> = representable.iter().map(|(text, _)| text.as_str()).collect();
        let middle = self.numbers(&values);
        let neighbours: Vec<[Option<Written>; 2]> =
            constants.iter().map(|at| self.neighbours(*at, &representable[*at])).collect();
        let evaluation = |datum: usize, constant: usize, value: &str| {
            let mut values = values.clone();
            values[constant] = value;
            self.evaluation(datum, &values)
        };
        let mut evaluations = BTreeSet::new();
        for (constant, neighbours) in constants.iter().zip(&neighbours) {
            let dependent = (0..self.data.len()).filter(|datum| self.source.depends_on(*datum, *constant));
            for (datum, (value, _)) in
                dependent.flat_map(|datum| neighbours.iter().flatten().map(move |side| (datum, side)))
            {
                evaluations.insert(evaluation(datum, *constant, value));
            }
        }
        self.evaluate(evaluations);
        let mut all = DMatrix::zeros(self.data.len(), self.constants.len());
        for (constant, neighbours) in constants.iter().zip(&neighbours) {
            for datum in (0..self.data.len()).filter(|datum| self.source.depends_on(*datum, *constant)) {
                let change = |side: &Option<Written>| {
                    let (value, log) = side.as_ref()?;
                    let number = self.known_number(&evaluation(datum, *constant, value))?;
                    Some((log - representable[*constant].1, vec![number]))
                };
                let [down, up] = [&neighbours[0], &neighbours[1]].map(change);
                all[(datum, *constant)] = elasticity::of(&middle[datum..=datum], &down, &up)[0];
            }
        }
        all
    }

    /// Returns the values below and above a constant for a central difference: a step away, or else the adjacent
    /// representable value.
    fn neighbours(&self, constant: usize, (text, log): &Written) -> [Option<Written>; 2] {
        let free = &self.constants[constant];
        [-1.0, 1.0].map(|direction| {
            let number = log.exp();
            let stepped = free.current.quantize(number * (1.0 + STEP).powf(direction));
            let (value, number) = if stepped.0 == *text { free.current.quantize(number + direction) } else { stepped };
            (value != *text).then(|| (value, number.ln()))
        })
    }

    /// Returns the elasticities of each number to all constants.
    pub fn elasticity_rows(&self) -> Vec<Vec<f64>> {
        let all: Vec<usize> = (0..self.constants.len()).collect();
        let rows = self.elasticities(&all);
        rows.row_iter().map(|row| row.iter().copied().collect()).collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for FitProblem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, at: &DVector<f64>) {
        self.at.copy_from(at);
    }

    fn params(&self) -> DVector<f64> {
        self.at.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let (logs, representable) = (self.logs(), self.representable());
        let values: Vec<&str> = representable.iter().map(|(text, _)| text.as_str()).collect();
        let numbers = self.numbers(&values);
        let rounding: Vec<f64> = logs.iter().zip(&representable).map(|(log, (_, near))| log - near).collect();
        // A constant with negligible rounding needs no extrapolation.
        let coarse: Vec<usize> = (0..rounding.len()).filter(|at| rounding[*at].abs() > TOLERANCE).collect();
        let slopes = self.elasticities(&coarse);
        let of_data = self.data.iter().enumerate().map(|(at, datum)| {
            let along: f64 = coarse.iter().map(|constant| slopes[(at, *constant)] * rounding[*constant]).sum();
            let residual = ((numbers[at] / datum.expected).ln() + along) / datum.noise;
            if residual.is_finite() { residual } else { INVALID_RESIDUAL }
        });
        let of_priors = self.constants.iter().zip(&logs).map(|(free, log)| (log - free.start.ln()) / free.prior);
        let all: Vec<f64> = of_data.chain(of_priors).collect();
        Some(DVector::from_vec(all))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let all: Vec<usize> = (0..self.constants.len()).collect();
        let slopes = self.elasticities(&all);
        let data = self.data.len();
        let mut jacobian = DMatrix::zeros(data + self.constants.len(), self.constants.len());
        for (constant, free) in self.constants.iter().enumerate() {
            let (_, derivative) = free.logarithm(self.at[constant]);
            for (at, datum) in self.data.iter().enumerate() {
                jacobian[(at, constant)] = slopes[(at, constant)] * derivative / datum.noise;
            }
            jacobian[(data + constant, constant)] = derivative / free.prior;
        }
        Some(jacobian)
    }
}
