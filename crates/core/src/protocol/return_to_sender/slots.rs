//! Numbered buffers. The lowest free number is used first, so that equal histories give equal states.

use super::Buffers;

/// Buffers with their contents. Buffers above the highest number that was ever in use at once are not stored.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub(super) struct Slots<T> {
    limit: Buffers,
    entries: Vec<Option<T>>,
    /// Free numbers below `entries.len()`, one bit each; `free_count` is the number of set bits.
    free_words: Vec<u64>,
    free_count: u32,
}

impl<T> Slots<T> {
    pub(super) const fn new(limit: Buffers) -> Slots<T> {
        Slots { limit, entries: Vec::new(), free_words: Vec::new(), free_count: 0 }
    }

    /// Returns the number of buffers in use.
    pub(super) fn used_slots(&self) -> u32 {
        self.entries.len() as u32 - self.free_count
    }

    /// Returns the number of free buffers, or `None` if there is no limit.
    pub(super) fn free(&self) -> Option<u32> {
        let count = self.limit.count()?;
        Some(count.checked_sub(self.used_slots()).expect("no more buffers are in use than there are"))
    }

    pub(super) fn has_capacity(&self) -> bool {
        self.free() != Some(0)
    }

    /// Puts `entry` into the free buffer with the lowest number, which it returns.
    ///
    /// # Panics
    ///
    /// Panics if no buffer is free.
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        assert!(self.has_capacity(), "a buffer is free");
        let index = self.first_free().unwrap_or_else(|| self.grow());
        self.set_free(index, false);
        let previous = self.entries[index as usize].replace(entry);
        assert!(previous.is_none(), "buffer {index} was free");
        index
    }

    /// Returns the lowest free number below `entries.len()`.
    fn first_free(&self) -> Option<u32> {
        if self.free_count == 0 {
            return None;
        }
        let word = self.free_words.iter().position(|free_bits| *free_bits != 0)?;
        Some(word as u32 * u64::BITS + self.free_words[word].trailing_zeros())
    }

    /// Appends a free buffer and returns its number.
    fn grow(&mut self) -> u32 {
        let index = u32::try_from(self.entries.len()).expect("buffers are numbered in 32 bits");
        self.entries.push(None);
        self.free_words.resize(self.entries.len().div_ceil(u64::BITS as usize), 0);
        self.set_free(index, true);
        index
    }

    /// Marks a used buffer as free, or a free buffer as used.
    fn set_free(&mut self, index: u32, is_free: bool) {
        let (free_bits, bit) = (&mut self.free_words[(index / u64::BITS) as usize], 1 << (index % u64::BITS));
        debug_assert_eq!(*free_bits & bit == 0, is_free, "buffer {index} changes between free and used");
        *free_bits ^= bit;
        self.free_count = if is_free { self.free_count + 1 } else { self.free_count - 1 };
    }

    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.entries.get(index as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.entries.get_mut(index as usize)?.as_mut()
    }

    /// Frees a buffer and returns its contents, or `None` if it was free.
    pub(super) fn remove(&mut self, index: u32) -> Option<T> {
        let entry = self.entries.get_mut(index as usize)?.take()?;
        self.set_free(index, true);
        while let Some(None) = self.entries.last() {
            self.entries.pop();
            self.set_free(self.entries.len() as u32, false);
        }
        self.free_words.truncate(self.entries.len().div_ceil(u64::BITS as usize));
        Some(entry)
    }

    /// Iterates over the buffers in use in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.entries.iter().zip(0..).filter_map(|(entry, index)| Some((index, entry.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_lowest_free_number_is_taken_and_the_limit_holds() {
        let mut slots = Slots::new(Buffers::finite(3).unwrap());
        assert_eq!([slots.insert('a'), slots.insert('b'), slots.insert('c')], [0, 1, 2]);
        assert!(!slots.has_capacity());
        assert_eq!((slots.remove(1), slots.remove(1), slots.remove(9)), (Some('b'), None, None));
        assert_eq!((slots.free(), slots.insert('d')), (Some(1), 1));
        assert_eq!(slots.iter().map(|(_, entry)| *entry).collect::<String>(), "adc");
    }

    #[test]
    fn unlimited_slots_grow_and_shrink_with_use() {
        let mut slots = Slots::new(Buffers::Infinite);
        (0..1_000).for_each(|n| assert_eq!(slots.insert(n), n));
        (0..999).for_each(|n| assert_eq!(slots.remove(n), Some(n)));
        assert_eq!((slots.used_slots(), slots.free()), (1, None));
        slots.remove(999);
        assert!(slots.entries.is_empty() && slots.free_words.is_empty());
    }

    proptest! {
        #[test]
        fn free_slots_are_those_without_an_entry(steps in prop::collection::vec(prop::option::of(0..150u32), 1..400)) {
            let (mut slots, mut reference) = (Slots::new(Buffers::Infinite), BTreeMap::new());
            for (step, freed) in steps.into_iter().enumerate() {
                match freed {
                    Some(number) => prop_assert_eq!(slots.remove(number), reference.remove(&number)),
                    None => {
                        let lowest = (0..).find(|index| !reference.contains_key(index)).unwrap();
                        prop_assert_eq!(slots.insert(step), lowest);
                        reference.insert(lowest, step);
                    }
                }
                prop_assert_eq!(slots.used_slots() as usize, reference.len());
                prop_assert!(slots.iter().eq(reference.iter().map(|(number, step)| (*number, step))));
                let last = reference.keys().last().map_or(0, |last| last + 1);
                let lengths = (slots.entries.len(), slots.free_words.len());
                prop_assert_eq!(lengths, (last as usize, last.div_ceil(64) as usize));
            }
        }
    }
}
