//! Simulated time, in whole picoseconds.
//!
//! One type serves for instants and for durations, because a run starts at zero. The largest time is 213 days. A sum or
//! product that would not fit becomes [`Time::END`], so that an overflow is reported as a run that does not end, and is
//! not mistaken for a short time. A sum or product with [`Time::MAX`] is [`Time::MAX`]. The module represents neither
//! wall-clock time nor fractions of a picosecond.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// An instant or a duration of simulated time, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// Picoseconds in one second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

impl Time {
    /// The start of a run; a duration of zero.
    pub const ZERO: Time = Time(0);
    /// A time later than any event: never.
    pub const MAX: Time = Time(u64::MAX);
    /// The end of simulated time. No event fires at this time or later.
    pub const END: Time = Time(u64::MAX - 1);

    /// Returns a time of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// Returns a time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }

    /// Returns a time of `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// Returns the number of picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Returns the time in microseconds, for results; simulated times are never computed from it.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the time in seconds, for results; simulated times are never computed from it.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }

    /// Returns the sum, or [`Time::MAX`] on overflow.
    #[inline]
    pub const fn saturating_add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// Returns a time of `ps` picoseconds, or [`Time::END`] if that is too many.
    pub const fn from_wide_ps(ps: u128) -> Time {
        if ps < Time::END.0 as u128 { Time(ps as u64) } else { Time::END }
    }

    /// Returns `self × numerator ÷ denominator`, rounded down, without intermediate overflow.
    #[inline]
    pub const fn scale(self, numerator: u64, denominator: u64) -> Time {
        Time::from_wide_ps(self.0 as u128 * numerator as u128 / denominator as u128)
    }

    /// Returns the result of an operation on `self` and `other` that overflowed: [`Time::MAX`] if one of them is
    /// [`Time::MAX`], and [`Time::END`] otherwise.
    #[cold]
    #[inline]
    fn overflow_result(self, other: Time) -> Time {
        if self == Time::MAX || other == Time::MAX { Time::MAX } else { Time::END }
    }
}

impl Add for Time {
    type Output = Time;
    #[inline]
    fn add(self, other: Time) -> Time {
        self.0.checked_add(other.0).map_or_else(|| self.overflow_result(other), Time)
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    #[inline]
    fn sub(self, other: Time) -> Time {
        Time(self.0.checked_sub(other.0).expect("a duration is not negative"))
    }
}

impl SubAssign for Time {
    #[inline]
    fn sub_assign(&mut self, other: Time) {
        *self = *self - other;
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    #[inline]
    fn mul(self, times: u64) -> Time {
        self.0.checked_mul(times).map_or_else(|| self.overflow_result(self), Time)
    }
}

impl Div<u64> for Time {
    type Output = Time;
    #[inline]
    fn div(self, divisor: u64) -> Time {
        Time(self.0 / divisor)
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::ZERO, Add::add)
    }
}

/// Writes the time without rounding, in the largest of the units s, ms, us, ns and ps that does not exceed the time.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, unit_ps) = match self.0 {
            0 => return f.pad("0 ns"),
            ps if ps >= PS_PER_S => ("s", PS_PER_S),
            ps if ps >= 1_000_000_000 => ("ms", 1_000_000_000),
            ps if ps >= 1_000_000 => ("us", 1_000_000),
            ps if ps >= 1_000 => ("ns", 1_000),
            _ => ("ps", 1),
        };
        f.pad(&format!("{} {unit}", super::units::decimal_text(self.0, unit_ps)))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_exactly_in_the_largest_fitting_unit() {
        assert_eq!(Time::from_ps(1_500).to_string(), "1.5 ns");
        assert_eq!(Time::from_us(70).to_string(), "70 us");
        assert_eq!(Time::from_ps(2_000_000_000_001).to_string(), "2.000000000001 s");
        assert_eq!(Time::ZERO.to_string(), "0 ns");
    }

    #[test]
    fn times_beyond_the_end_saturate() {
        let long = Time::from_ps(u64::MAX / 3 * 2);
        assert_eq!([long + long, long * 2, long.scale(5, 2)], [Time::END; 3]);
        assert_eq!([long, long].into_iter().sum::<Time>(), Time::END);
        assert_eq!([Time::MAX + long, Time::MAX * 2], [Time::MAX; 2], "never remains never");
        assert_eq!(long.scale(3, 2), Time::from_ps(u64::MAX / 3 * 3).min(Time::END));
    }

    #[test]
    #[should_panic(expected = "not negative")]
    fn a_negative_span_is_a_bug() {
        let _ = Time::from_ns(1) - Time::from_ns(2);
    }
}
