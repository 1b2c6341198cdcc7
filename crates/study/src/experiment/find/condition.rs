//! Conditions on a metric: `METRIC >= VALUE`, with the value in any unit of the metric's kind.

use narrows_core::engine::{Metric, current_metric_name};
use narrows_core::text::Problem;
use narrows_core::text::quantity::QuantityKind;

/// A comparison of a metric with a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The name of the metric.
    pub metric: String,
    operator: &'static str,
    /// The constant as it was written.
    threshold_text: String,
    /// The constant in the metric's unit.
    threshold: f64,
}

/// The comparison operators; `>=` precedes `>`, which is a prefix of it.
const OPERATORS: [&str; 4] = [">=", "<=", ">", "<"];

/// Splits `text` into the name of the metric, and if there are any, the operator (empty if unknown) and the value.
pub fn split_condition(text: &str) -> (&str, Option<(&'static str, &str)>) {
    let Some(operator_start) = text.find(['<', '>', '=']) else { return (text.trim(), None) };
    let operator = OPERATORS.iter().find(|operator| text[operator_start..].starts_with(**operator));
    match operator {
        Some(operator) => {
            (text[..operator_start].trim(), Some((operator, text[operator_start + operator.len()..].trim())))
        }
        None => (text[..operator_start].trim(), Some(("", text[operator_start..].trim()))),
    }
}

impl Condition {
    /// Returns the name of the metric in the text of a condition.
    pub fn name(text: &str) -> &str {
        split_condition(text).0
    }

    /// Parses a condition on one of `metrics`.
    pub fn parse(text: &str, metrics: &[Metric]) -> Result<Condition, Problem> {
        let problem = |why: &str| {
            Problem::new(format!("cannot search for `{text}`: {why}")).help(
                "write METRIC >= VALUE, such as 'message.bandwidth >= 100 MB/s'; the other operators are >, <= and <",
            )
        };
        let (name, comparison) = split_condition(text);
        let (operator, value) = match comparison {
            Some(("", _)) => {
                return Err(problem("a measured metric rarely equals a value exactly, so `=` finds nothing"));
            }
            Some(comparison) => comparison,
            None => {
                return Err(problem("an operator and a value are missing")
                    .help("quote the whole condition: the shell takes an unquoted `>` or `<` as the name of a file")
                    .help("to find where it crosses another machine's, add --against FILE"));
            }
        };
        let name = current_metric_name(name);
        let metric = metrics.iter().find(|metric| metric.name == name);
        let metric = metric.ok_or_else(|| {
            super::super::sweep::metrics::unknown_metric_problem(
                name,
                metrics.iter().map(|metric| metric.name.as_str()),
            )
        })?;
        let threshold = convert_to_unit(value, metric.unit).map_err(|why| problem(&why))?;
        Ok(Condition { metric: name.to_owned(), operator, threshold_text: value.to_owned(), threshold })
    }

    /// Returns whether `metric` satisfies the condition.
    pub fn holds(&self, metric: f64) -> bool {
        match self.operator {
            ">=" => metric >= self.threshold,
            "<=" => metric <= self.threshold,
            ">" => metric > self.threshold,
            _ => metric < self.threshold,
        }
    }

    /// Returns the condition as text.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.metric, self.operator, self.threshold_text)
    }
}

/// Converts a number with a unit to `unit`, which is that of the metric.
fn convert_to_unit(text: &str, unit: &str) -> Result<f64, String> {
    let size_of_unit = |kind: &QuantityKind| kind.units.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
    if let Some((kind, size)) = QuantityKind::ALL.iter().find_map(|kind| Some((kind, size_of_unit(kind)?))) {
        let amount = (kind.parse)(text).map(|amount| amount as f64 / size as f64);
        return amount.map_err(|error| format!("`{text}`: {}, {}", error.label, error.help.join("; ")));
    }
    let number_text = text.strip_suffix(unit).unwrap_or(text).trim();
    match number_text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ if unit.is_empty() => Err(format!("`{text}` is not a number, and the metric has no unit")),
        _ => Err(format!("`{text}` is not a number of {unit}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics() -> Vec<Metric> {
        [("a.rate", "MB/s"), ("a.latency", "us"), ("a.count", ""), ("a.flits", "flits/cycle")]
            .map(|(name, unit)| Metric::new(name, f64::NAN, unit))
            .into()
    }

    #[test]
    fn value_may_have_any_unit_of_the_metrics_kind() {
        let holds = |text: &str, value: f64| Condition::parse(text, &metrics()).expect(text).holds(value);
        assert!(holds("a.rate >= 0.8 Gbit/s", 100.0) && !holds("a.rate >= 0.8 Gbit/s", 99.9));
        assert!(holds("a.latency<2 ms", 1999.0) && !holds("a.latency < 2 ms", 2000.0));
        assert!(holds("a.count>3", 4.0) && holds("a.flits <= 0.5", 0.5) && holds("a.flits <= 0.5 flits/cycle", 0.5));
    }

    #[test]
    fn malformed_conditions_are_reported() {
        let why = |text: &str| {
            let problem = Condition::parse(text, &metrics()).expect_err(text);
            format!("{} {}", problem.message, problem.help.join(" "))
        };
        assert!(why("a.rat >= 1 MB/s").contains("did you mean `a.rate`?"));
        assert!(why("a.rate >= 100").contains("needs a unit"));
        assert!(why("a.rate >= 100 us").contains("not a unit of a rate"));
        assert!(why("a.rate = 100 MB/s").contains("rarely equals"));
        assert!(why("a.rate").contains("--against"));
        assert!(why("a.count > x").contains("not a number"));
    }
}
