//! Delay lines: items that become due a fixed number of cycles after they are added.
//!
//! The items that are added in one cycle form one list, and the lists form a ring, ordered by the cycle in which they
//! are due. One line for all links replaces a queue for each link.

/// Items that are due a fixed number of cycles after they are added, or in a stated cycle.
#[derive(Clone, Debug)]
pub struct DelayLine<T> {
    delay: u64,
    /// Items that were added in this cycle.
    added_items: Vec<T>,
    /// Items that are due, by cycle.
    slots: Vec<Vec<T>>,
}

impl<T> DelayLine<T> {
    /// Creates a line in which an item waits `delay` cycles, or at most `longest_delay` cycles if it is added for a
    /// stated cycle.
    pub fn new(delay: u64, longest_delay: u64) -> DelayLine<T> {
        let slot_count = (delay.max(longest_delay) as usize + 2).next_power_of_two();
        DelayLine { delay, added_items: Vec::new(), slots: (0..slot_count).map(|_| Vec::new()).collect() }
    }

    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.added_items.push(item);
    }

    /// Adds an item that is due in `cycle`.
    #[inline]
    pub fn push_at(&mut self, cycle: u64, item: T) {
        let slot = cycle as usize & (self.slots.len() - 1);
        self.slots[slot].push(item);
    }

    /// Adds an item that is due `delay` cycles after `now`, the present cycle.
    #[inline]
    pub fn push_after(&mut self, now: u64, delay: u64, item: T) {
        if delay == self.delay {
            self.push(item);
        } else {
            self.push_at(now + delay, item);
        }
    }

    /// Lends the list of the items that are due in `cycle`, to which the caller adds items. The caller returns the list
    /// with [`restore`](DelayLine::restore) before anything else is added.
    #[inline]
    pub fn lend(&mut self, cycle: u64) -> Vec<T> {
        let slot = cycle as usize & (self.slots.len() - 1);
        std::mem::take(&mut self.slots[slot])
    }

    /// Returns the list that was lent for `cycle`.
    #[inline]
    pub fn restore(&mut self, cycle: u64, items: Vec<T>) {
        let slot = cycle as usize & (self.slots.len() - 1);
        replace_empty(&mut self.slots[slot], items);
    }

    /// Returns the number of items that [`push`](DelayLine::push) added in this cycle.
    pub fn added_count(&self) -> usize {
        self.added_items.len()
    }

    /// Takes the list of items that are due in `cycle`, or returns `None` if no item is due. The caller returns the
    /// list with [`recycle`](DelayLine::recycle).
    #[inline(always)]
    pub fn take(&mut self, cycle: u64) -> Option<Vec<T>> {
        if self.delay == 0 {
            self.end_cycle(cycle);
        }
        let slot = cycle as usize & (self.slots.len() - 1);
        let due_items = &mut self.slots[slot];
        if due_items.is_empty() { None } else { Some(std::mem::take(due_items)) }
    }

    /// Returns the list that was taken in `cycle`, so that its allocation is used again.
    #[inline]
    pub fn recycle(&mut self, cycle: u64, mut items: Vec<T>) {
        items.clear();
        self.restore(cycle, items);
    }

    /// Ends a cycle: moves the items that were added in it to the list of the cycle in which they are due.
    #[inline]
    pub fn end_cycle(&mut self, cycle: u64) {
        if !self.added_items.is_empty() {
            self.store_added_items(cycle);
        }
    }

    #[inline]
    fn store_added_items(&mut self, cycle: u64) {
        let slot = (cycle + self.delay) as usize & (self.slots.len() - 1);
        if self.slots[slot].is_empty() {
            // The two lists are moved, since `swap` is a call if it is not inlined.
            let empty = std::mem::take(&mut self.slots[slot]);
            let added_items = std::mem::take(&mut self.added_items);
            replace_empty(&mut self.slots[slot], added_items);
            replace_empty(&mut self.added_items, empty);
        } else {
            self.slots[slot].append(&mut self.added_items);
        }
    }

    /// Returns whether an item is due in `cycle`. The result is correct only if no item is due
    /// [`ring_cycles`](DelayLine::ring_cycles) or more cycles before `cycle`.
    #[inline]
    pub fn is_due(&self, cycle: u64) -> bool {
        !self.slots[cycle as usize & (self.slots.len() - 1)].is_empty()
    }

    /// Returns the number of cycles of the ring. Every item is due within fewer cycles.
    pub fn ring_cycles(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Iterates over all items that are pending between two cycles, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }
}

/// Replaces a list that has no allocation, so that there is nothing to drop.
#[inline]
fn replace_empty<T>(list: &mut Vec<T>, items: Vec<T>) {
    debug_assert_eq!(list.capacity(), 0, "no item was added to the list that is replaced");
    std::mem::forget(std::mem::replace(list, items));
}
