//! A sample of a sequence in bounded memory: the first items, and an even sample of the later ones.
//!
//! The first 2¹⁴ items are always kept. Every later item is kept until there are 2¹² of them. Then every second of
//! these is dropped, and from there on only every second new item is kept; when there are 2¹² again, only every fourth,
//! and so on. The sample is deterministic.

/// Number of first items that are kept.
const FIRST_ITEMS_KEPT: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// Largest number of later items that are kept.
const LATER_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// The first items of a sequence, and a sample of the later ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedSample<T> {
    items: Vec<T>,
    /// Number of items in total.
    count: u64,
    /// One in `stride` of the later items is kept.
    stride: u64,
    /// Number of first items, all of which are kept.
    first_count: usize,
    /// Largest number of later items that are kept.
    later_max: usize,
}

impl<T> Default for BoundedSample<T> {
    fn default() -> BoundedSample<T> {
        BoundedSample::with_limits(FIRST_ITEMS_KEPT, LATER_MAX)
    }
}

impl<T> BoundedSample<T> {
    /// Creates an empty sample that keeps the first `first_count` items and at most `later_max` of the later ones.
    pub fn with_limits(first_count: usize, later_max: usize) -> BoundedSample<T> {
        BoundedSample { items: Vec::new(), count: 0, stride: 1, first_count, later_max }
    }

    /// Creates an empty sample that keeps all items.
    pub fn keeping_all() -> BoundedSample<T> {
        BoundedSample::with_limits(0, usize::MAX)
    }

    /// Adds an item.
    pub fn add(&mut self, item: T) {
        let later_index = self.count.saturating_sub(self.first_count as u64);
        self.count += 1;
        if later_index.is_multiple_of(self.stride)
            && self.items.len().checked_sub(self.first_count) == Some(self.later_max)
        {
            self.halve();
        }
        if later_index.is_multiple_of(self.stride) {
            self.items.push(item);
        }
    }

    /// Drops every second later item.
    fn halve(&mut self) {
        let mut position = 0;
        self.items.retain(|_| {
            position += 1;
            position <= self.first_count || (position - self.first_count) % 2 == 1
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
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_items_and_an_even_sample_of_the_later_ones_are_kept() {
        let mut sample = BoundedSample::default();
        let mut all_items: Vec<u64> = Vec::new();
        for number in 0..1_000 {
            sample.add(number);
            all_items.push(number);
            let later = |stride: u64| all_items[8.min(all_items.len())..].iter().copied().step_by(stride as usize);
            let stride = (0..)
                .map(|power| 1 << power)
                .find(|stride| later(*stride).count() <= 4)
                .expect("some stride is large enough");
            let expected_items: Vec<u64> = all_items.iter().copied().take(8).chain(later(stride)).collect();
            assert_eq!((sample.items(), sample.stride), (&expected_items[..], stride), "of {}", number + 1);
        }
        assert!(sample.stride > 100);
    }
}
