//! The parameters of a solve, and the triangular matrix that they describe.

use super::factor::Factor;
use crate::program::input::fem::{self, FemSize};
use crate::program::input::{self, Adjacency, LowerTriangle, SymmetricMatrix, colours, partition};
use crate::text::{ParameterChoice, Parameters, Table, file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The parameters of Spsolve.
#[derive(Clone, Debug, Parameters)]
pub struct Spsolve {
    /// The matrix that is drawn.
    #[param(flatten)]
    pub size: FemSize,
    /// In which order rows are eliminated: as they come, or those that have nothing in common together.
    #[param(default = "natural")]
    pub ordering: Ordering,
    /// A file with a symmetric matrix instead: Matrix Market, Harwell-Boeing, METIS, or lines of triplets.
    pub matrix: Option<PathBuf>,
    /// What the file holds, unless that was wrong.
    #[param(with(read = |t| load_matrix(t, matrix.as_deref(), ordering), write = |_, _| ()))]
    pub file: Option<Arc<Factored>>,
    /// Solves, each forward and then backward.
    #[param(min = 1, max = 100, default = 1)]
    pub iterations: u64,
    /// Which processor gets which rows: those near each other, or one each in turn.
    #[param(default = "near")]
    pub rows_to: RowsTo,
    /// How contributions travel: a message for each, buffers of several for each processor, or changes of the rows that
    /// wait, in shared memory.
    #[param(default = "messages")]
    pub sends: Contributing,
    /// Contributions of a message, where they are buffered.
    #[param(min = 1, max = 1_000, default = 8)]
    pub buffer: u64,
    /// How many changes ahead rows are prefetched; 0: they are not.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
}

/// In which order rows are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Ordering {
    /// As they come.
    Natural,
    /// Colour by colour.
    Coloured,
}

/// Which processor gets which rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum RowsTo {
    /// Rows that are near each other to the same.
    Near,
    /// One row to each, again and again.
    Dealt,
}

/// How contributions travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Contributing {
    /// Each in a message.
    Messages,
    /// In messages of several, when a buffer is full or nothing else is to be done.
    Buffers,
    /// The row that waits is changed, in shared memory.
    Changes,
}

/// A matrix's factor, and which of its rows have an entry in common.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The factor.
    pub lower: LowerTriangle,
    /// The rows.
    pub neighbours: Adjacency,
    /// By row: which of the matrix it was.
    pub order: Vec<u32>,
}

const FORMATS: &str = "name a Matrix Market file (.mtx), a Harwell-Boeing file (.rsa, .psa), a METIS graph (.graph) or lines \
                       `row column value`";

impl Spsolve {
    /// The key and the reason, for whatever so many processors cannot do.
    pub fn check_processors(&self, processors: usize) -> Vec<(&'static str, String)> {
        let rows = self.file.as_ref().map_or(self.size.rows, |file| file.lower.rows());
        let few = || ("rows", format!("{rows} rows are too few for {processors} processors"));
        let mut wrong: Vec<_> = (rows < processors).then(few).into_iter().collect();
        // Whether there is such a matrix depends on no seed.
        let drawn = if self.file.is_none() { fem::generate(self.size, 0).err() } else { None };
        wrong.extend(drawn.map(|reason| ("neighbours", reason)));
        wrong
    }

    /// The factor, of the file or as it is drawn from the seed, and each row's processor.
    pub(super) fn factored(&self, seed: u64, processors: usize) -> (LowerTriangle, Vec<u32>) {
        let drawn;
        let (factored, places) = match &self.file {
            Some(file) => (&**file, None),
            None => {
                let made = fem::generate(self.size, seed).expect("a checked description has a matrix");
                drawn = Factored::of(&made.matrix, self.ordering)
                    .expect("a matrix that its diagonal dominates has a factor");
                let places = drawn.order.iter().map(|row| made.coordinates[*row as usize]).collect::<Vec<_>>();
                (&drawn, Some(places))
            }
        };
        let owners = match (self.rows_to, places) {
            (RowsTo::Dealt, _) => partition::round_robin(factored.lower.rows(), processors),
            (RowsTo::Near, Some(places)) => partition::parts(&places, processors),
            (RowsTo::Near, None) => partition::breadth_first(&factored.neighbours, processors),
        };
        (factored.lower.clone(), owners)
    }
}

impl Factored {
    fn of(matrix: &SymmetricMatrix, ordering: Ordering) -> Result<Factored, String> {
        let neighbours = matrix.adjacency();
        match ordering {
            Ordering::Natural => {
                let order = (0..neighbours.vertices() as u32).collect();
                Ok(Factored { lower: Factor::of(matrix)?.lower, neighbours, order })
            }
            Ordering::Coloured => {
                let order = colours::by_colour(&neighbours);
                let matrix = matrix.reordered(&order);
                Ok(Factored { lower: Factor::of(&matrix)?.lower, neighbours: matrix.adjacency(), order })
            }
        }
    }
}

/// The matrix of a file, factored; or what is wrong told at the key that names it.
fn load_matrix(t: &mut Table<'_>, matrix: Option<&Path>, ordering: Ordering) -> Option<Arc<Factored>> {
    let path = matrix.filter(|_| !t.describing())?;
    load(t, path, ordering).map(Arc::new)
}

fn load(t: &mut Table<'_>, path: &Path, ordering: Ordering) -> Option<Factored> {
    let text = match file::read(path) {
        Ok(text) => text,
        Err(problem) => {
            t.wrong("matrix", problem.message, problem.help.join("; "));
            return None;
        }
    };
    let name = path.display();
    let read = input::read(path, text.as_bytes()).map_err(|error| format!("`{name}` is wrong in {error}"));
    let factored = read
        .and_then(|matrix| Factored::of(&matrix, ordering).map_err(|why| format!("`{name}` cannot be used: {why}")));
    factored.map_err(|message| t.wrong("matrix", message, FORMATS)).ok()
}
