//! The gaps between the packets of a source that generates a packet in each cycle with the same probability.
//!
//! The logarithm of the distribution is computed once for all draws. Most draws need no logarithm of their own: the
//! uniform numbers are divided into intervals, and in most intervals all numbers lead to the same gap.

use crate::engine::rng::RandomStream;
use rand::RngExt;

/// Number of intervals of uniform numbers, a power of two.
const INTERVALS: usize = 1024;
/// The entry of an interval whose numbers lead to different gaps.
const SEVERAL_GAPS: u16 = u16::MAX;
/// Distance of a quotient from a whole number, as a fraction of the number, within which the computed gap is not taken
/// for that of all numbers of an interval. The error of logarithm and quotient is a few times 10⁻¹⁶.
const MARGIN: f64 = 1e-9;

/// The geometric distribution of the number of cycles without a packet between two packets of a node.
pub struct GapDistribution {
    /// ln(1 − p), with the probability p of a packet in a cycle.
    log_no_packet: f64,
    probability: f64,
    /// For each interval of uniform numbers, the gap to which all of them lead, or [`SEVERAL_GAPS`].
    gaps: [u16; INTERVALS],
}

impl GapDistribution {
    /// Creates the distribution for this probability of a packet in a cycle.
    pub fn new(probability: f64) -> GapDistribution {
        let log_no_packet = libm::log1p(-probability);
        let mut distribution = GapDistribution { log_no_packet, probability, gaps: [SEVERAL_GAPS; INTERVALS] };
        if probability > 0.0 && probability < 1.0 {
            let mut least = 0.0;
            for (interval, gap) in distribution.gaps[..INTERVALS - 1].iter_mut().enumerate() {
                let most = libm::log(1.0 - (interval + 1) as f64 / INTERVALS as f64) / log_no_packet;
                let (first, last) = ((least - MARGIN * least).floor(), (most + MARGIN * most).floor());
                if first == last && first < f64::from(SEVERAL_GAPS) {
                    *gap = first as u16;
                }
                least = most;
            }
        }
        distribution
    }

    /// Draws a gap: the number of failures before the first success, ⌊ln u ÷ ln(1 − p)⌋ with u in (0, 1]. The gap is
    /// `u64::MAX` if no packet is ever sent, because the probability is too small for a floating-point number.
    #[inline]
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        if self.probability <= 0.0 {
            return u64::MAX;
        }
        let uniform: f64 = random.random();
        match self.gaps[(uniform * INTERVALS as f64) as usize % INTERVALS] {
            SEVERAL_GAPS => self.gap(uniform),
            gap => gap.into(),
        }
    }

    /// Returns the gap of a uniform number in [0, 1).
    #[inline(never)]
    fn gap(&self, uniform: f64) -> u64 {
        if self.probability >= 1.0 {
            return 0;
        }
        // The quotient is not negative, so that the conversion rounds it down.
        (libm::log(1.0 - uniform) / self.log_no_packet) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng;

    #[test]
    fn a_draw_with_the_table_equals_the_formula() {
        for probability in [1e-300, 1e-9, 0.001, 0.05, 0.25, 0.4, 0.5, 0.999, 1.0] {
            let distribution = GapDistribution::new(probability);
            let mut random = rng::stream(1, "gaps");
            let mut same_random = random.clone();
            for _ in 0..20_000 {
                assert_eq!(distribution.draw(&mut random), distribution.gap(same_random.random()), "{probability}");
            }
        }
    }

    #[test]
    fn the_ends_of_each_interval_lead_to_its_gap() {
        for probability in [0.001, 0.05, 0.25, 0.4, 0.5, 0.75, 0.999] {
            let distribution = GapDistribution::new(probability);
            for (interval, gap) in distribution.gaps.iter().enumerate().filter(|(_, gap)| **gap != SEVERAL_GAPS) {
                let start = interval as f64 / INTERVALS as f64;
                let ends = [start, start + 1.0 / INTERVALS as f64 - f64::EPSILON / 2.0];
                assert_eq!(ends.map(|uniform| distribution.gap(uniform)), [u64::from(*gap); 2], "{probability}");
            }
            let known = distribution.gaps.iter().filter(|gap| **gap != SEVERAL_GAPS).count();
            assert!(known > 0 || probability < 0.01, "{probability}: {known} intervals with one gap");
        }
    }
}
