//! A symmetric matrix like those of the finite-element method. The degrees of freedom of a mesh node are rows of the
//! matrix, and these rows have the same neighbours.
//!
//! Mesh nodes are on a sheet, row by row, because BCSSTK32 is a car's chassis, which consists of plates. Pairs of nodes
//! are coupled in the order of their distance until rows have the requested number of neighbours; of the pairs with the
//! largest distance used, a random subset is taken. Off-diagonal values are random; the diagonal is larger than their
//! sum, so that the matrix is positive definite (chosen).
//!
//! The module leaves out stiffnesses, holes and joints, and any order of rows other than that along the sheet.

use super::SymmetricMatrix;
use crate::engine::rng;
use crate::text::Parameters;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The size of a finite-element matrix. The default is that of the paper. (Chosen: three degrees of freedom, and 26
/// neighbours per row, as in small structures of the Harwell–Boeing collection; the paper states only the number of
/// elements.)
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct FemSize {
    /// Matrix rows of each point of the finite-element mesh (its degrees of freedom); they have the same neighbours.
    ///
    /// The last point of the mesh may have fewer rows.
    #[param(key = "degrees-of-freedom", was = "freedom", min = 1, max = 12, default = 3)]
    pub degrees_of_freedom: usize,
    /// Rows of a generated finite-element matrix.
    #[param(min = 2, max = ROWS_MAX, default = 3720)]
    pub rows: usize,
    /// Mean number of off-diagonal entries in a row of a generated matrix.
    #[param(min = 0.0, max = 100.0, default = 26.0)]
    pub neighbours: f64,
}

/// Largest number of rows of a generated matrix.
const ROWS_MAX: u64 = 50_000;

/// A generated matrix, and the position of the mesh node of each row.
#[derive(Clone, Debug)]
pub struct FemMatrix {
    /// The matrix.
    pub matrix: SymmetricMatrix,
    /// Position of each row's mesh node.
    pub coordinates: Vec<[f64; 3]>,
}

/// Generates a matrix of this size.
///
/// # Errors
///
/// Returns the reason if there is no such matrix.
pub fn generate(size: FemSize, seed: u64) -> Result<FemMatrix, String> {
    if size.rows == 0 || size.degrees_of_freedom == 0 || u32::try_from(size.rows).is_err() {
        return Err(format!("a matrix has from 1 to {} rows, and a mesh node at least one", u32::MAX));
    }
    if !(0.0..=NEIGHBOURS_MAX).contains(&size.neighbours) {
        return Err(format!("a row has from 0 to {NEIGHBOURS_MAX} neighbours on average, not {}", size.neighbours));
    }
    let mut random = rng::stream(seed, "finite elements");
    let sheet = Sheet::new(size);
    let pairs = sheet.pairs(size, &mut random)?;
    let mut earlier_neighbours: Vec<Vec<u32>> = vec![Vec::new(); sheet.nodes];
    for (one, other) in pairs {
        earlier_neighbours[one.max(other) as usize].push(one.min(other));
    }
    earlier_neighbours.iter_mut().for_each(|nodes| nodes.sort_unstable());
    let mut entries = Vec::new();
    let mut row_sums = vec![0.0; size.rows];
    for (node, earlier_nodes) in earlier_neighbours.iter().enumerate() {
        let rows_of_node =
            |node: usize| node * size.degrees_of_freedom..((node + 1) * size.degrees_of_freedom).min(size.rows);
        for row in rows_of_node(node) {
            let columns = earlier_nodes.iter().flat_map(|other| rows_of_node(*other as usize));
            for column in columns.chain(node * size.degrees_of_freedom..row) {
                let value = -0.1 - 0.9 * random.random::<f64>();
                row_sums[row] -= value;
                row_sums[column] -= value;
                entries.push((row as u32, column as u32, value));
            }
            entries.push((row as u32, row as u32, 0.0));
        }
    }
    for (row, _, value) in entries.iter_mut().filter(|(row, column, _)| row == column) {
        *value = 1.0 + DIAGONAL_DOMINANCE * row_sums[*row as usize];
    }
    let coordinates = (0..size.rows).map(|row| sheet.position(row / size.degrees_of_freedom)).collect();
    Ok(FemMatrix { matrix: SymmetricMatrix::from_lower(size.rows, entries.into_iter()), coordinates })
}

/// Ratio of a diagonal entry to the sum of the other entries in its row. It is nearly one, as in a stiff structure.
const DIAGONAL_DOMINANCE: f64 = 1.01;

/// Largest mean number of neighbours; a matrix with more is not sparse.
const NEIGHBOURS_MAX: f64 = 1000.0;

/// The sheet of mesh nodes, row by row.
struct Sheet {
    nodes: usize,
    width: usize,
}

impl Sheet {
    fn new(size: FemSize) -> Sheet {
        let nodes = size.rows.div_ceil(size.degrees_of_freedom);
        Sheet { nodes, width: nodes.isqrt().max(1) }
    }

    fn position(&self, node: usize) -> [f64; 3] {
        [(node % self.width) as f64, (node / self.width) as f64, 0.0]
    }

    /// Returns the mesh node at an offset from another, if there is one.
    fn node_at_offset(&self, node: usize, (across, along): (isize, isize)) -> Option<u32> {
        let column = (node % self.width).checked_add_signed(across).filter(|column| *column < self.width)?;
        let other = (node / self.width).checked_add_signed(along)? * self.width + column;
        (other < self.nodes).then_some(other as u32)
    }

    /// Returns the pairs of nodes that are coupled.
    fn pairs(&self, size: FemSize, random: &mut rng::RandomStream) -> Result<Vec<(u32, u32)>, String> {
        let entries_within_node = |rows: usize| rows * (rows - 1) / 2;
        let diagonal_entries = (self.nodes - 1) * entries_within_node(size.degrees_of_freedom)
            + entries_within_node(size.rows - (self.nodes - 1) * size.degrees_of_freedom);
        let entries = size.rows as f64 * size.neighbours / 2.0 - diagonal_entries as f64;
        let pair_count =
            (entries / (size.degrees_of_freedom * size.degrees_of_freedom) as f64).round().max(0.0) as usize;
        let mut pairs = Vec::new();
        let mut squared_distance = 0;
        while pairs.len() < pair_count {
            squared_distance += 1;
            let mut candidates = self.pairs_at_distance(squared_distance);
            let is_nearest = pairs.is_empty();
            let missing_pairs = pair_count - pairs.len();
            if squared_distance > (2 * self.width * self.width) as isize
                || (is_nearest && missing_pairs < candidates.len())
            {
                return Err(format!(
                    "{} neighbours per row are too many for a mesh of {} nodes: choose fewer, or more rows",
                    size.neighbours, self.nodes
                ));
            }
            if missing_pairs < candidates.len() {
                pairs.extend_from_slice(candidates.partial_shuffle(random, missing_pairs).0);
            } else {
                pairs.append(&mut candidates);
            }
        }
        Ok(pairs)
    }

    /// Returns all pairs of nodes whose distance has this square.
    fn pairs_at_distance(&self, squared_distance: isize) -> Vec<(u32, u32)> {
        let offset_max = squared_distance.isqrt();
        let offsets = (0..=offset_max).flat_map(|along| (-offset_max..=offset_max).map(move |across| (across, along)));
        let offsets: Vec<_> = offsets
            .filter(|(across, along)| {
                across * across + along * along == squared_distance && (*along > 0 || *across > 0)
            })
            .collect();
        let pairs_from = |node: usize| {
            offsets.iter().filter_map(move |offset| Some((node as u32, self.node_at_offset(node, *offset)?)))
        };
        (0..self.nodes).flat_map(pairs_from).collect()
    }
}
