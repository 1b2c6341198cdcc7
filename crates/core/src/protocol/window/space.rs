//! The sequence space: numbers modulo a power of two, and distances between them.
//!
//! A pair's packets have positions 0, 1, 2…; the header carries a position's sequence number. Both endpoints count
//! positions without bound for assertions and tests, but decide only by distances modulo the space, as registers of
//! `sequence_bits` bits would.

/// A sequence space with numbers of `bits` bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SequenceSpace {
    bits: u32,
}

impl SequenceSpace {
    pub(super) const fn new(bits: u32) -> SequenceSpace {
        assert!(0 < bits && bits <= 32, "a number has 1 to 32 bits");
        SequenceSpace { bits }
    }

    /// Returns the number of sequence numbers.
    pub(super) const fn count(self) -> u64 {
        1 << self.bits
    }

    /// Returns the sequence number of a position.
    pub(super) const fn number(self, position: u64) -> u32 {
        (position % self.count()) as u32
    }

    /// Returns the distance from `position` ahead to `number`, modulo the space.
    pub(super) const fn distance(self, position: u64, number: u32) -> u64 {
        assert!((number as u64) < self.count(), "both ends have the same sequence space");
        (number as u64 + self.count() - position % self.count()) % self.count()
    }
}

#[cfg(test)]
mod tests {
    use super::SequenceSpace;

    #[test]
    fn distances_wrap_around() {
        let space = SequenceSpace::new(3);
        assert_eq!((space.number(7), space.number(8), space.number(21)), (7, 0, 5));
        assert_eq!((space.distance(21, 5), space.distance(21, 0), space.distance(21, 4)), (0, 3, 7));
        let all_32_bits = SequenceSpace::new(32);
        assert_eq!(all_32_bits.number((1 << 32) + 9), 9);
        assert_eq!(
            (all_32_bits.distance(u64::from(u32::MAX), 0), all_32_bits.distance(1, 0)),
            (1, u64::from(u32::MAX))
        );
    }

    #[test]
    #[should_panic(expected = "both ends have the same sequence space")]
    fn a_number_outside_the_space_panics() {
        let _ = SequenceSpace::new(3).distance(0, 8);
    }
}
