//! The combinations of constants that the numbers do not determine.
//!
//! With elasticities `E`, noise `s` and priors `p`, the matrix A = diag(1/s) E diag(p) is the Jacobian of the numbers
//! with respect to the constants. Numbers are in standard deviations, and constants in standard deviations of their
//! priors. An eigenvector of AᵀA with eigenvalue λ is a combination whose standard deviation the numbers reduce from 1
//! to 1/√(1 + λ). The combinations that are not determined span a space. Its basis in reduced echelon form names few
//! constants at a time: a constant that no number depends on is a separate vector, and so is a pair of constants that
//! changes no number if one rises while the other falls.

use nalgebra::{DMatrix, SymmetricEigen};

/// A constant is determined if its standard deviation after the fit is at most this fraction of its prior. The starting
/// value then has a weight of one sixteenth (chosen).
pub const DETERMINED_FRACTION_MAX: f64 = 0.25;

/// The change of the first constant of a combination; the changes of the others are stated relative to it.
const FIRST_CHANGE: f64 = 0.1;

/// The fraction of the first constant's prior below which the change of another constant is negligible.
const NEGLIGIBLE_FRACTION: f64 = 0.05;

/// A combination of constants that change together and leave all numbers nearly unchanged.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct UndeterminedCombination {
    /// The indices of the constants, each with its relative change; the first changes by +10 %.
    pub changes: Vec<(usize, f64)>,
    /// The largest relative change of a number due to these changes.
    pub effect: f64,
}

/// Returns the combinations of constants that the numbers do not determine, from the elasticities and the noise of each
/// number.
pub fn undetermined_combinations(priors: &[f64], numbers: &[(&[f64], f64)]) -> Vec<UndeterminedCombination> {
    if priors.is_empty() {
        return Vec::new();
    }
    let jacobian_element = |row: usize, column: usize| numbers[row].0[column] * priors[column] / numbers[row].1;
    let jacobian = DMatrix::from_fn(numbers.len(), priors.len(), jacobian_element);
    let eigen = SymmetricEigen::new(jacobian.transpose() * &jacobian);
    let is_undetermined = |value: f64| (1.0 + value.max(0.0)).sqrt().recip() > DETERMINED_FRACTION_MAX;
    let undetermined: Vec<usize> =
        (0..priors.len()).filter(|index| is_undetermined(eigen.eigenvalues[*index])).collect();
    let basis = eigen.eigenvectors.select_columns(&undetermined).transpose();
    let mut combinations = reduced_echelon_form(basis);
    combinations.sort_by_key(|(pivot, _)| *pivot);
    combinations.into_iter().map(|(pivot, row)| combination_of_direction(pivot, &row, priors, numbers)).collect()
}

/// Brings the rows of a matrix to reduced echelon form with complete pivoting, and returns each with the column of its
/// pivot, which is 1.
fn reduced_echelon_form(mut rows: DMatrix<f64>) -> Vec<(usize, Vec<f64>)> {
    let mut pivots: Vec<usize> = Vec::new();
    for step in 0..rows.nrows() {
        let remaining_rows = rows.rows(step, rows.nrows() - step);
        let (row, column) = remaining_rows.icamax_full();
        rows.swap_rows(step, step + row);
        let pivot = rows[(step, column)];
        rows.row_mut(step).scale_mut(pivot.recip());
        let pivot_row = rows.row(step).into_owned();
        for other in (0..rows.nrows()).filter(|other| *other != step) {
            let factor = rows[(other, column)];
            rows.row_mut(other).zip_apply(&pivot_row, |value, pivot_value| *value -= factor * pivot_value);
        }
        pivots.push(column);
    }
    let pivot_and_row = |(row_index, pivot): (usize, &usize)| (*pivot, rows.row(row_index).iter().copied().collect());
    pivots.iter().enumerate().map(pivot_and_row).collect()
}

/// Returns the combination of a direction, in standard deviations of the priors.
fn combination_of_direction(
    pivot: usize,
    direction: &[f64],
    priors: &[f64],
    numbers: &[(&[f64], f64)],
) -> UndeterminedCombination {
    let unit = libm::log1p(FIRST_CHANGE) / priors[pivot];
    let log_changes: Vec<f64> =
        direction.iter().zip(priors).map(|(component, prior)| component * prior * unit).collect();
    let is_named = |index: &usize| *index != pivot && direction[*index].abs() >= NEGLIGIBLE_FRACTION;
    let named_indices = [pivot].into_iter().chain((0..priors.len()).filter(is_named));
    let change_of_number = |row: &[f64]| {
        libm::expm1(row.iter().zip(&log_changes).map(|(slope, log_change)| slope * log_change).sum::<f64>()).abs()
    };
    UndeterminedCombination {
        changes: named_indices.map(|index| (index, libm::expm1(log_changes[index]))).collect(),
        effect: numbers.iter().map(|(row, _)| change_of_number(row)).fold(0.0, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combinations_of(priors: &[f64], rows: &[&[f64]]) -> Vec<UndeterminedCombination> {
        let numbers: Vec<(&[f64], f64)> = rows.iter().map(|row| (*row, 0.01)).collect();
        undetermined_combinations(priors, &numbers)
    }

    #[test]
    fn constants_that_only_a_product_determines_are_one_combination() {
        // Two numbers depend on the product of the first two constants, and none depends on the last.
        let combinations = combinations_of(&[0.25; 4], &[&[1.0, 1.0, 0.0, 0.0], &[0.5, 0.5, 1.0, 0.0]]);
        assert_eq!(combinations.len(), 2, "{combinations:?}");
        let indices = |combination: &UndeterminedCombination| {
            combination.changes.iter().map(|(index, _)| *index).collect::<Vec<_>>()
        };
        assert_eq!(indices(&combinations[0]).iter().copied().collect::<std::collections::BTreeSet<_>>(), [0, 1].into());
        assert!(
            (combinations[0].changes[0].1 - 0.1).abs() < 1e-9
                && (combinations[0].changes[1].1 - (1.0 / 1.1 - 1.0)).abs() < 1e-6
        );
        assert!(combinations[0].effect < 1e-6, "{combinations:?}");
        assert_eq!(indices(&combinations[1]), [3]);
    }

    #[test]
    fn determined_constants_leave_no_combination() {
        assert_eq!(combinations_of(&[0.25; 2], &[&[1.0, 0.0], &[0.3, 0.7]]), []);
    }

    #[test]
    fn constants_without_numbers_are_separate_combinations() {
        let combinations = combinations_of(&[0.25; 2], &[]);
        assert_eq!(combinations.iter().map(|combination| combination.changes.len()).collect::<Vec<_>>(), [1, 1]);
    }
}
