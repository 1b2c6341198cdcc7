//! The parameters of a solve, and the triangular matrix that they describe.

use super::factor::Factor;
use crate::program::input::fem::{self, FemSize};
use crate::program::input::{self, Adjacency, LowerTriangle, SymmetricMatrix, colours, partition};
use crate::text::{ParameterChoice, Parameters, Table, file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The parameters of spsolve.
#[derive(Clone, Debug, Parameters)]
#[param(meaning = Load)]
pub struct Spsolve {
    /// Size of the generated matrix.
    #[param(flatten)]
    pub size: FemSize,
    /// Order in which rows are eliminated: `natural` is that of the matrix, `coloured` a multicolour ordering.
    #[param(default = "natural")]
    pub ordering: Ordering,
    /// File with a symmetric matrix, used instead of a generated one: Matrix Market, Harwell-Boeing, METIS, or
    /// triplets.
    pub matrix: Option<PathBuf>,
    /// Factor of the matrix in the file, if the file could be read.
    #[param(with(read = |t| load_matrix(t, matrix.as_deref(), ordering), write = |_, _| ()))]
    pub file: Option<Arc<FactoredMatrix>>,
    /// Number of iterations, each a forward and a backward solve.
    #[param(min = 1, max = 100, default = 1, meaning = Repetitions)]
    pub iterations: u64,
    /// Assignment of rows to processors: `near` keeps neighbouring rows together, `dealt` assigns them round-robin.
    #[param(default = "near")]
    pub rows_to: RowAssignment,
    /// Communication of contributions to other rows: `messages` sends one message for each; `buffers` collects
    /// several for each processor; `changes` updates the rows in shared memory.
    #[param(was = "sends", default = "messages")]
    pub exchange: Exchange,
    /// Contributions in each message, with `exchange = "buffers"`.
    #[param(min = 1, max = 1_000, default = 8)]
    pub buffer: u64,
    /// Number of updates by which the prefetch of a row precedes its update, with `exchange = "changes"`; 0 for no
    /// prefetches.
    #[param(max = 1_000, default = 0)]
    pub prefetch: u64,
}

/// The order in which rows are eliminated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Ordering {
    /// The order of the matrix.
    Natural,
    /// A multicolour ordering.
    Coloured,
}

/// The assignment of rows to processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum RowAssignment {
    /// Neighbouring rows are assigned to the same processor.
    Near,
    /// Rows are assigned round-robin, one at a time.
    Dealt,
}

/// The method by which contributions are communicated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Exchange {
    /// A message for each contribution.
    Messages,
    /// Messages of several contributions, sent when a buffer is full or the processor has no other work.
    Buffers,
    /// Updates of the waiting rows in shared memory.
    Changes,
}

/// The factor of a matrix, and the graph of its rows.
#[derive(Clone, Debug)]
pub struct FactoredMatrix {
    /// Triangular factor.
    pub lower: LowerTriangle,
    /// Graph of the rows, with an edge between rows that have an entry in common.
    pub neighbours: Adjacency,
    /// Original number of each row.
    pub order: Vec<u32>,
}

const FORMATS_HELP: &str = "give a Matrix Market file (.mtx), a Harwell-Boeing file (.rsa, .psa), a METIS graph (.graph) or lines \
                       `row column value`";

const DEFINITENESS_HELP: &str =
    "give a symmetric positive definite matrix: its diagonal is positive, and large compared with the rest";

impl Spsolve {
    /// Returns the errors for a machine of `processors` processors, each as the key and the reason.
    pub fn check_processors(&self, processors: usize) -> Vec<(&'static str, String)> {
        let rows = self.file.as_ref().map_or(self.size.rows, |file| file.lower.rows());
        let too_few_rows =
            || ("rows", format!("{rows} rows are too few for {processors} processors: at least one row each"));
        if rows < processors {
            return vec![too_few_rows()];
        }
        // The seed does not affect whether a matrix can be generated.
        let matrix_error = if self.file.is_none() { fem::generate(self.size, 0).err() } else { None };
        matrix_error.map(|reason| ("neighbours", reason)).into_iter().collect()
    }

    /// Returns the factor, from the file or generated from the seed, and the processor of each row.
    pub(super) fn factor_and_owners(&self, seed: u64, processors: usize) -> (LowerTriangle, Vec<u32>) {
        let generated_matrix;
        let (factored, positions) = match &self.file {
            Some(file) => (&**file, None),
            None => {
                let fem = fem::generate(self.size, seed).expect("a checked description has a matrix");
                generated_matrix = FactoredMatrix::compute(&fem.matrix, self.ordering)
                    .expect("a diagonally dominant matrix has a factor");
                let positions =
                    generated_matrix.order.iter().map(|row| fem.coordinates[*row as usize]).collect::<Vec<_>>();
                (&generated_matrix, Some(positions))
            }
        };
        let owners = match (self.rows_to, positions) {
            (RowAssignment::Dealt, _) => partition::round_robin(factored.lower.rows(), processors),
            (RowAssignment::Near, Some(positions)) => partition::by_coordinates(&positions, processors),
            (RowAssignment::Near, None) => partition::breadth_first(&factored.neighbours, processors),
        };
        (factored.lower.clone(), owners)
    }
}

impl FactoredMatrix {
    fn compute(matrix: &SymmetricMatrix, ordering: Ordering) -> Result<FactoredMatrix, String> {
        let neighbours = matrix.adjacency();
        match ordering {
            Ordering::Natural => {
                let order = (0..neighbours.vertices() as u32).collect();
                Ok(FactoredMatrix { lower: Factor::compute(matrix)?.lower, neighbours, order })
            }
            Ordering::Coloured => {
                let order = colours::rows_by_colour(&neighbours);
                let matrix = matrix.reordered(&order);
                Ok(FactoredMatrix { lower: Factor::compute(&matrix)?.lower, neighbours: matrix.adjacency(), order })
            }
        }
    }
}

/// Reads and factors the matrix of a file; reports errors at the key that names the file.
fn load_matrix(t: &mut Table<'_>, matrix: Option<&Path>, ordering: Ordering) -> Option<Arc<FactoredMatrix>> {
    let path = matrix.filter(|_| !t.describing())?;
    load_factored(t, path, ordering).map(Arc::new)
}

fn load_factored(t: &mut Table<'_>, path: &Path, ordering: Ordering) -> Option<FactoredMatrix> {
    let text = match file::read(path) {
        Ok(text) => text,
        Err(problem) => {
            t.report_invalid("matrix", problem.message, problem.help.join("; "));
            return None;
        }
    };
    let name = path.display();
    let matrix_result = input::read(path, text.as_bytes());
    let factored =
        matrix_result.map_err(|error| (format!("`{name}` has an error in {error}"), FORMATS_HELP)).and_then(|matrix| {
            let factored = FactoredMatrix::compute(&matrix, ordering);
            factored.map_err(|reason| (format!("`{name}` cannot be used: {reason}"), DEFINITENESS_HELP))
        });
    factored.map_err(|(message, help)| t.report_invalid("matrix", message, help)).ok()
}
