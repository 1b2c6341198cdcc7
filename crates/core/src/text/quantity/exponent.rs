//! The error of a number with an exponent, such as `1e5`: descriptions have decimal numbers only.

use super::{Decimal, ParseError, Quantity, example_help, plausible_unit, unit_list};

/// Returns the error for a text that begins with a number with an exponent, such as `1e5` or `1.5E3 MB/s`, with the same
/// number without one, and `None` for another text.
pub(super) fn error<Q: Quantity>(text: &str) -> Option<ParseError> {
    let (mantissa, rest) = text.split_once(['e', 'E'])?;
    let mantissa = mantissa.trim_end();
    let digits_end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '-')).unwrap_or(rest.len());
    let (exponent, unit) = (&rest[..digits_end], rest[digits_end..].trim());
    if exponent.is_empty() || Decimal::parse(mantissa).is_none() {
        return None;
    }
    let number = exponent.parse().ok().and_then(|exponent| without_exponent(mantissa, exponent));
    let why = if unit.is_empty() { "needs a unit, and must not have an exponent" } else { "must not have an exponent" };
    let help = match number {
        Some(number) if unit.is_empty() => {
            format!("write \"{number} {}\"; units are {}", plausible_unit::<Q>(&number), unit_list::<Q>())
        }
        Some(number) => format!("write \"{number} {unit}\""),
        None => example_help::<Q>(),
    };
    Some(ParseError::new(format!("{} {why}", Q::NAME_WITH_ARTICLE), help))
}

/// Returns `mantissa` times ten to the power of `exponent` as a decimal number, or `None` if that has many digits.
fn without_exponent(mantissa: &str, exponent: i32) -> Option<String> {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
    if point.abs() > Decimal::DECIMALS_MAX as i32 || mantissa.len() > Decimal::DECIMALS_MAX {
        return None;
    }
    let zeros_before = usize::try_from(1 - point).unwrap_or(0);
    let digits = format!("{}{whole}{fraction}", "0".repeat(zeros_before));
    let point = usize::try_from(point).unwrap_or(0).max(1);
    let digits = format!("{digits:0<point$}");
    let (whole, fraction) = (digits[..point].trim_start_matches('0'), digits[point..].trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Hertz, Rate, Time};

    fn fault<Q: Quantity>(text: &str) -> String {
        let fault = super::super::parse::<Q>(text).err().expect("a fault");
        format!("{}: {}", fault.label, fault.help.join("; "))
    }

    #[test]
    fn number_with_an_exponent_is_suggested_without_it() {
        assert_eq!(
            fault::<Time>("1e5"),
            "a time needs a unit, and must not have an exponent: write \"100000 ns\"; units are ps, ns, us, ms, s"
        );
        assert_eq!(fault::<Rate>("1.5E3 MB/s"), "a rate must not have an exponent: write \"1500 MB/s\"");
        assert_eq!(fault::<Time>("2.5e-3 us"), "a time must not have an exponent: write \"0.0025 us\"");
        assert_eq!(fault::<Time>("5 e3 ns"), "a time must not have an exponent: write \"5000 ns\"");
        assert!(fault::<Time>("1 eons").contains("is not a unit of a time"));
        assert!(fault::<Time>("1s e5").contains("is not a unit of a time"));
        assert!(fault::<Hertz>("2e9").contains("write \"2000000000 Hz\""));
        assert!(fault::<Time>("1e99 s").contains("must not have an exponent: write a number and a unit"));
        let plain = |mantissa, exponent| without_exponent(mantissa, exponent);
        assert_eq!(plain("1", 0).as_deref(), Some("1"));
        assert_eq!(plain("12.50", 1).as_deref(), Some("125"));
        assert_eq!(plain("12.5", -2).as_deref(), Some("0.125"));
        assert_eq!(plain("0", 3).as_deref(), Some("0"));
        assert_eq!(plain("1", i32::MAX), None);
    }
}
