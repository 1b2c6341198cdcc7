//! Incomplete Cholesky factors without fill: a lower triangular matrix with the sparsity of a symmetric one (Meijerink
//! and van der Vorst 1977). If a pivot would not be positive, the diagonal is increased by a fraction of itself; the
//! fraction is doubled until all pivots are positive (Manteuffel 1980).

use crate::program::input::{LowerTriangle, SymmetricMatrix};

/// An incomplete Cholesky factor.
#[derive(Clone, PartialEq, Debug)]
pub struct Factor {
    /// Triangular matrix with a positive diagonal.
    pub lower: LowerTriangle,
    /// Fraction by which the diagonal was increased.
    pub shift: f64,
}

/// First fraction by which a diagonal is increased (chosen: an increase of 0.1 % changes the factor little).
const SHIFT_FIRST: f64 = 1e-3;
/// Largest fraction by which a diagonal is increased. With it, a matrix with a positive diagonal is nearly diagonal.
const SHIFT_MAX: f64 = 1e9;

impl Factor {
    /// Computes the incomplete factor of a matrix.
    ///
    /// # Errors
    ///
    /// Returns an error if a diagonal element is not positive, or no shift up to the largest gives a factor.
    pub fn compute(matrix: &SymmetricMatrix) -> Result<Factor, String> {
        if let Some(row) = (0..matrix.lower.rows()).find(|row| matrix.lower.diagonal(*row) <= 0.0) {
            let (row, value) = (row + 1, matrix.lower.diagonal(row));
            return Err(format!("expected a positive definite matrix: row {row} has {value} on the diagonal"));
        }
        let mut shift = 0.0;
        while shift < SHIFT_MAX {
            if let Some(factor) = Factor::with_shift(matrix, shift) {
                return Ok(factor);
            }
            shift = SHIFT_FIRST.max(2.0 * shift);
        }
        Err("expected a matrix with an incomplete factor: its off-diagonal entries are too large".to_owned())
    }

    fn with_shift(matrix: &SymmetricMatrix, shift: f64) -> Option<Factor> {
        let (matrix, rows) = (&matrix.lower, matrix.lower.rows());
        let mut lower = LowerTriangle::empty();
        for row in 0..rows {
            let (columns, values) = matrix.row(row);
            let row_start = lower.columns.len();
            lower.columns.extend(columns);
            for (column, value) in columns.iter().zip(values) {
                // The values pushed for this row so far are the elements of the factor to the left of this column.
                let computed_entries = row_start..lower.values.len();
                let product = dot(
                    (&columns[..computed_entries.len()], &lower.values[computed_entries]),
                    lower.row(*column as usize),
                );
                lower.values.push((value - product) / lower.diagonal[*column as usize]);
            }
            let squares: f64 = lower.values[row_start..].iter().map(|value| value * value).sum();
            let pivot = matrix.diagonal(row) * (1.0 + shift) - squares;
            // This also rejects NaN.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            lower.diagonal.push(pivot.sqrt());
            lower.row_starts.push(lower.columns.len());
        }
        Some(Factor { lower, shift })
    }
}

/// Returns the scalar product of two rows whose entries are in the order of columns.
fn dot(one: (&[u32], &[f64]), other: (&[u32], &[f64])) -> f64 {
    let (mut index, mut sum) = (0, 0.0);
    for (column, value) in one.0.iter().zip(one.1) {
        while other.0.get(index).is_some_and(|other_column| other_column < column) {
            index += 1;
        }
        if other.0.get(index) == Some(column) {
            sum += value * other.1[index];
        }
    }
    sum
}
