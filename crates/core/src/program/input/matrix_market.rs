//! Matrix Market files in coordinate format: `real`, `integer` or `pattern`, `symmetric` or `general` with a symmetric
//! matrix. Rows and columns are counted from 1; a symmetric file holds the lower triangle.
//!
//! Dense arrays, complex values, and skew-symmetric and Hermitian matrices are not supported, and are rejected by name.

use super::lines::{Lines, excerpt};
use super::matrix::{EntryLayout, MatrixEntry};
use super::{InputError, SymmetricMatrix};

/// The kind of the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Real,
    Integer,
    Pattern,
}

/// Reads a symmetric matrix.
pub fn read(bytes: &[u8]) -> Result<SymmetricMatrix, InputError> {
    let mut lines = Lines::new(bytes);
    let (value_kind, is_general) = read_banner(&mut lines)?;
    let line = lines.next_nonblank('%')?.ok_or_else(|| lines.end_error("a line `rows columns entries`"))?;
    let mut words = line.split_whitespace();
    // Each row has an entry, or is the column of one. An entry consists of two numbers with spaces.
    let rows = lines.parse_count(words.next(), "a number of rows", 1)?;
    let columns = lines.parse_count(words.next(), "a number of columns", 1)?;
    let count = lines.parse_count(words.next(), "a number of entries", 4)?;
    lines.expect_line_end(words, "`rows columns entries`")?;
    if rows == 0 || rows != columns {
        return Err(lines.error(format!("expected a square matrix, found {rows} rows and {columns} columns")));
    }
    let layout =
        EntryLayout { rows, is_general, has_values: value_kind != ValueKind::Pattern, line: lines.line_number() };
    let mut entries = Vec::new();
    for number in 1..=count {
        let expected = || format!("entry {number} of {count}");
        let line = lines.next_nonblank('%')?.ok_or_else(|| lines.end_error(&expected()))?;
        entries.push(parse_entry(&lines, line, &layout, value_kind)?);
    }
    lines.expect_end('%', &format!("{count} entries"))?;
    SymmetricMatrix::from_entries(&layout, entries)
}

/// Reads the first line. Returns the kind of the values, and whether entries on both sides of the diagonal are listed.
fn read_banner(lines: &mut Lines<'_>) -> Result<(ValueKind, bool), InputError> {
    let expected = "`%%MatrixMarket matrix coordinate real|integer|pattern symmetric|general`";
    let line = lines.next_line()?.ok_or_else(|| lines.end_error(expected))?.to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let error = |text: &str| lines.error(format!("expected {expected}, found {}", excerpt(text)));
    let ["%%matrixmarket", "matrix", "coordinate", value_kind, symmetry] = words[..] else { return Err(error(&line)) };
    let value_kind = match value_kind {
        "real" => ValueKind::Real,
        "integer" => ValueKind::Integer,
        "pattern" => ValueKind::Pattern,
        other => return Err(error(other)),
    };
    match symmetry {
        "symmetric" => Ok((value_kind, false)),
        "general" => Ok((value_kind, true)),
        other => Err(error(other)),
    }
}

fn parse_entry(
    lines: &Lines<'_>,
    line: &str,
    layout: &EntryLayout,
    value_kind: ValueKind,
) -> Result<MatrixEntry, InputError> {
    let mut words = line.split_whitespace();
    let row = lines.parse_index(words.next(), "a row", 1, layout.rows)?;
    let column = lines.parse_index(words.next(), "a column", 1, layout.rows)?;
    if !layout.is_general && row < column {
        let message = format!("expected the lower triangle, found row {} and column {}", row + 1, column + 1);
        return Err(lines.error(message));
    }
    let value = match value_kind {
        ValueKind::Real => lines.parse_value(words.next())?,
        ValueKind::Integer => lines.parse_word::<i64>(words.next(), "a whole value")? as f64,
        ValueKind::Pattern => 0.0,
    };
    lines.expect_line_end(words, "the entry")?;
    Ok(MatrixEntry { row, column, value, line: lines.line_number() })
}
