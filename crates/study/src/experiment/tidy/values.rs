//! Columns of the values of varied keys: quantities in their base unit, numbers, or text.
//!
//! A column has one type. If its values differ in type, they are all kept as text, as they were written. A key without
//! a value at a point has an empty cell.

use super::distinct;
use crate::report::dataset::{BaseUnit, ColumnValues, Dataset};
use narrows_core::text::quantity::parse_any;

/// A parsed value of a key.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ParsedValue {
    Count(u64),
    Number(f64),
    Quantity(&'static str, f64),
    Word,
}

/// The values of the keys of a row.
type KeyValues<'r> = &'r [(String, String)];

/// The type of a column.
#[derive(Clone, Copy, PartialEq)]
enum ColumnType {
    Counts,
    Numbers,
    /// Quantities with this base unit.
    Quantities(&'static str),
    Texts,
}

/// The columns of varied keys, with types that fit all rows.
pub struct KeyColumns<'a>(Vec<(&'a str, ColumnType)>);

/// Adds a column for each key. All rows have the same keys.
pub fn push_columns(data: &mut Dataset, rows: &[KeyValues<'_>]) {
    KeyColumns::new(rows.iter().copied()).push(data, rows.iter().copied());
}

impl<'a> KeyColumns<'a> {
    /// Returns the columns of rows that all have the same keys.
    pub fn new(rows: impl Iterator<Item = KeyValues<'a>> + Clone) -> KeyColumns<'a> {
        let keys = rows.clone().next().unwrap_or_default().iter().enumerate();
        let column_type = |key_index| {
            let texts = distinct(present_texts(rows.clone(), key_index).flatten()).into_iter();
            texts.map(|text| parse_value(text).column_type()).reduce(ColumnType::common).unwrap_or(ColumnType::Counts)
        };
        KeyColumns(keys.map(|(key_index, (key, _))| (key.as_str(), column_type(key_index))).collect())
    }

    /// Adds the columns for some of the rows.
    pub fn push<'r>(&self, data: &mut Dataset, rows: impl Iterator<Item = KeyValues<'r>> + Clone) {
        for (key_index, (key, column_type)) in self.0.iter().enumerate() {
            let texts = present_texts(rows.clone(), key_index);
            let numbers = || texts.clone().map(|text| text.and_then(|text| parse_value(text).number()));
            let (unit, values) = match *column_type {
                ColumnType::Counts => {
                    let count = |text: Option<&str>| text.and_then(|text| parse_value(text).count());
                    ("", ColumnValues::Counts(texts.map(count).collect()))
                }
                ColumnType::Numbers => ("", ColumnValues::Numbers(numbers().collect())),
                ColumnType::Quantities(unit @ ("B" | "Hz")) => {
                    let count = |number: Option<f64>| number.map(|number| number as u64);
                    (unit, ColumnValues::Counts(numbers().map(count).collect()))
                }
                ColumnType::Quantities(unit) => (unit, ColumnValues::Numbers(numbers().collect())),
                ColumnType::Texts => ("", ColumnValues::Texts(texts.map(|text| text.map(unquoted)).collect())),
            };
            data.push(key, unit, values);
        }
    }
}

/// Returns the text of the key `key_index` in each row, if it has a value there.
fn present_texts<'r>(
    rows: impl Iterator<Item = KeyValues<'r>> + Clone,
    key_index: usize,
) -> impl Iterator<Item = Option<&'r str>> + Clone {
    rows.map(move |row| Some(row[key_index].1.as_str()).filter(|text| !text.is_empty()))
}

impl ColumnType {
    /// Returns the type of a column with values of both types.
    fn common(self, other: ColumnType) -> ColumnType {
        match (self, other) {
            (one, other) if one == other => one,
            (ColumnType::Counts | ColumnType::Numbers, ColumnType::Counts | ColumnType::Numbers) => ColumnType::Numbers,
            _ => ColumnType::Texts,
        }
    }
}

impl ParsedValue {
    fn column_type(&self) -> ColumnType {
        match self {
            ParsedValue::Count(_) => ColumnType::Counts,
            ParsedValue::Number(_) => ColumnType::Numbers,
            ParsedValue::Quantity(unit, _) => ColumnType::Quantities(unit),
            ParsedValue::Word => ColumnType::Texts,
        }
    }

    fn count(&self) -> Option<u64> {
        match self {
            ParsedValue::Count(count) => Some(*count),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            ParsedValue::Count(count) => Some(*count as f64),
            ParsedValue::Number(number) | ParsedValue::Quantity(_, number) => Some(*number),
            ParsedValue::Word => None,
        }
    }
}

/// Returns a text without its quotes, if it has any.
fn unquoted(value: &str) -> String {
    match value.parse::<toml::Value>() {
        Ok(toml::Value::String(text)) => text,
        _ => value.to_owned(),
    }
}

fn parse_value(value: &str) -> ParsedValue {
    // A count mostly is written in digits, which need not be parsed as TOML.
    if let (Ok(count), false) = (value.parse::<u32>(), value.starts_with(['+', '0'])) {
        return ParsedValue::Count(count.into());
    }
    match value.parse::<toml::Value>() {
        Ok(toml::Value::Integer(whole)) => {
            u64::try_from(whole).map_or(ParsedValue::Number(whole as f64), ParsedValue::Count)
        }
        Ok(toml::Value::Float(number)) => ParsedValue::Number(number),
        Ok(toml::Value::String(text)) => parse_quantity(&text).unwrap_or(ParsedValue::Word),
        Ok(_) => ParsedValue::Word,
        Err(_) => parse_quantity(value).unwrap_or(ParsedValue::Word),
    }
}

fn parse_quantity(text: &str) -> Option<ParsedValue> {
    let (kind, amount) = parse_any(text)?;
    let base = BaseUnit::from_unit(kind.smallest).expect("every smallest unit has a base unit");
    Some(ParsedValue::Quantity(base.unit, base.to_base(amount as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> (String, ColumnValues) {
        let rows: Vec<Vec<(String, String)>> =
            values.iter().map(|value| vec![("a.b".to_owned(), value.to_string())]).collect();
        let mut data = Dataset::default();
        push_columns(&mut data, &rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let variable = data.variables.remove(0);
        (variable.name, variable.values)
    }

    #[test]
    fn quantities_are_numbers_of_their_base_unit() {
        let counts = |counts: &[u64]| ColumnValues::Counts(counts.iter().copied().map(Some).collect());
        let numbers = |numbers: &[f64]| ColumnValues::Numbers(numbers.iter().copied().map(Some).collect());
        let texts = |texts: &[&str]| ColumnValues::Texts(texts.iter().map(|text| Some(text.to_string())).collect());
        assert_eq!(column(&["64 B", "\"1 KiB\""]), ("a_b_B".into(), counts(&[64, 1024])));
        assert_eq!(column(&["1 us", "2.5 ms"]), ("a_b_s".into(), numbers(&[1e-6, 2.5e-3])));
        assert_eq!(column(&["160 MB/s", "1 Gbit/s"]), ("a_b_B_per_s".into(), numbers(&[160e6, 125e6])));
        assert_eq!(column(&["33 MHz"]), ("a_b_Hz".into(), counts(&[33_000_000])));
        assert_eq!(column(&["1", "2"]), ("a_b".into(), counts(&[1, 2])));
        assert_eq!(column(&["", "64 B"]), ("a_b_B".into(), ColumnValues::Counts(vec![None, Some(64)])));
        assert_eq!(column(&["", "x"]), ("a_b".into(), ColumnValues::Texts(vec![None, Some("x".into())])));
        assert_eq!(column(&["0.5", "2"]), ("a_b".into(), numbers(&[0.5, 2.0])));
        assert_eq!(column(&["1 us", "64 B"]), ("a_b".into(), texts(&["1 us", "64 B"])));
        assert_eq!(column(&["true", "'x'"]), ("a_b".into(), texts(&["true", "x"])));
    }
}
