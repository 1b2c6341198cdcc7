//! Ranges of values: `1..64*2` goes by a factor, `0.05..0.5+0.05` by steps, both up to the end and with it where it
//! is met; `1 us..1 ms*log9` and `0..1+lin5` are so many values from end to end, by equal factors and by equal
//! steps. Numbers are exact decimals, and may carry a unit. Leaves out what a value means to whoever reads it.

use narrows_core::engine::{Bytes, Hertz, Rate, Time};
use narrows_core::text::quantity::{self, Quantity};

/// More values than this are no sweep anybody waits for.
pub const VALUES_MAX: usize = 100_000;

/// More decimals than this are no number of anything.
const PLACES_MAX: usize = 12;

/// Whole, decimal, or of a kind of quantity: how amounts of a range are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Numbers in steps of ten to the minus so many places.
    Number(u32),
    /// Bytes.
    Bytes,
    /// Picoseconds.
    Time,
    /// Bits per second.
    Rate,
    /// Hertz.
    Frequency,
}

/// How a range goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    By(u64),
    Times(u64),
    Even(usize),
    Logarithmic(usize),
}

/// From one amount to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// How amounts are written.
    pub scale: Notation,
    /// The first amount, in the scale's smallest unit.
    pub from: u64,
    /// The last.
    pub to: u64,
    step: Option<Step>,
}

/// Whether a value is a range: it begins with a digit and holds `..`.
pub fn is_range(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit()) && value.contains("..")
}

impl Notation {
    /// An amount as a description has it.
    pub fn write(self, amount: u64) -> String {
        match self {
            Notation::Number(places) => decimal(amount, places as usize),
            Notation::Bytes => Bytes(amount).to_string(),
            Notation::Time => Time::from_ps(amount).to_string(),
            Notation::Rate => Rate::from_bits_per_s(amount).to_string(),
            Notation::Frequency => Hertz(amount).to_string(),
        }
    }

    /// The amount that a text says.
    fn read(self, text: &str) -> Result<u64, String> {
        match self {
            Notation::Number(places) => number(text, places as usize),
            Notation::Bytes => of::<Bytes>(text, Bytes::get),
            Notation::Time => of::<Time>(text, Time::ps),
            Notation::Rate => of::<Rate>(text, Rate::bits_per_s),
            Notation::Frequency => of::<Hertz>(text, |hertz| hertz.0),
        }
    }

    /// The scale of which a text is an amount.
    fn of(text: &str) -> Option<Notation> {
        if places(text).is_some() {
            return Some(Notation::Number(0));
        }
        [Notation::Bytes, Notation::Time, Notation::Rate, Notation::Frequency]
            .into_iter()
            .find(|scale| scale.read(text).is_ok())
    }
}

fn of<Q: Quantity>(text: &str, smallest: fn(Q) -> u64) -> Result<u64, String> {
    quantity::parse::<Q>(text).map(smallest).map_err(|fault| fault.label)
}

/// How many decimals a plain number has.
fn places(text: &str) -> Option<usize> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && digits(fraction)).then(|| fraction.trim_end_matches('0').len())
}

fn number(text: &str, places: usize) -> Result<u64, String> {
    if self::places(text).is_none_or(|of| of > places) {
        return Err(format!("`{text}` is not a number, such as 7 or 0.05"));
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    format!("{whole}{fraction}{}", "0".repeat(places - fraction.len()))
        .parse()
        .map_err(|_| format!("`{text}` is too large"))
}

/// Digits with the point before the last `places` of them, without idle zeros.
fn decimal(amount: u64, places: usize) -> String {
    let digits = format!("{amount:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

impl Range {
    /// Takes a range apart, which need not say how it goes on.
    pub fn parse(range: &str) -> Result<Range, String> {
        let (from, rest) = range.split_once("..").ok_or("`..` is missing: LOW..HIGH")?;
        let (to, step) = match rest.rfind(['*', '+']) {
            Some(at) => (&rest[..at], Some((rest.as_bytes()[at] == b'*', rest[at + 1..].trim()))),
            None => (rest, None),
        };
        let (from, to) = (from.trim(), to.trim());
        let scale =
            Notation::of(from).ok_or_else(|| format!("`{from}` is neither a number nor a number with a unit"))?;
        let scale = match scale {
            Notation::Number(_) => Notation::Number(decimals(from, to, step)?),
            scale => scale,
        };
        let read = |text: &str| match scale {
            Notation::Number(_) => scale.read(text),
            _ => scale.read(text).map_err(|why| format!("`{text}` does not go with `{from}`: {why}")),
        };
        let (first, last) = (read(from)?, read(to)?);
        if first > last {
            return Err("the end is less than the beginning".to_owned());
        }
        let step = step.map(|(factor, by)| step_of(factor, by, &read)).transpose()?;
        Ok(Range { scale, from: first, to: last, step })
    }

    /// The values of a range that says how it goes on.
    pub fn values(&self) -> Result<Vec<String>, String> {
        let amounts = match self.step {
            None => return Err("a step is missing: FROM..TO+STEP, *FACTOR, +linN or *logN".to_owned()),
            Some(Step::Times(_) | Step::Logarithmic(_)) if self.from == 0 => {
                return Err("a range by factors cannot begin with 0".to_owned());
            }
            Some(Step::By(step)) => self.successors(|amount| amount.checked_add(step)),
            Some(Step::Times(factor)) => self.successors(|amount| amount.checked_mul(factor)),
            Some(Step::Even(count)) => {
                self.between(count, |part| self.from as f64 + part * (self.to - self.from) as f64)
            }
            Some(Step::Logarithmic(count)) => {
                let ratio = self.to as f64 / self.from as f64;
                self.between(count, |part| self.from as f64 * libm::pow(ratio, part))
            }
        };
        match amounts.len() > VALUES_MAX {
            true => Err(format!("more than {VALUES_MAX} values")),
            false => Ok(amounts.into_iter().map(|amount| self.scale.write(amount)).collect()),
        }
    }

    /// Whether it says how it goes on.
    pub fn has_step(&self) -> bool {
        self.step.is_some()
    }

    fn successors(&self, next: impl Fn(&u64) -> Option<u64>) -> Vec<u64> {
        let all = std::iter::successors(Some(self.from), next).take_while(|amount| *amount <= self.to);
        all.take(VALUES_MAX + 1).collect()
    }

    /// So many amounts from end to end, those between with four digits; what comes to the same is one.
    fn between(&self, count: usize, at: impl Fn(f64) -> f64) -> Vec<u64> {
        let inner = (1..count.saturating_sub(1)).map(|i| rounded(at(i as f64 / (count - 1) as f64)));
        let inner = inner.filter(|amount| (self.from..=self.to).contains(amount));
        let mut all: Vec<u64> = [self.from].into_iter().chain(inner).chain([self.to]).collect();
        all.dedup();
        all
    }
}

/// To four significant digits, and to a whole.
pub fn rounded(amount: f64) -> u64 {
    let mut unit = 1.0;
    while amount / unit >= 10_000.0 {
        unit *= 10.0;
    }
    (libm::round(amount / unit) * unit) as u64
}

/// The decimals that a range of plain numbers counts in: enough for its ends and its step.
fn decimals(from: &str, to: &str, step: Option<(bool, &str)>) -> Result<u32, String> {
    let of = |text: &str| places(text).ok_or_else(|| format!("`{text}` is not a number, such as 7 or 0.05"));
    let mut most = of(from)?.max(of(to)?);
    // Whole ends have whole values between them, unless an end is written with a point: 0..1.0+lin5.
    let pointed = from.contains('.') || to.contains('.');
    match step {
        Some((false, by)) if !by.starts_with("lin") => most = most.max(of(by)?),
        // Between decimals there is room for four digits.
        Some((_, by)) if !by.bytes().all(|b| b.is_ascii_digit()) && pointed => most = most.max(4) + 2,
        None if pointed => most = most.max(6),
        _ => {}
    }
    if most > PLACES_MAX { Err(format!("more than {PLACES_MAX} decimals")) } else { Ok(most as u32) }
}

fn step_of(factor: bool, by: &str, read: &dyn Fn(&str) -> Result<u64, String>) -> Result<Step, String> {
    let count = |text: &str| match text.trim().parse::<usize>() {
        Ok(count) if (2..=VALUES_MAX).contains(&count) => Ok(count),
        _ => Err(format!("`{by}` is not a number of values, from 2 to {VALUES_MAX}")),
    };
    if let Some(rest) = by.strip_prefix("log").filter(|_| factor) {
        return Ok(Step::Logarithmic(count(rest)?));
    }
    if let Some(rest) = by.strip_prefix("lin").filter(|_| !factor) {
        return Ok(Step::Even(count(rest)?));
    }
    match factor {
        true => match by.parse() {
            Ok(0 | 1) => Err("the factor must be at least 2".to_owned()),
            Ok(factor) => Ok(Step::Times(factor)),
            Err(_) => Err(format!("the factor `{by}` is not a whole number; *logN goes to the end by N equal factors")),
        },
        false => match read(by)? {
            0 => Err("the step must be more than 0".to_owned()),
            step => Ok(Step::By(step)),
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
    fn so_many_values_lie_between_two_ends() {
        assert_eq!(values("1 us..1 ms*log4"), ["1 us", "10 us", "100 us", "1 ms"]);
        assert_eq!(values("0.01..1*log5"), ["0.01", "0.03162", "0.1", "0.3162", "1"]);
        assert_eq!(values("1..10*log30").len(), 10, "what rounds to the same whole is one value");
        assert_eq!(values("0..1+lin3"), ["0", "1"], "whole numbers stay whole");
        assert_eq!(values("0..1.0+lin3"), ["0", "0.5", "1"], "and a point says that they need not");
        assert_eq!(values("0..0.1+lin3"), ["0", "0.05", "0.1"]);
        assert_eq!(values("0 B..1 KiB+lin5"), ["0 B", "256 B", "512 B", "768 B", "1 KiB"]);
        assert_eq!(values("33 MHz..66 MHz+lin4"), ["33 MHz", "44 MHz", "55 MHz", "66 MHz"]);
    }

    #[test]
    fn what_is_no_range_is_told() {
        let why = |range: &str| Range::parse(range).and_then(|range| range.values()).expect_err(range);
        assert!(why("0..1*log5").contains("cannot begin with 0"));
        assert!(why("1..9*log1").contains("not a number of values"));
        assert!(why("1..9*1.5").contains("*logN"));
        assert!(why("0.5..0.1+0.1").contains("less than the beginning"));
        assert!(why("0.1..x+1").contains("`x` is not a number"));
        assert!(why("0.00000000000001..1+1").contains("decimals"));
        assert!(why("1..9").contains("a step is missing"));
    }

    proptest! {
        #[test]
        fn values_of_a_range_rise_from_end_to_end(from in 1u64..5_000, more in 1u64..1_000_000, count in 2usize..40) {
            for step in [format!("*log{count}"), format!("+lin{count}")] {
                let range = Range::parse(&format!("{from}..{}{step}", from + more)).unwrap();
                let all: Vec<u64> = range.values().unwrap().iter().map(|text| text.parse().unwrap()).collect();
                prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", all);
                prop_assert_eq!((all[0], *all.last().unwrap()), (from, from + more));
                prop_assert!(all.len() <= count);
            }
        }
    }
}
