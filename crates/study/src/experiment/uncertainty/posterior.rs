//! What a calibration leaves free of the constants, to first order in their logarithms.
//!
//! With elasticities `e` of the numbers calibrated on, priors `p` and noise `s`, the covariance of the
//! constants' logarithms is (diag(1/p²) + Σ e eᵀ / s²)⁻¹; of another number with elasticities `g`,
//! √(gᵀ Σ g) is left free.

use nalgebra::{DMatrix, DVector};

/// One standard deviation of what a number of a paper is off by, beside the constants: its digits, its
/// machine, and what the model leaves out (chosen).
pub const NOISE: f64 = 0.03;

/// The covariance of constants' logarithms.
#[derive(Clone, PartialEq, Debug)]
pub struct Posterior {
    covariance: DMatrix<f64>,
}

impl Posterior {
    /// Of constants with these priors, when numbers with these elasticities hold, each within its noise.
    pub fn of(priors: &[f64], calibrated: &[(&[f64], f64)]) -> Posterior {
        let known = priors.iter().map(|prior| prior.powi(-2));
        let mut precision = DMatrix::from_diagonal(&DVector::from_iterator(priors.len(), known));
        for (row, noise) in calibrated {
            let row = DVector::from_row_slice(row);
            precision += &row * row.transpose() / (noise * noise);
        }
        // A sum of a positive diagonal and squares is positive definite.
        let covariance = precision.cholesky().expect("priors are positive").inverse();
        Posterior { covariance }
    }

    /// One standard deviation of the logarithm of a number with these elasticities.
    pub fn left_free(&self, elasticities: &[f64]) -> f64 {
        let row = DVector::from_row_slice(elasticities);
        (row.transpose() * &self.covariance * row)[0].max(0.0).sqrt()
    }

    /// One standard deviation of a constant's logarithm.
    pub fn constant(&self, index: usize) -> f64 {
        self.covariance[(index, index)].max(0.0).sqrt()
    }
}

/// By how many standard deviations a number misses what is expected.
pub fn z(measured: f64, expected: f64, left_free: f64) -> Option<f64> {
    let ratio = measured / expected;
    (ratio > 0.0 && ratio.is_finite()).then(|| ratio.ln() / left_free.hypot(NOISE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::uncertainty::unknown::PRIOR;

    #[test]
    fn without_a_calibration_the_priors_alone_are_left() {
        let posterior = Posterior::of(&[PRIOR; 2], &[]);
        assert!((posterior.left_free(&[0.6, 0.8]) - PRIOR).abs() < 1e-12);
        assert!((posterior.constant(0) - PRIOR).abs() < 1e-12);
    }

    #[test]
    fn what_is_calibrated_on_is_left_free_by_the_noise_and_what_it_says_nothing_of_by_its_prior() {
        let both = [1.0, 1.0];
        let posterior = Posterior::of(&[PRIOR; 3], &[(&[both[0], both[1], 0.0], NOISE)]);
        let left = posterior.left_free(&[both[0], both[1], 0.0]);
        assert!(left < NOISE && left > 0.95 * NOISE, "{left}");
        // Their difference is as free as before, and so is a third.
        assert!((posterior.left_free(&[1.0, -1.0, 0.0]) - PRIOR * 2f64.sqrt()).abs() < 1e-12);
        assert!((posterior.left_free(&[0.0, 0.0, 1.0]) - PRIOR).abs() < 1e-12);
    }

    #[test]
    fn an_error_counts_in_what_is_left_free_and_noise_together() {
        let one = z(1.05, 1.0, 0.04).expect("two numbers");
        assert!((one - 1.05f64.ln() / 0.05).abs() < 1e-12, "{one}");
        assert_eq!(z(0.0, 1.0, 0.04), None);
    }
}
