//! `METRIC >= VALUE`: what is wanted of a metric, the value in any unit of its kind.

use narrows_core::engine::{Bytes, Hertz, Metric, Rate, Time};
use narrows_core::text::Problem;
use narrows_core::text::quantity::{self, Quantity};

/// What is wanted of a metric.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// Its name.
    pub metric: String,
    sense: &'static str,
    /// The value as it was written.
    text: String,
    /// The value in the metric's unit.
    value: f64,
}

/// The longer first: `>=` begins with `>`.
const SENSES: [&str; 4] = [">=", "<=", ">", "<"];

/// The metric's name, and what is asked of it, if anything.
pub fn split(text: &str) -> (&str, Option<(&'static str, &str)>) {
    let at = text.find(['<', '>', '=']);
    let Some(at) = at else { return (text.trim(), None) };
    let sense = SENSES.iter().find(|sense| text[at..].starts_with(**sense));
    match sense {
        Some(sense) => (text[..at].trim(), Some((sense, text[at + sense.len()..].trim()))),
        None => (text[..at].trim(), Some(("", text[at..].trim()))),
    }
}

impl Condition {
    /// The name of the metric that a condition is about.
    pub fn name(text: &str) -> &str {
        split(text).0
    }

    /// A condition on one of these metrics.
    pub fn parse(text: &str, metrics: &[Metric]) -> Result<Condition, Problem> {
        let wrong = |why: &str| {
            Problem::new(format!("cannot search for `{text}`: {why}"))
                .help("write METRIC >= VALUE, such as 'message.bandwidth >= 100 MB/s'; >, <= and < are the others")
        };
        let (name, asked) = split(text);
        let (sense, value) = match asked {
            Some(("", _)) => return Err(wrong("`=` alone is met by chance at best")),
            Some(asked) => asked,
            None => {
                return Err(wrong("what is asked of it is missing")
                    .help("to find where it meets another machine's, add --against FILE"));
            }
        };
        let metric = metrics.iter().find(|metric| metric.name == name);
        let metric = metric.ok_or_else(|| {
            super::super::sweep::metrics::unknown(name, metrics.iter().map(|metric| metric.name.as_str()))
        })?;
        let number = in_unit(value, metric.unit).map_err(|why| wrong(&why))?;
        Ok(Condition { metric: name.to_owned(), sense, text: value.to_owned(), value: number })
    }

    /// Whether a value of the metric is as wanted.
    pub fn holds(&self, metric: f64) -> bool {
        match self.sense {
            ">=" => metric >= self.value,
            "<=" => metric <= self.value,
            ">" => metric > self.value,
            _ => metric < self.value,
        }
    }

    /// As it was asked.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.metric, self.sense, self.text)
    }
}

/// A number with its unit as a number of the metric's unit.
fn in_unit(text: &str, unit: &str) -> Result<f64, String> {
    let kinds = [of::<Bytes>, of::<Time>, of::<Rate>, of::<Hertz>];
    if let Some(found) = kinds.iter().find_map(|of| of(text, unit)) {
        return found;
    }
    let number = text.strip_suffix(unit).unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ if unit.is_empty() => Err(format!("`{text}` is not a number, and the metric has no unit")),
        _ => Err(format!("`{text}` is not a number of {unit}")),
    }
}

/// The same, where the unit is one of this kind of quantity.
fn of<Q: Quantity + Smallest>(text: &str, unit: &str) -> Option<Result<f64, String>> {
    let (_, per) = Q::UNITS.iter().find(|(name, _)| *name == unit)?;
    let read = quantity::parse::<Q>(text);
    Some(match read {
        Ok(value) => Ok(value.smallest() as f64 / *per as f64),
        Err(fault) => Err(format!("`{text}`: {}, {}", fault.label, fault.help.join("; "))),
    })
}

/// A quantity as a number of its smallest unit.
trait Smallest {
    fn smallest(self) -> u64;
}

impl Smallest for Bytes {
    fn smallest(self) -> u64 {
        self.get()
    }
}

impl Smallest for Time {
    fn smallest(self) -> u64 {
        self.ps()
    }
}

impl Smallest for Rate {
    fn smallest(self) -> u64 {
        self.bits_per_s()
    }
}

impl Smallest for Hertz {
    fn smallest(self) -> u64 {
        self.0
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
    fn a_value_is_taken_in_any_unit_of_its_kind() {
        let holds = |text: &str, value: f64| Condition::parse(text, &metrics()).expect(text).holds(value);
        assert!(holds("a.rate >= 0.8 Gbit/s", 100.0) && !holds("a.rate >= 0.8 Gbit/s", 99.9));
        assert!(holds("a.latency<2 ms", 1999.0) && !holds("a.latency < 2 ms", 2000.0));
        assert!(holds("a.count>3", 4.0) && holds("a.flits <= 0.5", 0.5) && holds("a.flits <= 0.5 flits/cycle", 0.5));
    }

    #[test]
    fn what_asks_nothing_is_told() {
        let why = |text: &str| {
            let problem = Condition::parse(text, &metrics()).expect_err(text);
            format!("{} {}", problem.message, problem.help.join(" "))
        };
        assert!(why("a.rat >= 1 MB/s").contains("did you mean `a.rate`?"));
        assert!(why("a.rate >= 100").contains("needs a unit"));
        assert!(why("a.rate >= 100 us").contains("not a unit of a rate"));
        assert!(why("a.rate = 100 MB/s").contains("by chance"));
        assert!(why("a.rate").contains("--against"));
        assert!(why("a.count > x").contains("not a number"));
    }
}
