//! The parameters of a solve, and the triangular matrix that they describe.

use super::SPSOLVE;
use super::factor::Factor;
use crate::program::input::fem::{self, FemSize};
use crate::program::input::{self, Adjacency, LowerTriangle, SymmetricMatrix, colours, partition};
use crate::text::{Parameters, Table, file};
use std::path::Path;
use std::sync::Arc;

/// The parameters of Spsolve.
#[derive(Clone, Debug)]
pub struct Spsolve {
    /// Rows, degrees of freedom and neighbours of a matrix that is drawn.
    pub size: FemSize,
    /// Solves forward and backward.
    pub iterations: u64,
    /// In which order rows are eliminated.
    pub ordering: Ordering,
    /// Which processor gets which rows.
    pub rows_to: RowsTo,
    /// How contributions travel.
    pub sends: Contributing,
    /// Contributions that a buffer holds.
    pub buffer: u64,
    /// How many changes ahead a row is prefetched that will be changed; 0 where none is.
    pub prefetch: u64,
    /// The matrix of a file, and its factor, where one is named.
    pub file: Option<Arc<Factored>>,
}

/// In which order rows are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordering {
    /// As they come.
    Natural,
    /// Colour by colour.
    Coloured,
}

/// Which processor gets which rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowsTo {
    /// Rows that are near each other to the same.
    Near,
    /// One row to each, again and again.
    Dealt,
}

/// How contributions travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// The most rows of a matrix that is drawn.
const ROWS_MAX: u64 = 50_000;
const FORMATS: &str = "name a Matrix Market file (.mtx), a Harwell-Boeing file (.rsa, .psa), a METIS graph (.graph) or lines \
                       `row column value`";

impl Parameters for Spsolve {
    fn read(t: &mut Table<'_>) -> Spsolve {
        let freedom = t.count("freedom", "Rows of a mesh node, which have the same neighbours").range(1, 12);
        let freedom = freedom.or(SPSOLVE.freedom as u64) as usize;
        let rows = t.count("rows", "Rows of a matrix that is drawn, such as finite elements give");
        let rows = rows.range(2, ROWS_MAX).or(SPSOLVE.rows as u64) as usize;
        let neighbours = t.number("neighbours", "How many others are in a row of it, on average").range(0.0, 100.0);
        let size = FemSize { rows, freedom, neighbours: neighbours.or(SPSOLVE.neighbours) };
        let orderings = [("natural", Ordering::Natural), ("coloured", Ordering::Coloured)];
        let doc = "In which order rows are eliminated: as they come, or those that have nothing in common together";
        let ordering = t.choice("ordering", doc, &orderings).or("natural");
        let doc = "A file with a symmetric matrix instead: Matrix Market, Harwell-Boeing, METIS, or lines of triplets";
        let path = t.path("matrix", doc).optional();
        let file = path.filter(|_| !t.describing()).and_then(|path| load(t, &path, ordering));
        let kinds = [("near", RowsTo::Near), ("dealt", RowsTo::Dealt)];
        Spsolve {
            size,
            ordering,
            iterations: t.count("iterations", "Solves, each forward and then backward").range(1, 100).or(1),
            rows_to: t
                .choice(
                    "rows-to",
                    "Which processor gets which rows: those near each other, or one each in turn",
                    &kinds,
                )
                .or("near"),
            sends: t
                .choice(
                    "sends",
                    "How contributions travel: a message for each, buffers of several for each processor, or changes of \
                     the rows that wait, in shared memory",
                    &[
                        ("messages", Contributing::Messages),
                        ("buffers", Contributing::Buffers),
                        ("changes", Contributing::Changes),
                    ],
                )
                .or("messages"),
            buffer: t.count("buffer", "Contributions of a message, where they are buffered").range(1, 1_000).or(8),
            prefetch: t
                .count("prefetch", "How many changes ahead rows are prefetched; 0: they are not")
                .max(1_000)
                .or(0),
            file: file.map(Arc::new),
        }
    }
}

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
            (RowsTo::Dealt, _) => partition::dealt(factored.lower.rows(), processors),
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
