//! Minimal adaptive routing on a mesh: any port that brings a packet nearer, with an escape.
//!
//! Models (Duato 1993): every productive port over all channels but the first, and when none of them
//! is free, the next port in the order of dimensions over channel 0. Waits for channel 0 lead from
//! lower dimensions to higher ones only, so no circle of them closes. A packet that escaped may go
//! back to the other channels. The router keeps the escape within reach, and looks for a channel from the
//! escape's port on. Leaves out: ways that are not minimal, edges that are joined.

use super::grid::Grid;
use super::{Asking, Routing, Ways, every_channel};

/// The rule.
#[derive(Clone, Debug)]
pub struct MinimalAdaptive {
    grid: Grid,
}

impl MinimalAdaptive {
    /// For a mesh that is wired as its grid.
    pub fn new(grid: Grid) -> MinimalAdaptive {
        MinimalAdaptive { grid }
    }
}

const ESCAPE: u16 = 1;

impl Routing for MinimalAdaptive {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        let every = every_channel(virtual_channels);
        let pairs = self.grid.coordinates(asking.router).zip(self.grid.coordinates(asking.destination));
        let differing = pairs.enumerate().filter(|(_, (here, there))| here != there);
        let mut productive = differing.map(|(dimension, (here, there))| Grid::port(dimension, here < there));
        let Some(escape) = productive.next() else { return Ways::one(self.grid.node_port(), every) };
        if virtual_channels == 1 {
            return Ways::one(escape, ESCAPE);
        }
        let ports = productive.fold(1u64 << escape, |ports, port| ports | 1 << port);
        Ways { ports: ports.into(), channels: every & !ESCAPE, escape: Some((escape, ESCAPE)) }
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

    fn looks_back(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::super::walk::{Walk, fewest_links, leads_back};
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_productive_port_may_be_taken() {
        for shape in [vec![8, 8], vec![4, 4, 4], vec![5], vec![2, 3, 4, 2]] {
            let grid = Grid::new(&shape);
            let wiring = grid.wiring(false);
            let shape = Shape { name: grid.name(), wiring, routing: Arc::new(MinimalAdaptive::new(grid)) };
            leads_back(&shape.wiring);
            let fewest = fewest_links(&shape.wiring);
            Walk::new(&shape, 3).every_pair(|pair| {
                assert_eq!(pair.links, fewest[pair.from as usize][pair.to as usize]);
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
            });
        }
    }

    #[test]
    fn the_escape_goes_by_dimensions() {
        let rule = MinimalAdaptive::new(Grid::new(&[8, 8]));
        let ways =
            |channels| rule.ways(&Asking { router: 9, input: 0, channel: 0, source: 0, destination: 24 }, channels);
        assert_eq!(ways(4), Ways { ports: 0b0110.into(), channels: 0b1110, escape: Some((1, 0b0001)) });
        assert_eq!(ways(1), Ways::one(1, 1));
    }
}
