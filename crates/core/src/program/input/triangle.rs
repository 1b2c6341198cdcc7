//! A lower triangle of a matrix by rows, and its diagonal: what a symmetric matrix is kept as, and what a
//! triangular one is.

/// A lower triangle.
#[derive(Clone, PartialEq, Debug)]
pub struct LowerTriangle {
    /// Where the entries of each row begin that are before the diagonal, and where the last ones end.
    pub(crate) begin: Vec<usize>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
}

impl LowerTriangle {
    /// One without rows, to be given them.
    pub(crate) fn empty() -> LowerTriangle {
        LowerTriangle { begin: vec![0], columns: Vec::new(), values: Vec::new(), diagonal: Vec::new() }
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

    /// The value of a row on the diagonal.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    /// Whether it is what it should be: columns in order, before the diagonal, all values finite.
    pub fn is_sound(&self) -> bool {
        let is_row = |row: usize| {
            let columns = self.row(row).0;
            columns.windows(2).all(|two| two[0] < two[1]) && columns.last().is_none_or(|last| (*last as usize) < row)
        };
        self.begin.last() == Some(&self.values.len())
            && (0..self.rows()).all(is_row)
            && self.values.iter().chain(&self.diagonal).all(|value| value.is_finite())
    }
}
