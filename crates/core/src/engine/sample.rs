//! An even sample of a sequence in bounded memory.
//!
//! Every item is kept until the largest number of them is reached. Then every second of these is dropped, and from
//! there on only every second new item is kept; when there are as many again, only every fourth, and so on. The sample
//! is deterministic.

/// An even sample of the items of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedSample<T> {
    items: Vec<T>,
    /// Number of items in total.
    count: u64,
    /// One in `stride` of the items is kept.
    stride: u64,
    /// Largest number of items that are kept.
    kept_max: usize,
}

impl<T> BoundedSample<T> {
    /// Creates an empty sample that keeps at most `kept_max` items.
    pub fn new(kept_max: usize) -> BoundedSample<T> {
        BoundedSample { items: Vec::new(), count: 0, stride: 1, kept_max }
    }

    /// Adds an item.
    pub fn add(&mut self, item: T) {
        let index = self.count;
        self.count += 1;
        if index.is_multiple_of(self.stride) && self.items.len() == self.kept_max {
            self.halve();
        }
        if index.is_multiple_of(self.stride) {
            self.items.push(item);
        }
    }

    /// Drops every second item.
    fn halve(&mut self) {
        let mut position = 0;
        self.items.retain(|_| {
            position += 1;
            position % 2 == 1
        });
        self.stride *= 2;
    }

    /// Returns the number of items in total.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the stride *n*: one in *n* of the items is kept.
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
    fn an_even_sample_of_the_items_is_kept() {
        let mut sample = BoundedSample::new(4);
        for number in 0..1_000_u64 {
            sample.add(number);
            let kept = |stride: u64| (0..=number).step_by(stride as usize);
            let stride = (0..)
                .map(|power| 1 << power)
                .find(|stride| kept(*stride).count() <= 4)
                .expect("some stride is large enough");
            let expected_items: Vec<u64> = kept(stride).collect();
            assert_eq!((sample.items(), sample.stride), (&expected_items[..], stride), "of {}", number + 1);
        }
        assert!(sample.stride > 100);
    }
}
