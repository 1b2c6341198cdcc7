//! The dependence graph of a triangular solve. It has a vertex for each row, and an edge for each off-diagonal entry.
//!
//! In a forward solve, `L x = b`, a row waits for earlier rows; in a backward solve, `Lᵀ x = b`, for later rows. The
//! edges into a row are in the order of columns.

use crate::program::input::LowerTriangle;

/// The dependence graph of a triangular solve, with its coefficients.
#[derive(Clone, PartialEq, Debug)]
pub struct Dag {
    /// Index of the first edge into each row; at the end, the number of edges.
    row_starts: Vec<usize>,
    sources: Vec<u32>,
    coefficients: Vec<f64>,
    /// Reciprocal of each row's diagonal entry.
    reciprocals: Vec<f64>,
    /// Rows in a topological order.
    order: Vec<u32>,
}

impl Dag {
    /// Returns the graph of `L x = b`.
    pub fn forward(lower: &LowerTriangle) -> Dag {
        let rows = lower.rows();
        let edges = (0..rows).flat_map(|row| {
            let (columns, values) = lower.row(row);
            columns.iter().zip(values).map(move |(column, value)| (row as u32, *column, *value))
        });
        Dag::new(lower, edges, (0..rows as u32).collect())
    }

    /// Returns the graph of `Lᵀ x = b`.
    pub fn backward(lower: &LowerTriangle) -> Dag {
        let rows = lower.rows();
        let mut edges: Vec<_> = Dag::forward(lower).edges().map(|(row, source, value)| (source, row, value)).collect();
        edges.sort_by_key(|(row, source, _)| (*row, *source));
        Dag::new(lower, edges.into_iter(), (0..rows as u32).rev().collect())
    }

    fn new(lower: &LowerTriangle, edges: impl Iterator<Item = (u32, u32, f64)>, order: Vec<u32>) -> Dag {
        let rows = lower.rows();
        let mut dag = Dag {
            row_starts: vec![0; rows + 1],
            sources: Vec::new(),
            coefficients: Vec::new(),
            reciprocals: (0..rows).map(|row| 1.0 / lower.diagonal(row)).collect(),
            order,
        };
        for (row, source, value) in edges {
            dag.row_starts[row as usize + 1] += 1;
            dag.sources.push(source);
            dag.coefficients.push(value);
        }
        (0..rows).for_each(|row| dag.row_starts[row + 1] += dag.row_starts[row]);
        dag
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.reciprocals.len()
    }

    /// Returns the edges into a row: their source rows and coefficients, in order.
    pub fn edges_to(&self, row: usize) -> (&[u32], &[f64]) {
        let edges = self.row_starts[row]..self.row_starts[row + 1];
        (&self.sources[edges.clone()], &self.coefficients[edges])
    }

    /// Returns all edges in order, each as its row, its source row, and its coefficient.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.rows()).flat_map(|row| {
            let (sources, coefficients) = self.edges_to(row);
            sources.iter().zip(coefficients).map(move |(source, coefficient)| (row as u32, *source, *coefficient))
        })
    }

    /// Returns the reciprocal of a row's diagonal entry.
    pub fn reciprocal(&self, row: usize) -> f64 {
        self.reciprocals[row]
    }

    /// Solves for a right-hand side on one processor.
    pub fn solve_serially(&self, right_hand: &[f64]) -> Vec<f64> {
        let mut unknowns = vec![f64::NAN; self.rows()];
        for row in self.order.iter().map(|row| *row as usize) {
            let (sources, coefficients) = self.edges_to(row);
            let contributions =
                sources.iter().zip(coefficients).map(|(source, coefficient)| coefficient * unknowns[*source as usize]);
            unknowns[row] = unknown(right_hand[row], contributions, self.reciprocals[row]);
        }
        unknowns
    }

    /// Returns the number of levels: the length of the longest chain of rows in which each row waits for the previous
    /// one. It is a lower bound on the number of parallel steps.
    pub fn level_count(&self) -> usize {
        let mut levels = vec![0; self.rows()];
        for row in self.order.iter().map(|row| *row as usize) {
            let source_level = self.edges_to(row).0.iter().map(|source| levels[*source as usize]).max();
            levels[row] = source_level.unwrap_or(0) + 1;
        }
        levels.into_iter().max().unwrap_or(0)
    }
}

/// Returns the unknown of a row, given its contributions in order.
pub(super) fn unknown(right_hand: f64, contributions: impl Iterator<Item = f64>, reciprocal: f64) -> f64 {
    contributions.fold(right_hand, |remaining, contribution| remaining - contribution) * reciprocal
}
