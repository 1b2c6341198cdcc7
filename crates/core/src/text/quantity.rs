//! Quantities as text: `"40 ns"`, `"8 KiB"`, `"160 MB/s"`, `"33 MHz"`.
//!
//! Quantities are decimal and exact: a text that is not a whole number of picoseconds, bytes, bits per second or hertz
//! is an error, and is never rounded. Signs, exponents and arithmetic are not supported.

use super::meaning::Meaning;
use super::suggest;
use crate::engine::{Bytes, Hertz, Rate, Time};
use std::fmt::Display;

mod exponent;
mod kind;

pub use kind::{QuantityKind, parse_any, parse_number};

/// The error of a text that is not a valid value: the reason, and the valid values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The reason, in a few words.
    pub label: String,
    /// The allowed values.
    pub help: Vec<String>,
}

impl ParseError {
    /// Returns a parse error with one line of help.
    pub fn new(label: impl Into<String>, help: impl Into<String>) -> ParseError {
        ParseError { label: label.into(), help: vec![help.into()] }
    }
}

/// A unit: its name, and the number of smallest units that it contains.
pub type Unit = (&'static str, u64);

/// A quantity that is written as a number and a unit.
pub trait Quantity: Copy + Ord + Display {
    /// The name in messages, with its article.
    const NAME_WITH_ARTICLE: &'static str;
    /// The name in the schema and in listings.
    const NAME: &'static str;
    /// The smallest unit; every quantity of the kind is a whole number of it.
    const SMALLEST: &'static str;
    /// An example of a number with its unit.
    const EXAMPLE: &'static str;
    /// The allowed units.
    const UNITS: &'static [Unit];
    /// The meaning of a parameter of this kind, unless it declares another.
    const MEANING: Option<Meaning>;
    /// Whether zero is a valid value.
    const MAY_BE_ZERO: bool;
    /// Returns the quantity of `amount` smallest units.
    fn from_smallest(amount: u64) -> Self;
    /// Returns the number of smallest units.
    fn to_smallest(self) -> u64;
}

impl Quantity for Time {
    const NAME_WITH_ARTICLE: &'static str = "a time";
    const NAME: &'static str = "time";
    const SMALLEST: &'static str = "ps";
    const EXAMPLE: &'static str = "40 ns";
    const UNITS: &'static [Unit] =
        &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
    const MEANING: Option<Meaning> = Some(Meaning::Latency);
    const MAY_BE_ZERO: bool = true;
    fn from_smallest(amount: u64) -> Time {
        Time::from_ps(amount)
    }
    fn to_smallest(self) -> u64 {
        self.ps()
    }
}

impl Quantity for Bytes {
    const NAME_WITH_ARTICLE: &'static str = "an amount of data";
    const NAME: &'static str = "bytes";
    const SMALLEST: &'static str = "B";
    const EXAMPLE: &'static str = "64 B";
    const UNITS: &'static [Unit] = &[("B", 1), ("kB", 1_000), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
    const MEANING: Option<Meaning> = None;
    const MAY_BE_ZERO: bool = true;
    fn from_smallest(amount: u64) -> Bytes {
        Bytes(amount)
    }
    fn to_smallest(self) -> u64 {
        self.get()
    }
}

impl Quantity for Rate {
    const NAME_WITH_ARTICLE: &'static str = "a rate";
    const NAME: &'static str = "rate";
    const SMALLEST: &'static str = "bit/s";
    const EXAMPLE: &'static str = "160 MB/s";
    const UNITS: &'static [Unit] = &[
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
        ("B/s", 8),
        ("kB/s", 8_000),
        ("MB/s", 8_000_000),
        ("GB/s", 8_000_000_000),
    ];
    const MEANING: Option<Meaning> = Some(Meaning::Rate);
    const MAY_BE_ZERO: bool = false;
    fn from_smallest(amount: u64) -> Rate {
        Rate::from_bits_per_s(amount)
    }
    fn to_smallest(self) -> u64 {
        self.bits_per_s()
    }
}

impl Quantity for Hertz {
    const NAME_WITH_ARTICLE: &'static str = "a frequency";
    const NAME: &'static str = "frequency";
    const SMALLEST: &'static str = "Hz";
    const EXAMPLE: &'static str = "33 MHz";
    const UNITS: &'static [Unit] = &[("Hz", 1), ("kHz", 1_000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)];
    const MEANING: Option<Meaning> = Some(Meaning::Rate);
    const MAY_BE_ZERO: bool = false;
    fn from_smallest(amount: u64) -> Hertz {
        Hertz(amount)
    }
    fn to_smallest(self) -> u64 {
        self.0
    }
}

/// Parses `text` as a quantity.
pub fn parse<Q: Quantity>(text: &str) -> Result<Q, ParseError> {
    let text = text.trim();
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..number_end], text[number_end..].trim());
    let decimal = Decimal::parse(number).ok_or_else(|| not_a_number::<Q>(text))?;
    if unit.is_empty() {
        return Err(missing_unit::<Q>(number));
    }
    let size = unit_size::<Q>(number, unit).map_err(|error| exponent::error::<Q>(text).unwrap_or(error))?;
    let amount = decimal.times(size).map_err(|error| error.parse_error::<Q>())?;
    if amount == 0 && !Q::MAY_BE_ZERO {
        return Err(ParseError::new(format!("{} must be more than zero", Q::NAME_WITH_ARTICLE), example_help::<Q>()));
    }
    Ok(Q::from_smallest(amount))
}

/// Returns the error for a number without a unit.
pub fn missing_unit<Q: Quantity>(number: &str) -> ParseError {
    if Decimal::parse(number).is_none() {
        return not_a_number::<Q>(number);
    }
    let help = format!("write \"{number} {}\"; units are {}", plausible_unit::<Q>(number), unit_list::<Q>());
    ParseError::new(format!("{} needs a unit", Q::NAME_WITH_ARTICLE), help)
}

/// The largest factor by which a plausible quantity exceeds the example of its kind (chosen).
const PLAUSIBLE_FACTOR: f64 = 1e6;

/// Returns the unit of the example, or the smallest unit of the same kind if the number is implausibly large for the
/// unit of the example: 12500000000 probably means bytes per second rather than megabytes per second.
fn plausible_unit<Q: Quantity>(number: &str) -> &'static str {
    let (example, unit) = Q::EXAMPLE.split_once(' ').unwrap_or_default();
    let amount = |text: &str| text.parse::<f64>().unwrap_or_default();
    if amount(number) <= PLAUSIBLE_FACTOR * amount(example) {
        return unit;
    }
    // For a rate such as `MB/s`, the text without its prefix, `B/s`, is not a unit of bits.
    let base = unit.get(1..).unwrap_or_default();
    let smaller = Q::UNITS.iter().map(|(name, _)| *name).take_while(|name| *name != unit);
    smaller.into_iter().find(|name| name.ends_with(base)).unwrap_or(unit)
}

/// Returns the error for a text that does not begin with a decimal number.
pub fn not_a_number<Q: Quantity>(text: &str) -> ParseError {
    let why = match text {
        "nan" | "inf" => "must be a finite number",
        _ if text.starts_with(['-', '+']) => "must not have a sign",
        _ => "must begin with a decimal number",
    };
    let error = || ParseError::new(format!("{} {why}", Q::NAME_WITH_ARTICLE), example_help::<Q>());
    exponent::error::<Q>(text).unwrap_or_else(error)
}

/// Returns an example of how a quantity of this kind is written.
pub fn example_help<Q: Quantity>() -> String {
    format!("write a number and a unit, such as \"{}\"; units are {}", Q::EXAMPLE, unit_list::<Q>())
}

/// Returns the allowed units as a phrase.
fn unit_list<Q: Quantity>() -> String {
    Q::UNITS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

fn unit_size<Q: Quantity>(number: &str, unit: &str) -> Result<u64, ParseError> {
    let ascii_unit = if matches!(unit, "µs" | "μs") { "us" } else { unit };
    let size = Q::UNITS.iter().find(|(name, _)| *name == ascii_unit).map(|(_, size)| *size);
    size.ok_or_else(|| {
        let ambiguous = if Q::NAME == Bytes::NAME { ambiguous_unit_error(number, unit) } else { None };
        ambiguous.unwrap_or_else(|| unknown_unit::<Q>(number, unit))
    })
}

/// Returns the error for an ambiguous unit: KB, MB and GB may be powers of ten or of two.
fn ambiguous_unit_error(number: &str, unit: &str) -> Option<ParseError> {
    let (binary, kilobytes, exponent) = match unit {
        "KB" => ("KiB", 1, ""),
        "MB" => ("MiB", 1_000, "²"),
        "GB" => ("GiB", 1_000_000, "³"),
        _ => return None,
    };
    let message = format!("`{unit}` is ambiguous: 1000{exponent} or 1024{exponent} bytes");
    let decimal = Decimal::parse(number)?;
    let thousands = decimal.times(kilobytes).ok();
    let with_byte_count = |text: String| parse::<Bytes>(&text).ok().map(|b| format!("\"{text}\" ({} B)", b.get()));
    let choices = [Some(format!("{number} {binary}")), thousands.map(|k| format!("{k} kB"))];
    let choices: Vec<String> = choices.into_iter().flatten().filter_map(with_byte_count).collect();
    let write_choice = || format!("write {}", choices.join(" or "));
    Some(ParseError::new(message, if choices.is_empty() { example_help::<Bytes>() } else { write_choice() }))
}

fn unknown_unit<Q: Quantity>(number: &str, unit: &str) -> ParseError {
    let names = Q::UNITS.iter().map(|(name, _)| *name);
    let nearest = unit_of_alternative_spelling(unit)
        .filter(|meant| names.clone().any(|name| name == *meant))
        .or_else(|| names.clone().find(|name| name.eq_ignore_ascii_case(unit)))
        .or_else(|| suggest::nearest(unit, names));
    let mut help: Vec<String> = nearest.map(|near| format!("did you mean \"{number} {near}\"?")).into_iter().collect();
    help.push(format!("units of {} are {}", Q::NAME_WITH_ARTICLE, unit_list::<Q>()));
    ParseError { label: format!("`{}` is not a unit of {}", unit.escape_debug(), Q::NAME_WITH_ARTICLE), help }
}

/// Returns the unit that is meant by a common alternative spelling.
fn unit_of_alternative_spelling(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "bps" | "b/s" => "bit/s",
        "kbps" | "Kbps" | "kb/s" | "Kb/s" => "kbit/s",
        "Mbps" | "mbps" | "Mb/s" => "Mbit/s",
        "Gbps" | "gbps" | "Gb/s" => "Gbit/s",
        "KBps" | "kBps" | "KB/s" => "kB/s",
        "MBps" | "MiB/s" => "MB/s",
        "GBps" | "GiB/s" => "GB/s",
        "sec" | "second" | "seconds" => "s",
        "msec" => "ms",
        "usec" => "us",
        "nsec" => "ns",
        "psec" => "ps",
        "bytes" | "byte" => "B",
        "K" | "k" | "Ki" => "KiB",
        "M" | "Mi" => "MiB",
        "G" | "Gi" => "GiB",
        _ => return None,
    })
}

/// An exact decimal number: `digits` divided by ten to the power of `decimal_places`.
struct Decimal {
    digits: u128,
    decimal_places: u32,
}

/// Reason why a number of units cannot be expressed in smallest units.
enum ConversionError {
    TooLarge,
    NotWhole,
}

impl ConversionError {
    fn parse_error<Q: Quantity>(&self) -> ParseError {
        let largest = format!("the largest is {}", Q::from_smallest(u64::MAX));
        match self {
            ConversionError::TooLarge => ParseError::new(format!("too large for {}", Q::NAME_WITH_ARTICLE), largest),
            ConversionError::NotWhole => ParseError::new(
                format!("not a whole number of {}", Q::SMALLEST),
                format!("{} is counted in whole {}; nothing is rounded", Q::NAME_WITH_ARTICLE, Q::SMALLEST),
            ),
        }
    }
}

impl Decimal {
    /// Largest number of decimal places that are kept, more than any unit needs.
    const DECIMALS_MAX: usize = 18;

    fn parse(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !is_all_digits(whole) || !is_all_digits(fraction) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        // A longer fraction is not a whole number of any smallest unit. `times` refuses `u32::MAX` decimal places.
        let kept_digits = &fraction[..fraction.len().min(Decimal::DECIMALS_MAX)];
        let decimal_places = if fraction.len() > Decimal::DECIMALS_MAX { u32::MAX } else { kept_digits.len() as u32 };
        let whole = whole.trim_start_matches('0');
        // More than 20 digits are too large for any unit, so their value does not matter.
        let whole = if whole.len() > 20 { "99999999999999999999" } else { whole };
        let digits = format!("0{whole}{kept_digits}").parse().ok()?;
        Some(Decimal { digits, decimal_places })
    }

    fn times(&self, factor: u64) -> Result<u64, ConversionError> {
        let power_of_ten = 10u128.checked_pow(self.decimal_places).ok_or(ConversionError::NotWhole)?;
        let divisor = gcd(power_of_ten, factor as u128);
        if !self.digits.is_multiple_of(power_of_ten / divisor) {
            return Err(ConversionError::NotWhole);
        }
        let amount = (self.digits / (power_of_ten / divisor)).checked_mul(factor as u128 / divisor);
        amount.and_then(|amount| u64::try_from(amount).ok()).ok_or(ConversionError::TooLarge)
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_error_text<Q: Quantity>(text: &str) -> String {
        label_and_help(&parse::<Q>(text).err().expect("a problem is reported"))
    }

    fn label_and_help(fault: &ParseError) -> String {
        format!("{}: {}", fault.label, fault.help.join("; "))
    }

    #[test]
    fn quantities_of_every_kind_are_parsed_exactly() {
        for (text, ps) in
            [("40 ns", 40_000), ("1.5us", 1_500_000), ("1.5 µs", 1_500_000), ("12 ps", 12), ("0.001 ns", 1)]
        {
            assert_eq!(parse::<Time>(text), Ok(Time::from_ps(ps)), "{text}");
        }
        for (text, bytes) in [("64 B", 64), ("8 KiB", 8192), ("8 kB", 8000), ("0.5 KiB", 512), ("2 GiB", 1 << 31)] {
            assert_eq!(parse::<Bytes>(text), Ok(Bytes(bytes)), "{text}");
        }
        for (text, bits) in [("160 MB/s", 1_280_000_000), ("100 Gbit/s", 100_000_000_000), ("0.5 kbit/s", 500)] {
            assert_eq!(parse::<Rate>(text), Ok(Rate::from_bits_per_s(bits)), "{text}");
        }
        assert_eq!(parse::<Hertz>("33 MHz"), Ok(Hertz(33_000_000)));
        assert_eq!(parse::<Hertz>("33.333333 MHz"), Ok(Hertz(33_333_333)));
    }

    #[test]
    fn inexact_and_too_large_quantities_are_errors() {
        assert!(parse_error_text::<Time>("0.5 ps").contains("not a whole number of ps"));
        assert!(parse_error_text::<Bytes>("0.3 KiB").contains("not a whole number of B"));
        assert!(parse_error_text::<Time>("99999999999999999999999999 s").contains("too large"));
        assert!(parse_error_text::<Time>("18446745 s").contains("too large"));
        assert!(parse_error_text::<Time>(&format!("0.{}1 s", "0".repeat(60))).contains("not a whole"));
        assert_eq!(parse::<Time>("18446744.073709551615 s"), Ok(Time::MAX));
    }

    #[test]
    fn errors_suggest_a_valid_spelling() {
        assert!(parse_error_text::<Rate>("12500000000").contains("write \"12500000000 B/s\""));
        assert!(parse_error_text::<Rate>("12500").contains("write \"12500 MB/s\""));
        assert!(parse_error_text::<Hertz>("2000000000").contains("write \"2000000000 Hz\""));
        assert!(parse_error_text::<Bytes>("1000000000").contains("write \"1000000000 B\""));
        assert_eq!(parse_error_text::<Time>("40"), "a time needs a unit: write \"40 ns\"; units are ps, ns, us, ms, s");
        assert!(parse_error_text::<Bytes>("8 KB").contains("write \"8 KiB\" (8192 B) or \"8 kB\" (8000 B)"));
        assert!(parse_error_text::<Bytes>("8 MB").contains("\"8 MiB\" (8388608 B) or \"8000 kB\" (8000000 B)"));
        assert!(parse_error_text::<Bytes>("8K").contains("did you mean \"8 KiB\"?"));
        assert!(parse_error_text::<Rate>("100 Gbps").contains("did you mean \"100 Gbit/s\"?"));
        assert!(parse_error_text::<Rate>("100 mb/s").contains("did you mean \"100 MB/s\"?"));
        assert!(parse_error_text::<Hertz>("33 mhz").contains("did you mean \"33 MHz\"?"));
        assert!(parse_error_text::<Time>("-4 ns").contains("must not have a sign"));
        let no_unit_text = |number| label_and_help(&missing_unit::<Time>(number));
        assert!(no_unit_text("40").contains("write \"40 ns\"") && no_unit_text("-4").contains("must not have a sign"));
        assert!(no_unit_text("nan").contains("finite") && no_unit_text("1e3").contains("must not have an exponent"));
        assert!(parse_error_text::<Rate>("0 MB/s").contains("more than zero"));
        assert!(parse_error_text::<Time>("").contains("write a number and a unit"));
    }

    proptest! {
        #[test]
        fn printed_quantities_read_back(x in any::<u64>(), shift in 0u32..64) {
            let x = x >> shift;
            prop_assert_eq!(parse::<Time>(&Time::from_ps(x).to_string()), Ok(Time::from_ps(x)));
            prop_assert_eq!(parse::<Bytes>(&Bytes(x).to_string()), Ok(Bytes(x)));
            let x = x.max(1);
            prop_assert_eq!(parse::<Rate>(&Rate::from_bits_per_s(x).to_string()), Ok(Rate::from_bits_per_s(x)));
            prop_assert_eq!(parse::<Hertz>(&Hertz(x).to_string()), Ok(Hertz(x)));
        }

        #[test]
        fn no_text_panics(text in "\\PC*|[0-9.]{0,50} ?[A-Za-zµ/]{0,7}|[0-9]{1,20}(\\.[0-9]{1,5})?e[+-]?[0-9]{0,11} ?[a-z]{0,3}") {
            let _ = (parse::<Time>(&text).is_ok(), parse::<Bytes>(&text).is_ok());
            let _ = (parse::<Rate>(&text).is_ok(), parse::<Hertz>(&text).is_ok());
        }
    }
}
