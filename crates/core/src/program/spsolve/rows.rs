//! The rows of a processor in a solve: the contributions that have arrived for them, and their edges to waiting rows.

use super::dag::{Dag, unknown};
use crate::program::input::partition;
use crate::program::parallel;
use std::collections::VecDeque;

/// The contents of a message: a slot among the receiver's contributions, and a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contribution {
    /// Slot of the contribution at its receiver.
    pub slot: u32,
    /// Value of the contribution.
    pub value: f64,
}

/// An edge from a row to a row that waits for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowEdge {
    /// Processor of the waiting row.
    pub to: u32,
    /// Slot among the contributions of that processor.
    pub slot: u32,
    /// Coefficient by which the unknown is multiplied.
    pub coefficient: f64,
}

/// The rows of a processor. Their local numbers follow the order of the matrix.
#[derive(Clone, Debug)]
pub struct RowShare {
    /// Numbers of the rows in the matrix.
    pub rows: Vec<u32>,
    reciprocals: Vec<f64>,
    right_hand: Vec<f64>,
    /// Slot of the first contribution to each row; at the end, the number of slots.
    contribution_starts: Vec<usize>,
    contributions: Vec<f64>,
    /// Row of each contribution.
    row_by_slot: Vec<u32>,
    /// Number of contributions that each row still waits for.
    missing_contributions: Vec<u32>,
    /// Index of the first edge out of each row; at the end, the number of edges.
    out_edge_starts: Vec<usize>,
    out_edges: Vec<RowEdge>,
    ready_rows: VecDeque<u32>,
    unknowns: Vec<f64>,
    /// Number of rows that are solved.
    solved_rows: usize,
}

impl Contribution {
    /// Returns the encoding of the contribution in a message: 12 bytes.
    pub fn words(self) -> [u32; 3] {
        let [low, high] = parallel::f64_to_words(self.value);
        [self.slot, low, high]
    }

    /// Returns the contribution that three words encode.
    pub fn from_words(words: [u32; 3]) -> Contribution {
        let [slot, low, high] = words;
        Contribution { slot, value: parallel::f64_from_words([low, high]) }
    }
}

impl RowShare {
    /// Creates the rows of all processors, from the processor of each row.
    pub fn all(dag: &Dag, owners: &[u32], parts: usize) -> Vec<RowShare> {
        // The contributions of a processor are in the order of its rows, and those of a row in the order of its edges.
        let mut next_slots = vec![0; parts];
        let mut out_edges: Vec<Vec<RowEdge>> = vec![Vec::new(); dag.rows()];
        for (row, source, coefficient) in dag.edges() {
            let to = owners[row as usize];
            out_edges[source as usize].push(RowEdge { to, slot: next_slots[to as usize], coefficient });
            next_slots[to as usize] += 1;
        }
        let rows_by_processor = partition::elements_by_part(owners, parts);
        rows_by_processor.into_iter().map(|rows| RowShare::new(dag, rows, &out_edges)).collect()
    }

    fn new(dag: &Dag, rows: Vec<u32>, out_edges: &[Vec<RowEdge>]) -> RowShare {
        let mut share = RowShare {
            reciprocals: rows.iter().map(|row| dag.reciprocal(*row as usize)).collect(),
            right_hand: vec![0.0; rows.len()],
            contribution_starts: vec![0],
            contributions: Vec::new(),
            row_by_slot: Vec::new(),
            missing_contributions: vec![0; rows.len()],
            out_edge_starts: vec![0],
            out_edges: Vec::new(),
            ready_rows: VecDeque::new(),
            unknowns: vec![f64::NAN; rows.len()],
            solved_rows: 0,
            rows,
        };
        for (local_row, row) in (0..).zip(share.rows.iter().map(|row| *row as usize)) {
            share.row_by_slot.extend(dag.edges_to(row).0.iter().map(|_| local_row));
            share.contribution_starts.push(share.row_by_slot.len());
            share.out_edges.extend(&out_edges[row]);
            share.out_edge_starts.push(share.out_edges.len());
        }
        share.contributions = vec![f64::NAN; share.row_by_slot.len()];
        share
    }

    /// Starts a solve for a right-hand side of the whole matrix. Rows that wait for no other row are ready.
    pub fn start(&mut self, right_hand: &[f64]) {
        for (local_row, row) in self.rows.iter().enumerate() {
            self.right_hand[local_row] = right_hand[*row as usize];
            self.missing_contributions[local_row] =
                (self.contribution_starts[local_row + 1] - self.contribution_starts[local_row]) as u32;
        }
        self.contributions.fill(f64::NAN);
        self.unknowns.fill(f64::NAN);
        self.solved_rows = 0;
        self.ready_rows = (0..self.rows.len() as u32)
            .filter(|local_row| self.missing_contributions[*local_row as usize] == 0)
            .collect();
    }

    /// Adds a contribution, from a message or from a row of the same processor. Returns whether its row became ready.
    pub fn receive(&mut self, contribution: Contribution) -> bool {
        let (slot, row) = (contribution.slot as usize, self.row_by_slot[contribution.slot as usize]);
        assert!(self.contributions[slot].is_nan(), "a contribution arrived twice");
        self.contributions[slot] = contribution.value;
        let missing_count = &mut self.missing_contributions[row as usize];
        *missing_count -= 1;
        let is_ready = *missing_count == 0;
        if is_ready {
            self.ready_rows.push_back(row);
        }
        is_ready
    }

    /// Removes and returns the local number of the row that has been ready for longest.
    pub fn next_ready_row(&mut self) -> Option<usize> {
        self.ready_rows.pop_front().map(|row| row as usize)
    }

    /// Returns whether a row is ready.
    pub fn has_ready_row(&self) -> bool {
        !self.ready_rows.is_empty()
    }

    /// Returns the number of contributions to a row, and the number of edges out of it.
    pub fn degrees(&self, row: usize) -> (usize, usize) {
        (
            self.contribution_starts[row + 1] - self.contribution_starts[row],
            self.out_edge_starts[row + 1] - self.out_edge_starts[row],
        )
    }

    /// Computes the unknown of a ready row.
    pub fn solve(&mut self, row: usize) {
        assert_eq!(self.missing_contributions[row], 0, "a row is solved before all contributions have arrived");
        let contributions =
            self.contributions[self.contribution_starts[row]..self.contribution_starts[row + 1]].iter().copied();
        self.unknowns[row] = unknown(self.right_hand[row], contributions, self.reciprocals[row]);
        self.solved_rows += 1;
    }

    /// Returns the contribution of a solved row along one of its edges, and the processor that receives it.
    pub fn contribution(&self, row: usize, edge: usize) -> (usize, Contribution) {
        let RowEdge { to, slot, coefficient } = self.out_edges[self.out_edge_starts[row] + edge];
        (to as usize, Contribution { slot, value: coefficient * self.unknowns[row] })
    }

    /// Returns whether all rows are solved.
    pub fn is_solved(&self) -> bool {
        self.solved_rows == self.rows.len()
    }

    /// Stores the unknowns of the processor's rows among those of all rows.
    pub fn store(&self, all_unknowns: &mut [f64]) {
        self.rows.iter().zip(&self.unknowns).for_each(|(row, unknown)| all_unknowns[*row as usize] = *unknown);
    }
}
