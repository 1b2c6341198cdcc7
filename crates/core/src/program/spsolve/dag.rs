//! Who waits for whom in a triangular solve: rows, and an edge for each entry beside the diagonal.
//!
//! Forward, `L x = b`, a row waits for those before it; backward, `Lᵀ x = b`, for those behind it. The
//! edges into a row are in the order of columns.

use crate::program::input::LowerTriangle;

/// A triangular solve.
#[derive(Clone, PartialEq, Debug)]
pub struct Dag {
    /// Where the edges into each row begin, and where the last ones end.
    begin: Vec<usize>,
    sources: Vec<u32>,
    coefficients: Vec<f64>,
    /// By row: one over the entry on the diagonal.
    reciprocals: Vec<f64>,
    /// Rows in an order in which each comes after those that it waits for.
    order: Vec<u32>,
}

impl Dag {
    /// The solve of `L x = b`.
    pub fn forward(lower: &LowerTriangle) -> Dag {
        let rows = lower.rows();
        let edges = (0..rows).flat_map(|row| {
            let (columns, values) = lower.row(row);
            columns.iter().zip(values).map(move |(column, value)| (row as u32, *column, *value))
        });
        Dag::new(lower, edges, (0..rows as u32).collect())
    }

    /// The solve of `Lᵀ x = b`.
    pub fn backward(lower: &LowerTriangle) -> Dag {
        let rows = lower.rows();
        let mut edges: Vec<_> = Dag::forward(lower).edges().map(|(row, source, value)| (source, row, value)).collect();
        edges.sort_by_key(|(row, source, _)| (*row, *source));
        Dag::new(lower, edges.into_iter(), (0..rows as u32).rev().collect())
    }

    fn new(lower: &LowerTriangle, edges: impl Iterator<Item = (u32, u32, f64)>, order: Vec<u32>) -> Dag {
        let rows = lower.rows();
        let mut dag = Dag {
            begin: vec![0; rows + 1],
            sources: Vec::new(),
            coefficients: Vec::new(),
            reciprocals: (0..rows).map(|row| 1.0 / lower.diagonal(row)).collect(),
            order,
        };
        for (row, source, value) in edges {
            dag.begin[row as usize + 1] += 1;
            dag.sources.push(source);
            dag.coefficients.push(value);
        }
        (0..rows).for_each(|row| dag.begin[row + 1] += dag.begin[row]);
        dag
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.reciprocals.len()
    }

    /// The edges into a row: from where, and by what they multiply; in order.
    pub fn edges_to(&self, row: usize) -> (&[u32], &[f64]) {
        let edges = self.begin[row]..self.begin[row + 1];
        (&self.sources[edges.clone()], &self.coefficients[edges])
    }

    /// All edges: into which row, from where, and by what they multiply; in order.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.rows()).flat_map(|row| {
            let (sources, coefficients) = self.edges_to(row);
            sources.iter().zip(coefficients).map(move |(source, by)| (row as u32, *source, *by))
        })
    }

    /// One over a row's entry on the diagonal.
    pub fn reciprocal(&self, row: usize) -> f64 {
        self.reciprocals[row]
    }

    /// What one processor alone makes of a right-hand side.
    pub fn serial(&self, right_hand: &[f64]) -> Vec<f64> {
        let mut unknowns = vec![f64::NAN; self.rows()];
        for row in self.order.iter().map(|row| *row as usize) {
            let (sources, coefficients) = self.edges_to(row);
            let contributions = sources.iter().zip(coefficients).map(|(source, by)| by * unknowns[*source as usize]);
            unknowns[row] = unknown(right_hand[row], contributions, self.reciprocals[row]);
        }
        unknowns
    }

    /// How many rows wait at most one for the other, and that for the next: the steps that no number of
    /// processors can save.
    pub fn levels(&self) -> usize {
        let mut levels = vec![0; self.rows()];
        for row in self.order.iter().map(|row| *row as usize) {
            let before = self.edges_to(row).0.iter().map(|source| levels[*source as usize]).max();
            levels[row] = before.unwrap_or(0) + 1;
        }
        levels.into_iter().max().unwrap_or(0)
    }
}

/// An unknown, from its row's contributions in their order.
pub(super) fn unknown(right_hand: f64, contributions: impl Iterator<Item = f64>, reciprocal: f64) -> f64 {
    contributions.fold(right_hand, |rest, contribution| rest - contribution) * reciprocal
}
