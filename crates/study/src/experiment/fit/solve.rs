//! Weighted least squares in logarithms, by Levenberg and Marquardt's method.
//!
//! What is minimised is Σ ((ln number − ln expected) / noise)² + Σ ((ln constant − ln start) / prior)²: the
//! priors are residuals like any other. A constant moves between its bounds as a sine of the solver's
//! parameter. Machines hold whole cycles and picoseconds, so numbers are taken at the nearest value that
//! can be written, and what is left is followed along the slope there. Slopes are central differences.
//! Leaves out where numbers come from (`Answers`).

use super::free::Free;
use crate::experiment::threads::one_by_one;
use crate::experiment::uncertainty::elasticity;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt, TerminationReason};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Mutex;

/// The solver ends when a step changes the sum of squares, or the constants, by less (chosen: constants
/// are rounded far coarser).
const SETTLED: f64 = 1e-4;
/// How often the residuals are asked for, at most, over the constants and one (chosen: ten steps suffice
/// where any number does).
const PATIENCE: usize = 20;
/// The middle of the bounds as the solver's parameter: its steps are parts of the parameters, so that none
/// may begin at nothing.
const AWAY: f64 = 1.0;
/// By how much a constant is changed each way for a slope: enough to pass rounding, little enough to be
/// straight (chosen).
const STEP: f64 = 0.05;
/// The residual of a machine that cannot be run: worse than any other.
const UNSOUND: f64 = 1e3;

/// A number that is fitted on.
#[derive(Clone, PartialEq, Debug)]
pub struct Datum {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it is to be.
    pub expected: f64,
    /// One standard deviation of its logarithm.
    pub noise: f64,
}

/// What gives numbers for values of constants; called from several threads.
pub trait Answers: Sync {
    /// The number of this place among the data, with constants as they are written; none where the
    /// machine is not sound so.
    fn number(&self, datum: usize, constants: &[&str]) -> Option<f64>;
    /// Whether the constant may have to do with the number.
    fn asks(&self, datum: usize, constant: usize) -> bool;
    /// Told when a number is known.
    fn done(&self) {}
}

/// One question: a number, and the values of the constants that it asks, the others empty.
type Question = (usize, Vec<String>);

/// The problem that the solver sees.
pub struct Squares<'a> {
    frees: &'a [Free],
    data: &'a [Datum],
    answers: &'a dyn Answers,
    known: Mutex<BTreeMap<Question, Option<f64>>>,
    at: DVector<f64>,
}

/// Where the solver ended.
pub struct Solved<'a> {
    /// The problem, at the best constants.
    pub squares: Squares<'a>,
    /// Whether it settled.
    pub settled: bool,
}

/// Solves, from the starting values. The error is a number that these do not give.
pub fn solve<'a>(frees: &'a [Free], data: &'a [Datum], answers: &'a dyn Answers) -> Result<Solved<'a>, &'a Datum> {
    let at = DVector::from_iterator(frees.len(), frees.iter().map(Free::parameter));
    let squares = Squares { frees, data, answers, known: Mutex::default(), at };
    let start = squares.grid();
    let start = squares.numbers(&start.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>());
    if let Some(place) = start.iter().position(|number| number.is_nan()) {
        return Err(&data[place]);
    }
    let solver = LevenbergMarquardt::new().with_ftol(SETTLED).with_xtol(SETTLED).with_gtol(SETTLED);
    let (squares, report) = solver.with_patience(PATIENCE).minimize(squares);
    let settled = match report.termination {
        // The numbers are steps of whole cycles: no improvement is left to be found.
        TerminationReason::NoImprovementPossible(_) => true,
        other => other.was_successful(),
    };
    Ok(Solved { squares, settled })
}

impl Free {
    /// The solver's parameter at the start.
    fn parameter(&self) -> f64 {
        let (least, most) = self.logs();
        AWAY + (2.0 * (self.start.ln() - least) / (most - least) - 1.0).asin()
    }

    fn logs(&self) -> (f64, f64) {
        (self.bounds.0.ln(), self.bounds.1.ln())
    }

    /// The logarithm at a parameter of the solver, and how it answers to that.
    fn logarithm(&self, parameter: f64) -> (f64, f64) {
        let (least, most) = self.logs();
        let half = (most - least) / 2.0;
        // Nothing moves at a bound itself, and a step beyond it comes back.
        let turn = (parameter - AWAY + FRAC_PI_2).rem_euclid(2.0 * PI) - FRAC_PI_2;
        (least + half * (1.0 + turn.sin()), half * turn.cos())
    }
}

/// A value that can be written, and its logarithm.
type Written = (String, f64);

impl Squares<'_> {
    /// The logarithms of the constants.
    pub fn logs(&self) -> Vec<f64> {
        self.frees.iter().zip(&self.at).map(|(free, at)| free.logarithm(*at).0).collect()
    }

    /// The nearest values that can be written.
    fn grid(&self) -> Vec<Written> {
        let near = |(free, log): (&Free, f64)| {
            let (text, number) = free.standing.of_number(log.exp());
            (text, number.ln())
        };
        self.frees.iter().zip(self.logs()).map(near).collect()
    }

    fn question(&self, datum: usize, values: &[&str]) -> Question {
        let of = |(constant, value): (usize, &&str)| match self.answers.asks(datum, constant) {
            true => (*value).to_owned(),
            false => String::new(),
        };
        (datum, values.iter().enumerate().map(of).collect())
    }

    /// Answers all questions that are not yet answered, in parallel.
    fn ask(&self, questions: BTreeSet<Question>) {
        let open: Vec<Question> = {
            let known = self.known.lock().expect("no thread panics with it");
            questions.into_iter().filter(|question| !known.contains_key(question)).collect()
        };
        let answer = |question: Question| {
            let values: Vec<&str> = question.1.iter().map(String::as_str).collect();
            let number = self.answers.number(question.0, &values).filter(|number| *number > 0.0 && number.is_finite());
            self.answers.done();
            (question, number)
        };
        let answered: Vec<_> = one_by_one(open.into_par_iter()).map(answer).collect();
        self.known.lock().expect("no thread panics with it").extend(answered);
    }

    fn answer(&self, question: &Question) -> Option<f64> {
        self.known.lock().expect("no thread panics with it").get(question).copied().flatten()
    }

    /// The numbers with constants as they are written; not a number where a machine is not sound.
    pub fn numbers(&self, values: &[&str]) -> Vec<f64> {
        let questions: Vec<Question> = (0..self.data.len()).map(|datum| self.question(datum, values)).collect();
        self.ask(questions.iter().cloned().collect());
        questions.iter().map(|question| self.answer(question).unwrap_or(f64::NAN)).collect()
    }

    /// The elasticities of each number to these constants, about the nearest values that can be written.
    fn elasticities(&self, constants: &[usize]) -> DMatrix<f64> {
        let grid = self.grid();
        let values: Vec<&str> = grid.iter().map(|(text, _)| text.as_str()).collect();
        let middle = self.numbers(&values);
        let sides: Vec<[Option<Written>; 2]> = constants.iter().map(|at| self.sides(*at, &grid[*at])).collect();
        let question = |datum: usize, constant: usize, value: &str| {
            let mut values = values.clone();
            values[constant] = value;
            self.question(datum, &values)
        };
        let mut questions = BTreeSet::new();
        for (constant, sides) in constants.iter().zip(&sides) {
            let asking = (0..self.data.len()).filter(|datum| self.answers.asks(*datum, *constant));
            for (datum, (value, _)) in asking.flat_map(|datum| sides.iter().flatten().map(move |side| (datum, side))) {
                questions.insert(question(datum, *constant, value));
            }
        }
        self.ask(questions);
        let mut all = DMatrix::zeros(self.data.len(), self.frees.len());
        for (constant, sides) in constants.iter().zip(&sides) {
            for datum in (0..self.data.len()).filter(|datum| self.answers.asks(*datum, *constant)) {
                let change = |side: &Option<Written>| {
                    let (value, log) = side.as_ref()?;
                    let number = self.answer(&question(datum, *constant, value))?;
                    Some((log - grid[*constant].1, vec![number]))
                };
                let [down, up] = [&sides[0], &sides[1]].map(change);
                all[(datum, *constant)] = elasticity::of(&middle[datum..=datum], &down, &up)[0];
            }
        }
        all
    }

    /// What a constant is changed to, down and up: by a step, or else to the next value there is.
    fn sides(&self, constant: usize, (text, log): &Written) -> [Option<Written>; 2] {
        let free = &self.frees[constant];
        [-1.0, 1.0].map(|way| {
            let number = log.exp();
            let stepped = free.standing.of_number(number * (1.0 + STEP).powf(way));
            let (value, number) = if stepped.0 == *text { free.standing.of_number(number + way) } else { stepped };
            (value != *text).then(|| (value, number.ln()))
        })
    }

    /// The elasticities of each number to all constants.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let all: Vec<usize> = (0..self.frees.len()).collect();
        let rows = self.elasticities(&all);
        rows.row_iter().map(|row| row.iter().copied().collect()).collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Squares<'_> {
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
        let (logs, grid) = (self.logs(), self.grid());
        let values: Vec<&str> = grid.iter().map(|(text, _)| text.as_str()).collect();
        let numbers = self.numbers(&values);
        let left: Vec<f64> = logs.iter().zip(&grid).map(|(log, (_, near))| log - near).collect();
        // Picoseconds are fine enough to need no slope.
        let coarse: Vec<usize> = (0..left.len()).filter(|at| left[*at].abs() > SETTLED).collect();
        let slopes = self.elasticities(&coarse);
        let of_data = self.data.iter().enumerate().map(|(at, datum)| {
            let along: f64 = coarse.iter().map(|constant| slopes[(at, *constant)] * left[*constant]).sum();
            let residual = ((numbers[at] / datum.expected).ln() + along) / datum.noise;
            if residual.is_finite() { residual } else { UNSOUND }
        });
        let of_priors = self.frees.iter().zip(&logs).map(|(free, log)| (log - free.start.ln()) / free.prior);
        let all: Vec<f64> = of_data.chain(of_priors).collect();
        Some(DVector::from_vec(all))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let all: Vec<usize> = (0..self.frees.len()).collect();
        let slopes = self.elasticities(&all);
        let data = self.data.len();
        let mut jacobian = DMatrix::zeros(data + self.frees.len(), self.frees.len());
        for (constant, free) in self.frees.iter().enumerate() {
            let (_, turn) = free.logarithm(self.at[constant]);
            for (at, datum) in self.data.iter().enumerate() {
                jacobian[(at, constant)] = slopes[(at, constant)] * turn / datum.noise;
            }
            jacobian[(data + constant, constant)] = turn / free.prior;
        }
        Some(jacobian)
    }
}
