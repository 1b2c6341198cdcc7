//! Harwell–Boeing matrices, symmetric and assembled: `RSA` with values, `PSA` without (Duff, Grimes and Lewis 1989). A
//! file consists of cards of fixed width, in this order: title; numbers of cards; type and size; formats; column
//! pointers; row indices of the lower triangle; values. Indices are counted from 1.
//!
//! Right-hand sides are skipped, and every other type is rejected.

use super::fixed::Format;
use super::lines::{Lines, NO_COMMENTS, excerpt};
use super::matrix::{Entry, EntryLayout};
use super::{InputError, SymmetricMatrix};

/// The numbers of cards of pointers, row indices and values, and of right-hand sides.
struct Cards {
    counts: [u64; 3],
    right_hand: u64,
    line: u64,
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
    lines.take()?.ok_or_else(|| lines.end_error("a title"))?;
    let cards = Cards::read(&mut lines)?;
    let (layout, count) = size(&mut lines)?;
    let formats = Formats::read(&mut lines, layout.has_values)?;
    cards.check(&formats, layout.rows, count)?;
    if cards.right_hand > 0 {
        lines.take()?.ok_or_else(|| lines.end_error("a type of right-hand sides"))?;
    }
    let begin = pointers(&mut lines, formats.pointers, layout.rows, count)?;
    let mut entries = indices(&mut lines, formats.indices, &begin, count)?;
    if let Some(format) = formats.values {
        format.each(&mut lines, count, "value", |lines, index, field| {
            entries[index].value = format.value(lines, field)?;
            Ok(())
        })?;
    }
    if cards.right_hand == 0 {
        lines.expect_end(NO_COMMENTS, "the last card")?;
    }
    SymmetricMatrix::from_entries(&layout, entries)
}

impl Cards {
    fn read(lines: &mut Lines<'_>) -> Result<Cards, InputError> {
        let line = lines.take()?.ok_or_else(|| lines.end_error("numbers of cards"))?;
        let mut words = line.split_whitespace();
        let mut number = |what: &str| lines.word::<u64>(words.next(), &format!("a number of cards {what}"));
        let total = number("in all")?;
        let counts = [number("of pointers")?, number("of row indices")?, number("of values")?];
        let right_hand = match words.next() {
            Some(word) => lines.word(Some(word), "a number of cards of right-hand sides")?,
            None => 0,
        };
        let sum = counts.iter().fold(right_hand, |sum: u64, cards| sum.saturating_add(*cards));
        if sum != total {
            return Err(lines.error(format!("expected {total} cards in all, found {sum}")));
        }
        Ok(Cards { counts, right_hand, line: lines.number() })
    }

    /// Checks that the numbers of cards are those that follow from the size and the formats.
    fn check(&self, formats: &Formats, rows: usize, count: usize) -> Result<(), InputError> {
        let values = formats.values.map_or(0, |format| format.cards(count));
        let needed = [formats.pointers.cards(rows + 1), formats.indices.cards(count), values];
        for ((what, found), needed) in ["pointers", "row indices", "values"].iter().zip(self.counts).zip(needed) {
            if found != needed as u64 {
                let message = format!("expected {needed} cards of {what} for this size and format, found {found}");
                return Err(InputError { line: self.line, message });
            }
        }
        Ok(())
    }
}

/// Reads the type and the size; returns the layout and the number of entries.
fn size(lines: &mut Lines<'_>) -> Result<(EntryLayout, usize), InputError> {
    let expected = "RSA or PSA (symmetric and assembled)";
    let line = lines.take()?.ok_or_else(|| lines.end_error(expected))?;
    let mut words = line.split_whitespace();
    let kind = words.next().unwrap_or("");
    let has_values = match kind.to_ascii_uppercase().as_str() {
        "RSA" => true,
        "PSA" => false,
        _ => return Err(lines.error(format!("expected {expected}, found {}", excerpt(kind)))),
    };
    let rows = lines.count(words.next(), "a number of rows", 1)?;
    let columns = lines.count(words.next(), "a number of columns", 1)?;
    let count = lines.count(words.next(), "a number of entries", 1)?;
    if rows == 0 || rows != columns {
        return Err(lines.error(format!("expected a square matrix, found {rows} rows and {columns} columns")));
    }
    Ok((EntryLayout { rows, is_general: false, has_values, line: lines.number() }, count))
}

impl Formats {
    fn read(lines: &mut Lines<'_>, has_values: bool) -> Result<Formats, InputError> {
        let line = lines.take()?.ok_or_else(|| lines.end_error("formats"))?;
        let mut texts = line.split_inclusive(')');
        let mut format = |is_real: bool, example: &str| {
            let text = texts.next().unwrap_or("");
            let error = || lines.error(format!("expected a format like {example}, found {}", excerpt(text)));
            Format::read(text, is_real).ok_or_else(error)
        };
        Ok(Formats {
            pointers: format(false, "(16I5)")?,
            indices: format(false, "(16I5)")?,
            values: if has_values { Some(format(true, "(4E20.12)")?) } else { None },
        })
    }
}

/// Reads the index of the first entry of each column; the last value is the number of entries.
fn pointers(lines: &mut Lines<'_>, format: Format, rows: usize, count: usize) -> Result<Vec<usize>, InputError> {
    let mut begin: Vec<usize> = Vec::new();
    format.each(lines, rows + 1, "pointer", |lines, index, field| {
        let min = if index == rows { count + 1 } else { begin.last().map_or(1, |before| before + 1) };
        let max = if index == 0 { 1 } else { count + 1 };
        let pointer: usize = lines.word(Some(field), "a pointer")?;
        if !(min..=max).contains(&pointer) {
            return Err(lines.error(format!("expected a pointer from {min} to {max}, found {pointer}")));
        }
        begin.push(pointer - 1);
        Ok(())
    })?;
    Ok(begin)
}

/// Reads the entries without their values.
fn indices(lines: &mut Lines<'_>, format: Format, begin: &[usize], count: usize) -> Result<Vec<Entry>, InputError> {
    let rows = begin.len() - 1;
    let (mut entries, mut column) = (Vec::new(), 0);
    format.each(lines, count, "row index", |lines, index, field| {
        while begin[column + 1] <= index {
            column += 1;
        }
        let row = lines.index(Some(field), "a row", 1, rows)?;
        if (row as usize) < column {
            let message = format!("expected the lower triangle, found row {} in column {}", row + 1, column + 1);
            return Err(lines.error(message));
        }
        entries.push(Entry { row, column: column as u32, value: 0.0, line: lines.number() });
        Ok(())
    })?;
    Ok(entries)
}
