//! Formats of numbers with few digits. Callers append the units.

/// Formats a number with at most `digits` significant digits and no trailing zeros after the point. All digits before
/// the point are kept.
pub fn significant(x: f64, digits: i32) -> String {
    if !x.is_finite() {
        return "–".to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = libm::log10(x.abs()).floor() as i32;
    if magnitude < -6 {
        return format!("{x:.*e}", digits as usize - 1);
    }
    let decimals = (digits - 1 - magnitude).max(0) as usize;
    trim_zeros(&format!("{x:.decimals$}")).to_owned()
}

/// Formats a count with its noun: `1 point`, `3 points`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Formats a number with four significant digits.
pub fn short(x: f64) -> String {
    significant(x, 4)
}

/// Formats a fraction as a percentage with its sign: `+3.2 %`.
pub fn signed_percent(fraction: f64) -> String {
    match percent_digits(fraction) {
        digits if digits == "0.0" => "0.0 %".to_owned(),
        digits if fraction > 0.0 => format!("+{digits} %"),
        digits => format!("−{digits} %"),
    }
}

/// Formats a fraction as a percentage without its sign: `15 %`.
pub fn percent(fraction: f64) -> String {
    format!("{} %", trim_zeros(&percent_digits(fraction)))
}

fn percent_digits(fraction: f64) -> String {
    let x = (fraction * 100.0).abs();
    let decimals = if x < 99.95 { 1 } else { 0 };
    format!("{x:.decimals$}")
}

fn trim_zeros(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

/// Formats picoseconds as microseconds with six decimals, without rounding.
pub fn exact_us(ps: u64) -> String {
    format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000)
}

/// Returns a rate in 10⁶ bytes per second, or `None` if no time passed.
pub fn mb_per_s(bytes: u64, ps: u64) -> Option<f64> {
    (ps > 0).then(|| bytes as f64 * 1e6 / ps as f64)
}

/// Returns a unit in the form for charts, tables and claims: `us`, the ASCII form of descriptions, becomes `µs`.
pub fn display_unit(unit: &str) -> String {
    let display_part = |part: &str| if part == "us" { "µs".to_owned() } else { part.to_owned() };
    unit.split('/').map(display_part).collect::<Vec<_>>().join("/")
}

/// Formats a rate in 10⁶ bytes per second, with its unit.
pub fn rate(mb_per_s: f64) -> String {
    format!("{} MB/s", significant(mb_per_s, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_has_four_significant_digits() {
        assert_eq!(short(1234567.0), "1234567");
        assert_eq!(short(61.0), "61");
        assert_eq!(short(61.044), "61.04");
        assert_eq!(short(0.012_345_6), "0.01235");
        assert_eq!(short(-2.5), "-2.5");
        assert_eq!(short(f64::NAN), "–");
        assert_eq!(short(1.5e-9), "1.500e-9");
    }

    #[test]
    fn signed_percentages_have_their_sign() {
        assert_eq!(signed_percent(0.0321), "+3.2 %");
        assert_eq!(signed_percent(-0.5), "−50.0 %");
        assert_eq!(signed_percent(-0.0001), "0.0 %");
        assert_eq!(signed_percent(2.5), "+250 %");
        assert_eq!(percent(0.15), "15 %");
    }

    #[test]
    fn us_is_written_with_the_micro_sign() {
        assert_eq!(["us", "1/us", "µs", "bus", ""].map(display_unit), ["µs", "1/µs", "µs", "bus", ""]);
    }

    #[test]
    fn microseconds_are_exact() {
        assert_eq!(exact_us(1), "0.000001");
        assert_eq!(exact_us(u64::MAX), "18446744073709.551615");
    }
}
