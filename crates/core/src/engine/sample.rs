//! Keeps the first items of a sequence and an even sample of the later ones, in bounded memory.
//!
//! After the first 2¹⁴ items, each item is kept until there are 2¹² later ones. Then every second later item is
//! dropped, and from there on every second new item is kept; when there are 2¹² again, every fourth, and so on. The
//! sample is deterministic.

/// Number of first items that are kept.
const FIRST_ITEMS_KEPT: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// Largest number of later items that are kept.
const LATER_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// The items that are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled<T> {
    kept: Vec<T>,
    /// Number of items in total.
    count: u64,
    /// One in `stride` of the later items is kept.
    stride: u64,
    /// Number of first items, all of which are kept.
    first: usize,
    /// Largest number of later items that are kept.
    later_max: usize,
}

impl<T> Default for Sampled<T> {
    fn default() -> Sampled<T> {
        Sampled::with_limits(FIRST_ITEMS_KEPT, LATER_MAX)
    }
}

impl<T> Sampled<T> {
    /// Creates an empty sample that keeps the first `first` items and at most `later_max` of the later ones.
    pub fn with_limits(first: usize, later_max: usize) -> Sampled<T> {
        Sampled { kept: Vec::new(), count: 0, stride: 1, first, later_max }
    }

    /// Creates an empty sample that keeps all items.
    pub fn keeping_all() -> Sampled<T> {
        Sampled::with_limits(0, usize::MAX)
    }

    /// Adds an item.
    pub fn add(&mut self, item: T) {
        let later_index = self.count.saturating_sub(self.first as u64);
        self.count += 1;
        if later_index.is_multiple_of(self.stride) && self.kept.len().checked_sub(self.first) == Some(self.later_max) {
            self.halve();
        }
        if later_index.is_multiple_of(self.stride) {
            self.kept.push(item);
        }
    }

    /// Drops every second later item.
    fn halve(&mut self) {
        let mut position = 0;
        self.kept.retain(|_| {
            position += 1;
            position <= self.first || (position - self.first) % 2 == 1
        });
        self.stride *= 2;
    }

    /// Returns the number of items in total.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the stride *n*: one in *n* of the later items is kept.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Returns the items that are kept, in order.
    pub fn items(&self) -> &[T] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_and_an_even_sample_of_the_later_ones() {
        let mut sample = Sampled::default();
        let mut expected: Vec<u64> = Vec::new();
        for number in 0..1_000 {
            sample.add(number);
            expected.push(number);
            let later = |stride: u64| expected[8.min(expected.len())..].iter().copied().step_by(stride as usize);
            let stride = (0..).map(|power| 1 << power).find(|stride| later(*stride).count() <= 4).expect("some");
            let kept: Vec<u64> = expected.iter().copied().take(8).chain(later(stride)).collect();
            assert_eq!((sample.items(), sample.stride), (&kept[..], stride), "of {}", number + 1);
        }
        assert!(sample.stride > 100);
    }
}
