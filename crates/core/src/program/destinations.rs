//! Traffic patterns: the destination of each message of a node, as in tests of interconnects.
//!
//! A permutation assigns one destination to each node, which may be the node itself; the caller decides what happens to
//! such a message. Patterns on the bits of a node's number need a number of nodes that is a power of two. Tornado and
//! neighbour treat the nodes as a grid of a stated shape, or as one ring (Dally and Towles 2004, §3.2).

use crate::engine::rng;
use crate::text::{Meaning, ParameterSink, ParameterType, Parameters, Table};
use rand::RngExt;

/// A traffic pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Any other node, all with equal probability.
    Uniform,
    /// Any node including the sender, all with equal probability.
    UniformWithSelf,
    /// The node in the transposed position of a square of nodes: its row is the sender's column, and its column the
    /// sender's row.
    Transpose,
    /// The node whose number is the bitwise complement.
    BitComplement,
    /// The node whose number has the bits in reverse order.
    BitReversal,
    /// The node whose number has the bits rotated left by one.
    Shuffle,
    /// In each dimension of the shape, the node ⌈n / 2⌉ - 1 positions further in the ring of n nodes.
    Tornado(Vec<u64>),
    /// In each dimension of the shape, the next node.
    Neighbour(Vec<u64>),
    /// One node with a stated probability, otherwise any other node.
    HotSpot {
        /// Number of the hot node.
        node: u64,
        /// Probability that a message goes to it.
        fraction: f64,
    },
    /// One node, for all senders.
    Incast {
        /// Number of the receiving node.
        node: u64,
    },
}

/// Returns the patterns, each with its name in descriptions and without values for its parameters.
fn named_patterns() -> [(&'static str, Pattern); 10] {
    [
        ("uniform", Pattern::Uniform),
        ("uniform-with-self", Pattern::UniformWithSelf),
        ("transpose", Pattern::Transpose),
        ("bit-complement", Pattern::BitComplement),
        ("bit-reversal", Pattern::BitReversal),
        ("shuffle", Pattern::Shuffle),
        ("tornado", Pattern::Tornado(Vec::new())),
        ("neighbour", Pattern::Neighbour(Vec::new())),
        ("hot-spot", Pattern::HotSpot { node: 0, fraction: 0.0 }),
        ("incast", Pattern::Incast { node: 0 }),
    ]
}

const PATTERN_KEY: &str = "pattern";
const HOT_NODE_KEY: &str = "hot-node";
const HOT_FRACTION_KEY: &str = "hot-fraction";
const PATTERN_SHAPE_KEY: &str = "pattern-shape";

/// Implemented by hand, since the pattern determines which keys there are.
impl Parameters for Pattern {
    fn read(t: &mut Table<'_>) -> Pattern {
        let pattern =
            t.choice(PATTERN_KEY, "Traffic pattern: the destination of each message", &named_patterns()).or("uniform");
        let is_describing = t.describing();
        let (mut hot_node, mut fraction, mut shape) = (0, 0.0, Vec::new());
        if is_describing || matches!(pattern, Pattern::HotSpot { .. } | Pattern::Incast { .. }) {
            hot_node = t
                .count(HOT_NODE_KEY, "Number of the node that is the hot spot, or that all send to in an incast")
                .max(NODES_MAX)
                .meaning(Meaning::Load)
                .or(0);
        }
        if is_describing || matches!(pattern, Pattern::HotSpot { .. }) {
            let hot_fraction = t.fraction(HOT_FRACTION_KEY, "Fraction of the traffic that goes to the hot spot");
            fraction = hot_fraction.meaning(Meaning::Load).or(0.1);
        }
        if is_describing || matches!(pattern, Pattern::Tornado(_) | Pattern::Neighbour(_)) {
            let doc =
                "Nodes in each dimension, for the patterns `tornado` and `neighbour`; by default one ring of all nodes";
            shape = t.counts(PATTERN_SHAPE_KEY, doc).each(1, NODES_MAX).length(0, 8).or(&[]);
        }
        match pattern {
            Pattern::Tornado(_) => Pattern::Tornado(shape),
            Pattern::Neighbour(_) => Pattern::Neighbour(shape),
            Pattern::HotSpot { .. } => Pattern::HotSpot { node: hot_node, fraction },
            Pattern::Incast { .. } => Pattern::Incast { node: hot_node },
            other => other,
        }
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        let is_same = |named: &&(&str, Pattern)| std::mem::discriminant(&named.1) == std::mem::discriminant(self);
        let name = named_patterns().iter().find(is_same).map_or("", |named| named.0);
        to.value(PATTERN_KEY, name.to_owned().to_value());
        match self {
            Pattern::Tornado(shape) | Pattern::Neighbour(shape) => to.value(PATTERN_SHAPE_KEY, shape.to_value()),
            Pattern::HotSpot { node, fraction } => {
                to.value(HOT_NODE_KEY, node.to_value());
                to.value(HOT_FRACTION_KEY, fraction.to_value());
            }
            Pattern::Incast { node } => to.value(HOT_NODE_KEY, node.to_value()),
            _ => {}
        }
    }
}

impl Pattern {
    /// Checks that `nodes` nodes can send in this pattern.
    ///
    /// # Errors
    ///
    /// Returns the key and the reason if they cannot.
    pub fn check(&self, nodes: usize) -> Result<(), (&'static str, String)> {
        let nodes = nodes as u64;
        match self {
            // Senders other than the hot node, and messages that are not hot, go to another node.
            Pattern::Uniform | Pattern::HotSpot { .. } if nodes < 2 => Err((
                "pattern",
                format!(
                    "this pattern needs at least 2 nodes, and the machine has {nodes}: describe more nodes, or a fabric of more nodes"
                ),
            )),
            Pattern::Transpose if nodes.isqrt().pow(2) != nodes => {
                Err(("pattern", format!("transpose needs a square number of nodes, and {nodes} is not a square")))
            }
            Pattern::BitComplement | Pattern::BitReversal | Pattern::Shuffle if !nodes.is_power_of_two() => Err((
                "pattern",
                format!(
                    "this pattern permutes the bits of a node's number: the number of nodes must be a power of two, and is {nodes}"
                ),
            )),
            Pattern::Tornado(shape) | Pattern::Neighbour(shape)
                if !shape.is_empty()
                    && shape.iter().try_fold(1u64, |product, side| product.checked_mul(*side)) != Some(nodes) =>
            {
                Err(("pattern-shape", format!("the shape must have {nodes} nodes, as the machine has")))
            }
            Pattern::HotSpot { node, .. } | Pattern::Incast { node } if *node >= nodes => {
                Err(("hot-node", format!("there is no node {node}; the last node is {}", nodes - 1)))
            }
            _ => Ok(()),
        }
    }

    /// Returns the destination of the next message of `source` among `nodes` nodes. Permutations draw no random number.
    pub fn destination(&self, source: usize, nodes: usize, random: &mut rng::RandomStream) -> usize {
        let (from, node_count) = (source as u64, nodes as u64);
        let bit_count = node_count.ilog2();
        let to = match self {
            Pattern::Uniform => random_other_node(from, node_count, random),
            Pattern::UniformWithSelf => random.random_range(0..node_count),
            Pattern::Transpose => from % node_count.isqrt() * node_count.isqrt() + from / node_count.isqrt(),
            Pattern::BitComplement => node_count - 1 - from,
            Pattern::BitReversal if bit_count == 0 => from,
            Pattern::BitReversal => from.reverse_bits() >> (u64::BITS - bit_count),
            Pattern::Shuffle if bit_count == 0 => from,
            Pattern::Shuffle => (from << 1 | from >> (bit_count - 1)) & (node_count - 1),
            Pattern::Tornado(shape) => moved_in_each_dimension(from, node_count, shape, |side| side.div_ceil(2) - 1),
            Pattern::Neighbour(shape) => moved_in_each_dimension(from, node_count, shape, |_| 1),
            Pattern::HotSpot { node, fraction } => {
                let is_hot = random.random::<f64>() < *fraction;
                if is_hot && *node != from { *node } else { random_other_node(from, node_count, random) }
            }
            Pattern::Incast { node } => *node,
        };
        to as usize
    }
}

const NODES_MAX: u64 = 1 << 20;

/// Returns a random node other than `from`.
fn random_other_node(from: u64, node_count: u64, random: &mut rng::RandomStream) -> u64 {
    let to = from + random.random_range(1..node_count);
    if to < node_count { to } else { to - node_count }
}

/// Returns the node that is `distance` nodes further in each dimension of a shape. The first dimension varies fastest.
fn moved_in_each_dimension(from: u64, node_count: u64, shape: &[u64], distance: impl Fn(u64) -> u64) -> u64 {
    let ring = [node_count];
    let shape = if shape.is_empty() { &ring } else { shape };
    let (mut to, mut stride, mut remaining_index) = (0, 1, from);
    for &side in shape {
        to += (remaining_index % side + distance(side)) % side * stride;
        (stride, remaining_index) = (stride * side, remaining_index / side);
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations_of_all(pattern: &Pattern, nodes: usize) -> Vec<usize> {
        let mut random = rng::stream(1, "pattern");
        pattern.check(nodes).expect("the number of nodes suits the pattern");
        (0..nodes).map(|source| pattern.destination(source, nodes, &mut random)).collect()
    }

    #[test]
    fn permutations_match_their_textbook_definitions() {
        assert_eq!(destinations_of_all(&Pattern::Transpose, 9), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
        assert_eq!(destinations_of_all(&Pattern::BitComplement, 4), [3, 2, 1, 0]);
        assert_eq!(destinations_of_all(&Pattern::BitReversal, 8), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(destinations_of_all(&Pattern::Shuffle, 8), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!(destinations_of_all(&Pattern::Tornado(vec![]), 8), [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(destinations_of_all(&Pattern::Tornado(vec![4, 2]), 8), [1, 2, 3, 0, 5, 6, 7, 4]);
        assert_eq!(destinations_of_all(&Pattern::Neighbour(vec![2, 2]), 4), [3, 2, 1, 0]);
        assert_eq!(destinations_of_all(&Pattern::Incast { node: 2 }, 3), [2, 2, 2]);
    }

    #[test]
    fn random_patterns_have_the_stated_probabilities() {
        let mut random = rng::stream(1, "pattern");
        let mut counts = [0; 4];
        (0..40_000).for_each(|_| counts[Pattern::Uniform.destination(1, 4, &mut random)] += 1);
        assert_eq!(counts[1], 0);
        assert!([0, 2, 3].into_iter().all(|node| (13_000..13_700).contains(&counts[node])), "{counts:?}");
        let hot = Pattern::HotSpot { node: 3, fraction: 0.5 };
        let hits = (0..40_000).filter(|_| hot.destination(0, 4, &mut random) == 3).count();
        assert!((26_200..27_200).contains(&hits), "a half, and a third of the other half: {hits}");
        assert!((0..1_000).all(|_| hot.destination(3, 4, &mut random) != 3));
    }

    #[test]
    fn unsuitable_node_counts_are_rejected_with_a_reason() {
        let reason =
            |pattern: Pattern, nodes| pattern.check(nodes).expect_err("the number of nodes does not suit the pattern");
        assert!(reason(Pattern::Transpose, 8).1.contains("square"));
        assert!(reason(Pattern::Shuffle, 6).1.contains("power of two"));
        assert_eq!(reason(Pattern::Tornado(vec![3, 3]), 8).0, "pattern-shape");
        assert_eq!(reason(Pattern::Incast { node: 8 }, 8).0, "hot-node");
    }

    #[test]
    fn every_destination_is_a_node() {
        for nodes in (1..=9).chain([16, 64]) {
            for (name, pattern) in named_patterns() {
                let hot = Pattern::HotSpot { node: nodes as u64 - 1, fraction: 0.5 };
                let pattern = if matches!(pattern, Pattern::HotSpot { .. }) { hot } else { pattern };
                if pattern.check(nodes).is_ok() {
                    assert!(
                        destinations_of_all(&pattern, nodes).iter().all(|&to| to < nodes),
                        "{name} of {nodes} nodes"
                    );
                }
            }
        }
        assert_eq!(
            Pattern::HotSpot { node: 0, fraction: 1.0 }.check(1).expect_err("one node cannot send to another").0,
            "pattern"
        );
    }
}
