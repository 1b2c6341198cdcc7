//! The set of active sources: a set of numbers as a two-level bit mask, visited in ascending order.

/// A set of numbers below a bound: a bit for each number, and a summary with a bit for each word of these.
#[derive(Clone, Debug)]
pub struct ActiveSet {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl ActiveSet {
    /// Creates an empty set of numbers below `bound`.
    pub fn new(bound: usize) -> ActiveSet {
        let words = bound.div_ceil(64);
        ActiveSet { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, index: u32) {
        let word = index as usize / 64;
        let bits = &mut self.words[word];
        if *bits == 0 {
            self.summary[word / 64] |= 1 << (word % 64);
        }
        *bits |= 1 << (index % 64);
    }

    /// Adds a number if `condition` is true. The code has no branch, because the condition depends on data and a branch
    /// would be mispredicted.
    #[inline]
    pub fn insert_if(&mut self, condition: bool, index: u32) {
        let word = index as usize / 64;
        self.summary[word / 64] |= u64::from(condition) << (word % 64);
        self.words[word] |= u64::from(condition) << (index % 64);
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.summary.iter().all(|word| *word == 0)
    }

    /// Returns the number of words of the summary.
    pub fn summary_len(&self) -> usize {
        self.summary.len()
    }

    /// Returns a word of the summary: a bit for each word of numbers that is not empty.
    #[inline]
    pub fn summary_word(&self, summary: usize) -> u64 {
        self.summary[summary]
    }

    /// Removes the numbers of a word from the set and returns them as bits.
    #[inline]
    pub fn take_word(&mut self, word: usize) -> u64 {
        self.summary[word / 64] &= !(1 << (word % 64));
        std::mem::take(&mut self.words[word])
    }
}

/// Clears the lowest set bit of a mask and returns its position, or `None` if the mask is 0.
#[inline]
pub fn take_lowest(mask: &mut u64) -> Option<u32> {
    if *mask == 0 {
        return None;
    }
    let lowest = mask.trailing_zeros();
    *mask &= *mask - 1;
    Some(lowest)
}

/// Returns the position of the first set bit of a mask from bit `from` on, continuing at bit 0.
#[inline]
pub fn round_robin(mask: u64, from: u8) -> u8 {
    let at_or_after = mask & (u64::MAX << (from % 64));
    (if at_or_after != 0 { at_or_after } else { mask }).trailing_zeros() as u8
}
