//! The numeric parameters of a machine's parts, and scaled copies of them.
//!
//! The parts are hosts, interface, protocol, messaging and fabric. Parameters of the workload describe the load and not
//! the machine, so only [`all_numbers`] returns them. A scaled number keeps its unit and is at least the smallest
//! amount of that unit's kind, such as 1 ps.

use narrows_core::engine::Rate;
use narrows_core::machine::Machine;
use narrows_core::text::quantity::{ParseError, Quantity, QuantityKind};
use narrows_core::text::{Entry, ParameterDeclaration, Read};

/// The tables of a description that hold parts.
const PART_TABLES: [&str; 5] = ["hosts", "ni", "protocol", "messaging", "fabric"];

/// A numeric parameter of a part, which is greater than 0.
#[derive(Clone, PartialEq, Debug)]
pub struct NumericParameter {
    /// The key of the parameter.
    pub key: String,
    /// The value as the description writes it.
    pub value: String,
    /// The documentation of the key.
    pub meaning: &'static str,
    /// The source of the value, from the comment after it.
    pub source: Option<String>,
    /// The declaration of the parameter in its part: its meaning, and the resource that it belongs to.
    pub declaration: ParameterDeclaration,
    magnitude: Magnitude,
}

/// A number in the smallest unit of its kind.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Magnitude {
    Quantity(QuantityKind, u64),
    Count(u64),
    Number(f64),
}

/// Returns the numeric parameters of a machine's parts that are greater than 0.
pub fn part_numbers(description: &Read<Machine>) -> Vec<NumericParameter> {
    numbers_where(description, |path| PART_TABLES.iter().any(|part| path.split('.').next() == Some(part)))
}

/// Returns all numeric parameters of the description that are greater than 0, including those of the workload.
pub fn all_numbers(description: &Read<Machine>) -> Vec<NumericParameter> {
    numbers_where(description, |_| true)
}

fn numbers_where(description: &Read<Machine>, is_included: impl Fn(&str) -> bool) -> Vec<NumericParameter> {
    let numeric_parameter = |entry: Entry| {
        let magnitude = parse_magnitude(&entry.kind.name, &entry.value)?;
        let (key, value, meaning, source) = (entry.path, entry.value, entry.doc, entry.note);
        Some(NumericParameter { key, value, meaning, source, declaration: entry.declaration, magnitude })
    };
    description.entries().into_iter().filter(|entry| is_included(&entry.path)).filter_map(numeric_parameter).collect()
}

fn parse_magnitude(kind: &str, value: &str) -> Option<Magnitude> {
    let magnitude = match QuantityKind::ALL.into_iter().find(|quantity| quantity.name == kind) {
        Some(quantity) => Magnitude::Quantity(quantity, (quantity.parse)(value).ok()?),
        None => value.parse().map(Magnitude::Count).or_else(|_| value.parse().map(Magnitude::Number)).ok()?,
    };
    (magnitude.as_number() > 0.0).then_some(magnitude)
}

impl Magnitude {
    /// Returns the number in its smallest unit.
    fn as_number(self) -> f64 {
        match self {
            Magnitude::Quantity(_, amount) | Magnitude::Count(amount) => amount as f64,
            Magnitude::Number(number) => number,
        }
    }

    /// Returns a magnitude of the same kind with the value `value`, rounded to whole smallest units and at least one.
    fn with_number(self, value: f64) -> Magnitude {
        let rounded = (value.round() as u64).max(1);
        match self {
            Magnitude::Quantity(kind, _) => Magnitude::Quantity(kind, rounded),
            Magnitude::Count(_) => Magnitude::Count(rounded),
            Magnitude::Number(_) => Magnitude::Number(value),
        }
    }

    fn text(self) -> String {
        match self {
            Magnitude::Quantity(kind, amount) => (kind.format)(amount),
            Magnitude::Count(amount) => amount.to_string(),
            Magnitude::Number(number) => number.to_string(),
        }
    }
}

impl NumericParameter {
    /// Returns the number in its smallest unit.
    pub fn number(&self) -> f64 {
        self.magnitude.as_number()
    }

    /// Returns the number times `factor`, as text, and the exact factor after rounding to whole smallest units; `None`
    /// if rounding leaves it unchanged.
    pub fn scaled_by(&self, factor: f64) -> Option<(String, f64)> {
        let scaled = self.magnitude.with_number(self.number() * factor);
        let exact_factor = scaled.as_number() / self.number();
        (scaled != self.magnitude).then(|| (scaled.text(), exact_factor))
    }

    /// Returns the number times `factor`, or the next larger or smaller one if rounding leaves it unchanged.
    pub fn scaled_or_next(&self, factor: f64) -> Option<(String, f64)> {
        self.scaled_by(factor).or_else(|| self.scaled_by(1.0 + if factor > 1.0 { 1.0 } else { -1.0 } / self.number()))
    }

    /// Returns `value` (in the smallest unit) as text in this parameter's unit, and its value after rounding.
    pub fn quantize(&self, value: f64) -> (String, f64) {
        let magnitude = self.magnitude.with_number(value);
        (magnitude.text(), magnitude.as_number())
    }

    /// Rounds as [`quantize`](NumericParameter::quantize) does, and to the decimal place of the first digit of `uncertainty`,
    /// in the unit of the text.
    pub fn rounded(&self, value: f64, uncertainty: f64) -> (String, f64) {
        // Rates are stored in bits per second and written in bytes per second.
        let is_rate = matches!(self.magnitude, Magnitude::Quantity(kind, _) if kind.name == Rate::NAME);
        let unit = if is_rate { 8.0 } else { 1.0 };
        let step = libm::pow(10.0, libm::log10(uncertainty / unit).floor());
        let step = if step.is_finite() && step > 0.0 { step } else { 1.0 };
        let is_whole = step >= 1.0 || !matches!(self.magnitude, Magnitude::Number(_));
        let step = if is_whole { step.max(1.0) } else { step };
        let rounded = (value / unit / step).round() * step * unit;
        self.quantize(if rounded > 0.0 { rounded } else { value })
    }

    /// Parses `text` as a value of this parameter's kind, in its smallest unit.
    pub fn parse(&self, text: &str) -> Result<f64, ParseError> {
        match self.magnitude {
            Magnitude::Quantity(kind, _) => (kind.parse)(text).map(|amount| amount as f64),
            Magnitude::Count(_) | Magnitude::Number(_) => {
                let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| ParseError::new("a number is expected", "write a bare number, such as \"75\""))
            }
        }
    }

    /// Returns the override that sets this parameter to `value`.
    pub fn setting(&self, value: &str) -> String {
        format!("{}={value}", self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric_parameter(kind: &str, value: &str) -> Option<NumericParameter> {
        let magnitude = parse_magnitude(kind, value)?;
        Some(NumericParameter {
            key: "hosts.x.y".to_owned(),
            value: value.to_owned(),
            meaning: "",
            source: None,
            declaration: ParameterDeclaration::default(),
            magnitude,
        })
    }

    #[test]
    fn scaled_number_keeps_its_unit_and_stays_whole() {
        let scaled =
            |kind, value, factor| numeric_parameter(kind, value).expect("the value is a number").scaled_by(factor);
        assert_eq!(scaled("time", "40 ns", 2.0), Some(("80 ns".to_owned(), 2.0)));
        assert_eq!(scaled("rate", "160 MB/s", 0.5), Some(("80 MB/s".to_owned(), 0.5)));
        assert_eq!(scaled("count", "3", 0.5), Some(("2".to_owned(), 2.0 / 3.0)));
        assert_eq!(scaled("count", "1", 0.5), None, "half of a count of 1 rounds to 1, which is no change");
        assert_eq!(scaled("bytes", "8 KiB", 2.0), Some(("16 KiB".to_owned(), 2.0)));
    }

    #[test]
    fn number_is_rounded_to_the_decimal_place_of_its_uncertainty() {
        let rounded = |kind, value, number, uncertainty| {
            numeric_parameter(kind, value).expect("the value is a number").rounded(number, uncertainty).0
        };
        assert_eq!(rounded("time", "1.1 us", 1_133_000.0, 140_000.0), "1.1 us");
        assert_eq!(rounded("rate", "124 MB/s", 124.6e6 * 8.0, 7e6 * 8.0), "125 MB/s");
        assert_eq!(rounded("count", "120", 113.0, 23.0), "110");
        assert_eq!(rounded("count", "3", 3.4, 0.2), "3", "counts are whole");
        assert_eq!(rounded("number", "0.5", 0.537, 0.02), "0.54");
    }

    #[test]
    fn zero_and_text_are_no_magnitudes() {
        assert_eq!(numeric_parameter("time", "0 ns"), None);
        assert_eq!(numeric_parameter("name", "p6-natoma"), None);
    }
}
