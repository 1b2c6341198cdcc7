//! The values of other processors that one needs: whose, which, and those that have come.

use super::graph::{Graph, SIDES};
use crate::program::parallel;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The ghosts of a processor.
pub(super) struct Ghosts {
    sides: [Side; SIDES],
}

/// Those of one side of the graph.
struct Side {
    /// By the processor that has them: graph nodes, in order.
    needed: BTreeMap<usize, Vec<u32>>,
    /// Values of all graph nodes of the side, as far as they have come; the others are not numbers.
    known: RefCell<Vec<f64>>,
    /// How many values have come, and how many are needed.
    came: Cell<usize>,
    awaited: usize,
    /// How many processors have told how many values they sent, and how many values that were.
    told: Cell<(usize, usize)>,
}

/// What a processor sends of one side.
pub(super) struct Sending {
    /// To whom, and which of its own graph nodes. It begins with the processor after it, so that not all send to the
    /// same one.
    pub by_receiver: Vec<(usize, Vec<usize>)>,
    /// The same value by value, in the order of its own graph nodes: which one, and to whom.
    pub by_node: Vec<(usize, usize)>,
}

impl Sending {
    /// What processor `own` sends, from what all need.
    pub fn new(all: &[Ghosts], graph: &Graph, side: usize, own: usize) -> Sending {
        let others = (1..all.len()).map(|distance| (own + distance) % all.len());
        let by_receiver: Vec<(usize, Vec<usize>)> = others
            .filter_map(|to| {
                let nodes = all[to].sides[side].needed.get(&own)?;
                Some((to, nodes.iter().map(|node| graph.at(*node).1).collect()))
            })
            .collect();
        let to_each = |(to, nodes): &(usize, Vec<usize>)| nodes.iter().map(|node| (*node, *to)).collect::<Vec<_>>();
        let mut by_node: Vec<_> = by_receiver.iter().flat_map(to_each).collect();
        by_node.sort_by_key(|(node, _)| *node);
        Sending { by_receiver, by_node }
    }
}

impl Ghosts {
    pub fn new(graph: &Graph, processor: usize) -> Ghosts {
        let side = |side: usize| {
            // Values of one side are needed for arcs into the other.
            let sources = graph.arcs(1 - side, &graph.of(processor)).iter().map(|(from, _)| *from);
            let mut needed: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
            for from in sources.filter(|from| graph.at(*from).0 != processor) {
                needed.entry(graph.at(from).0).or_default().insert(from);
            }
            let awaited = needed.values().map(BTreeSet::len).sum();
            let needed = needed.into_iter().map(|(from, nodes)| (from, nodes.into_iter().collect())).collect();
            let known = RefCell::new(vec![f64::NAN; graph.nodes()]);
            Side { needed, awaited, known, came: Cell::new(0), told: Cell::default() }
        };
        Ghosts { sides: [side(0), side(1)] }
    }

    /// Takes the values that `from` sent, all of them.
    pub fn take(&self, side: usize, from: usize, words: &[u32]) {
        let taken = self.take_from(side, from, 0, words);
        assert_eq!(taken, self.sides[side].needed[&from].len(), "a message of values has another length than was sent");
    }

    /// Takes those from the `first` on among what is needed of `from`; how many they are.
    pub fn take_from(&self, side: usize, from: usize, first: usize, words: &[u32]) -> usize {
        let side = &self.sides[side];
        let needed = side.needed.get(&from).expect("values come from where they are needed from");
        let needed = &needed[first..first + words.len() / 2];
        let mut known = side.known.borrow_mut();
        for (node, words) in needed.iter().zip(words.chunks(2)) {
            let had = &mut known[*node as usize];
            assert!(had.is_nan(), "a value came twice, or before the last one was used");
            *had = parallel::number([words[0], words[1]]);
        }
        side.came.set(side.came.get() + needed.len());
        needed.len()
    }

    /// Takes one value: its graph node, and two words.
    pub fn update(&self, side: usize, words: &[u32]) {
        let (side, node) = (&self.sides[side], words[0] as usize);
        let had = std::mem::replace(&mut side.known.borrow_mut()[node], parallel::number([words[1], words[2]]));
        assert!(had.is_nan(), "a value came twice, or before the last one was used");
        side.came.set(side.came.get() + 1);
    }

    /// Takes what one that sends values has told: how many it has sent.
    pub fn tell(&self, side: usize, values: usize) {
        let told = &self.sides[side].told;
        told.set((told.get().0 + 1, told.get().1 + values));
    }

    /// Whether all values of a side have come that are needed.
    pub fn are_all_here(&self, side: usize) -> bool {
        self.sides[side].came.get() == self.sides[side].awaited
    }

    /// Whether all who send values of a side have told how many, and these have come.
    pub fn are_all_told(&self, side: usize) -> bool {
        let side = &self.sides[side];
        side.told.get() == (side.needed.len(), side.came.get())
    }

    /// The values of a side, those of the processor's `own` graph nodes among them; others must come
    /// before they are used again.
    pub fn with(&self, side: usize, own: Range<usize>, values: &[f64]) -> Vec<f64> {
        let side = &self.sides[side];
        side.came.set(0);
        side.told.set((0, 0));
        let mut known = side.known.replace_with(|known| vec![f64::NAN; known.len()]);
        known[own].copy_from_slice(values);
        known
    }
}
