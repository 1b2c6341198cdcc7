//! Which of many parts have something to do: a set of numbers, walked in ascending order.

/// A set of numbers below a bound, as bits, with a bit for each word of them.
#[derive(Clone, Debug)]
pub struct Active {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl Active {
    /// An empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Active {
        let words = bound.div_ceil(64);
        Active { words: vec![0; words], summary: vec![0; words.div_ceil(64)] }
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        let bits = &mut self.words[word];
        if *bits == 0 {
            self.summary[word / 64] |= 1 << (word % 64);
        }
        *bits |= 1 << (number % 64);
    }

    /// Adds a number, if so; without a branch, for nothing foretells it.
    #[inline]
    pub fn insert_if(&mut self, is_so: bool, number: u32) {
        let word = number as usize / 64;
        self.summary[word / 64] |= u64::from(is_so) << (word % 64);
        self.words[word] |= u64::from(is_so) << (number % 64);
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.summary.iter().all(|word| *word == 0)
    }

    /// How many words of the summary there are.
    pub fn summaries(&self) -> usize {
        self.summary.len()
    }

    /// The words of numbers that have any, of a word of the summary, as bits.
    #[inline]
    pub fn words_of(&self, summary: usize) -> u64 {
        self.summary[summary]
    }

    /// Takes the numbers of a word out of the set, as bits.
    #[inline]
    pub fn take_word(&mut self, word: usize) -> u64 {
        self.summary[word / 64] &= !(1 << (word % 64));
        std::mem::take(&mut self.words[word])
    }
}

/// Takes the lowest bit of a mask.
#[inline]
pub fn take_lowest(mask: &mut u64) -> Option<u32> {
    if *mask == 0 {
        return None;
    }
    let lowest = mask.trailing_zeros();
    *mask &= *mask - 1;
    Some(lowest)
}

/// The first bit of a mask from `from` on, around its end.
#[inline]
pub fn round_robin(mask: u64, from: u8) -> u8 {
    let later = mask & (u64::MAX << (from % 64));
    (if later != 0 { later } else { mask }).trailing_zeros() as u8
}
