//! A processor's rows in a solve: the contributions that have come, and who is to get theirs.

use super::dag::{Dag, unknown};
use crate::program::input::partition;
use crate::program::parallel;
use std::collections::VecDeque;

/// What a message brings: a place among the receiver's contributions, and a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Contribution {
    /// The place.
    pub place: u32,
    /// The value.
    pub value: f64,
}

/// An edge out of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowEdge {
    /// The processor of the row that waits.
    pub to: u32,
    /// The place among its contributions.
    pub place: u32,
    /// By what the unknown is multiplied.
    pub coefficient: f64,
}

/// A processor's rows, numbered here, in order.
#[derive(Clone, Debug)]
pub struct RowShare {
    /// Their numbers in the matrix.
    pub rows: Vec<u32>,
    reciprocals: Vec<f64>,
    right_hand: Vec<f64>,
    /// Where the contributions to each row begin, and where the last ones end.
    begin: Vec<usize>,
    contributions: Vec<f64>,
    /// By contribution: its row.
    row_of: Vec<u32>,
    /// By row: how many contributions are still to come.
    missing: Vec<u32>,
    /// Where the edges out of each row begin, and where the last ones end.
    out_begin: Vec<usize>,
    out: Vec<RowEdge>,
    ready: VecDeque<u32>,
    unknowns: Vec<f64>,
    /// How many of them are known.
    solved: usize,
}

impl Contribution {
    /// As it travels: 12 bytes.
    pub fn words(self) -> [u32; 3] {
        let [low, high] = parallel::f64_to_words(self.value);
        [self.place, low, high]
    }

    /// As it came.
    pub fn of(words: [u32; 3]) -> Contribution {
        let [place, low, high] = words;
        Contribution { place, value: parallel::f64_from_words([low, high]) }
    }
}

impl RowShare {
    /// The rows of all processors, from the processor of each row.
    pub fn all(dag: &Dag, owners: &[u32], parts: usize) -> Vec<RowShare> {
        // Contributions of a processor are in the order of its rows, and of their edges.
        let mut places = vec![0; parts];
        let mut out: Vec<Vec<RowEdge>> = vec![Vec::new(); dag.rows()];
        for (row, source, coefficient) in dag.edges() {
            let to = owners[row as usize];
            out[source as usize].push(RowEdge { to, place: places[to as usize], coefficient });
            places[to as usize] += 1;
        }
        let members = partition::members(owners, parts);
        members.into_iter().map(|rows| RowShare::new(dag, rows, &out)).collect()
    }

    fn new(dag: &Dag, rows: Vec<u32>, out: &[Vec<RowEdge>]) -> RowShare {
        let mut here = RowShare {
            reciprocals: rows.iter().map(|row| dag.reciprocal(*row as usize)).collect(),
            right_hand: vec![0.0; rows.len()],
            begin: vec![0],
            contributions: Vec::new(),
            row_of: Vec::new(),
            missing: vec![0; rows.len()],
            out_begin: vec![0],
            out: Vec::new(),
            ready: VecDeque::new(),
            unknowns: vec![f64::NAN; rows.len()],
            solved: 0,
            rows,
        };
        for (at, row) in (0..).zip(here.rows.iter().map(|row| *row as usize)) {
            here.row_of.extend(dag.edges_to(row).0.iter().map(|_| at));
            here.begin.push(here.row_of.len());
            here.out.extend(&out[row]);
            here.out_begin.push(here.out.len());
        }
        here.contributions = vec![f64::NAN; here.row_of.len()];
        here
    }

    /// Begins a solve of a right-hand side, of the whole matrix: who waits for nobody is ready.
    pub fn begin(&mut self, right_hand: &[f64]) {
        for (at, row) in self.rows.iter().enumerate() {
            self.right_hand[at] = right_hand[*row as usize];
            self.missing[at] = (self.begin[at + 1] - self.begin[at]) as u32;
        }
        self.contributions.fill(f64::NAN);
        self.unknowns.fill(f64::NAN);
        self.solved = 0;
        self.ready = (0..self.rows.len() as u32).filter(|at| self.missing[*at as usize] == 0).collect();
    }

    /// Takes a contribution, of a message or of its own; whether its row became ready.
    pub fn take(&mut self, contribution: Contribution) -> bool {
        let (place, row) = (contribution.place as usize, self.row_of[contribution.place as usize]);
        assert!(self.contributions[place].is_nan(), "a contribution came twice");
        self.contributions[place] = contribution.value;
        let missing = &mut self.missing[row as usize];
        *missing -= 1;
        let is_ready = *missing == 0;
        if is_ready {
            self.ready.push_back(row);
        }
        is_ready
    }

    /// The next row that is ready, by its number here; the first to become so is the first to go.
    pub fn next_ready(&mut self) -> Option<usize> {
        self.ready.pop_front().map(|row| row as usize)
    }

    /// Whether a row is ready.
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// How many contributions a row has, and how many edges out.
    pub fn degree(&self, row: usize) -> (usize, usize) {
        (self.begin[row + 1] - self.begin[row], self.out_begin[row + 1] - self.out_begin[row])
    }

    /// Solves a row that is ready.
    pub fn solve(&mut self, row: usize) {
        assert_eq!(self.missing[row], 0, "a row is solved before all contributions have come");
        let contributions = self.contributions[self.begin[row]..self.begin[row + 1]].iter().copied();
        self.unknowns[row] = unknown(self.right_hand[row], contributions, self.reciprocals[row]);
        self.solved += 1;
    }

    /// What a solved row contributes along one of its edges, and to whose rows.
    pub fn contribution(&self, row: usize, edge: usize) -> (usize, Contribution) {
        let RowEdge { to, place, coefficient } = self.out[self.out_begin[row] + edge];
        (to as usize, Contribution { place, value: coefficient * self.unknowns[row] })
    }

    /// Whether all rows are solved.
    pub fn is_solved(&self) -> bool {
        self.solved == self.rows.len()
    }

    /// Puts its unknowns where they belong among all.
    pub fn put(&self, all: &mut [f64]) {
        self.rows.iter().zip(&self.unknowns).for_each(|(row, unknown)| all[*row as usize] = *unknown);
    }
}
