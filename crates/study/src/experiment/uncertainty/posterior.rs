//! The posterior covariance of the constants after calibration, to first order in their logarithms.
//!
//! With elasticities `e` of the numbers that were calibrated on, priors `p` and noise `s`, the covariance C of the
//! constants' logarithms is (diag(1/p²) + Σ e eᵀ / s²)⁻¹. The standard deviation of another number with elasticities
//! `g` is √(gᵀ C g).

use nalgebra::{DMatrix, DVector};

/// One standard deviation of that part of a published number's relative error that the constants do not cause. It
/// covers rounding, variation between machines, and effects that the model leaves out (chosen).
pub const NOISE: f64 = 0.03;

/// The posterior covariance of the constants' logarithms.
#[derive(Clone, PartialEq, Debug)]
pub struct Posterior {
    covariance: DMatrix<f64>,
}

impl Posterior {
    /// Computes the posterior of constants with these priors, given the elasticities and the noise of each number that
    /// was calibrated on.
    pub fn new(priors: &[f64], calibrated: &[(&[f64], f64)]) -> Posterior {
        let prior_precision = priors.iter().map(|prior| prior.powi(-2));
        let mut precision = DMatrix::from_diagonal(&DVector::from_iterator(priors.len(), prior_precision));
        for (row, noise) in calibrated {
            let row = DVector::from_row_slice(row);
            precision += &row * row.transpose() / (noise * noise);
        }
        // The sum of a positive diagonal and outer products is positive definite.
        let covariance = precision.cholesky().expect("priors are positive").inverse();
        Posterior { covariance }
    }

    /// Returns one standard deviation of the logarithm of a number with these elasticities.
    pub fn std_dev(&self, elasticities: &[f64]) -> f64 {
        let row = DVector::from_row_slice(elasticities);
        (row.transpose() * &self.covariance * row)[0].max(0.0).sqrt()
    }

    /// Returns one standard deviation of a constant's logarithm.
    pub fn constant_std_dev(&self, index: usize) -> f64 {
        self.covariance[(index, index)].max(0.0).sqrt()
    }

    /// Returns the correlation of each two constants' logarithms.
    pub fn correlation(&self) -> Vec<Vec<f64>> {
        let indices = 0..self.covariance.nrows();
        let correlation = |first: usize, other: usize| match first == other {
            true => 1.0,
            false => self.covariance[(first, other)] / (self.constant_std_dev(first) * self.constant_std_dev(other)),
        };
        indices.clone().map(|first| indices.clone().map(|other| correlation(first, other)).collect()).collect()
    }
}

/// Returns the error of a number in standard deviations, or `None` if a logarithm is undefined.
pub fn z_score(measured: f64, expected: f64, std_dev: f64) -> Option<f64> {
    let ratio = measured / expected;
    (ratio > 0.0 && ratio.is_finite()).then(|| libm::log(ratio) / libm::hypot(std_dev, NOISE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::uncertainty::unknown::DEFAULT_PRIOR;

    #[test]
    fn posterior_without_calibration_is_the_prior() {
        let posterior = Posterior::new(&[DEFAULT_PRIOR; 2], &[]);
        assert!((posterior.std_dev(&[0.6, 0.8]) - DEFAULT_PRIOR).abs() < 1e-12);
        assert!((posterior.constant_std_dev(0) - DEFAULT_PRIOR).abs() < 1e-12);
    }

    #[test]
    fn calibration_constrains_only_the_combination_it_measures() {
        let slopes = [1.0, 1.0];
        let posterior = Posterior::new(&[DEFAULT_PRIOR; 3], &[(&[slopes[0], slopes[1], 0.0], NOISE)]);
        let std_dev = posterior.std_dev(&[slopes[0], slopes[1], 0.0]);
        assert!(std_dev < NOISE && std_dev > 0.95 * NOISE, "{std_dev}");
        // Neither the difference of the two constants nor the third is constrained.
        assert!((posterior.std_dev(&[1.0, -1.0, 0.0]) - DEFAULT_PRIOR * 2f64.sqrt()).abs() < 1e-12);
        assert!((posterior.std_dev(&[0.0, 0.0, 1.0]) - DEFAULT_PRIOR).abs() < 1e-12);
        // The data constrain the product of the two constants, so that a high value of one goes with a low value of
        // the other.
        let correlation = posterior.correlation();
        assert!((-1.0..-0.98).contains(&correlation[0][1]), "{correlation:?}");
        assert!((correlation[0][1] - correlation[1][0]).abs() < 1e-12 && correlation[0][0] == 1.0, "{correlation:?}");
        assert!(correlation[0][2].abs() < 1e-12);
    }

    #[test]
    fn z_score_combines_posterior_and_noise() {
        let score = z_score(1.05, 1.0, 0.04).expect("both logarithms are defined");
        assert!((score - 1.05f64.ln() / 0.05).abs() < 1e-12, "{score}");
        assert_eq!(z_score(0.0, 1.0, 0.04), None);
    }
}
