//! Fields of fixed width in the notation of Fortran formats: `(12I6)`, `(4E20.12)`, `(1P,5D16.8)`.
//!
//! The module leaves out blanks within fields, values without a decimal point, and scale factors of values without an
//! exponent. Fortran interprets these differently from their appearance, so they are rejected.

use super::InputError;
use super::lines::{Lines, excerpt};

/// The format of a card (a line).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    pub fields_per_card: usize,
    pub field_width: usize,
    is_real: bool,
    is_scaled: bool,
}

/// Longest card that is accepted, in characters.
const CARD_MAX: usize = 400;

impl Format {
    /// Parses a format of integers or of reals.
    pub fn parse(text: &str, is_real: bool) -> Option<Format> {
        let text = text.trim().to_ascii_uppercase();
        let mut text = text.strip_prefix('(')?.strip_suffix(')')?;
        let mut is_scaled = false;
        if let Some((scale, rest)) = text.split_once('P') {
            is_scaled = scale.trim().parse::<i8>().ok()? != 0;
            text = rest.strip_prefix(',').unwrap_or(rest);
        }
        let letter_index = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (fields, letter, size_text) =
            (text[..letter_index].trim(), &text[letter_index..letter_index + 1], &text[letter_index + 1..]);
        let (width, decimals) = size_text.split_once('.').unwrap_or((size_text, "0"));
        let has_expected_kind = if is_real { "EDFG".contains(letter) } else { letter == "I" };
        decimals.trim().parse::<u8>().ok()?;
        let fields = if fields.is_empty() { 1 } else { fields.parse().ok()? };
        let width: usize = width.trim().parse().ok()?;
        let is_valid = fields > 0 && width > 0 && width.saturating_mul(fields) <= CARD_MAX;
        (has_expected_kind && is_valid).then_some(Format {
            fields_per_card: fields,
            field_width: width,
            is_real,
            is_scaled,
        })
    }

    /// Returns the number of cards that contain `count` fields.
    pub fn card_count(&self, count: usize) -> usize {
        count.div_ceil(self.fields_per_card)
    }

    /// Reads `count` fields from the next cards, and passes each with its index to `handle_field`.
    pub fn for_each_field<'a>(
        &self,
        lines: &mut Lines<'a>,
        count: usize,
        field_kind: &str,
        mut handle_field: impl FnMut(&Lines<'a>, usize, &str) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        for card in 0..self.card_count(count) {
            let first = card * self.fields_per_card;
            let line =
                lines.next_line()?.ok_or_else(|| lines.end_error(&format!("{field_kind} {} of {count}", first + 1)))?;
            if !line.is_ascii() {
                return Err(lines.error(format!("expected fields, each a {field_kind}, found {}", excerpt(line))));
            }
            for index in 0..self.fields_per_card {
                let clipped_column = |column: usize| column.min(line.len());
                let field = line
                    [clipped_column(index * self.field_width)..clipped_column((index + 1) * self.field_width)]
                    .trim();
                let number = first + index + 1;
                match (field.is_empty(), number <= count) {
                    (false, true) => handle_field(lines, number - 1, field)?,
                    (true, true) => {
                        return Err(lines.error(format!("expected {field_kind} {number} of {count}, found a blank")));
                    }
                    (false, false) => {
                        return Err(lines.error(format!(
                            "expected {count} fields, each a {field_kind}, found another: {}",
                            excerpt(field)
                        )));
                    }
                    (true, false) => {}
                }
            }
        }
        Ok(())
    }

    /// Parses a value as Fortran writes it. Its exponent is marked by `D` or `E`, or only by a sign.
    pub fn parse_value(&self, lines: &Lines<'_>, field: &str) -> Result<f64, InputError> {
        let error = || lines.error(format!("expected a value with a decimal point, found {}", excerpt(field)));
        let text = field.to_ascii_uppercase().replace('D', "E");
        let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'E' | b'+' | b'-'));
        if !is_number || !text.contains('.') {
            return Err(error());
        }
        let exponent_sign_index =
            text.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-')).map(|(sign_index, _)| sign_index);
        let text = match exponent_sign_index {
            Some(sign_index) if !text.contains('E') => format!("{}E{}", &text[..sign_index], &text[sign_index..]),
            _ => text,
        };
        if self.is_scaled && !text.contains('E') {
            return Err(lines.error(format!("expected a value with an exponent, found {}", excerpt(field))));
        }
        let value: f64 = text.parse().map_err(|_| error())?;
        if !value.is_finite() {
            return Err(lines.error(format!("expected a finite value, found {}", excerpt(field))));
        }
        Ok(value)
    }
}
