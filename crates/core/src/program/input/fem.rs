//! A symmetric matrix such as finite elements give: the rows of a mesh node, its degrees of freedom, have
//! the same neighbours.
//!
//! Mesh nodes lie on a sheet (BCSSTK32 is a car's chassis, of plates), row after row. Pairs of them are
//! coupled by distance, the nearest first, until rows have as many neighbours as was asked; of the last
//! distance as many pairs as are missing, drawn from the seed. Values beside the diagonal are drawn; the
//! diagonal is larger than their sum, so that the matrix is positive definite (chosen).
//!
//! Leaves out: stiffnesses, holes and joints, and any order of the rows but that along the sheet.

use super::SymmetricMatrix;
use crate::engine::rng;
use crate::text::Parameters;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The size of a matrix of finite elements; by default that of the paper. (Chosen: three degrees of freedom and 26
/// neighbours a row, as small structures of the Harwell–Boeing collection have; the paper says no more than the number
/// of elements.)
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct FemSize {
    /// Rows of a mesh node, which have the same neighbours.
    ///
    /// Degrees of freedom. The last mesh node has what is left.
    #[param(min = 1, max = 12, default = 3)]
    pub freedom: usize,
    /// Rows of a matrix that is drawn, such as finite elements give.
    #[param(min = 2, max = ROWS_MAX, default = 3720)]
    pub rows: usize,
    /// How many others are in a row of it, on average.
    #[param(min = 0.0, max = 100.0, default = 26.0)]
    pub neighbours: f64,
}

/// The most rows of a matrix that is drawn.
const ROWS_MAX: u64 = 50_000;

/// A matrix, and where the mesh node of each row lies.
#[derive(Clone, Debug)]
pub struct FemMatrix {
    /// The matrix.
    pub matrix: SymmetricMatrix,
    /// By row.
    pub coordinates: Vec<[f64; 3]>,
}

/// Makes a matrix of this size, or says why there is none.
pub fn generate(size: FemSize, seed: u64) -> Result<FemMatrix, String> {
    if size.rows == 0 || size.freedom == 0 || u32::try_from(size.rows).is_err() {
        return Err(format!("a matrix has from 1 to {} rows, and a mesh node at least one", u32::MAX));
    }
    if !(0.0..=NEIGHBOURS_MAX).contains(&size.neighbours) {
        return Err(format!("a row has from 0 to {NEIGHBOURS_MAX} neighbours on average, not {}", size.neighbours));
    }
    let mut random = rng::stream(seed, "finite elements");
    let sheet = Sheet::new(size);
    let pairs = sheet.pairs(size, &mut random)?;
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); sheet.nodes];
    for (one, other) in pairs {
        rows[one.max(other) as usize].push(one.min(other));
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    let mut entries = Vec::new();
    let mut sums = vec![0.0; size.rows];
    for (node, others) in rows.iter().enumerate() {
        let freedom = |node: usize| node * size.freedom..((node + 1) * size.freedom).min(size.rows);
        for row in freedom(node) {
            let of_others = others.iter().flat_map(|other| freedom(*other as usize));
            for column in of_others.chain(node * size.freedom..row) {
                let value = -0.1 - 0.9 * random.random::<f64>();
                sums[row] -= value;
                sums[column] -= value;
                entries.push((row as u32, column as u32, value));
            }
            entries.push((row as u32, row as u32, 0.0));
        }
    }
    for (row, _, value) in entries.iter_mut().filter(|(row, column, _)| row == column) {
        *value = 1.0 + DOMINANCE * sums[*row as usize];
    }
    let coordinates = (0..size.rows).map(|row| sheet.place(row / size.freedom)).collect();
    Ok(FemMatrix { matrix: SymmetricMatrix::of_lower(size.rows, entries.into_iter()), coordinates })
}

/// How much larger the diagonal is than the sum beside it: as good as equal, as in a stiff structure.
const DOMINANCE: f64 = 1.01;

/// The most neighbours on average: what is more is no sparse matrix.
const NEIGHBOURS_MAX: f64 = 1000.0;

struct Sheet {
    nodes: usize,
    width: usize,
}

impl Sheet {
    fn new(size: FemSize) -> Sheet {
        let nodes = size.rows.div_ceil(size.freedom);
        Sheet { nodes, width: nodes.isqrt().max(1) }
    }

    fn place(&self, node: usize) -> [f64; 3] {
        [(node % self.width) as f64, (node / self.width) as f64, 0.0]
    }

    /// The mesh node so far from one, if there is one.
    fn beside(&self, node: usize, (across, along): (isize, isize)) -> Option<u32> {
        let column = (node % self.width).checked_add_signed(across).filter(|column| *column < self.width)?;
        let other = (node / self.width).checked_add_signed(along)? * self.width + column;
        (other < self.nodes).then_some(other as u32)
    }

    /// The pairs that are coupled.
    fn pairs(&self, size: FemSize, random: &mut rng::RandomStream) -> Result<Vec<(u32, u32)>, String> {
        let of_node = |freedom: usize| freedom * (freedom - 1) / 2;
        let own = (self.nodes - 1) * of_node(size.freedom) + of_node(size.rows - (self.nodes - 1) * size.freedom);
        let entries = size.rows as f64 * size.neighbours / 2.0 - own as f64;
        let wanted = (entries / (size.freedom * size.freedom) as f64).round().max(0.0) as usize;
        let mut pairs = Vec::new();
        let mut square = 0;
        while pairs.len() < wanted {
            square += 1;
            let mut farther = self.apart(square);
            let is_nearest = pairs.is_empty();
            let missing = wanted - pairs.len();
            if square > (2 * self.width * self.width) as isize || (is_nearest && missing < farther.len()) {
                return Err(format!("no sheet of {} mesh nodes has {} neighbours a row", self.nodes, size.neighbours));
            }
            if missing < farther.len() {
                pairs.extend_from_slice(farther.partial_shuffle(random, missing).0);
            } else {
                pairs.append(&mut farther);
            }
        }
        Ok(pairs)
    }

    /// All pairs at a distance, told by its square.
    fn apart(&self, square: isize) -> Vec<(u32, u32)> {
        let most = square.isqrt();
        let steps = (0..=most).flat_map(|along| (-most..=most).map(move |across| (across, along)));
        let steps: Vec<_> = steps
            .filter(|(across, along)| across * across + along * along == square && (*along > 0 || *across > 0))
            .collect();
        let from = |node: usize| steps.iter().filter_map(move |step| Some((node as u32, self.beside(node, *step)?)));
        (0..self.nodes).flat_map(from).collect()
    }
}
