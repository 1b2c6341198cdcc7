//! Simulated time, in whole picoseconds.
//!
//! One type serves for instants and for spans, because a run starts at zero.
//! What it leaves out: wall clocks and fractions of a picosecond.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// An instant or a span of simulated time, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// Picoseconds in one second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

impl Time {
    /// The start of a run; an empty span.
    pub const ZERO: Time = Time(0);
    /// Later than any event.
    pub const MAX: Time = Time(u64::MAX);

    /// A time of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }

    /// A time of `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }

    /// A time of `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Microseconds, for results; never used to compute further times.
    pub fn as_us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Seconds, for results; never used to compute further times.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The span since `earlier`, or zero where `earlier` is later.
    pub const fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }

    /// The sum, or [`Time::MAX`] where it would not fit.
    pub const fn saturating_add(self, span: Time) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// `self × part ÷ whole`, rounded down, without overflow in between.
    pub const fn scale(self, part: u64, whole: u64) -> Time {
        Time((self.0 as u128 * part as u128 / whole as u128) as u64)
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0.checked_sub(other.0).expect("a span of time is not negative"))
    }
}

impl SubAssign for Time {
    fn sub_assign(&mut self, other: Time) {
        *self = *self - other;
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, times: u64) -> Time {
        Time(self.0 * times)
    }
}

impl Div<u64> for Time {
    type Output = Time;
    fn div(self, parts: u64) -> Time {
        Time(self.0 / parts)
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::ZERO, Add::add)
    }
}

/// Written with the largest unit of s, ms, us, ns, ps that divides it into a short decimal.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, per) = match self.0 {
            0 => return f.pad("0 ns"),
            ps if ps >= PS_PER_S => ("s", PS_PER_S),
            ps if ps >= 1_000_000_000 => ("ms", 1_000_000_000),
            ps if ps >= 1_000_000 => ("us", 1_000_000),
            ps if ps >= 1_000 => ("ns", 1_000),
            _ => ("ps", 1),
        };
        f.pad(&format!("{} {unit}", super::units::decimal(self.0, per)))
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
    #[should_panic(expected = "not negative")]
    fn a_negative_span_is_a_bug() {
        let _ = Time::from_ns(1) - Time::from_ns(2);
    }
}
