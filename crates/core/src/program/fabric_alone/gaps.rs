//! The gaps between the packets of a source that generates a packet in each cycle with the same probability.
//!
//! The logarithm of the distribution is computed once for all draws.

use crate::engine::rng::RandomStream;
use rand::RngExt;

/// The geometric distribution of the number of cycles without a packet between two packets of a node.
pub struct GapDistribution {
    /// ln(1 − p), with the probability p of a packet in a cycle.
    log_no_packet: f64,
    probability: f64,
}

impl GapDistribution {
    /// Creates the distribution for this probability of a packet in a cycle.
    pub fn new(probability: f64) -> GapDistribution {
        GapDistribution { log_no_packet: libm::log1p(-probability), probability }
    }

    /// Draws a gap: the number of failures before the first success, ⌊ln u ÷ ln(1 − p)⌋ with u in (0, 1]. The gap is
    /// `u64::MAX` if no packet is ever sent, because the probability is too small for a floating-point number.
    #[inline]
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        if self.probability <= 0.0 {
            return u64::MAX;
        }
        let uniform: f64 = random.random();
        if self.probability >= 1.0 {
            return 0;
        }
        // The quotient is not negative, so that the conversion rounds it down.
        (libm::log(1.0 - uniform) / self.log_no_packet) as u64
    }
}
