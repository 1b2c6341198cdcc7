//! Formats of tick labels. The positions of ticks are computed in `axis`.

use crate::report::number::significant;

/// Groups digits by three, from 10 000 on: `600 000`.
pub fn grouped(digits: &str) -> String {
    let integer_digits = digits.find(['.', 'e']).unwrap_or(digits.len());
    if integer_digits < 5 || digits.contains('e') {
        return digits.to_owned();
    }
    let mut grouped = String::new();
    for (i, digit) in digits[..integer_digits].chars().enumerate() {
        if i > 0 && (integer_digits - i).is_multiple_of(3) && digits.as_bytes()[i - 1] != b'-' {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped + &digits[integer_digits..]
}

/// Formats a power of ten from 10⁵ on with an exponent, and any other number in digits.
pub fn power(value: f64) -> String {
    let exponent = libm::log10(value.abs()).round();
    if exponent >= 5.0 && (value.abs() / libm::pow(10.0, exponent) - 1.0).abs() < 1e-9 {
        let digits: String = format!("{exponent}").chars().map(|c| superscript(c.to_digit(10).unwrap_or(0))).collect();
        return format!("10{digits}");
    }
    significant(value, 6)
}

fn superscript(digit: u32) -> char {
    ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize]
}

/// Formats a size of data, such as 512, 1 KiB and 1.5 MiB.
pub fn size(bytes: f64) -> String {
    for (unit, size) in [("GiB", (1u64 << 30) as f64), ("MiB", (1u64 << 20) as f64), ("KiB", 1024.0)] {
        if bytes >= size && (bytes / size * 2.0).fract() == 0.0 {
            return format!("{} {unit}", bytes / size);
        }
    }
    significant(bytes, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_grouped() {
        assert_eq!(grouped("9999.5"), "9999.5");
        assert_eq!(grouped("-12345.5"), "-12\u{2009}345.5");
        assert_eq!(grouped("600000"), "600\u{2009}000");
    }

    #[test]
    fn sizes_are_short_only_where_exact() {
        assert_eq!([512.0, 1024.0, 1500.0, 1536.0].map(size), ["512", "1 KiB", "1500", "1.5 KiB"]);
    }
}
