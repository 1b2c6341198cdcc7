//! A 4-ary heap of events. It has half the depth of a binary heap, and only the last branch of its inner loop depends
//! on the order of the events.

use super::{Event, NO_EVENT_KEY};

/// The heap. Taking the first event leaves the root vacant, because the next operation is most often an insertion. The
/// new event then sinks from the root, which saves moving one event down for the removal and another up for the
/// insertion.
#[derive(Default)]
pub(super) struct Heap {
    /// The keys of the events: the root, then groups of four siblings. [`NO_EVENT_KEY`] fills the unused positions of
    /// the last group.
    keys: Vec<u128>,
    /// The number of positions in use, including a vacant root; zero if only the vacant root is left.
    used_positions: usize,
    has_vacant_root: bool,
}

impl Heap {
    #[inline]
    pub fn len(&self) -> usize {
        self.used_positions - usize::from(self.has_vacant_root)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used_positions == 0
    }

    #[inline]
    pub fn peek(&mut self) -> Option<Event> {
        self.fill_vacancy();
        (self.used_positions > 0).then(|| Event::from_key(self.keys[0]))
    }

    #[inline]
    pub fn push(&mut self, event: Event) {
        if self.has_vacant_root {
            self.has_vacant_root = false;
            self.sink(event.key());
        } else {
            self.sift_up(event.key());
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        let first = self.peek()?;
        self.drop_first();
        Some(first)
    }

    /// Removes the first event. `peek` must have returned it just before, so that the root is not vacant.
    #[inline]
    pub fn drop_first(&mut self) {
        match self.used_positions {
            1 => self.used_positions = 0,
            _ => self.has_vacant_root = true,
        }
    }

    /// Calls `visit` with every event, in no particular order.
    pub fn for_each_event(&self, visit: &mut impl FnMut(Event)) {
        let events = &self.keys[usize::from(self.has_vacant_root)..self.used_positions];
        events.iter().for_each(|&key| visit(Event::from_key(key)));
    }

    /// Moves every event out, in no particular order.
    pub fn drain_into(&mut self, events: &mut Vec<Event>) {
        self.fill_vacancy();
        events.extend(self.keys[..self.used_positions].iter().map(|&key| Event::from_key(key)));
        self.keys.clear();
        self.used_positions = 0;
    }

    #[inline]
    fn fill_vacancy(&mut self) {
        if self.has_vacant_root {
            self.move_last_to_root();
        }
    }

    /// Moves the last event into the vacant root. This is a separate function because the check for a vacant root is
    /// more frequent and is inlined.
    #[inline(never)]
    fn move_last_to_root(&mut self) {
        self.has_vacant_root = false;
        self.used_positions -= 1;
        let last = std::mem::replace(&mut self.keys[self.used_positions], NO_EVENT_KEY);
        self.sink(last);
    }

    /// Puts `key` at the root, and moves it down to its position in the order.
    #[inline]
    fn sink(&mut self, key: u128) {
        let keys = &mut self.keys[..];
        let mut hole = 0;
        while let Some([a, b, c, d]) = keys.get(4 * hole + 1..).and_then(|children| children.first_chunk::<4>()) {
            let (left, left_key) = if b < a { (1, *b) } else { (0, *a) };
            let (right, right_key) = if d < c { (3, *d) } else { (2, *c) };
            let (least, child_key) = if right_key < left_key { (right, right_key) } else { (left, left_key) };
            if key <= child_key {
                break;
            }
            keys[hole] = child_key;
            hole = 4 * hole + 1 + least;
        }
        keys[hole] = key;
    }

    /// Puts `key` at the end, and moves it up to its position in the order.
    #[inline]
    fn sift_up(&mut self, key: u128) {
        let mut hole = self.used_positions;
        self.used_positions += 1;
        if hole == self.keys.len() {
            self.grow();
        }
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[hole] = self.keys[parent];
            hole = parent;
        }
        self.keys[hole] = key;
    }

    #[cold]
    fn grow(&mut self) {
        let added_positions = if self.keys.is_empty() { 1 } else { 4 };
        self.keys.extend_from_slice(&[NO_EVENT_KEY; 4][..added_positions]);
    }
}
