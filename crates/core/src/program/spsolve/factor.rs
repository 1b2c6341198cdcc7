//! Incomplete Cholesky factors without fill: a lower triangular matrix with the entries of a symmetric one
//! (Meijerink and van der Vorst 1977). Where a pivot would not be positive, the diagonal is made larger by
//! a part of it, and by twice that if it does not suffice (Manteuffel 1980).

use crate::program::input::{LowerTriangle, SymmetricMatrix};

/// A factor.
#[derive(Clone, PartialEq, Debug)]
pub struct Factor {
    /// The triangular matrix, whose diagonal is above 0.
    pub lower: LowerTriangle,
    /// The part by which the diagonal was made larger.
    pub shift: f64,
}

/// The first part by which a diagonal is made larger (chosen: small beside any entry that matters).
const SHIFT_FIRST: f64 = 1e-3;
/// The largest: with it, what has a positive diagonal is as good as diagonal itself.
const SHIFT_MAX: f64 = 1e9;

impl Factor {
    /// The incomplete factor of a matrix, or why there is none.
    pub fn of(matrix: &SymmetricMatrix) -> Result<Factor, String> {
        if let Some(row) = (0..matrix.lower.rows()).find(|row| matrix.lower.diagonal(*row) <= 0.0) {
            let (row, value) = (row + 1, matrix.lower.diagonal(row));
            return Err(format!("expected a positive definite matrix: row {row} has {value} on the diagonal"));
        }
        let mut shift = 0.0;
        while shift < SHIFT_MAX {
            if let Some(factor) = Factor::shifted(matrix, shift) {
                return Ok(factor);
            }
            shift = SHIFT_FIRST.max(2.0 * shift);
        }
        Err("expected a matrix with an incomplete factor: its entries are too large beside the diagonal".to_owned())
    }

    fn shifted(matrix: &SymmetricMatrix, shift: f64) -> Option<Factor> {
        let (matrix, rows) = (&matrix.lower, matrix.lower.rows());
        let mut lower = LowerTriangle::empty();
        for row in 0..rows {
            let (columns, values) = matrix.row(row);
            let begin = lower.columns.len();
            lower.columns.extend(columns);
            for (column, value) in columns.iter().zip(values) {
                // What the row has so far is its factor before this column.
                let done = begin..lower.values.len();
                let product = dot((&columns[..done.len()], &lower.values[done]), lower.row(*column as usize));
                lower.values.push((value - product) / lower.diagonal[*column as usize]);
            }
            let squares: f64 = lower.values[begin..].iter().map(|value| value * value).sum();
            let pivot = matrix.diagonal(row) * (1.0 + shift) - squares;
            // Also of what is no number.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            lower.diagonal.push(pivot.sqrt());
            lower.begin.push(lower.columns.len());
        }
        Some(Factor { lower, shift })
    }
}

/// The scalar product of two rows, each in the order of its columns.
fn dot(one: (&[u32], &[f64]), other: (&[u32], &[f64])) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for (column, value) in one.0.iter().zip(one.1) {
        while other.0.get(at).is_some_and(|there| there < column) {
            at += 1;
        }
        if other.0.get(at) == Some(column) {
            sum += value * other.1[at];
        }
    }
    sum
}
