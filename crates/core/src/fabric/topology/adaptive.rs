//! Minimal adaptive routing on a mesh: a packet takes any port that brings it nearer to its destination, and an escape
//! channel prevents deadlocks.
//!
//! The module models Duato (1993): a packet takes any productive port over all channels but the first. If none of these
//! channels is free, it takes channel 0 of the next port in the order of dimensions. A packet on channel 0 waits only
//! for channel 0 of the same or a higher dimension, so these waits form no cycle. A packet that took an escape channel
//! may return to the other channels. The router keeps the escape reachable (`router/network/route.rs`): a packet takes
//! another channel only if the next buffer has capacity for all of it, or is empty. The router tries the ports in
//! ascending order, beginning with the escape's port. The module does not model routes that are not minimal, or
//! wrap-around links.

use super::grid::Grid;
use super::{RouteOptions, RouteQuery, Routing, every_channel};

/// The routing rule.
#[derive(Clone, Debug)]
pub struct MinimalAdaptive {
    grid: Grid,
}

impl MinimalAdaptive {
    /// Creates the rule of a mesh that is wired as `grid` without wrap-around links.
    pub fn new(grid: Grid) -> MinimalAdaptive {
        MinimalAdaptive { grid }
    }
}

const ESCAPE: u16 = 1;

impl Routing for MinimalAdaptive {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let all_channels = every_channel(virtual_channels);
        let coordinate_pairs = self.grid.coordinates(query.router).zip(self.grid.coordinates(query.destination));
        let differing_dimensions = coordinate_pairs.enumerate().filter(|(_, (here, there))| here != there);
        let mut productive_ports =
            differing_dimensions.map(|(dimension, (here, there))| Grid::port(dimension, here < there));
        let Some(escape) = productive_ports.next() else {
            return RouteOptions::single_port(self.grid.node_port(), all_channels);
        };
        if virtual_channels == 1 {
            return RouteOptions::single_port(escape, ESCAPE);
        }
        let ports = productive_ports.fold(1u64 << escape, |ports, port| ports | 1 << port);
        RouteOptions { ports: ports.into(), channels: all_channels & !ESCAPE, escape: Some((escape, ESCAPE)) }
    }

    fn virtual_channels_min(&self) -> u8 {
        2
    }

    fn distance(&self, from: u32, to: u32) -> u32 {
        self.grid.distance(from, to)
    }

    fn farthest(&self) -> Option<(u32, u32)> {
        Some((0, self.grid.nodes() - 1))
    }

    fn depends_on_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::super::walk::{Walk, assert_reverse_links, fewest_links};
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_productive_port_may_be_taken() {
        for shape in [vec![8, 8], vec![4, 4, 4], vec![5], vec![2, 3, 4, 2]] {
            let grid = Grid::new(&shape);
            let wiring = grid.wiring(false);
            let shape = Shape { name: grid.name(), wiring, routing: Arc::new(MinimalAdaptive::new(grid)) };
            assert_reverse_links(&shape.wiring);
            let fewest_link_counts = fewest_links(&shape.wiring);
            Walk::new(&shape, 3).every_pair(|pair| {
                assert_eq!(pair.links, fewest_link_counts[pair.from as usize][pair.to as usize]);
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
            });
        }
    }

    #[test]
    fn the_escape_is_in_the_order_of_dimensions() {
        let rule = MinimalAdaptive::new(Grid::new(&[8, 8]));
        let options = |channels| {
            rule.route(&RouteQuery { router: 9, input: 0, channel: 0, source: 0, destination: 24 }, channels)
        };
        assert_eq!(options(4), RouteOptions { ports: 0b0110.into(), channels: 0b1110, escape: Some((1, 0b0001)) });
        assert_eq!(options(1), RouteOptions::single_port(1, 1));
    }
}
