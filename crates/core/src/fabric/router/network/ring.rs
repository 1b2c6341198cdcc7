//! What is due in a later cycle: lines on which everything spends the same time.
//!
//! What joins a line in a cycle is one list, kept in a ring by the cycle in which it is due. A line
//! stands in place of an object for each link.

/// Items that are due a fixed number of cycles after they join, but for few.
#[derive(Clone, Debug)]
pub struct Line<T> {
    delay: u64,
    /// What joined in this cycle.
    joined: Vec<T>,
    /// What is due, by cycle.
    slots: Vec<Vec<T>>,
}

impl<T> Line<T> {
    /// A line on which items spend `delay` cycles, and some others `longest` at most.
    pub fn new(delay: u64, longest: u64) -> Line<T> {
        let slots = (delay.max(longest) as usize + 2).next_power_of_two();
        Line { delay, joined: Vec::new(), slots: (0..slots).map(|_| Vec::new()).collect() }
    }

    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.joined.push(item);
    }

    /// Adds an item that is due at a cycle of its own.
    #[inline]
    pub fn push_at(&mut self, cycle: u64, item: T) {
        let slot = cycle as usize & (self.slots.len() - 1);
        self.slots[slot].push(item);
    }

    /// How many joined in this cycle.
    pub fn joined(&self) -> usize {
        self.joined.len()
    }

    /// Takes all that is due at `cycle`, if anything is; [`give_back`](Line::give_back) returns the list.
    #[inline(always)]
    pub fn take(&mut self, cycle: u64) -> Option<Vec<T>> {
        if self.delay == 0 {
            self.end_cycle(cycle);
        }
        let slot = cycle as usize & (self.slots.len() - 1);
        let due = &mut self.slots[slot];
        if due.is_empty() { None } else { Some(std::mem::take(due)) }
    }

    /// Returns the list taken at `cycle`, whose room is used again.
    #[inline]
    pub fn give_back(&mut self, cycle: u64, mut items: Vec<T>) {
        items.clear();
        let slot = cycle as usize & (self.slots.len() - 1);
        debug_assert!(self.slots[slot].is_empty(), "nothing is due a whole turn ahead");
        self.slots[slot] = items;
    }

    /// A cycle ends, or what is due in it is about to be taken: nothing more joins in it.
    #[inline]
    pub fn end_cycle(&mut self, cycle: u64) {
        if !self.joined.is_empty() {
            self.put_away(cycle);
        }
    }

    #[inline]
    fn put_away(&mut self, cycle: u64) {
        let slot = (cycle + self.delay) as usize & (self.slots.len() - 1);
        if self.slots[slot].is_empty() {
            std::mem::swap(&mut self.slots[slot], &mut self.joined);
        } else {
            self.slots[slot].append(&mut self.joined);
        }
    }

    /// Whether something is due at `cycle`, if nothing is due a whole [`turn`](Line::turn) or more before it.
    #[inline]
    pub fn is_due(&self, cycle: u64) -> bool {
        !self.slots[cycle as usize & (self.slots.len() - 1)].is_empty()
    }

    /// Every item is due fewer cycles ahead.
    pub fn turn(&self) -> u64 {
        self.slots.len() as u64
    }

    /// All that is pending between two cycles, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }
}
