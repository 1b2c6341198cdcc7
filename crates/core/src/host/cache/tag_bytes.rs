//! A byte for each way of a set-associative cache, by which the way of a block is found without reading all tags.
//!
//! The byte is a hash of the number of the block that was put into the way last. Ways with the byte of a block are
//! candidates: the caller compares their tags.

const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const BYTES: usize = 8;

/// The bytes of all ways, eight to a word.
pub struct TagBytes {
    words: Vec<u64>,
    words_per_set: usize,
}

impl TagBytes {
    /// Creates the bytes of `sets` empty sets of `ways` ways.
    pub fn new(sets: usize, ways: usize) -> TagBytes {
        let words_per_set = ways.div_ceil(BYTES);
        TagBytes { words: vec![0; sets * words_per_set], words_per_set }
    }

    /// Adds an empty set behind the others.
    pub fn add_set(&mut self) {
        self.words.resize(self.words.len() + self.words_per_set, 0);
    }

    #[inline]
    fn byte_of(block: u64) -> u64 {
        block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56
    }

    /// Records that `way` of `set` received the block with the number `block`.
    #[inline]
    pub fn put(&mut self, set: usize, way: usize, block: u64) {
        let shift = 8 * (way % BYTES);
        let word = &mut self.words[set * self.words_per_set + way / BYTES];
        *word = *word & !(0xFF << shift) | TagBytes::byte_of(block) << shift;
    }

    /// Returns the way of `set` that may hold the block with the number `block` and for which `holds` returns true.
    /// `holds` may be called for ways that do not exist.
    #[inline]
    pub fn find(&self, set: usize, block: u64, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let pattern = TagBytes::byte_of(block) * EACH_BYTE;
        let first = set * self.words_per_set;
        for (number, word) in self.words[first..first + self.words_per_set].iter().enumerate() {
            let differing = word ^ pattern;
            // The highest bit of each byte that is zero, and perhaps of others.
            let mut candidates = differing.wrapping_sub(EACH_BYTE) & !differing & (EACH_BYTE << 7);
            while candidates != 0 {
                let way = number * BYTES + candidates.trailing_zeros() as usize / 8;
                if holds(way) {
                    return Some(way);
                }
                candidates &= candidates - 1;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_block_is_found_where_it_was_put(
            ways in 1usize..20, puts in prop::collection::vec((0usize..4, 0usize..20, 0u64..60), 1..80),
        ) {
            let (mut bytes, mut blocks) = (TagBytes::new(4, ways), vec![vec![None; ways]; 4]);
            for (set, way, block) in puts {
                let way = way % ways;
                bytes.put(set, way, block);
                blocks[set][way] = Some(block);
                for (set, blocks) in blocks.iter().enumerate() {
                    for block in 0..60 {
                        let found = bytes.find(set, block, |way| blocks.get(way) == Some(&Some(block)));
                        let expected = blocks.iter().position(|held| *held == Some(block));
                        prop_assert_eq!(found, expected);
                    }
                }
            }
        }
    }
}
