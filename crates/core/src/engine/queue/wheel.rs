//! Events later than the present: a heap while they are few, a time wheel when they are many.
//!
//! The wheel divides time into buckets of 2ⁿ ps. The events of the current bucket are sorted once, into `sorted_run`;
//! events that are added to that bucket afterwards go to `near_heap`. Events of the next `first_nodes.len()` buckets
//! are listed by bucket, unsorted; later events wait in `far_heap`. The earliest event is therefore the earlier of the
//! first of `sorted_run` and the first of `near_heap`, and the order is exact with any width. The width and number of
//! buckets affect speed only, and are chosen again when the counts show that they no longer fit. While events are few,
//! there is one unbounded current bucket, and all events are in `near_heap`.

use super::heap::Heap;
use super::{Event, NO_EVENT_KEY, TASK_BITS};
use crate::engine::time::Time;

/// A wheel is made when there are more pending events than `WHEEL_CREATION_EVENTS`, and dropped when there are fewer
/// than `WHEEL_REMOVAL_EVENTS`.
const WHEEL_CREATION_EVENTS: usize = 96;
const WHEEL_REMOVAL_EVENTS: usize = 32;
/// The least and largest number of buckets, powers of two and multiples of 64.
const BUCKETS_MIN: usize = 64;
const BUCKETS_MAX: usize = 1 << 18;
/// Events that are added to the current bucket are inserted into `sorted_run` if it is shorter than this.
const SHORT_RUN_EVENTS: usize = 32;
/// The index that represents no node.
const NO_NODE: u32 = u32::MAX;

/// A node of a bucket's list: an event, and the index of the next node of the same bucket.
struct Node {
    event: Event,
    next: u32,
}

/// The pending events later than now.
pub(super) struct Wheel {
    /// The keys of the events that the current bucket had when it became current; the earliest is last.
    sorted_run: Vec<u128>,
    /// Events that were added since then, at or before `current_end`.
    near_heap: Heap,
    /// The end of the current bucket.
    current_end: Time,
    /// Number of events in `near_heap` beyond which the current bucket is crowded.
    near_heap_max: usize,
    /// The number of the current bucket: its times shifted right by `bucket_bits`.
    current_bucket: u64,
    bucket_bits: u32,
    /// The first node of each bucket; a bucket's index is its number modulo the number of buckets.
    first_nodes: Vec<u32>,
    /// One bit for each bucket that has nodes.
    occupied_buckets: Vec<u64>,
    nodes: Vec<Node>,
    first_free_node: u32,
    /// Number of events in buckets.
    events_in_buckets: usize,
    /// Events at least `first_nodes.len()` buckets after the current one.
    far_heap: Heap,
    /// Counts since the buckets were last chosen: events sorted into `sorted_run`, and events moved in from `far_heap`.
    sorted_count: usize,
    moved_count: usize,
    /// The sequence number before which the buckets are not chosen again, so that the cost of choosing stays small
    /// compared with that of the events in between.
    next_choice_sequence: u64,
}

impl Default for Wheel {
    fn default() -> Wheel {
        Wheel {
            sorted_run: Vec::new(),
            near_heap: Heap::default(),
            current_end: Time::MAX,
            near_heap_max: WHEEL_CREATION_EVENTS,
            current_bucket: 0,
            bucket_bits: 0,
            first_nodes: Vec::new(),
            occupied_buckets: Vec::new(),
            nodes: Vec::new(),
            first_free_node: NO_NODE,
            events_in_buckets: 0,
            far_heap: Heap::default(),
            sorted_count: 0,
            moved_count: 0,
            next_choice_sequence: 0,
        }
    }
}

impl Wheel {
    pub fn len(&self) -> usize {
        self.sorted_run.len() + self.near_heap.len() + self.events_in_buckets + self.far_heap.len()
    }

    /// Calls `visit` with every event, in no particular order.
    pub fn for_each_event(&self, visit: &mut impl FnMut(Event)) {
        self.sorted_run.iter().for_each(|&key| visit(Event::from_key(key)));
        self.near_heap.for_each_event(visit);
        self.far_heap.for_each_event(visit);
        for first_node in &self.first_nodes {
            let mut node_index = *first_node;
            while let Some(node) = self.nodes.get(node_index as usize) {
                visit(node.event);
                node_index = node.next;
            }
        }
    }

    /// Returns whether `event` is due after the current bucket, which is the bucket of the event taken last.
    #[inline(always)]
    pub fn is_in_later_bucket(&self, event: Event) -> bool {
        event.time > self.current_end
    }

    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        match self.is_in_later_bucket(event) {
            true => self.add_to_bucket(event),
            false => self.push_current(event),
        }
    }

    /// Adds an event to the current bucket.
    #[inline(always)]
    pub fn push_current(&mut self, event: Event) {
        if self.sorted_run.len() < SHORT_RUN_EVENTS && self.near_heap.is_empty() {
            return self.insert_into_run(event.key());
        }
        self.push_near(event);
    }

    /// Adds an event to `near_heap`.
    fn push_near(&mut self, event: Event) {
        self.near_heap.push(event);
        if self.near_heap.len() > self.near_heap_max {
            self.handle_crowded_bucket(event.id >> TASK_BITS);
        }
    }

    /// Adds an event to the short run.
    #[inline]
    fn insert_into_run(&mut self, key: u128) {
        let mut hole = self.sorted_run.len();
        if hole == self.sorted_run.capacity() {
            return self.insert_into_run_growing(key);
        }
        self.sorted_run.push(key);
        while hole > 0 && self.sorted_run[hole - 1] < key {
            self.sorted_run[hole] = self.sorted_run[hole - 1];
            hole -= 1;
        }
        self.sorted_run[hole] = key;
    }

    /// Adds an event to the short run when its buffer is full. This is a separate function so that the usual path makes
    /// no calls and saves no registers.
    #[cold]
    #[inline(never)]
    fn insert_into_run_growing(&mut self, key: u128) {
        self.sorted_run.reserve(SHORT_RUN_EVENTS);
        self.insert_into_run(key);
    }

    /// Takes the earliest event. Returns its key, or [`NO_EVENT_KEY`] for an empty queue, and an instant before which
    /// there is no other event. The key is a number and not an option, because numbers are returned in registers.
    #[inline]
    pub fn pop(&mut self) -> (u128, Time) {
        if !self.near_heap.is_empty() {
            return (self.pop_earlier(), Time::ZERO);
        }
        match self.sorted_run.pop() {
            Some(first) => (first, self.no_event_before()),
            None => (self.advance_and_pop(), Time::ZERO),
        }
    }

    /// Removes and returns the earliest event without a check for an empty queue. It is not inlined.
    #[inline(never)]
    pub fn pop_key(&mut self) -> u128 {
        self.pop().0
    }

    /// Takes the earlier of the first event of the run and that of `near_heap`, which is not empty.
    #[inline(always)]
    fn pop_earlier(&mut self) -> u128 {
        let first_near_key = self.near_heap.peek().map_or(NO_EVENT_KEY, Event::key);
        match self.sorted_run.pop_if(|first| *first < first_near_key) {
            Some(first) => first,
            None => {
                self.near_heap.drop_first();
                first_near_key
            }
        }
    }

    /// Returns whether the earliest event comes before `first`, which is at the present instant, no later than the end
    /// of the current bucket.
    #[inline]
    pub fn has_event_before(&mut self, first: Event) -> bool {
        let is_near_earlier = self.near_heap.peek().is_some_and(|event| event < first);
        is_near_earlier || self.sorted_run.last().is_some_and(|&key| key < first.key())
    }

    /// Returns an instant before which no event happens. It is time zero if many events are pending, because finding
    /// one would be costly.
    #[inline]
    pub fn no_event_before(&self) -> Time {
        if !self.near_heap.is_empty() || !self.first_nodes.is_empty() {
            return Time::ZERO;
        }
        match self.sorted_run[..] {
            [.., first] => Event::from_key(first).time,
            [] => Time::MAX,
        }
    }

    /// Adds an event of a bucket later than the current one.
    #[inline]
    pub fn add_to_bucket(&mut self, event: Event) {
        let bucket = event.time.ps() >> self.bucket_bits;
        if bucket - self.current_bucket >= self.first_nodes.len() as u64 {
            return self.push_far(event);
        }
        let Some(free_node) = self.nodes.get_mut(self.first_free_node as usize) else {
            return self.add_to_bucket_growing(event);
        };
        let slot = bucket as usize & (self.first_nodes.len() - 1);
        let next = std::mem::replace(&mut self.first_nodes[slot], self.first_free_node);
        self.first_free_node = std::mem::replace(free_node, Node { event, next }).next;
        self.occupied_buckets[slot / 64] |= 1 << (slot % 64);
        self.events_in_buckets += 1;
    }

    /// Adds an event later than all buckets.
    #[inline(never)]
    fn push_far(&mut self, event: Event) {
        self.far_heap.push(event);
    }

    /// Adds an event to a bucket when no free node is left.
    #[cold]
    #[inline(never)]
    fn add_to_bucket_growing(&mut self, event: Event) {
        self.first_free_node = self.nodes.len() as u32;
        self.nodes.push(Node { event, next: NO_NODE });
        self.add_to_bucket(event);
    }

    /// Makes the next bucket that has events the current one, and takes its first event.
    #[inline(never)]
    fn advance_and_pop(&mut self) -> u128 {
        let pending_count = self.events_in_buckets + self.far_heap.len();
        if pending_count < WHEEL_REMOVAL_EVENTS || self.sorted_count > 4 * pending_count {
            if pending_count == 0 {
                return NO_EVENT_KEY;
            }
            if pending_count < WHEEL_REMOVAL_EVENTS || self.is_width_unsuitable() {
                self.choose_buckets(0);
                return self.pop_key();
            }
        }
        let next_bucket = match self.events_in_buckets {
            0 => match self.far_heap.peek() {
                Some(event) => event.time.ps() >> self.bucket_bits,
                None => return NO_EVENT_KEY,
            },
            _ => self.current_bucket + self.distance_to_occupied(),
        };
        self.make_current(next_bucket);
        self.sorted_run.pop().unwrap_or(NO_EVENT_KEY)
    }

    /// Makes `bucket`, the first that has events, the current one.
    fn make_current(&mut self, bucket: u64) {
        self.current_bucket = bucket;
        self.current_end = Time::from_ps(bucket << self.bucket_bits | ((1 << self.bucket_bits) - 1));
        let bucket_count = self.first_nodes.len() as u64;
        while let Some(event) =
            self.far_heap.peek().filter(|event| (event.time.ps() >> self.bucket_bits) - bucket < bucket_count)
        {
            self.far_heap.pop();
            self.add_to_bucket(event);
            self.moved_count += 1;
        }
        let slot = bucket as usize & (self.first_nodes.len() - 1);
        let mut node_index = std::mem::replace(&mut self.first_nodes[slot], NO_NODE);
        self.occupied_buckets[slot / 64] &= !(1 << (slot % 64));
        while let Some(node) = self.nodes.get_mut(node_index as usize) {
            self.sorted_run.push(node.event.key());
            let index = std::mem::replace(&mut node_index, node.next);
            node.next = std::mem::replace(&mut self.first_free_node, index);
        }
        self.events_in_buckets -= self.sorted_run.len();
        self.sorted_count += self.sorted_run.len();
        if self.sorted_run.len() > 1 {
            self.sorted_run.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// Returns the distance from the current bucket to the first occupied one, which must exist.
    fn distance_to_occupied(&self) -> u64 {
        let mask = self.first_nodes.len() - 1;
        let start = (self.current_bucket as usize + 1) & mask;
        let (mut word, mut bits) = (start / 64, self.occupied_buckets[start / 64] >> (start % 64) << (start % 64));
        while bits == 0 {
            word = (word + 1) & (self.occupied_buckets.len() - 1);
            bits = self.occupied_buckets[word];
        }
        let slot = word * 64 + bits.trailing_zeros() as usize;
        (slot.wrapping_sub(start) & mask) as u64 + 1
    }

    /// Handles a current bucket that is crowded: many events were added to it since it became current.
    #[cold]
    fn handle_crowded_bucket(&mut self, sequence: u64) {
        match sequence >= self.next_choice_sequence {
            true => self.choose_buckets(sequence),
            false => self.near_heap_max *= 2,
        }
    }

    /// Returns whether the width of the buckets is unsuitable: they hold too many events, or most events came from
    /// `far_heap`.
    fn is_width_unsuitable(&mut self) -> bool {
        let is_unsuitable = self.moved_count > self.sorted_count / 2 || self.len() > 4 * self.first_nodes.len();
        (self.sorted_count, self.moved_count) = (0, 0);
        is_unsuitable
    }

    /// Chooses buckets that fit the pending events, and distributes the events again.
    #[cold]
    fn choose_buckets(&mut self, sequence: u64) {
        let near_event_count = self.near_heap.len();
        let mut events: Vec<Event> = self.sorted_run.drain(..).map(Event::from_key).collect();
        self.near_heap.drain_into(&mut events);
        self.far_heap.drain_into(&mut events);
        for first_node in &mut self.first_nodes {
            while let Some(node) = self.nodes.get(*first_node as usize) {
                events.push(node.event);
                *first_node = node.next;
            }
        }
        self.nodes.clear();
        (self.first_free_node, self.events_in_buckets, self.sorted_count, self.moved_count) = (NO_NODE, 0, 0, 0);
        self.first_nodes.clear();
        self.occupied_buckets.clear();
        if events.len() < WHEEL_REMOVAL_EVENTS {
            (self.current_end, self.near_heap_max) = (Time::MAX, WHEEL_CREATION_EVENTS);
            events.iter().for_each(|&event| self.near_heap.push(event));
            return;
        }
        events.sort_unstable_by(|a, b| b.cmp(a));
        // The width gives two events per bucket at the density of the first three quarters of the events, or of the
        // crowded bucket.
        let first_time = events[events.len() - 1].time;
        let time_after = |measured_count: usize| events[events.len() - 1 - measured_count].time.since(first_time).ps();
        let mut measured_count = if near_event_count > 0 { near_event_count / 2 } else { events.len() * 3 / 4 };
        while time_after(measured_count) == 0 && measured_count < events.len() - 1 {
            measured_count = (2 * measured_count + 1).min(events.len() - 1);
        }
        let width = match time_after(measured_count) {
            // All events are at one instant, as when tasks follow a clock. The width is a quarter of the time until
            // that instant.
            0 => (first_time.ps() - (self.current_bucket << self.bucket_bits).min(first_time.ps())) / 4,
            span => 2 * (span / measured_count as u64).min(1 << 61),
        };
        self.bucket_bits = width.max(1).ilog2();
        let buckets = (2 * events.len()).next_power_of_two().clamp(BUCKETS_MIN, BUCKETS_MAX);
        self.first_nodes.resize(buckets, NO_NODE);
        self.occupied_buckets.resize(buckets / 64, 0);
        self.near_heap_max = WHEEL_CREATION_EVENTS;
        self.next_choice_sequence = sequence + 8 * events.len() as u64;
        self.current_bucket = first_time.ps() >> self.bucket_bits;
        self.current_end = Time::from_ps(self.current_bucket << self.bucket_bits | ((1 << self.bucket_bits) - 1));
        while let Some(event) = events.pop_if(|event| event.time <= self.current_end) {
            self.sorted_run.push(event.key());
        }
        self.sorted_run.reverse();
        events.iter().for_each(|&event| self.add_to_bucket(event));
    }
}
