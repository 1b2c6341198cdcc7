//! Ranges of values. `1..64*2` multiplies by a factor, and `0.05..0.5+0.05` adds a step. Both continue to the end,
//! which is included if it is reached exactly. `1 us..1 ms*log9` has 9 values with equal factors between them, and
//! `0..1+lin5` has 5 values with equal steps; the end of such a range may be less than its beginning. Numbers are exact
//! decimals, and may have a unit.

use narrows_core::text::quantity::{QuantityKind, parse_any};

/// The largest number of values of a range.
pub const VALUES_MAX: usize = 100_000;

/// The largest number of decimals.
const DECIMALS_MAX: usize = 12;

/// The notation of the amounts of a range, which are whole numbers of its smallest unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Decimal numbers with this many decimals.
    Number(u32),
    /// Numbers with a unit of this kind.
    Quantity(QuantityKind),
}

/// The step of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Add(u64),
    Multiply(u64),
    Linear(usize),
    Logarithmic(usize),
}

/// A range of amounts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The notation of the amounts.
    pub notation: Notation,
    /// The lower end.
    pub from: u64,
    /// The upper end.
    pub to: u64,
    /// Whether the values go from the upper end to the lower.
    pub is_descending: bool,
    step: Option<Step>,
}

/// Returns whether a value is a range: it begins with a digit and contains `..`.
pub fn is_range(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit()) && value.contains("..")
}

impl Notation {
    /// Returns an amount in the notation of descriptions.
    pub fn format(self, amount: u64) -> String {
        match self {
            Notation::Number(places) => format_decimal(amount, places as usize),
            Notation::Quantity(kind) => (kind.format)(amount),
        }
    }

    /// Parses an amount.
    fn parse(self, text: &str) -> Result<u64, String> {
        match self {
            Notation::Number(places) => parse_decimal(text, places as usize),
            Notation::Quantity(kind) => (kind.parse)(text).map_err(|fault| fault.label),
        }
    }

    /// Returns the notation of a text.
    fn detect(text: &str) -> Option<Notation> {
        if decimal_count(text).is_some() {
            return Some(Notation::Number(0));
        }
        parse_any(text).map(|(kind, _)| Notation::Quantity(kind))
    }
}

/// Returns the number of decimals of a number without a unit.
fn decimal_count(text: &str) -> Option<usize> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (is_digits(whole) && is_digits(fraction)).then(|| fraction.trim_end_matches('0').len())
}

fn parse_decimal(text: &str, decimal_places: usize) -> Result<u64, String> {
    if self::decimal_count(text).is_none_or(|digits| digits > decimal_places) {
        return Err(format!("`{text}` is not a number, such as 7 or 0.05"));
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    format!("{whole}{fraction}{}", "0".repeat(decimal_places - fraction.len()))
        .parse()
        .map_err(|_| format!("`{text}` is too large"))
}

/// Formats a decimal with the point before its last `decimal_places` digits, without trailing zeros.
fn format_decimal(amount: u64, decimal_places: usize) -> String {
    let digits = format!("{amount:0>width$}", width = decimal_places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimal_places);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

impl Range {
    /// Parses a range, with or without a step.
    pub fn parse(range: &str) -> Result<Range, String> {
        let (from, rest) = range.split_once("..").ok_or("`..` is missing: LOW..HIGH")?;
        let (to, step) = match rest.rfind(['*', '+']) {
            Some(at) => (&rest[..at], Some((rest.as_bytes()[at] == b'*', rest[at + 1..].trim()))),
            None => (rest, None),
        };
        let (from, to) = (from.trim(), to.trim());
        let notation =
            Notation::detect(from).ok_or_else(|| format!("`{from}` is neither a number nor a number with a unit"))?;
        let notation = match notation {
            Notation::Number(_) => Notation::Number(range_decimals(from, to, step)?),
            notation => notation,
        };
        let parse_end = |text: &str| match notation {
            Notation::Number(_) => notation.parse(text),
            _ => notation.parse(text).map_err(|why| format!("`{text}` has another unit than `{from}`: {why}")),
        };
        let (first, last) = (parse_end(from)?, parse_end(to)?);
        let step = step.map(|(factor, amount)| parse_step(factor, amount, &parse_end)).transpose()?;
        let is_descending = first > last;
        if is_descending && !matches!(step, Some(Step::Linear(_) | Step::Logarithmic(_))) {
            return Err("the end is less than the beginning; only ranges by +linN and *logN may descend".to_owned());
        }
        Ok(Range { notation, from: first.min(last), to: first.max(last), is_descending, step })
    }

    /// Returns the values of a range with a step.
    pub fn values(&self) -> Result<Vec<String>, String> {
        let mut amounts = match self.step {
            None => return Err("a step is missing: FROM..TO+STEP, *FACTOR, +linN or *logN".to_owned()),
            Some(Step::Multiply(_) | Step::Logarithmic(_)) if self.from == 0 => {
                return Err("a range by factors cannot begin or end with 0".to_owned());
            }
            Some(Step::Add(step)) => self.amounts_by(|amount| amount.checked_add(step)),
            Some(Step::Multiply(factor)) => self.amounts_by(|amount| amount.checked_mul(factor)),
            Some(Step::Linear(count)) => {
                self.interpolate(count, |fraction| self.from as f64 + fraction * (self.to - self.from) as f64)
            }
            Some(Step::Logarithmic(count)) => {
                let ratio = self.to as f64 / self.from as f64;
                self.interpolate(count, |fraction| self.from as f64 * libm::pow(ratio, fraction))
            }
        };
        if self.is_descending {
            amounts.reverse();
        }
        match amounts.len() > VALUES_MAX {
            true => Err(format!("more than {VALUES_MAX} values")),
            false => Ok(amounts.into_iter().map(|amount| self.notation.format(amount)).collect()),
        }
    }

    /// Returns whether the range has a step.
    pub fn has_step(&self) -> bool {
        self.step.is_some()
    }

    fn amounts_by(&self, next: impl Fn(&u64) -> Option<u64>) -> Vec<u64> {
        let amounts = std::iter::successors(Some(self.from), next).take_while(|amount| *amount <= self.to);
        amounts.take(VALUES_MAX + 1).collect()
    }

    /// Returns at most `count` amounts from end to end, without duplicates; `amount_at` returns the amount at a
    /// fraction of the range. Amounts between the ends are rounded to four digits.
    fn interpolate(&self, count: usize, amount_at: impl Fn(f64) -> f64) -> Vec<u64> {
        let inner_amounts = (1..count.saturating_sub(1)).map(|i| rounded(amount_at(i as f64 / (count - 1) as f64)));
        let inner_amounts = inner_amounts.filter(|amount| (self.from..=self.to).contains(amount));
        let mut amounts: Vec<u64> = [self.from].into_iter().chain(inner_amounts).chain([self.to]).collect();
        amounts.dedup();
        amounts
    }
}

/// Rounds to four significant digits and a whole number.
pub fn rounded(amount: f64) -> u64 {
    let mut unit = 1.0;
    while amount / unit >= 10_000.0 {
        unit *= 10.0;
    }
    (libm::round(amount / unit) * unit) as u64
}

/// Returns the number of decimals of a range of numbers without a unit: enough for its ends and its step.
fn range_decimals(from: &str, to: &str, step: Option<(bool, &str)>) -> Result<u32, String> {
    let decimals_of =
        |text: &str| decimal_count(text).ok_or_else(|| format!("`{text}` is not a number, such as 7 or 0.05"));
    let mut decimals_max = decimals_of(from)?.max(decimals_of(to)?);
    // If both ends are whole, values are whole unless an end is written with a point, as in 0..1.0+lin5.
    let has_point = from.contains('.') || to.contains('.');
    match step {
        Some((false, amount)) if !amount.starts_with("lin") => decimals_max = decimals_max.max(decimals_of(amount)?),
        // If the ends have decimals, values between them have four digits.
        Some((_, amount)) if !amount.bytes().all(|b| b.is_ascii_digit()) && has_point => {
            decimals_max = decimals_max.max(4) + 2
        }
        None if has_point => decimals_max = decimals_max.max(6),
        _ => {}
    }
    if decimals_max > DECIMALS_MAX {
        Err(format!("more than {DECIMALS_MAX} decimals"))
    } else {
        Ok(decimals_max as u32)
    }
}

fn parse_step(
    is_factor: bool,
    amount: &str,
    parse_amount: &dyn Fn(&str) -> Result<u64, String>,
) -> Result<Step, String> {
    let count = |text: &str| match text.trim().parse::<usize>() {
        Ok(count) if (2..=VALUES_MAX).contains(&count) => Ok(count),
        _ => Err(format!("`{amount}` is not a number of values, from 2 to {VALUES_MAX}")),
    };
    if let Some(rest) = amount.strip_prefix("log").filter(|_| is_factor) {
        return Ok(Step::Logarithmic(count(rest)?));
    }
    if let Some(rest) = amount.strip_prefix("lin").filter(|_| !is_factor) {
        return Ok(Step::Linear(count(rest)?));
    }
    match is_factor {
        true => match amount.parse() {
            Ok(0 | 1) => Err("the factor must be at least 2".to_owned()),
            Ok(factor) => Ok(Step::Multiply(factor)),
            Err(_) => {
                Err(format!("the factor `{amount}` is not a whole number; *logN gives N values by equal factors"))
            }
        },
        false => match parse_amount(amount)? {
            0 => Err("the step must be more than 0".to_owned()),
            step => Ok(Step::Add(step)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(range: &str) -> Vec<String> {
        Range::parse(range).and_then(|range| range.values()).expect(range)
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(values("0.05..0.3+0.05"), ["0.05", "0.1", "0.15", "0.2", "0.25", "0.3"]);
        assert_eq!(values("0..1+0.25"), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(values("0.1..1*2"), ["0.1", "0.2", "0.4", "0.8"]);
        assert_eq!(values("1..64*4"), ["1", "4", "16", "64"]);
    }

    #[test]
    fn lin_and_log_ranges_have_the_given_number_of_values() {
        assert_eq!(values("1 us..1 ms*log4"), ["1 us", "10 us", "100 us", "1 ms"]);
        assert_eq!(values("0.01..1*log5"), ["0.01", "0.03162", "0.1", "0.3162", "1"]);
        assert_eq!(values("1..10*log30").len(), 10, "values that round to the same whole number are merged");
        assert_eq!(values("0..1+lin3"), ["0", "1"], "whole numbers stay whole");
        assert_eq!(values("0..1.0+lin3"), ["0", "0.5", "1"], "a decimal point in an end allows decimals");
        assert_eq!(values("0..0.1+lin3"), ["0", "0.05", "0.1"]);
        assert_eq!(values("0 B..1 KiB+lin5"), ["0 B", "256 B", "512 B", "768 B", "1 KiB"]);
        assert_eq!(values("1 ms..1 us*log4"), ["1 ms", "100 us", "10 us", "1 us"]);
        assert_eq!(values("1..0.0+lin3"), ["1", "0.5", "0"]);
        assert_eq!(values("33 MHz..66 MHz+lin4"), ["33 MHz", "44 MHz", "55 MHz", "66 MHz"]);
    }

    #[test]
    fn malformed_ranges_are_reported() {
        let why = |range: &str| Range::parse(range).and_then(|range| range.values()).expect_err(range);
        assert!(why("0..1*log5").contains("cannot begin or end with 0"));
        assert!(why("1..9*log1").contains("not a number of values"));
        assert!(why("1..9*1.5").contains("*logN"));
        assert!(why("5..0*log5").contains("cannot begin or end with 0"));
        assert!(why("0.5..0.1+0.1").contains("less than the beginning"));
        assert!(why("64..1*2").contains("less than the beginning"));
        assert!(why("0.1..x+1").contains("`x` is not a number"));
        assert!(why("0.00000000000001..1+1").contains("decimals"));
        assert!(why("1..9").contains("a step is missing"));
    }

    proptest! {
        #[test]
        fn values_of_a_range_increase_from_end_to_end(
            from in 1u64..5_000, width in 1u64..1_000_000, count in 2usize..40,
        ) {
            for step in [format!("*log{count}"), format!("+lin{count}")] {
                let range = Range::parse(&format!("{from}..{}{step}", from + width)).unwrap();
                let all: Vec<u64> = range.values().unwrap().iter().map(|text| text.parse().unwrap()).collect();
                prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", all);
                prop_assert_eq!((all[0], *all.last().unwrap()), (from, from + width));
                prop_assert!(all.len() <= count);
            }
        }
    }
}
