//! The steps of the solver so far: the best values, and an estimate of the number of steps left.

use super::control::FitStep;
use super::number::Datum;
use nalgebra::{DMatrix, DVector};

/// The relative change of the sum of squares, or of the constants, below which the solver ends (chosen: constants are
/// rounded far more coarsely).
pub const TOLERANCE: f64 = 1e-4;
/// The range of the factor by which improvements shrink from step to step, for the estimate of the steps left (chosen:
/// a factor near 1 would give an unlimited estimate).
const CONVERGENCE_FACTOR_RANGE: (f64, f64) = (0.01, 0.9);

/// The steps of the solver so far.
pub struct Steps {
    /// The number of steps.
    count: usize,
    /// The largest number of steps.
    count_max: usize,
    /// The best parameters, and their sum of squares.
    best_step: Option<(DVector<f64>, f64)>,
    /// The relative reductions of the sum of squares by the last two improvements.
    reductions: [Option<f64>; 2],
    /// The elasticities at the last values for which the solver requested them.
    slopes: Option<DMatrix<f64>>,
}

impl Steps {
    /// Returns a record without steps, for a solver of at most `count_max` steps.
    pub fn new(count_max: usize) -> Steps {
        Steps { count: 0, count_max, best_step: None, reductions: [None; 2], slopes: None }
    }

    /// Returns the best parameters.
    pub fn best_parameters(&self) -> Option<&DVector<f64>> {
        self.best_step.as_ref().map(|(parameters, _)| parameters)
    }

    /// Returns the last elasticities.
    pub fn slopes(&self) -> Option<&DMatrix<f64>> {
        self.slopes.as_ref()
    }

    /// Stores the elasticities of the numbers with respect to the constants.
    pub fn set_slopes(&mut self, slopes: DMatrix<f64>) {
        self.slopes = Some(slopes);
    }

    /// Adds a step to the parameters `parameters`, with this sum of squares and these numbers.
    pub fn add_step(
        &mut self,
        parameters: &DVector<f64>,
        sum_of_squares: f64,
        data: &[Datum],
        numbers: &[f64],
    ) -> FitStep {
        self.count += 1;
        match &mut self.best_step {
            Some((_, best)) if sum_of_squares >= *best => {}
            best => {
                let previous_best =
                    best.replace((parameters.clone(), sum_of_squares)).map(|(_, previous_sum)| previous_sum);
                if let Some(previous_sum) = previous_best {
                    self.reductions = [self.reductions[1], Some(1.0 - sum_of_squares / previous_sum)];
                }
            }
        }
        let errors = data.iter().zip(numbers).map(|(datum, prediction)| (datum, prediction / datum.expected - 1.0));
        let complete: Vec<(&Datum, f64)> = errors.filter(|(_, error)| error.is_finite()).collect();
        let squares: f64 = complete.iter().map(|(_, error)| error * error).sum();
        let largest_error = complete.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        FitStep {
            steps_left: self.steps_left(),
            rms: (squares / complete.len().max(1) as f64).sqrt(),
            largest_error: largest_error.map(|(datum, error)| (datum.name.clone(), *error)),
            incomplete_runs: data.len() - complete.len(),
            ..FitStep::new(self.count, self.count_max)
        }
    }

    /// Estimates the number of steps left: in each step, improvements shrink by the same factor, until they are
    /// negligible.
    fn steps_left(&self) -> Option<usize> {
        let [Some(previous), Some(last)] = self.reductions else { return None };
        let factor = (last / previous).clamp(CONVERGENCE_FACTOR_RANGE.0, CONVERGENCE_FACTOR_RANGE.1);
        // A quotient of logarithms that is whole except for rounding is taken as whole.
        let steps = (libm::log(TOLERANCE / last) / libm::log(factor) - 1e-9).ceil();
        Some((steps.max(1.0) as usize).min(self.count_max.saturating_sub(self.count)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_left_follow_from_the_rate_of_convergence() {
        let mut steps = Steps::new(40);
        let data = |expected| Datum {
            name: format!("{expected}"),
            unit: String::new(),
            expected,
            noise: 0.03,
            tolerance: 0.1,
            curve: 0,
        };
        let mut step = |parameter: f64, sum_of_squares: f64| {
            steps.add_step(
                &DVector::from_element(1, parameter),
                sum_of_squares,
                &[data(1.0), data(2.0)],
                &[1.1, f64::NAN],
            )
        };
        let first = step(1.0, 100.0);
        assert_eq!((first.number, first.steps_left, first.incomplete_runs), (1, None, 1));
        assert!((first.rms - 0.1).abs() < 1e-9 && first.largest_error.is_some_and(|(name, _)| name == "1"));
        // Reductions of 10 % and 1 %: the next ones are 0.1 % and 0.01 %, which is negligible.
        assert_eq!(step(2.0, 90.0).steps_left, None);
        assert_eq!(step(3.0, 89.1).steps_left, Some(2));
        // A step without an improvement changes neither the best values nor the estimate.
        assert_eq!(step(4.0, 95.0).steps_left, Some(2));
        assert_eq!(steps.best_parameters(), Some(&DVector::from_element(1, 3.0)));
    }
}
