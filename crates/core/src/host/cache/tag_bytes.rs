//! A byte for each way of a set-associative cache, by which the way of a block is found without reading all tags.
//!
//! The byte is a hash of the number of the block that was put into the way last. A search for a block considers only
//! the ways whose byte is the hash of that block, and the caller compares the tags of these ways.

const ONE_IN_EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const WORD_BYTES: usize = 8;

/// The bytes of all ways, packed as eight bytes in a word.
pub struct TagBytes {
    words: Vec<u64>,
    words_per_set: usize,
}

impl TagBytes {
    /// Creates the bytes of `sets` empty sets of `ways` ways.
    pub fn new(sets: usize, ways: usize) -> TagBytes {
        let words_per_set = ways.div_ceil(WORD_BYTES);
        TagBytes { words: vec![0; sets * words_per_set], words_per_set }
    }

    /// Adds an empty set after the last one.
    pub fn add_set(&mut self) {
        self.words.resize(self.words.len() + self.words_per_set, 0);
    }

    #[inline]
    fn hash_byte(block: u64) -> u64 {
        block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56
    }

    /// Records that `way` of `set` received the block with the number `block`.
    #[inline]
    pub fn set_block(&mut self, set: usize, way: usize, block: u64) {
        let shift = 8 * (way % WORD_BYTES);
        let word = &mut self.words[set * self.words_per_set + way / WORD_BYTES];
        *word = *word & !(0xFF << shift) | TagBytes::hash_byte(block) << shift;
    }

    /// Returns the way of `set` that may hold the block with the number `block` and for which `holds_block` returns
    /// true. `holds_block` may be called for ways that do not exist.
    #[inline]
    pub fn find(&self, set: usize, block: u64, holds_block: impl Fn(usize) -> bool) -> Option<usize> {
        let pattern = TagBytes::hash_byte(block) * ONE_IN_EACH_BYTE;
        let first = set * self.words_per_set;
        for (word_index, word) in self.words[first..first + self.words_per_set].iter().enumerate() {
            let differing = word ^ pattern;
            // Sets the highest bit of each byte that is zero, and possibly of other bytes.
            let mut candidates = differing.wrapping_sub(ONE_IN_EACH_BYTE) & !differing & (ONE_IN_EACH_BYTE << 7);
            while candidates != 0 {
                let way = word_index * WORD_BYTES + candidates.trailing_zeros() as usize / 8;
                if holds_block(way) {
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
            ways in 1usize..20, insertions in prop::collection::vec((0usize..4, 0usize..20, 0u64..60), 1..80),
        ) {
            let (mut bytes, mut blocks) = (TagBytes::new(4, ways), vec![vec![None; ways]; 4]);
            for (set, way, block) in insertions {
                let way = way % ways;
                bytes.set_block(set, way, block);
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
