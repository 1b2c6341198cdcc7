//! A symmetric matrix, of which the lower triangle is kept.
//!
//! Of a pattern, which has no values, values are chosen: -1 beside the diagonal, and on it one more than
//! there are others in the row, so that the matrix is positive definite.

use super::{Adjacency, InputError, LowerTriangle};

/// A symmetric matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct SymmetricMatrix {
    /// Its lower triangle.
    pub lower: LowerTriangle,
    /// Whether the values were read, not chosen.
    pub has_values: bool,
}

/// An entry as it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub row: u32,
    pub column: u32,
    pub value: f64,
    pub line: u64,
}

/// What a file says of its entries.
pub(super) struct Told {
    pub rows: usize,
    /// Whether entries stand on both sides of the diagonal, not in the lower triangle alone.
    pub is_general: bool,
    pub has_values: bool,
    /// The line that says so.
    pub line: u64,
}

impl SymmetricMatrix {
    /// Of entries in any order; what is twice, is missing on the other side, or leaves a row empty, is told.
    pub(super) fn of_entries(told: &Told, mut entries: Vec<Entry>) -> Result<SymmetricMatrix, InputError> {
        // An entry and its mirror image come to stand side by side, the lower one first.
        entries.sort_by_key(|entry| {
            let (row, column) = (entry.row.max(entry.column), entry.row.min(entry.column));
            (row, column, entry.row < entry.column)
        });
        if let Some(two) = entries.windows(2).find(|two| place(&two[0]) == place(&two[1])) {
            let (line, before) = (two[0].line.max(two[1].line), two[0].line.min(two[1].line));
            return Err(InputError {
                line,
                message: format!("{} is there twice, first in line {before}", named(&two[0])),
            });
        }
        if told.is_general {
            entries = lower_of(entries)?;
        }
        empty_row(told, &entries)?;
        let mut matrix = SymmetricMatrix::of_lower(told.rows, entries.iter().map(|e| (e.row, e.column, e.value)));
        matrix.has_values = told.has_values;
        if !told.has_values {
            matrix.choose_values();
        }
        Ok(matrix)
    }

    /// Of the entries (row, column, value) of the lower triangle, by rows and in the order of columns.
    pub(super) fn of_lower(rows: usize, entries: impl Iterator<Item = (u32, u32, f64)>) -> SymmetricMatrix {
        let mut lower = LowerTriangle { begin: vec![0; rows + 1], diagonal: vec![0.0; rows], ..LowerTriangle::empty() };
        for (row, column, value) in entries {
            if row == column {
                lower.diagonal[row as usize] = value;
            } else {
                lower.begin[row as usize + 1] += 1;
                lower.columns.push(column);
                lower.values.push(value);
            }
        }
        (0..rows).for_each(|row| lower.begin[row + 1] += lower.begin[row]);
        SymmetricMatrix { lower, has_values: true }
    }

    /// The pattern of a graph.
    pub fn of_graph(graph: &Adjacency) -> SymmetricMatrix {
        let before = |row: usize| graph.of(row).iter().filter(move |column| (**column as usize) < row);
        let entries = (0..graph.vertices()).flat_map(|row| before(row).map(move |column| (row as u32, *column, 0.0)));
        let mut matrix = SymmetricMatrix::of_lower(graph.vertices(), entries);
        matrix.has_values = false;
        matrix.choose_values();
        matrix
    }

    fn choose_values(&mut self) {
        let LowerTriangle { begin, columns, values, diagonal } = &mut self.lower;
        values.fill(-1.0);
        diagonal.fill(1.0);
        for row in 0..diagonal.len() {
            for column in &columns[begin[row]..begin[row + 1]] {
                diagonal[row] += 1.0;
                diagonal[*column as usize] += 1.0;
            }
        }
    }

    /// Which rows have an entry in common.
    pub fn adjacency(&self) -> Adjacency {
        let (lower, rows) = (&self.lower, self.lower.rows());
        let pairs = |row: usize| lower.row(row).0.iter().map(move |column| (row as u32, *column));
        Adjacency::of_edges(rows, (0..rows).flat_map(pairs))
    }
}

fn place(entry: &Entry) -> (u32, u32) {
    (entry.row, entry.column)
}

/// Rows and columns are counted from 1 in messages, as in matrices.
fn named(entry: &Entry) -> String {
    format!("the entry of row {} and column {}", entry.row + 1, entry.column + 1)
}

/// The lower half of entries that stand side by side with their mirror images.
fn lower_of(entries: Vec<Entry>) -> Result<Vec<Entry>, InputError> {
    let mut lower = Vec::new();
    let mut rest = entries.into_iter().peekable();
    while let Some(entry) = rest.next() {
        if entry.row != entry.column {
            let mirror = rest.next_if(|next| (next.column, next.row) == place(&entry));
            let message = match mirror {
                None => Some("has none on the other side of the diagonal".to_owned()),
                Some(mirror) if mirror.value != entry.value => {
                    Some(format!("is {}, but {} on the other side of the diagonal", entry.value, mirror.value))
                }
                Some(_) => None,
            };
            if let Some(message) = message {
                let message = format!("expected a symmetric matrix: {} {message}", named(&entry));
                return Err(InputError { line: entry.line, message });
            }
        }
        lower.push(entry);
    }
    Ok(lower)
}

fn empty_row(told: &Told, entries: &[Entry]) -> Result<(), InputError> {
    let mut is_filled = vec![false; told.rows];
    for entry in entries {
        is_filled[entry.row as usize] = true;
        is_filled[entry.column as usize] = true;
    }
    match is_filled.iter().position(|filled| !filled) {
        None => Ok(()),
        Some(row) => {
            let message = format!("expected entries in each of {} rows, found none in row {}", told.rows, row + 1);
            Err(InputError { line: told.line, message })
        }
    }
}
