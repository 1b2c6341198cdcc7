//! A value in words: decimals, percentages, a unit behind it. Leaves out tables, whose columns say so.

use super::value::Value;
use crate::report::number::{percent, short, signed_percent};

/// How a number in a hole is written: `:2`, `:1 MB/s`, `:+%`, `:0%`, `:key`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Format {
    decimals: Option<usize>,
    signed: bool,
    percent: bool,
    /// As the name of a point has it, not as people are told it.
    key: bool,
    /// What stands behind.
    unit: String,
}

impl Format {
    /// `[+][DECIMALS][%]` and what stands behind the number; or `key`.
    pub fn parse(text: &str) -> Format {
        if text == "key" {
            return Format { key: true, ..Format::default() };
        }
        let (signed, rest) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
        let long = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        // More digits than a number has say nothing.
        let decimals = rest[..long].parse().ok().map(|decimals: usize| decimals.min(17));
        let (percent, unit) = rest[long..].strip_prefix('%').map_or((false, &rest[long..]), |unit| (true, unit));
        Format { decimals, signed, percent, key: false, unit: unit.to_owned() }
    }

    /// A value in words.
    pub fn words(&self, value: &Value) -> String {
        match value {
            _ if self.key => value.key(),
            Value::Number(number) => self.number(*number),
            Value::Text(text) => text.clone(),
            Value::Flag(flag) => flag.to_string(),
            Value::Key(key) => match value.number().filter(|_| *self != Format::default()) {
                Some(number) => self.number(number),
                None => key.label.clone(),
            },
            Value::List(items) => {
                let one = |item: &super::Element| {
                    let labels = item.at.iter().map(|key| key.label.as_str());
                    labels.map(str::to_owned).chain([self.words(&item.value)]).collect::<Vec<_>>().join(" ")
                };
                items.iter().map(one).collect::<Vec<_>>().join(", ")
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
