//! Selection of items without a branch, for conditions that a branch predictor cannot predict. Every item is written to
//! the position of the next selected item; if the item is not selected, the next one overwrites it.

use super::state::PORTS;

/// Number of positions: one for each port of a sector, and the same number for items that are not selected.
const CAPACITY: usize = 2 * PORTS;

/// Number of set bits of a word that `add_bits` adds between two checks for further bits.
const BITS_PER_STEP: usize = 3;

/// Storage of the items.
pub type Items = [u16; CAPACITY + BITS_PER_STEP];

/// Empty storage.
pub const NO_ITEMS: Items = [0; CAPACITY + BITS_PER_STEP];

/// The selected items, at most one for each port.
pub struct BranchlessFilter<'a> {
    items: &'a mut Items,
    selected_count: usize,
}

impl BranchlessFilter<'_> {
    /// Creates a filter without items that writes to `items`.
    #[inline]
    pub fn new(items: &mut Items) -> BranchlessFilter<'_> {
        BranchlessFilter { items, selected_count: 0 }
    }

    /// Adds an item if `condition` is true.
    #[inline(always)]
    pub fn add_if(&mut self, condition: bool, item: u16) {
        self.items[self.selected_count % CAPACITY] = item;
        self.selected_count += usize::from(condition);
    }

    /// Adds `first` plus the position of each set bit of a word.
    #[inline(always)]
    pub fn add_bits(&mut self, first: usize, mut bits: u64) {
        loop {
            // Each set bit takes the next position. Values that are written after the last set bit are not selected,
            // and are overwritten later.
            let position = self.selected_count % CAPACITY;
            for offset in 0..BITS_PER_STEP {
                self.items[position + offset] = (first + bits.trailing_zeros() as usize) as u16;
                self.selected_count += usize::from(bits != 0);
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
        }
    }

    /// Returns the number of selected items.
    #[inline]
    pub fn len(&self) -> usize {
        self.selected_count
    }

    /// Returns the selected item at this index.
    #[inline]
    pub fn get(&self, index: usize) -> u16 {
        self.items[index % CAPACITY]
    }

    /// Keeps the selected items for which `condition` returns true.
    #[inline]
    pub fn retain(&mut self, mut condition: impl FnMut(u16) -> bool) {
        for index in 0..std::mem::take(&mut self.selected_count) {
            let item = self.get(index);
            self.add_if(condition(item), item);
        }
    }
}
