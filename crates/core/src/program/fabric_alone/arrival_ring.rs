//! The next arrival of each node of an open loop, in a ring by cycle.
//!
//! Each cycle of the ring has a list of the nodes that have an arrival in it, in the order of the nodes. A node has at
//! most one arrival at a time, so one array over the nodes holds the links of all lists. Up to 64 nodes, a list is a
//! mask with a bit for each node instead, so that an insertion needs no search. Arrivals beyond the ring wait in a heap
//! until the ring reaches them. This is rare: at loads that take long to simulate, the ring is many mean gaps long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of cycles of the ring, a power of two.
const RING_CYCLES: u64 = 4096;
/// Number of words of a mask with a bit for each cycle of the ring.
const MASK_WORDS: usize = RING_CYCLES as usize / 64;
/// A value that is not the number of a node.
const NO_NODE: u32 = u32::MAX;

/// Arrivals by cycle, and by node within a cycle.
#[derive(Debug)]
pub struct ArrivalRing {
    /// First cycle of the ring. Arrivals [`RING_CYCLES`] or more cycles after it are in `later_arrivals`.
    first_cycle: u64,
    /// Nodes that have an arrival in each cycle of the ring, one bit each; empty with more than 64 nodes.
    masks: Vec<u64>,
    /// First node that has an arrival in each cycle of the ring, or [`NO_NODE`].
    first_nodes: Vec<u32>,
    /// Next node with an arrival in the same cycle, by node.
    next_nodes: Vec<u32>,
    /// Cycles of the ring that have arrivals, one bit each.
    occupied_cycles: [u64; MASK_WORDS],
    later_arrivals: BinaryHeap<Reverse<(u64, u32)>>,
}

impl ArrivalRing {
    /// Creates an empty ring for this number of nodes.
    pub fn new(nodes: u32) -> ArrivalRing {
        let (first_nodes, next_nodes) = (vec![NO_NODE; RING_CYCLES as usize], vec![NO_NODE; nodes as usize]);
        let masks = if nodes <= 64 { vec![0; RING_CYCLES as usize] } else { Vec::new() };
        ArrivalRing {
            first_cycle: 0,
            masks,
            first_nodes,
            next_nodes,
            occupied_cycles: [0; MASK_WORDS],
            later_arrivals: BinaryHeap::new(),
        }
    }

    /// Adds the arrival of a node, which must have no other one, in a cycle that is not before the ring's first.
    #[inline]
    pub fn insert(&mut self, cycle: u64, node: u32) {
        debug_assert!(cycle >= self.first_cycle, "an arrival is not in the past");
        if cycle - self.first_cycle >= RING_CYCLES {
            self.later_arrivals.push(Reverse((cycle, node)));
            return;
        }
        let slot = (cycle % RING_CYCLES) as usize;
        self.occupied_cycles[slot / 64] |= 1 << (slot % 64);
        if let Some(mask) = self.masks.get_mut(slot) {
            *mask |= 1 << node;
            return;
        }
        let first = self.first_nodes[slot];
        if node < first {
            self.next_nodes[node as usize] = first;
            self.first_nodes[slot] = node;
        } else {
            self.insert_after(first, node);
        }
    }

    /// Inserts `node` into the list of its cycle, after `previous` or a later node.
    fn insert_after(&mut self, mut previous: u32, node: u32) {
        let next = loop {
            let next = self.next_nodes[previous as usize];
            if node < next {
                break next;
            }
            previous = next;
        };
        self.next_nodes[node as usize] = next;
        self.next_nodes[previous as usize] = node;
    }

    /// Returns the cycle of the first arrival, or `None` without arrivals.
    #[inline]
    pub fn next_cycle(&self) -> Option<u64> {
        let first = (self.first_cycle % RING_CYCLES) as usize;
        let first_word = self.occupied_cycles[first / 64] & (u64::MAX << (first % 64));
        if first_word != 0 {
            return Some(self.first_cycle + (first_word.trailing_zeros() as usize - first % 64) as u64);
        }
        self.next_cycle_in_later_words()
    }

    /// Returns the cycle of the first arrival after the first word of the ring.
    #[inline(never)]
    fn next_cycle_in_later_words(&self) -> Option<u64> {
        let first_word = (self.first_cycle % RING_CYCLES) as usize / 64;
        // The last word visited is the first one again, in which only cycles of the next turn of the ring can have
        // arrivals.
        for distance in 1..=MASK_WORDS {
            let word = self.occupied_cycles[(first_word + distance) % MASK_WORDS];
            if word != 0 {
                return Some((self.first_cycle / 64 + distance as u64) * 64 + u64::from(word.trailing_zeros()));
            }
        }
        self.later_arrivals.peek().map(|Reverse((cycle, _))| *cycle)
    }

    /// Advances the ring to `cycle`, before which no arrival may be left.
    #[inline]
    pub fn advance_to(&mut self, cycle: u64) {
        debug_assert!(self.next_cycle().is_none_or(|next| next >= cycle), "a cycle with an arrival was skipped");
        self.first_cycle = cycle;
        while let Some(&Reverse((arrival_cycle, node))) =
            self.later_arrivals.peek().filter(|Reverse((arrival_cycle, _))| arrival_cycle - cycle < RING_CYCLES)
        {
            self.later_arrivals.pop();
            self.insert(arrival_cycle, node);
        }
    }

    /// Removes the first node with an arrival in the ring's first cycle and returns it, or `None` without such a node.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let slot = (self.first_cycle % RING_CYCLES) as usize;
        if let Some(mask) = self.masks.get_mut(slot) {
            if *mask == 0 {
                return None;
            }
            let node = mask.trailing_zeros();
            *mask &= *mask - 1;
            self.occupied_cycles[slot / 64] &= !(u64::from(*mask == 0) << (slot % 64));
            return Some(node);
        }
        let node = self.first_nodes[slot];
        if node == NO_NODE {
            return None;
        }
        self.first_nodes[slot] = self.next_nodes[node as usize];
        if self.first_nodes[slot] == NO_NODE {
            self.occupied_cycles[slot / 64] &= !(1 << (slot % 64));
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng;
    use rand::RngExt;

    /// Compares the ring with a heap, over random gaps of which some are longer than the ring.
    #[test]
    fn arrivals_leave_in_the_order_of_a_heap() {
        let gap_maxima = [1, 3, 100, RING_CYCLES - 1, RING_CYCLES, RING_CYCLES + 1, 5 * RING_CYCLES];
        for (seed, (gap_max, nodes)) in (1..).zip(gap_maxima.into_iter().flat_map(|gap| [(gap, 40), (gap, 100)])) {
            let mut random = rng::stream(seed, "arrivals");
            let (mut ring, mut heap) = (ArrivalRing::new(nodes), BinaryHeap::new());
            let mut schedule = |ring: &mut ArrivalRing, heap: &mut BinaryHeap<_>, node, cycle| {
                let arrival_cycle = cycle + random.random_range(0..=gap_max);
                ring.insert(arrival_cycle, node);
                heap.push(Reverse((arrival_cycle, node)));
            };
            (0..nodes).for_each(|node| schedule(&mut ring, &mut heap, node, 0));
            for _ in 0..5_000 {
                let Some(&Reverse((cycle, _))) = heap.peek() else { break };
                assert_eq!(ring.next_cycle(), Some(cycle));
                ring.advance_to(cycle);
                while let Some(Reverse((_, node))) =
                    heap.peek().filter(|Reverse((arrival_cycle, _))| *arrival_cycle == cycle).copied()
                {
                    heap.pop();
                    assert_eq!(ring.pop(), Some(node));
                    // Some nodes stop, as they do at the end of a run.
                    if heap.len() > 20 || node % 2 == 0 {
                        schedule(&mut ring, &mut heap, node, cycle + 1);
                    }
                }
                assert_eq!(ring.pop(), None);
            }
        }
    }

    #[test]
    fn a_ring_without_arrivals_has_no_next_cycle() {
        let mut ring = ArrivalRing::new(2);
        assert_eq!(ring.next_cycle(), None);
        ring.insert(3 * RING_CYCLES, 1);
        assert_eq!(ring.next_cycle(), Some(3 * RING_CYCLES));
        ring.advance_to(3 * RING_CYCLES);
        assert_eq!((ring.pop(), ring.pop(), ring.next_cycle()), (Some(1), None, None));
    }
}
