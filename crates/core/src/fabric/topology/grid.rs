//! A grid of routers in any number of dimensions, with one node at each router: coordinates, neighbours and ports.
//!
//! With `k` nodes along the first dimension, node `x + k·y + …` has coordinates `(x, y, …)`, and its router has the
//! same number. Output and input port `2·dimension` face the neighbour in the positive direction, `2·dimension + 1` the
//! neighbour in the negative direction, and `2·dimensions` the node. The module contains no routing rules.

use super::{End, PORTS_MAX, Wiring};

/// Largest number of dimensions of a grid. A router has two ports for each dimension, and one for the node.
pub const DIMENSIONS_MAX: usize = (PORTS_MAX - 1) / 2;

/// A grid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Number of nodes along each dimension. Neighbours along the first dimension have successive node numbers.
    pub shape: Vec<u32>,
}

impl Grid {
    /// Creates a grid with these numbers of nodes along its dimensions.
    pub fn new(shape: &[u32]) -> Grid {
        Grid { shape: shape.to_vec() }
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.shape.iter().product()
    }

    /// Returns the coordinates of a node, in the order of the dimensions.
    pub fn coordinates(&self, node: u32) -> impl Iterator<Item = u32> {
        let digit = |remainder: &mut u32, size: &u32| {
            let coordinate = *remainder % size;
            *remainder /= size;
            Some(coordinate)
        };
        self.shape.iter().scan(node, digit)
    }

    /// Returns the node at these coordinates.
    pub fn node(&self, coordinates: &[u32]) -> u32 {
        self.shape.iter().zip(coordinates).rev().fold(0, |node, (size, coordinate)| node * size + coordinate)
    }

    /// Returns the neighbour in a direction, or `None` if the node is at that edge.
    pub fn neighbour(&self, node: u32, dimension: usize, is_positive: bool) -> Option<u32> {
        let (stride, coordinate) = self.stride_and_coordinate(node, dimension);
        match is_positive {
            true => (coordinate + 1 < self.shape[dimension]).then(|| node + stride),
            false => (coordinate > 0).then(|| node - stride),
        }
    }

    /// Returns the neighbour in a direction of a grid with wrap-around links.
    pub fn wrapped_neighbour(&self, node: u32, dimension: usize, is_positive: bool) -> u32 {
        let (stride, coordinate) = self.stride_and_coordinate(node, dimension);
        let wrap = stride * (self.shape[dimension] - 1);
        let wrapped_node = || if coordinate == 0 { node + wrap } else { node - wrap };
        self.neighbour(node, dimension, is_positive).unwrap_or_else(wrapped_node)
    }

    /// Returns the coordinate of a node in a dimension.
    pub fn coordinate(&self, node: u32, dimension: usize) -> u32 {
        self.stride_and_coordinate(node, dimension).1
    }

    /// Returns by how much the node numbers of neighbours along a dimension differ, and the coordinate of a node.
    fn stride_and_coordinate(&self, node: u32, dimension: usize) -> (u32, u32) {
        let stride: u32 = self.shape[..dimension].iter().product();
        (stride, node / stride % self.shape[dimension])
    }

    /// Returns the number of hops between two nodes of a grid without wrap-around links.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.coordinates(from).zip(self.coordinates(to)).map(|(a, b)| a.abs_diff(b)).sum()
    }

    /// Returns the port that faces the neighbour in a direction.
    pub fn port(dimension: usize, is_positive: bool) -> u8 {
        (2 * dimension + usize::from(!is_positive)) as u8
    }

    /// Returns the port of the node.
    pub fn node_port(&self) -> u8 {
        2 * self.dimensions() as u8
    }

    /// Returns the wiring: a link in each direction between neighbours, and wrap-around links if it `wraps`.
    pub fn wiring(&self, wraps: bool) -> Wiring {
        let end = |router: u32, dimension: usize, is_positive: bool| {
            let neighbour = match wraps && self.shape[dimension] > 1 {
                true => Some(self.wrapped_neighbour(router, dimension, is_positive)),
                false => self.neighbour(router, dimension, is_positive),
            };
            let facing_port = Grid::port(dimension, !is_positive);
            neighbour.map_or(End::Unconnected, |router| End::Router { router, port: facing_port })
        };
        let outputs = |router: u32| {
            let directions = (0..self.dimensions()).flat_map(|dimension| [(dimension, true), (dimension, false)]);
            let ends = directions.map(|(dimension, is_positive)| end(router, dimension, is_positive));
            ends.chain([End::Node(router)]).collect()
        };
        let routers: Vec<Vec<End>> = (0..self.nodes()).map(outputs).collect();
        Wiring::new(&routers, (0..self.nodes()).map(|node| (node, self.node_port())).collect())
    }

    /// Returns the grid's shape as text, such as `8x8`.
    pub fn name(&self) -> String {
        self.shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_and_nodes_are_each_others_inverse() {
        let grid = Grid::new(&[3, 4, 5]);
        assert_eq!(grid.nodes(), 60);
        assert_eq!(grid.node(&[1, 2, 3]), 1 + 3 * 2 + 12 * 3);
        for node in 0..60 {
            assert_eq!(grid.node(&grid.coordinates(node).collect::<Vec<_>>()), node);
        }
    }

    #[test]
    fn neighbours_differ_by_one_in_a_coordinate() {
        let grid = Grid::new(&[3, 4]);
        assert_eq!(grid.neighbour(4, 0, true), Some(5));
        assert_eq!(grid.neighbour(5, 0, true), None);
        assert_eq!(grid.neighbour(4, 1, false), Some(1));
        assert_eq!(grid.neighbour(1, 1, false), None);
        assert_eq!(
            (
                grid.wrapped_neighbour(5, 0, true),
                grid.wrapped_neighbour(1, 1, false),
                grid.wrapped_neighbour(4, 1, true)
            ),
            (3, 10, 7)
        );
        assert_eq!(grid.distance(0, 11), 5);
    }

    #[test]
    fn links_have_reverse_links() {
        for wraps in [false, true] {
            let wiring = Grid::new(&[4, 1, 2]).wiring(wraps);
            for router in 0..wiring.routers() {
                for (port, end) in wiring.outputs(router).iter().enumerate() {
                    let End::Router { router: next, port: facing } = *end else { continue };
                    let reverse = wiring.outputs(next)[usize::from(facing)];
                    assert_eq!(reverse, End::Router { router, port: port as u8 });
                }
            }
        }
    }
}
