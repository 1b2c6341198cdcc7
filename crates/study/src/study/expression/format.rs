//! Formats of values in texts, such as decimals, percentages and units. The formats of tables are those of their
//! columns.

use super::value::Value;
use crate::report::number::{percent, short, signed_percent};
use std::borrow::Cow;

/// The format of a placeholder: `:2`, `:1 MB/s`, `:+%`, `:0%`, `:key`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Format {
    decimals: Option<usize>,
    signed: bool,
    percent: bool,
    /// Whether the value is written as in the name of a point, and not by its display name.
    key: bool,
    /// The text after the number.
    unit: String,
}

impl Format {
    /// Parses `[+][DECIMALS][%]` and the text after the number, or `key`.
    pub fn parse(text: &str) -> Format {
        if text == "key" {
            return Format { key: true, ..Format::default() };
        }
        let (signed, rest) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
        let digit_count = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        // An `f64` has at most 17 significant digits.
        let decimals = rest[..digit_count].parse().ok().map(|decimals: usize| decimals.min(17));
        let (percent, unit) =
            rest[digit_count..].strip_prefix('%').map_or((false, &rest[digit_count..]), |unit| (true, unit));
        Format { decimals, signed, percent, key: false, unit: unit.to_owned() }
    }

    /// Formats a value.
    pub fn format_value<'a>(&self, value: &'a Value) -> Cow<'a, str> {
        match value {
            _ if self.key => value.key(),
            Value::Number(number) => self.number(*number).into(),
            Value::Text(text) => text.into(),
            Value::Flag(flag) => flag.to_string().into(),
            Value::Key(key) => match value.number().filter(|_| *self != Format::default()) {
                Some(number) => self.number(number).into(),
                None => Cow::Borrowed(&key.label),
            },
            Value::List(items) => {
                let item_text = |item: &super::Element| {
                    let labels = item.keys.iter().map(|key| Cow::Borrowed(&*key.label));
                    labels.chain([self.format_value(&item.value)]).collect::<Vec<_>>().join(" ")
                };
                items.iter().map(item_text).collect::<Vec<_>>().join(", ").into()
            }
        }
    }

    fn number(&self, number: f64) -> String {
        let digits = match (self.percent, self.decimals, self.signed) {
            _ if !number.is_finite() => short(number),
            (true, Some(decimals), false) => format!("{:.decimals$} %", number * 100.0),
            (true, Some(decimals), true) => format!("{:+.decimals$} %", number * 100.0),
            (true, None, true) => signed_percent(number),
            (true, None, false) => percent(number),
            (false, Some(decimals), false) => format!("{number:.decimals$}"),
            (false, Some(decimals), true) => format!("{number:+.decimals$}"),
            (false, None, _) => short(number),
        };
        format!("{digits}{}", self.unit)
    }
}
