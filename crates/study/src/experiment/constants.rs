//! The numbers of a machine, and the same made larger or smaller.
//!
//! Those of its parts: hosts, interface, protocol, messaging and fabric; a workload's are what is asked
//! of a machine, not what it is. A number keeps its unit, and is never scaled to nothing.

use narrows_core::engine::{Bytes, Hertz, Rate, Time};
use narrows_core::machine::Machine;
use narrows_core::text::quantity::{self, ParseError, Quantity};
use narrows_core::text::{Entry, Read};

/// Where the numbers of parts stand.
const PARTS: [&str; 5] = ["hosts", "ni", "protocol", "messaging", "fabric"];

/// A number of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct PartNumber {
    /// Its key.
    pub key: String,
    /// Its value, as written.
    pub value: String,
    /// What it means.
    pub meaning: &'static str,
    /// Where it comes from, as the comment behind it says.
    pub source: Option<String>,
    amount: Magnitude,
}

/// A number of a unit.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Magnitude {
    Time(u64),
    Bytes(u64),
    Rate(u64),
    Hertz(u64),
    Count(u64),
    Number(f64),
}

/// The numbers of the parts of a machine, but for those that are nothing.
pub fn of(read: &Read<Machine>) -> Vec<PartNumber> {
    let entries = read.entries().into_iter();
    let of_parts = entries.filter(|entry| PARTS.iter().any(|part| entry.path.split('.').next() == Some(part)));
    let constant = |entry: Entry| {
        let amount = amount(&entry.kind, &entry.value)?;
        let (key, value, meaning, source) = (entry.path, entry.value, entry.doc, entry.note);
        Some(PartNumber { key, value, meaning, source, amount })
    };
    of_parts.filter_map(constant).collect()
}

fn amount(kind: &str, value: &str) -> Option<Magnitude> {
    // What is allowed may stand behind the kind: `time, at most 1 s`.
    let amount = match kind.split(|c: char| !c.is_ascii_alphabetic()).next()? {
        Time::KIND => Magnitude::Time(quantity::parse::<Time>(value).ok()?.ps()),
        Bytes::KIND => Magnitude::Bytes(quantity::parse::<Bytes>(value).ok()?.get()),
        Rate::KIND => Magnitude::Rate(quantity::parse::<Rate>(value).ok()?.bits_per_s()),
        Hertz::KIND => Magnitude::Hertz(quantity::parse::<Hertz>(value).ok()?.0),
        _ => value.parse().map(Magnitude::Count).or_else(|_| value.parse().map(Magnitude::Number)).ok()?,
    };
    (amount.as_number() > 0.0).then_some(amount)
}

impl Magnitude {
    /// In its smallest unit.
    fn as_number(self) -> f64 {
        match self {
            Magnitude::Time(it)
            | Magnitude::Bytes(it)
            | Magnitude::Rate(it)
            | Magnitude::Hertz(it)
            | Magnitude::Count(it) => it as f64,
            Magnitude::Number(number) => number,
        }
    }

    /// The same amount of another number, in whole smallest units and at least one.
    fn with(self, number: f64) -> Magnitude {
        let whole = (number.round() as u64).max(1);
        match self {
            Magnitude::Time(_) => Magnitude::Time(whole),
            Magnitude::Bytes(_) => Magnitude::Bytes(whole),
            Magnitude::Rate(_) => Magnitude::Rate(whole),
            Magnitude::Hertz(_) => Magnitude::Hertz(whole),
            Magnitude::Count(_) => Magnitude::Count(whole),
            Magnitude::Number(_) => Magnitude::Number(number),
        }
    }

    fn written(self) -> String {
        match self {
            Magnitude::Time(it) => Time::from_smallest(it).to_string(),
            Magnitude::Bytes(it) => Bytes::from_smallest(it).to_string(),
            Magnitude::Rate(it) => Rate::from_smallest(it).to_string(),
            Magnitude::Hertz(it) => Hertz::from_smallest(it).to_string(),
            Magnitude::Count(it) => it.to_string(),
            Magnitude::Number(number) => number.to_string(),
        }
    }
}

impl PartNumber {
    /// The number in its smallest unit.
    pub fn number(&self) -> f64 {
        self.amount.as_number()
    }

    /// It times `factor`: as it is written, and by what it was really multiplied, for it stays a whole
    /// number of its smallest unit. Nothing if it stays what it is.
    pub fn times(&self, factor: f64) -> Option<(String, f64)> {
        let scaled = self.amount.with(self.number() * factor);
        let really = scaled.as_number() / self.number();
        (scaled != self.amount).then(|| (scaled.written(), really))
    }

    /// It times `factor`, or the nearest that is another than it is.
    pub fn near(&self, factor: f64) -> Option<(String, f64)> {
        self.times(factor).or_else(|| self.times(1.0 + if factor > 1.0 { 1.0 } else { -1.0 } / self.number()))
    }

    /// This much of it, in its smallest unit: as it is written, and what that is really.
    pub fn of_number(&self, number: f64) -> (String, f64) {
        let amount = self.amount.with(number);
        (amount.written(), amount.as_number())
    }

    /// As [`of_number`](PartNumber::of_number), rounded to the decimal place of `unsure`, in the unit that
    /// it is written in.
    pub fn rounded(&self, number: f64, unsure: f64) -> (String, f64) {
        // Rates are kept in bits and written in bytes.
        let unit = if let Magnitude::Rate(_) = self.amount { 8.0 } else { 1.0 };
        let place = 10f64.powf((unsure / unit).log10().floor());
        let place = if place.is_finite() && place > 0.0 { place } else { 1.0 };
        let whole = place >= 1.0 || !matches!(self.amount, Magnitude::Number(_));
        let place = if whole { place.max(1.0) } else { place };
        let rounded = (number / unit / place).round() * place * unit;
        self.of_number(if rounded > 0.0 { rounded } else { number })
    }

    /// What `text` says as an amount of its kind, in its smallest unit; else what is wrong with it.
    pub fn read(&self, text: &str) -> Result<f64, ParseError> {
        match self.amount {
            Magnitude::Time(_) => quantity::parse::<Time>(text).map(|it| it.ps() as f64),
            Magnitude::Bytes(_) => quantity::parse::<Bytes>(text).map(|it| it.get() as f64),
            Magnitude::Rate(_) => quantity::parse::<Rate>(text).map(|it| it.bits_per_s() as f64),
            Magnitude::Hertz(_) => quantity::parse::<Hertz>(text).map(|it| it.0 as f64),
            Magnitude::Count(_) | Magnitude::Number(_) => {
                let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| ParseError::new("a number is expected", "write a bare number, such as \"75\""))
            }
        }
    }

    /// A setting that gives it this value.
    pub fn set(&self, value: &str) -> String {
        format!("{}={value}", self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(kind: &str, value: &str) -> Option<PartNumber> {
        let amount = amount(kind, value)?;
        Some(PartNumber { key: "hosts.x.y".to_owned(), value: value.to_owned(), meaning: "", source: None, amount })
    }

    #[test]
    fn a_number_keeps_its_unit_and_stays_whole() {
        let times = |kind, value, factor| constant(kind, value).expect("a number").times(factor);
        assert_eq!(times("time", "40 ns", 2.0), Some(("80 ns".to_owned(), 2.0)));
        assert_eq!(times("rate", "160 MB/s", 0.5), Some(("80 MB/s".to_owned(), 0.5)));
        assert_eq!(times("count", "3", 0.5), Some(("2".to_owned(), 2.0 / 3.0)));
        assert_eq!(times("count", "1", 0.5), None, "never nothing, and one is what it was");
        assert_eq!(times("bytes", "8 KiB", 2.0), Some(("16 KiB".to_owned(), 2.0)));
    }

    #[test]
    fn a_number_is_rounded_to_the_place_of_what_is_not_known_of_it() {
        let rounded = |kind, value, number, unsure| constant(kind, value).expect("a number").rounded(number, unsure).0;
        assert_eq!(rounded("time", "1.1 us", 1_133_000.0, 140_000.0), "1.1 us");
        assert_eq!(rounded("rate", "124 MB/s", 124.6e6 * 8.0, 7e6 * 8.0), "125 MB/s");
        assert_eq!(rounded("count", "120", 113.0, 23.0), "110");
        assert_eq!(rounded("count", "3", 3.4, 0.2), "3", "what is counted is whole");
        assert_eq!(rounded("number", "0.5", 0.537, 0.02), "0.54");
    }

    #[test]
    fn what_is_nothing_or_no_number_is_left_out() {
        assert_eq!(constant("time", "0 ns"), None);
        assert_eq!(constant("name", "p6-natoma"), None);
    }
}
