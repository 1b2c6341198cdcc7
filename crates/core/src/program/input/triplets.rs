//! Triplets without a header: a line `row column value` for each entry of the lower triangle, in any order. Indices are
//! counted from 0, and the largest index determines the number of rows. No row may be empty.

use super::lines::Lines;
use super::matrix::{EntryLayout, MatrixEntry};
use super::{InputError, SymmetricMatrix};

/// Reads a symmetric matrix.
pub fn read(bytes: &[u8]) -> Result<SymmetricMatrix, InputError> {
    let mut lines = Lines::new(bytes);
    let mut entries: Vec<MatrixEntry> = Vec::new();
    while let Some(line) = lines.next_nonblank('#')? {
        let mut words = line.split_whitespace();
        let row = lines.parse_index(words.next(), "a row", 0, u32::MAX as usize)?;
        let column = lines.parse_index(words.next(), "a column", 0, u32::MAX as usize)?;
        if row < column {
            return Err(lines.error(format!("expected the lower triangle, found row {row} and column {column}")));
        }
        let value = lines.parse_value(words.next())?;
        lines.expect_line_end(words, "the entry")?;
        entries.push(MatrixEntry { row, column, value, line: lines.line_number() });
    }
    let Some(largest) = entries.iter().max_by_key(|entry| entry.row) else { return Err(lines.end_error("an entry")) };
    let rows = largest.row as usize + 1;
    // An entry is in at most two rows, so more rows than twice the entries means that one is empty.
    if rows > 2 * entries.len() {
        let message = format!("expected rows without gaps, found row {} among {} entries", largest.row, entries.len());
        return Err(InputError { line: largest.line, message });
    }
    let layout = EntryLayout { rows, is_general: false, has_values: true, line: largest.line };
    SymmetricMatrix::from_entries(&layout, entries)
}
