//! Walks over a shape in tests, which check that every route of every packet arrives over the same number of links.

use super::{End, RouteQuery, Shape, Wiring};
use crate::engine::rng::stream;
use rand::RngExt;
use std::collections::{BTreeSet, VecDeque};

/// A pair of nodes and the length of the routes between them.
pub struct Pair {
    /// The source.
    pub from: u32,
    /// The destination.
    pub to: u32,
    /// Number of links of every route, including those of the nodes.
    pub links: u32,
}

/// A walk over the routes of a shape.
pub struct Walk<'s> {
    shape: &'s Shape,
    virtual_channels: u8,
}

impl Walk<'_> {
    /// Creates a walk over a shape with `virtual_channels` virtual channels, and checks the shape's wiring.
    pub fn new(shape: &Shape, virtual_channels: u8) -> Walk<'_> {
        assert!(virtual_channels >= shape.routing.virtual_channels_min());
        assert_single_sources(&shape.wiring);
        Walk { shape, virtual_channels }
    }

    /// Follows every pair of nodes and passes it to `check`.
    pub fn every_pair(&self, mut check: impl FnMut(&Pair)) {
        let nodes = self.shape.wiring.nodes();
        for from in 0..nodes {
            (0..nodes).for_each(|to| check(&self.pair(from, to)));
        }
    }

    /// Follows `count` random pairs of nodes, the same in every run, and passes each to `check`.
    pub fn some_pairs(&self, count: u32, mut check: impl FnMut(&Pair)) {
        let nodes = self.shape.wiring.nodes();
        let mut random = stream(1, "pairs");
        for _ in 0..count {
            check(&self.pair(random.random_range(0..nodes), random.random_range(0..nodes)));
        }
    }

    fn pair(&self, from: u32, to: u32) -> Pair {
        let (router, input) = self.shape.wiring.entry(from);
        let mut states: BTreeSet<(u32, u8, u8)> =
            (0..self.virtual_channels).map(|channel| (router, input, channel)).collect();
        for links in 1.. {
            let mut next_states = BTreeSet::new();
            let arrived_count = states.iter().filter(|state| self.step(from, to, **state, &mut next_states)).count();
            if arrived_count > 0 {
                assert_eq!(
                    (arrived_count, next_states.len()),
                    (states.len(), 0),
                    "routes from {from} to {to} differ in length"
                );
                return Pair { from, to, links: links + 1 };
            }
            assert!(links < 10_000, "a route from {from} to {to} never ends");
            states = next_states;
        }
        unreachable!()
    }

    /// Adds the states that follow `state` to `next_states`. Returns whether the packet can leave to its destination
    /// there.
    fn step(
        &self,
        source: u32,
        destination: u32,
        state: (u32, u8, u8),
        next_states: &mut BTreeSet<(u32, u8, u8)>,
    ) -> bool {
        let (router, input, channel) = state;
        let query = RouteQuery { router, input, channel, source, destination };
        let options = self.shape.routing.route(&query, self.virtual_channels);
        let outputs = self.shape.wiring.outputs(router);
        let regular_options = options.ports.iter().map(|port| (port as u8, options.channels));
        let mut reaches_destination = false;
        let mut count = 0;
        for (port, channels) in regular_options.chain(options.escape) {
            count += 1;
            assert!(channels != 0 && u32::from(channels) >> self.virtual_channels == 0, "channels {channels:b}");
            match outputs[usize::from(port)] {
                End::Node(node) => {
                    assert_eq!(node, destination, "a packet from {source} arrives at the wrong node");
                    reaches_destination = true;
                }
                End::Router { router, port } => {
                    let channel_numbers = (0..16).filter(|channel| channels >> channel & 1 == 1);
                    next_states.extend(channel_numbers.map(|channel| (router, port, channel)));
                }
                End::Unconnected => {
                    panic!("a packet from {source} to {destination} leaves router {router} by an unconnected port")
                }
            }
        }
        assert!(count > 0, "no route from router {router} to {destination}");
        reaches_destination
    }
}

/// Checks that each input has at most one source, and that exactly one output leads to each node.
fn assert_single_sources(wiring: &Wiring) {
    let mut inputs = BTreeSet::new();
    let entries = (0..wiring.nodes()).map(|node| wiring.entry(node));
    let ends = (0..wiring.routers()).flat_map(|router| wiring.outputs(router));
    let links =
        ends.filter_map(|end| if let End::Router { router, port } = end { Some((*router, *port)) } else { None });
    for input in entries.chain(links) {
        assert!(inputs.insert(input), "input {} of router {} is fed twice", input.1, input.0);
    }
    let mut nodes: Vec<u32> = (0..wiring.routers())
        .flat_map(|router| wiring.outputs(router))
        .filter_map(|end| if let End::Node(node) = end { Some(*node) } else { None })
        .collect();
    nodes.sort_unstable();
    assert!(nodes.into_iter().eq(0..wiring.nodes()), "one output leads to each node");
}

/// Checks that every link has a reverse link at the same ports.
pub fn assert_reverse_links(wiring: &Wiring) {
    for router in 0..wiring.routers() {
        for (port, end) in wiring.outputs(router).iter().enumerate() {
            match *end {
                End::Router { router: next, port: facing } => {
                    let reverse = wiring.outputs(next)[usize::from(facing)];
                    assert_eq!(reverse, End::Router { router, port: port as u8 });
                }
                End::Node(node) => assert_eq!(wiring.entry(node), (router, port as u8)),
                End::Unconnected => {}
            }
        }
    }
}

/// Returns the number of router inputs that have a source.
pub fn input_count(wiring: &Wiring) -> u32 {
    let ends = (0..wiring.routers()).flat_map(|router| wiring.outputs(router));
    wiring.nodes() + ends.filter(|end| matches!(end, End::Router { .. })).count() as u32
}

/// Returns the fewest links between every pair of nodes, including those of the nodes.
pub fn fewest_links(wiring: &Wiring) -> Vec<Vec<u32>> {
    let links_from = |node| {
        let mut link_counts = vec![u32::MAX; wiring.routers() as usize];
        let mut links = vec![u32::MAX; wiring.nodes() as usize];
        let (router, _) = wiring.entry(node);
        link_counts[router as usize] = 1;
        let mut queue = VecDeque::from([router]);
        while let Some(router) = queue.pop_front() {
            let next_link_count = link_counts[router as usize] + 1;
            for end in wiring.outputs(router) {
                match *end {
                    End::Router { router, .. } if link_counts[router as usize] == u32::MAX => {
                        link_counts[router as usize] = next_link_count;
                        queue.push_back(router);
                    }
                    End::Node(node) => links[node as usize] = links[node as usize].min(next_link_count),
                    _ => {}
                }
            }
        }
        links
    };
    (0..wiring.nodes()).map(links_from).collect()
}
