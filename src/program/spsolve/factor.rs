//! Incomplete Cholesky factors without fill: a lower triangular matrix with the entries of a symmetric one
//! (Meijerink and van der Vorst 1977). Where a pivot would not be positive, the diagonal is made larger by
//! a part of it, and by twice that if it does not suffice (Manteuffel 1980).

use crate::program::input::SymmetricMatrix;

/// A lower triangular matrix, by rows.
#[derive(Clone, PartialEq, Debug)]
pub struct LowerMatrix {
    begin: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// The part by which the diagonal was made larger.
    pub shift: f64,
}

/// The first part by which a diagonal is made larger (chosen: small beside any entry that matters).
const SHIFT_FIRST: f64 = 1e-3;
/// The largest: with it, what has a positive diagonal is as good as diagonal itself.
const SHIFT_MAX: f64 = 1e9;

impl LowerMatrix {
    /// The incomplete factor of a matrix, or why there is none.
    pub fn of(matrix: &SymmetricMatrix) -> Result<LowerMatrix, String> {
        if let Some(row) = (0..matrix.rows()).find(|row| matrix.diagonal(*row) <= 0.0) {
            let (row, value) = (row + 1, matrix.diagonal(row));
            return Err(format!("expected a positive definite matrix: row {row} has {value} on the diagonal"));
        }
        let mut shift = 0.0;
        while shift < SHIFT_MAX {
            if let Some(lower) = LowerMatrix::shifted(matrix, shift) {
                return Ok(lower);
            }
            shift = SHIFT_FIRST.max(2.0 * shift);
        }
        Err("expected a matrix with an incomplete factor: its entries are too large beside the diagonal".to_owned())
    }

    fn shifted(matrix: &SymmetricMatrix, shift: f64) -> Option<LowerMatrix> {
        let rows = matrix.rows();
        let mut lower =
            LowerMatrix { begin: vec![0], columns: Vec::new(), values: Vec::new(), diagonal: Vec::new(), shift };
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
        Some(lower)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// How many entries there are below the diagonal.
    pub fn below(&self) -> usize {
        self.columns.len()
    }

    /// The entries of a row before the diagonal: their columns, in order, and their values.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let entries = self.begin[row]..self.begin[row + 1];
        (&self.columns[entries.clone()], &self.values[entries])
    }

    /// The value of a row on the diagonal, above 0.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
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
