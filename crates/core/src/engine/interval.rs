//! The 95 % confidence interval of the mean of independent samples, by Student's t distribution.
//!
//! The quantiles are tabulated, so that an interval has the same digits on every machine. Between two rows of the table
//! the lower number of degrees of freedom is used, which gives the wider interval. Whether the samples are normally
//! distributed is not tested; means of many values nearly are.

/// The 97.5 % quantile of Student's t, by degrees of freedom (NIST/SEMATECH e-Handbook, table 1.3.6.7.2).
const QUANTILES: [(u32, f64); 34] = [
    (1, 12.706),
    (2, 4.303),
    (3, 3.182),
    (4, 2.776),
    (5, 2.571),
    (6, 2.447),
    (7, 2.365),
    (8, 2.306),
    (9, 2.262),
    (10, 2.228),
    (11, 2.201),
    (12, 2.179),
    (13, 2.160),
    (14, 2.145),
    (15, 2.131),
    (16, 2.120),
    (17, 2.110),
    (18, 2.101),
    (19, 2.093),
    (20, 2.086),
    (21, 2.080),
    (22, 2.074),
    (23, 2.069),
    (24, 2.064),
    (25, 2.060),
    (26, 2.056),
    (27, 2.052),
    (28, 2.048),
    (29, 2.045),
    (30, 2.042),
    (40, 2.021),
    (60, 2.000),
    (120, 1.980),
    (1_000, 1.962),
];

fn quantile(degrees_of_freedom: usize) -> f64 {
    let rows = QUANTILES.iter().take_while(|(row_degrees, _)| *row_degrees as usize <= degrees_of_freedom);
    rows.last().map_or(f64::INFINITY, |(_, quantile)| *quantile)
}

/// Returns the mean of `samples`, or NaN if there are none.
pub fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

/// Returns half the width of the 95 % confidence interval of the mean, or `None` for fewer than two samples.
pub fn half_width(samples: &[f64]) -> Option<f64> {
    half_width_about(mean(samples), samples)
}

/// Returns half the width of the 95 % confidence interval about `center`, which need not be the mean of the samples;
/// `None` for fewer than two samples.
pub fn half_width_about(center: f64, samples: &[f64]) -> Option<f64> {
    let degrees_of_freedom = samples.len().checked_sub(1).filter(|degrees_of_freedom| *degrees_of_freedom > 0)?;
    let squares: f64 = samples.iter().map(|sample| (sample - center) * (sample - center)).sum();
    Some(quantile(degrees_of_freedom) * (squares / degrees_of_freedom as f64 / samples.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cumulative distribution function of Student's t, integrated from 0 by Simpson's rule.
    fn cumulative(t: f64, degrees_of_freedom: f64) -> f64 {
        let density = |x: f64| libm::pow(1.0 + x * x / degrees_of_freedom, -(degrees_of_freedom + 1.0) / 2.0);
        let scale = libm::lgamma((degrees_of_freedom + 1.0) / 2.0) - libm::lgamma(degrees_of_freedom / 2.0);
        let scale = libm::exp(scale) / (degrees_of_freedom * std::f64::consts::PI).sqrt();
        let (steps, step) = (20_000, t / 20_000.0);
        let weight = |index: usize| if index == 0 || index == steps { 1.0 } else { 2.0 + 2.0 * (index % 2) as f64 };
        let sum: f64 = (0..=steps).map(|index| weight(index) * density(index as f64 * step)).sum();
        0.5 + scale * sum * step / 3.0
    }

    #[test]
    fn the_table_holds_the_quantiles_of_students_t() {
        for (degrees_of_freedom, quantile) in QUANTILES {
            let probability = cumulative(quantile, degrees_of_freedom.into());
            assert!((probability - 0.975).abs() < 1e-4, "{degrees_of_freedom}: {probability}");
        }
        assert!(QUANTILES.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1));
    }

    #[test]
    fn half_width_of_five_samples_is_that_of_a_textbook() {
        // Mean 3, standard deviation √2.5, 2.776 × √(2.5 ÷ 5).
        let samples = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(mean(&samples), 3.0);
        assert!((half_width(&samples).expect("five samples have an interval") - 1.962_93).abs() < 1e-4);
        assert_eq!(half_width(&[7.0; 4]), Some(0.0));
        // About 4, the deviations are -3 to 1: 2.776 × √(15 ÷ 4 ÷ 5).
        assert!((half_width_about(4.0, &samples).expect("five samples have an interval") - 2.404_09).abs() < 1e-4);
        assert_eq!((half_width(&[1.0]), half_width(&[])), (None, None));
    }
}
