//! Ghost values: the values of other processors that a processor needs. This file keeps the values that have arrived,
//! and the number of values that are needed.

use super::graph::{Graph, SIDES};
use crate::program::parallel;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The ghosts of a processor.
pub(super) struct Ghosts {
    sides: [SideGhosts; SIDES],
}

/// The ghost values of one side of the graph.
struct SideGhosts {
    /// Graph nodes whose values are needed, in order, by their processor.
    needed_nodes: BTreeMap<usize, Vec<u32>>,
    /// Values of all graph nodes of the side; NaN before they arrive.
    side_values: RefCell<Vec<f64>>,
    /// Number of values that have arrived.
    arrived_count: Cell<usize>,
    /// Number of values that are needed.
    expected_count: usize,
    /// Number of processors that have reported how many values they sent, and the sum of these numbers.
    report_counts: Cell<(usize, usize)>,
}

/// The values of one side that a processor sends.
pub(super) struct SendLists {
    /// Receivers, each with the indices of the processor's graph nodes. The first receiver is the next processor, so
    /// that not all processors send to the same one at first.
    pub nodes_by_receiver: Vec<(usize, Vec<usize>)>,
    /// Graph nodes, each with a receiver, in the order of the graph nodes.
    pub receivers_by_node: Vec<(usize, usize)>,
}

impl SendLists {
    /// Returns the values that processor `own_processor` sends, which are those that the other processors need.
    pub fn new(all_ghosts: &[Ghosts], graph: &Graph, side: usize, own_processor: usize) -> SendLists {
        let others = (1..all_ghosts.len()).map(|distance| (own_processor + distance) % all_ghosts.len());
        let nodes_by_receiver: Vec<(usize, Vec<usize>)> = others
            .filter_map(|to| {
                let nodes = all_ghosts[to].sides[side].needed_nodes.get(&own_processor)?;
                Some((to, nodes.iter().map(|node| graph.owner_and_index(*node).1).collect()))
            })
            .collect();
        let with_receiver =
            |(to, nodes): &(usize, Vec<usize>)| nodes.iter().map(|node| (*node, *to)).collect::<Vec<_>>();
        let mut receivers_by_node: Vec<_> = nodes_by_receiver.iter().flat_map(with_receiver).collect();
        receivers_by_node.sort_by_key(|(node, _)| *node);
        SendLists { nodes_by_receiver, receivers_by_node }
    }
}

impl Ghosts {
    pub fn new(graph: &Graph, processor: usize) -> Ghosts {
        let side = |side: usize| {
            // Values of one side are needed to compute the other side.
            let sources = graph.arcs(1 - side, &graph.nodes_of(processor)).iter().map(|(from, _)| *from);
            let mut needed: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
            for from in sources.filter(|from| graph.owner_and_index(*from).0 != processor) {
                needed.entry(graph.owner_and_index(from).0).or_default().insert(from);
            }
            let expected_count = needed.values().map(BTreeSet::len).sum();
            let needed = needed.into_iter().map(|(from, nodes)| (from, nodes.into_iter().collect())).collect();
            let side_values = RefCell::new(vec![f64::NAN; graph.node_count()]);
            SideGhosts {
                needed_nodes: needed,
                expected_count,
                side_values,
                arrived_count: Cell::new(0),
                report_counts: Cell::default(),
            }
        };
        Ghosts { sides: [side(0), side(1)] }
    }

    /// Receives all values of a side from `from`.
    pub fn receive_all(&self, side: usize, from: usize, words: &[u32]) {
        let count = self.receive_group(side, from, 0, words);
        assert_eq!(
            count,
            self.sides[side].needed_nodes[&from].len(),
            "a message of values has another length than was sent"
        );
    }

    /// Receives a group of values. `first_index` is the index of the first one among those needed from `from`. Returns
    /// the number of values.
    pub fn receive_group(&self, side: usize, from: usize, first_index: usize, words: &[u32]) -> usize {
        let side = &self.sides[side];
        let needed = side.needed_nodes.get(&from).expect("values arrive only from processors whose values are needed");
        let needed = &needed[first_index..first_index + words.len() / 2];
        let mut side_values = side.side_values.borrow_mut();
        for (node, words) in needed.iter().zip(words.chunks(2)) {
            let value = &mut side_values[*node as usize];
            assert!(value.is_nan(), "{REPEATED_VALUE_MESSAGE}");
            *value = parallel::f64_from_words([words[0], words[1]]);
        }
        side.arrived_count.set(side.arrived_count.get() + needed.len());
        needed.len()
    }

    /// Receives one value. The message has the number of the graph node, and two words.
    pub fn receive_value(&self, side: usize, words: &[u32]) {
        let (side, node) = (&self.sides[side], words[0] as usize);
        let previous =
            std::mem::replace(&mut side.side_values.borrow_mut()[node], parallel::f64_from_words([words[1], words[2]]));
        assert!(previous.is_nan(), "{REPEATED_VALUE_MESSAGE}");
        side.arrived_count.set(side.arrived_count.get() + 1);
    }

    /// Receives the number of values that a processor has sent.
    pub fn receive_count(&self, side: usize, values: usize) {
        let report_counts = &self.sides[side].report_counts;
        report_counts.set((report_counts.get().0 + 1, report_counts.get().1 + values));
    }

    /// Returns whether all values of a side that are needed have arrived.
    pub fn has_all_values(&self, side: usize) -> bool {
        self.sides[side].arrived_count.get() == self.sides[side].expected_count
    }

    /// Returns whether all senders have reported how many values of a side they sent, and all of these values have
    /// arrived.
    pub fn has_all_reported_values(&self, side: usize) -> bool {
        let side = &self.sides[side];
        side.report_counts.get() == (side.needed_nodes.len(), side.arrived_count.get())
    }

    /// Returns the values of a side, including those of the processor's own graph nodes, `own_nodes`. Resets the
    /// ghosts: the next values have to arrive before they are used.
    pub fn take_values(&self, side: usize, own_nodes: Range<usize>, values: &[f64]) -> Vec<f64> {
        let side = &self.sides[side];
        side.arrived_count.set(0);
        side.report_counts.set((0, 0));
        let mut side_values = side.side_values.replace_with(|side_values| vec![f64::NAN; side_values.len()]);
        side_values[own_nodes].copy_from_slice(values);
        side_values
    }
}

/// The panic message if a value arrives twice.
const REPEATED_VALUE_MESSAGE: &str = "a value arrived twice, or before the last one was used";
