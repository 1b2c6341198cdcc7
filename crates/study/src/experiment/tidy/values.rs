//! Columns of the values of varied keys: quantities in their base unit, numbers, or text.
//!
//! A column has one type. If its values differ in type, they are all kept as text, as they were written. A key without
//! a value at a point has an empty cell.

use crate::report::dataset::{BaseUnit, ColumnValues, Dataset};
use narrows_core::text::quantity::parse_any;

/// A parsed value of a key.
#[derive(Clone, PartialEq, Debug)]
enum ParsedValue {
    Count(u64),
    Number(f64),
    Quantity(&'static str, f64),
    Word(String),
}

/// Adds a column for each key. All rows have the same keys.
pub fn push_columns(data: &mut Dataset, rows: &[&[(String, String)]]) {
    let keys = rows.first().map_or(0, |row| row.len());
    for key_index in 0..keys {
        let texts: Vec<Option<&str>> =
            rows.iter().map(|row| Some(row[key_index].1.as_str()).filter(|text| !text.is_empty())).collect();
        push_column(data, &rows[0][key_index].0, &texts);
    }
}

fn push_column(data: &mut Dataset, key: &str, texts: &[Option<&str>]) {
    let parsed: Vec<Option<ParsedValue>> = texts.iter().map(|text| text.map(parse_value)).collect();
    let as_count = |value: &ParsedValue| match value {
        ParsedValue::Count(count) => Some(*count),
        _ => None,
    };
    let as_number = |value: &ParsedValue| match value {
        ParsedValue::Count(count) => Some(*count as f64),
        ParsedValue::Number(number) => Some(*number),
        _ => None,
    };
    let unit = parsed.iter().flatten().find_map(|value| match value {
        ParsedValue::Quantity(unit, _) => Some(*unit),
        _ => None,
    });
    let as_quantity = |value: &ParsedValue| match value {
        ParsedValue::Quantity(value_unit, number) if Some(*value_unit) == unit => Some(*number),
        _ => None,
    };
    let text_values = || ColumnValues::Texts(texts.iter().map(|text| text.map(unquoted)).collect());
    if let Some(counts) = convert_all(&parsed, as_count) {
        data.push(key, "", ColumnValues::Counts(counts));
    } else if let Some(numbers) = convert_all(&parsed, as_number) {
        data.push(key, "", ColumnValues::Numbers(numbers));
    } else if let (Some(unit), Some(numbers)) = (unit, convert_all(&parsed, as_quantity)) {
        let is_whole = ["B", "Hz"].contains(&unit);
        let counts = || numbers.iter().map(|integer| integer.map(|number| number as u64)).collect();
        data.push(key, unit, if is_whole { ColumnValues::Counts(counts()) } else { ColumnValues::Numbers(numbers) });
    } else {
        data.push(key, "", text_values());
    }
}

/// Converts each value that is not missing. Returns `None` if one of them is of another type.
fn convert_all<T>(
    values: &[Option<ParsedValue>],
    convert: impl Fn(&ParsedValue) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let convert_present = |value: &Option<ParsedValue>| match value {
        None => Some(None),
        Some(value) => convert(value).map(Some),
    };
    values.iter().map(convert_present).collect()
}

/// Returns a text without its quotes, if it has any.
fn unquoted(value: &str) -> String {
    match value.parse::<toml::Value>() {
        Ok(toml::Value::String(text)) => text,
        _ => value.to_owned(),
    }
}

fn parse_value(value: &str) -> ParsedValue {
    match value.parse::<toml::Value>() {
        Ok(toml::Value::Integer(whole)) => {
            u64::try_from(whole).map_or(ParsedValue::Number(whole as f64), ParsedValue::Count)
        }
        Ok(toml::Value::Float(number)) => ParsedValue::Number(number),
        Ok(toml::Value::String(text)) => parse_quantity(&text).unwrap_or(ParsedValue::Word(text)),
        Ok(_) => ParsedValue::Word(value.to_owned()),
        Err(_) => parse_quantity(value).unwrap_or(ParsedValue::Word(value.to_owned())),
    }
}

fn parse_quantity(text: &str) -> Option<ParsedValue> {
    let (unit, amount) = parse_any(text)?;
    let base = BaseUnit::from_unit(unit).expect("every smallest unit has a base unit");
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
