//! A cache of the interface for entries of a table in host memory: fully associative, with replacement of the least
//! recently used entry. Written entries that are replaced are not written back.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// A cache of table entries, by their numbers.
pub struct LookupCache {
    entries: usize,
    order: RefCell<UseOrder>,
    misses: Cell<u64>,
}

/// The order in which the entries of the cache were last used.
#[derive(Default)]
struct UseOrder {
    /// Number of the last use of each entry.
    last_use: BTreeMap<u64, u64>,
    /// Entry of each of these uses.
    entry_by_use: BTreeMap<u64, u64>,
    use_count: u64,
}

impl LookupCache {
    /// Creates an empty cache for `entries` entries.
    pub fn new(entries: u32) -> LookupCache {
        LookupCache { entries: entries as usize, order: RefCell::default(), misses: Cell::new(0) }
    }

    /// Looks up entry `number`, which the cache holds afterwards. Returns whether the cache held the entry before.
    pub fn access(&self, number: u64) -> bool {
        let order = &mut *self.order.borrow_mut();
        order.use_count += 1;
        let previous_use = order.last_use.insert(number, order.use_count);
        order.entry_by_use.insert(order.use_count, number);
        match previous_use {
            Some(previous_use) => {
                order.entry_by_use.remove(&previous_use);
            }
            None => {
                self.misses.set(self.misses.get() + 1);
                if order.last_use.len() > self.entries
                    && let Some((_, oldest)) = order.entry_by_use.pop_first()
                {
                    order.last_use.remove(&oldest);
                }
            }
        }
        previous_use.is_some()
    }

    /// Puts entry `number` into the cache without counting a miss.
    pub fn preload(&self, number: u64) {
        if !self.access(number) {
            self.misses.set(self.misses.get() - 1);
        }
    }

    /// Returns the number of misses.
    pub fn misses(&self) -> u64 {
        self.misses.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_entry_is_replaced() {
        let cache = LookupCache::new(2);
        let hits: Vec<bool> = [1, 2, 1, 3, 1, 2].into_iter().map(|number| cache.access(number)).collect();
        assert_eq!((hits, cache.misses()), (vec![false, false, true, false, true, false], 4));
    }
}
