//! Harwell–Boeing matrices, symmetric and assembled: `RSA` with values, `PSA` without (Duff, Grimes and Lewis 1989). A
//! file consists of cards of fixed width, in this order: title; numbers of cards; type and size; formats; column
//! pointers; row indices of the lower triangle; values. Indices are counted from 1.
//!
//! Right-hand sides are skipped, and every other type is rejected.

use super::fixed::Format;
use super::lines::{Lines, NO_COMMENTS, excerpt};
use super::matrix::{EntryLayout, MatrixEntry};
use super::{InputError, SymmetricMatrix};

/// The numbers of cards, as the header states them.
struct CardCounts {
    /// Numbers of cards of pointers, row indices and values.
    counts: [u64; 3],
    right_hand_cards: u64,
    header_line: u64,
}

/// The formats of the cards; a pattern has no values.
struct Formats {
    pointers: Format,
    indices: Format,
    values: Option<Format>,
}

/// Reads a symmetric matrix.
pub fn read(bytes: &[u8]) -> Result<SymmetricMatrix, InputError> {
    let mut lines = Lines::new(bytes);
    lines.next_line()?.ok_or_else(|| lines.end_error("a title"))?;
    let card_counts = CardCounts::read(&mut lines)?;
    let (layout, count) = read_size(&mut lines)?;
    let formats = Formats::read(&mut lines, layout.has_values)?;
    card_counts.check(&formats, layout.rows, count)?;
    if card_counts.right_hand_cards > 0 {
        lines.next_line()?.ok_or_else(|| lines.end_error("a type of right-hand sides"))?;
    }
    let column_starts = read_pointers(&mut lines, formats.pointers, layout.rows, count)?;
    let mut entries = read_indices(&mut lines, formats.indices, &column_starts, count)?;
    if let Some(format) = formats.values {
        format.for_each_field(&mut lines, count, "value", |lines, index, field| {
            entries[index].value = format.parse_value(lines, field)?;
            Ok(())
        })?;
    }
    if card_counts.right_hand_cards == 0 {
        lines.expect_end(NO_COMMENTS, "the last card")?;
    }
    SymmetricMatrix::from_entries(&layout, entries)
}

impl CardCounts {
    fn read(lines: &mut Lines<'_>) -> Result<CardCounts, InputError> {
        let line = lines.next_line()?.ok_or_else(|| lines.end_error("numbers of cards"))?;
        let mut words = line.split_whitespace();
        let mut read_number = |what: &str| lines.parse_word::<u64>(words.next(), &format!("a number of cards {what}"));
        let total = read_number("in all")?;
        let counts = [read_number("of pointers")?, read_number("of row indices")?, read_number("of values")?];
        let right_hand_cards = match words.next() {
            Some(word) => lines.parse_word(Some(word), "a number of cards of right-hand sides")?,
            None => 0,
        };
        let sum = counts.iter().fold(right_hand_cards, |sum: u64, cards| sum.saturating_add(*cards));
        if sum != total {
            return Err(lines.error(format!("expected {total} cards in all, found {sum}")));
        }
        Ok(CardCounts { counts, right_hand_cards, header_line: lines.line_number() })
    }

    /// Checks that the numbers of cards are those that follow from the size and the formats.
    fn check(&self, formats: &Formats, rows: usize, count: usize) -> Result<(), InputError> {
        let values = formats.values.map_or(0, |format| format.card_count(count));
        let expected_counts = [formats.pointers.card_count(rows + 1), formats.indices.card_count(count), values];
        for ((kind, stated), expected) in
            ["pointers", "row indices", "values"].iter().zip(self.counts).zip(expected_counts)
        {
            if stated != expected as u64 {
                let message = format!("expected {expected} cards of {kind} for this size and format, found {stated}");
                return Err(InputError { line: self.header_line, message });
            }
        }
        Ok(())
    }
}

/// Reads the type and the size; returns the layout and the number of entries.
fn read_size(lines: &mut Lines<'_>) -> Result<(EntryLayout, usize), InputError> {
    let expected = "RSA or PSA (symmetric and assembled)";
    let line = lines.next_line()?.ok_or_else(|| lines.end_error(expected))?;
    let mut words = line.split_whitespace();
    let matrix_type = words.next().unwrap_or("");
    let has_values = match matrix_type.to_ascii_uppercase().as_str() {
        "RSA" => true,
        "PSA" => false,
        _ => return Err(lines.error(format!("expected {expected}, found {}", excerpt(matrix_type)))),
    };
    let rows = lines.parse_count(words.next(), "a number of rows", 1)?;
    let columns = lines.parse_count(words.next(), "a number of columns", 1)?;
    let count = lines.parse_count(words.next(), "a number of entries", 1)?;
    if rows == 0 || rows != columns {
        return Err(lines.error(format!("expected a square matrix, found {rows} rows and {columns} columns")));
    }
    Ok((EntryLayout { rows, is_general: false, has_values, line: lines.line_number() }, count))
}

impl Formats {
    fn read(lines: &mut Lines<'_>, has_values: bool) -> Result<Formats, InputError> {
        let line = lines.next_line()?.ok_or_else(|| lines.end_error("formats"))?;
        let mut texts = line.split_inclusive(')');
        let mut format = |is_real: bool, example: &str| {
            let text = texts.next().unwrap_or("");
            let error = || lines.error(format!("expected a format like {example}, found {}", excerpt(text)));
            Format::parse(text, is_real).ok_or_else(error)
        };
        Ok(Formats {
            pointers: format(false, "(16I5)")?,
            indices: format(false, "(16I5)")?,
            values: if has_values { Some(format(true, "(4E20.12)")?) } else { None },
        })
    }
}

/// Reads the index of the first entry of each column; the last value is the number of entries.
fn read_pointers(lines: &mut Lines<'_>, format: Format, rows: usize, count: usize) -> Result<Vec<usize>, InputError> {
    let mut column_starts: Vec<usize> = Vec::new();
    format.for_each_field(lines, rows + 1, "pointer", |lines, index, field| {
        let min = if index == rows { count + 1 } else { column_starts.last().map_or(1, |previous| previous + 1) };
        let max = if index == 0 { 1 } else { count + 1 };
        let pointer: usize = lines.parse_word(Some(field), "a pointer")?;
        if !(min..=max).contains(&pointer) {
            return Err(lines.error(format!("expected a pointer from {min} to {max}, found {pointer}")));
        }
        column_starts.push(pointer - 1);
        Ok(())
    })?;
    Ok(column_starts)
}

/// Reads the entries without their values.
fn read_indices(
    lines: &mut Lines<'_>,
    format: Format,
    column_starts: &[usize],
    count: usize,
) -> Result<Vec<MatrixEntry>, InputError> {
    let rows = column_starts.len() - 1;
    let (mut entries, mut column) = (Vec::new(), 0);
    format.for_each_field(lines, count, "row index", |lines, index, field| {
        while column_starts[column + 1] <= index {
            column += 1;
        }
        let row = lines.parse_index(Some(field), "a row", 1, rows)?;
        if (row as usize) < column {
            let message = format!("expected the lower triangle, found row {} in column {}", row + 1, column + 1);
            return Err(lines.error(message));
        }
        entries.push(MatrixEntry { row, column: column as u32, value: 0.0, line: lines.line_number() });
        Ok(())
    })?;
    Ok(entries)
}
