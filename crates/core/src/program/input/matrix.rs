//! A symmetric matrix, stored as its lower triangle.
//!
//! A pattern has no values. Values are then chosen so that the matrix is positive definite: -1 off the diagonal, and on
//! the diagonal one more than the number of other entries in the row.

use super::{Adjacency, InputError, LowerTriangle};

/// A symmetric matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct SymmetricMatrix {
    /// Lower triangle of the matrix.
    pub lower: LowerTriangle,
    /// Whether the values were read from a file; otherwise they are chosen.
    pub has_values: bool,
}

/// An entry as read from a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatrixEntry {
    pub row: u32,
    pub column: u32,
    pub value: f64,
    pub line: u64,
}

/// The layout of a file's entries.
pub(super) struct EntryLayout {
    pub rows: usize,
    /// Whether entries on both sides of the diagonal are listed, and not only those in the lower triangle.
    pub is_general: bool,
    pub has_values: bool,
    /// Line that states the layout.
    pub line: u64,
}

impl SymmetricMatrix {
    /// Creates a matrix from entries in any order.
    ///
    /// # Errors
    ///
    /// Returns an error if an entry occurs twice, if its mirror image is missing or different, or if a row is empty.
    pub(super) fn from_entries(
        layout: &EntryLayout,
        mut entries: Vec<MatrixEntry>,
    ) -> Result<SymmetricMatrix, InputError> {
        // Sorts entries so that an entry is next to its mirror image, with the lower one first.
        entries.sort_by_key(|entry| {
            let (row, column) = (entry.row.max(entry.column), entry.row.min(entry.column));
            (row, column, entry.row < entry.column)
        });
        if let Some(pair) = entries.windows(2).find(|pair| position(&pair[0]) == position(&pair[1])) {
            let (line, first_line) = (pair[0].line.max(pair[1].line), pair[0].line.min(pair[1].line));
            return Err(InputError {
                line,
                message: format!("{} occurs twice, first in line {first_line}", describe(&pair[0])),
            });
        }
        if layout.is_general {
            entries = lower_half(entries)?;
        }
        check_rows(layout, &entries)?;
        let mut matrix = SymmetricMatrix::from_lower(
            layout.rows,
            entries.iter().map(|entry| (entry.row, entry.column, entry.value)),
        );
        matrix.has_values = layout.has_values;
        if !layout.has_values {
            matrix.choose_values();
        }
        Ok(matrix)
    }

    /// Creates a matrix from the entries (row, column, value) of the lower triangle, in the order of rows and columns.
    pub(super) fn from_lower(rows: usize, entries: impl Iterator<Item = (u32, u32, f64)>) -> SymmetricMatrix {
        let mut lower =
            LowerTriangle { row_starts: vec![0; rows + 1], diagonal: vec![0.0; rows], ..LowerTriangle::empty() };
        for (row, column, value) in entries {
            if row == column {
                lower.diagonal[row as usize] = value;
            } else {
                lower.row_starts[row as usize + 1] += 1;
                lower.columns.push(column);
                lower.values.push(value);
            }
        }
        (0..rows).for_each(|row| lower.row_starts[row + 1] += lower.row_starts[row]);
        SymmetricMatrix { lower, has_values: true }
    }

    /// Creates the pattern of a graph.
    pub fn from_graph(graph: &Adjacency) -> SymmetricMatrix {
        let columns_before_diagonal =
            |row: usize| graph.neighbours(row).iter().filter(move |column| (**column as usize) < row);
        let entries = (0..graph.vertices())
            .flat_map(|row| columns_before_diagonal(row).map(move |column| (row as u32, *column, 0.0)));
        let mut matrix = SymmetricMatrix::from_lower(graph.vertices(), entries);
        matrix.has_values = false;
        matrix.choose_values();
        matrix
    }

    fn choose_values(&mut self) {
        let LowerTriangle { row_starts, columns, values, diagonal } = &mut self.lower;
        values.fill(-1.0);
        diagonal.fill(1.0);
        for row in 0..diagonal.len() {
            for column in &columns[row_starts[row]..row_starts[row + 1]] {
                diagonal[row] += 1.0;
                diagonal[*column as usize] += 1.0;
            }
        }
    }

    /// Returns the graph of rows that have an entry in common.
    pub fn adjacency(&self) -> Adjacency {
        let (lower, rows) = (&self.lower, self.lower.rows());
        let pairs = |row: usize| lower.row(row).0.iter().map(move |column| (row as u32, *column));
        Adjacency::from_edges(rows, (0..rows).flat_map(pairs))
    }
}

fn position(entry: &MatrixEntry) -> (u32, u32) {
    (entry.row, entry.column)
}

/// Describes an entry for a message. Rows and columns are counted from 1, as usual for matrices.
fn describe(entry: &MatrixEntry) -> String {
    format!("the entry of row {} and column {}", entry.row + 1, entry.column + 1)
}

/// Returns the lower half of entries that are sorted next to their mirror images.
fn lower_half(entries: Vec<MatrixEntry>) -> Result<Vec<MatrixEntry>, InputError> {
    let mut lower = Vec::new();
    let mut remaining = entries.into_iter().peekable();
    while let Some(entry) = remaining.next() {
        if entry.row != entry.column {
            let mirror = remaining.next_if(|next| (next.column, next.row) == position(&entry));
            let message = match mirror {
                None => Some("has none on the other side of the diagonal".to_owned()),
                Some(mirror) if mirror.value != entry.value => {
                    Some(format!("is {}, but {} on the other side of the diagonal", entry.value, mirror.value))
                }
                Some(_) => None,
            };
            if let Some(message) = message {
                let message = format!("expected a symmetric matrix: {} {message}", describe(&entry));
                return Err(InputError { line: entry.line, message });
            }
        }
        lower.push(entry);
    }
    Ok(lower)
}

/// Checks that each row has an entry.
fn check_rows(layout: &EntryLayout, entries: &[MatrixEntry]) -> Result<(), InputError> {
    let mut is_filled = vec![false; layout.rows];
    for entry in entries {
        is_filled[entry.row as usize] = true;
        is_filled[entry.column as usize] = true;
    }
    match is_filled.iter().position(|filled| !filled) {
        None => Ok(()),
        Some(row) => {
            let message = format!("expected entries in each of {} rows, found none in row {}", layout.rows, row + 1);
            Err(InputError { line: layout.line, message })
        }
    }
}
