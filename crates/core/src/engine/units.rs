//! Physical quantities other than time: amounts of data, rates, clock frequencies.
//!
//! All are whole numbers. MB is 10⁶ bytes and KB in a rate is 10³; sizes of memory and of payloads use KiB = 1024 (the
//! text form is parsed in `text/quantity.rs`).

use super::time::{PS_PER_S, Time};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// An amount of data, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The amount of zero bytes.
    pub const ZERO: Bytes = Bytes(0);

    /// Returns the number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the number of bytes as an index.
    pub const fn len(self) -> usize {
        self.0 as usize
    }

    /// Returns whether the amount is zero.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the texts of this amount and of `other` in the largest unit of which both are whole multiples, for a
    /// message that compares the two amounts.
    pub fn in_common_unit(self, other: Bytes) -> [String; 2] {
        let amounts = [self, other];
        let are_multiples = |shift: u32| amounts.iter().all(|amount| amount.0.is_multiple_of(1_u64 << shift));
        let units = [(20, "MiB"), (10, "KiB")];
        let (shift, unit) = units.into_iter().find(|(shift, _)| are_multiples(*shift)).unwrap_or((0, "B"));
        amounts.map(|amount| format!("{} {unit}", amount.0 >> shift))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.checked_sub(other.0).expect("an amount of data is not negative"))
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Bytes) {
        *self = *self - other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(amounts: I) -> Bytes {
        amounts.fold(Bytes::ZERO, Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.0 {
            b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{} MiB", b >> 20),
            b if b >= 1 << 10 && b.is_multiple_of(1 << 10) => format!("{} KiB", b >> 10),
            b => format!("{b} B"),
        })
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A rate of data, in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Returns a rate of `bits` bits per second.
    pub const fn from_bits_per_s(bits: u64) -> Rate {
        Rate(bits)
    }

    /// Returns a rate of `bytes` bytes per second.
    pub const fn from_bytes_per_s(bytes: u64) -> Rate {
        Rate(bytes * 8)
    }

    /// Returns the number of bits per second.
    pub const fn bits_per_s(self) -> u64 {
        self.0
    }

    /// Returns the time in which `amount` is transferred at this rate, rounded up to a picosecond.
    #[inline]
    pub const fn time_for(self, amount: Bytes) -> Time {
        // For up to some 2 MB, 64-bit division suffices, which is several times faster than 128-bit division.
        if amount.0 <= u64::MAX / (8 * PS_PER_S) {
            return Time::from_ps((amount.0 * 8 * PS_PER_S).div_ceil(self.0));
        }
        self.time_for_much(amount)
    }

    /// Computes [`time_for`](Self::time_for) for any amount.
    const fn time_for_much(self, amount: Bytes) -> Time {
        let bit_ps = amount.0 as u128 * 8 * PS_PER_S as u128;
        Time::from_wide_ps(bit_ps.div_ceil(self.0 as u128))
    }

    /// Returns the number of whole bytes that are transferred at this rate within `span`.
    pub const fn bytes_in(self, span: Time) -> Bytes {
        Bytes((span.ps() as u128 * self.0 as u128 / (8 * PS_PER_S as u128)) as u64)
    }

    /// Returns the difference between this rate and `other`, at least 1 bit/s because zero is not a rate.
    #[inline]
    pub const fn minus(self, other: Rate) -> Rate {
        let difference = self.0.saturating_sub(other.0);
        Rate(if difference == 0 { 1 } else { difference })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.0 {
            r if r.is_multiple_of(8) && r < 8_000_000_000 => format!("{} MB/s", decimal_text(r, 8_000_000)),
            r if r >= 1_000_000_000 => format!("{} Gbit/s", decimal_text(r, 1_000_000_000)),
            r if r >= 1_000_000 => format!("{} Mbit/s", decimal_text(r, 1_000_000)),
            r => format!("{r} bit/s"),
        })
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A clock frequency, in hertz. Cycle *n* ends at ⌊n·10¹²/f⌋ ps, so that no rounded period is ever accumulated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hertz(pub u64);

impl Hertz {
    /// Returns the end of cycle `n` of a clock that starts with the run.
    #[inline]
    pub const fn end_of_cycle(self, n: u64) -> Time {
        // The product does not overflow for up to some 18 million cycles.
        if n <= u64::MAX / PS_PER_S {
            return Time::from_ps(n * PS_PER_S / self.0);
        }
        self.end_of_late_cycle(n)
    }

    /// Computes the end of any cycle, without the limit of the fast path.
    const fn end_of_late_cycle(self, n: u64) -> Time {
        Time::from_wide_ps(n as u128 * PS_PER_S as u128 / self.0 as u128)
    }

    /// Returns the number of the first cycle that ends at or after `now`.
    #[inline]
    pub const fn cycle_at(self, now: Time) -> u64 {
        // The smallest n with ⌊n·10¹²/f⌋ ≥ now is the smallest with n·10¹² ≥ now·f.
        match now.ps().checked_mul(self.0) {
            Some(product) => product.div_ceil(PS_PER_S),
            None => self.late_cycle_at(now),
        }
    }

    /// Computes [`cycle_at`](Self::cycle_at) for any time.
    const fn late_cycle_at(self, now: Time) -> u64 {
        let n = (now.ps() as u128 * self.0 as u128).div_ceil(PS_PER_S as u128);
        if n < u64::MAX as u128 { n as u64 } else { u64::MAX }
    }

    /// Returns the number of the last cycle that ends at or before `now`.
    #[inline]
    pub const fn cycle_before(self, now: Time) -> u64 {
        self.cycle_at(now.saturating_add(Time::from_ps(1))) - 1
    }

    /// Returns the clock edge `cycles` whole cycles after the last edge at or before `now`.
    #[inline]
    pub const fn edge_since(self, now: Time, cycles: u64) -> Time {
        self.end_of_cycle(self.cycle_before(now).saturating_add(cycles))
    }

    /// Returns the clock edge `cycles` whole cycles after the first edge at or after `now`.
    #[inline]
    pub const fn edge_after(self, now: Time, cycles: u64) -> Time {
        self.end_of_cycle(self.cycle_at(now).saturating_add(cycles))
    }

    /// Returns the end of a transfer of `amount` at `rate` that begins at `start`. If the transfer takes whole cycles
    /// and begins at an edge of this clock, or less than a picosecond after it, it ends the same distance after the
    /// edge that is this number of cycles later. The two edges are then rounded, but not the duration between them.
    /// Otherwise the duration is rounded up.
    pub const fn end_of_transfer(self, start: Time, amount: Bytes, rate: Rate) -> Time {
        if let Some(cycles) = self.whole_cycles_for(amount, rate) {
            let first_cycle = self.cycle_before(start);
            let edge_offset = start.since(self.end_of_cycle(first_cycle));
            if edge_offset.ps() <= 1 {
                return self.end_of_cycle(first_cycle.saturating_add(cycles)).saturating_add(edge_offset);
            }
        }
        start.saturating_add(rate.time_for(amount))
    }

    /// Returns the number of cycles in which `amount` is transferred at `rate`, if it is a whole number.
    #[inline]
    const fn whole_cycles_for(self, amount: Bytes, rate: Rate) -> Option<u64> {
        // 64-bit division is several times faster than 128-bit division.
        if amount.0 <= u32::MAX as u64 / 8 && self.0 <= u32::MAX as u64 {
            let bit_cycles = amount.0 * 8 * self.0;
            return if bit_cycles.is_multiple_of(rate.0) { Some(bit_cycles / rate.0) } else { None };
        }
        self.whole_cycles_for_much(amount, rate)
    }

    /// Computes [`whole_cycles_for`](Self::whole_cycles_for) for any amount and clock.
    const fn whole_cycles_for_much(self, amount: Bytes, rate: Rate) -> Option<u64> {
        let bit_cycles = (amount.0 as u128 * 8).saturating_mul(self.0 as u128);
        let (cycles, remainder) = (bit_cycles / rate.0 as u128, bit_cycles % rate.0 as u128);
        if remainder > 0 || cycles > u64::MAX as u128 { None } else { Some(cycles as u64) }
    }

    /// Returns the length of a cycle if it is a whole number of picoseconds, so that cycles are counted without
    /// division.
    #[inline]
    pub const fn period(self) -> Option<Time> {
        match PS_PER_S.is_multiple_of(self.0) {
            true => Some(Time::from_ps(PS_PER_S / self.0)),
            false => None,
        }
    }

    /// Returns the length of `cycles` cycles, rounded down to a picosecond.
    #[inline]
    pub const fn cycles(self, cycles: u64) -> Time {
        self.end_of_cycle(cycles)
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.0 {
            hz if hz >= 1_000_000_000 => format!("{} GHz", decimal_text(hz, 1_000_000_000)),
            hz if hz >= 1_000_000 => format!("{} MHz", decimal_text(hz, 1_000_000)),
            hz if hz >= 1_000 => format!("{} kHz", decimal_text(hz, 1_000)),
            hz => format!("{hz} Hz"),
        })
    }
}

impl fmt::Debug for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Formats `amount ÷ unit` as a decimal without trailing zeros, exact to 15 places.
pub(crate) fn decimal_text(amount: u64, unit: u64) -> String {
    let (integer_part, mut remainder) = (amount / unit, amount % unit);
    let mut digits = String::new();
    while remainder > 0 && digits.len() < 15 {
        remainder *= 10;
        digits.push(char::from(b'0' + (remainder / unit) as u8));
        remainder %= unit;
    }
    match digits.is_empty() {
        true => integer_part.to_string(),
        false => format!("{integer_part}.{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compared_amounts_have_the_largest_unit_common_to_both() {
        assert_eq!(Bytes(3_293_440).in_common_unit(Bytes(1 << 20)), ["3293440 B", "1048576 B"]);
        assert_eq!(Bytes(1104 << 10).in_common_unit(Bytes(1 << 20)), ["1104 KiB", "1024 KiB"]);
        assert_eq!(Bytes(3 << 20).in_common_unit(Bytes(1 << 20)), ["3 MiB", "1 MiB"]);
    }

    #[test]
    fn cycles_of_a_33_mhz_clock_never_drift() {
        let clock = Hertz(33_000_000);
        assert_eq!(clock.end_of_cycle(33_000_000), Time::from_ps(PS_PER_S));
        assert_eq!(clock.end_of_cycle(1), Time::from_ps(30_303));
        for n in [1, 2, 3, 1_000, 999_999_999] {
            assert_eq!(clock.cycle_at(clock.end_of_cycle(n)), n);
            assert_eq!(clock.edge_after(clock.end_of_cycle(n), 2), clock.end_of_cycle(n + 2));
        }
    }

    #[test]
    fn cycles_of_a_transfer_in_64_bits_equal_those_in_128_bits() {
        for clock in [Hertz(33_000_000), Hertz(1_333_333_333), Hertz(4_294_967_295)] {
            for rate in [1, 8_000, 264_000_000 * 8, 1_333_333_333, u64::MAX].map(Rate::from_bits_per_s) {
                for amount in [0, 1, 8, 128, 4_096, 536_870_911].map(Bytes) {
                    assert_eq!(
                        clock.whole_cycles_for(amount, rate),
                        clock.whole_cycles_for_much(amount, rate),
                        "{amount} at {rate} with {clock}",
                    );
                }
            }
        }
    }

    #[test]
    fn a_transfer_of_whole_cycles_ends_at_an_edge() {
        let (clock, memory) = (Hertz(33_000_000), Rate::from_bytes_per_s(264_000_000));
        for cycle in [0, 1, 2, 17, 32, 1_000_003, 999_999_999] {
            for edge_offset in [0, 1].map(Time::from_ps) {
                let start = clock.end_of_cycle(cycle) + edge_offset;
                let end = |bytes| clock.end_of_transfer(start, Bytes(bytes), memory);
                assert_eq!([8, 128].map(end), [1, 16].map(|cycles| clock.end_of_cycle(cycle + cycles) + edge_offset));
                assert_eq!(end(4), start + memory.time_for(Bytes(4)), "half a cycle ends at no edge");
            }
            let start = clock.end_of_cycle(cycle) + Time::from_ps(2);
            assert_eq!(clock.end_of_transfer(start, Bytes(8), memory), start + memory.time_for(Bytes(8)));
        }
        let slow = Rate::from_bits_per_s(1);
        assert_eq!(Hertz(u64::MAX).end_of_transfer(Time::ZERO, Bytes(u64::MAX), slow), Time::END);
    }

    #[test]
    fn short_divisions_give_what_long_ones_give() {
        for n in [0, 1, 7, 64, 8_192, u64::MAX / PS_PER_S / 8, u64::MAX / PS_PER_S] {
            for rate in [1, 3, 33_000_000, 1_280_000_000, u64::MAX] {
                assert_eq!(Hertz(rate).end_of_cycle(n), Hertz(rate).end_of_late_cycle(n));
                assert_eq!(Rate(rate).time_for(Bytes(n)), Rate(rate).time_for_much(Bytes(n)));
                let now = Time::from_ps(n);
                assert_eq!(Hertz(rate).cycle_at(now), Hertz(rate).late_cycle_at(now));
            }
        }
    }

    #[test]
    fn a_rate_and_its_time_agree() {
        let link = Rate::from_bytes_per_s(160_000_000);
        assert_eq!(link.time_for(Bytes(8192)), Time::from_ps(51_200_000));
        assert_eq!(link.bytes_in(Time::from_ps(51_200_000)), Bytes(8192));
    }

    #[test]
    fn durations_beyond_the_end_saturate() {
        let (slow, fast) = (Hertz(1), Hertz(u64::MAX));
        assert_eq!(Rate::from_bits_per_s(1).time_for(Bytes(1 << 60)), Time::END);
        assert_eq!([slow.end_of_cycle(u64::MAX), slow.cycles(1 << 32)], [Time::END; 2]);
        assert_eq!(slow.edge_after(Time::from_us(1), u64::MAX), Time::END);
        assert_eq!(fast.cycle_at(Time::END), u64::MAX);
    }

    #[test]
    fn quantities_print_as_they_are_written() {
        assert_eq!(Bytes(8192).to_string(), "8 KiB");
        assert_eq!(Bytes(100).to_string(), "100 B");
        assert_eq!(Rate::from_bytes_per_s(160_000_000).to_string(), "160 MB/s");
        assert_eq!(Rate::from_bits_per_s(100_000_000_000).to_string(), "100 Gbit/s");
        assert_eq!(Hertz(33_000_000).to_string(), "33 MHz");
    }
}
