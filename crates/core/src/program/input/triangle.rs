//! The lower triangle of a matrix, stored by rows, with its diagonal. It is a triangular matrix, or half of a symmetric
//! one.

/// A lower triangular matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct LowerTriangle {
    /// Index of the first entry of each row below the diagonal; at the end, the number of these entries.
    pub(crate) row_starts: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
}

impl LowerTriangle {
    /// Creates a triangle without rows.
    pub(crate) fn empty() -> LowerTriangle {
        LowerTriangle { row_starts: vec![0], columns: Vec::new(), values: Vec::new(), diagonal: Vec::new() }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Returns the number of entries below the diagonal.
    pub fn entries_below_diagonal(&self) -> usize {
        self.columns.len()
    }

    /// Returns the entries of a row below the diagonal: their columns, in order, and their values.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let entries = self.row_starts[row]..self.row_starts[row + 1];
        (&self.columns[entries.clone()], &self.values[entries])
    }

    /// Returns the diagonal entry of a row.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    /// Returns whether the triangle is valid: columns are in order and below the diagonal, and all values are finite.
    pub fn is_valid(&self) -> bool {
        let is_valid_row = |row: usize| {
            let columns = self.row(row).0;
            columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.last().is_none_or(|last| (*last as usize) < row)
        };
        self.row_starts.last() == Some(&self.values.len())
            && (0..self.rows()).all(is_valid_row)
            && self.values.iter().chain(&self.diagonal).all(|value| value.is_finite())
    }
}
