//! Numbered buffers: taken lowest number first, so that equal histories give equal states.

use super::Buffers;
use std::collections::BTreeSet;

/// Buffers with what each holds. Those above the highest in use are not stored.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub(super) struct Slots<T> {
    limit: Buffers,
    entries: Vec<Option<T>>,
    /// The free numbers below `entries.len()`.
    holes: BTreeSet<u32>,
}

impl<T> Slots<T> {
    pub(super) const fn new(limit: Buffers) -> Slots<T> {
        Slots { limit, entries: Vec::new(), holes: BTreeSet::new() }
    }

    /// How many are in use.
    pub(super) fn used(&self) -> u32 {
        (self.entries.len() - self.holes.len()) as u32
    }

    /// How many are free, or nothing where there is no limit.
    pub(super) fn free(&self) -> Option<u32> {
        let count = self.limit.count()?;
        Some(count.checked_sub(self.used()).expect("no more buffers are in use than there are"))
    }

    pub(super) fn has_room(&self) -> bool {
        self.free() != Some(0)
    }

    /// Puts `entry` into a free buffer; there must be one.
    pub(super) fn insert(&mut self, entry: T) -> u32 {
        assert!(self.has_room(), "a buffer is taken only where one is free");
        let number = self.holes.pop_first().unwrap_or_else(|| {
            self.entries.push(None);
            u32::try_from(self.entries.len() - 1).expect("buffers are numbered in 32 bits")
        });
        let before = self.entries[number as usize].replace(entry);
        assert!(before.is_none(), "buffer {number} was free");
        number
    }

    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.entries.get(number as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.entries.get_mut(number as usize)?.as_mut()
    }

    /// Frees a buffer and gives what it held, or nothing if it was free.
    pub(super) fn remove(&mut self, number: u32) -> Option<T> {
        let entry = self.entries.get_mut(number as usize)?.take()?;
        self.holes.insert(number);
        while let Some(None) = self.entries.last() {
            self.entries.pop();
            self.holes.remove(&(self.entries.len() as u32));
        }
        Some(entry)
    }

    /// The buffers in use, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.entries.iter().zip(0..).filter_map(|(entry, number)| Some((number, entry.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_number_is_taken_and_the_limit_holds() {
        let mut slots = Slots::new(Buffers::finite(3).unwrap());
        assert_eq!([slots.insert('a'), slots.insert('b'), slots.insert('c')], [0, 1, 2]);
        assert!(!slots.has_room());
        assert_eq!((slots.remove(1), slots.remove(1), slots.remove(9)), (Some('b'), None, None));
        assert_eq!((slots.free(), slots.insert('d')), (Some(1), 1));
        assert_eq!(slots.iter().map(|(_, entry)| *entry).collect::<String>(), "adc");
    }

    #[test]
    fn without_limit_it_grows_and_shrinks_with_use() {
        let mut slots = Slots::new(Buffers::Infinite);
        (0..1_000).for_each(|n| assert_eq!(slots.insert(n), n));
        (0..999).for_each(|n| assert_eq!(slots.remove(n), Some(n)));
        assert_eq!((slots.used(), slots.free()), (1, None));
        slots.remove(999);
        assert!(slots.entries.is_empty() && slots.holes.is_empty());
    }
}
