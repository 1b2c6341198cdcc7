//! Meshes of any number of dimensions, without wrap-around links.
//!
//! A mesh has a router at each node, numbered x + kx·y + kx·ky·z, and a link in each direction between neighbours.
//! Routing is in dimension order, x first. Output 2·d leads to the higher neighbour in dimension d, and output 2·d + 1
//! to the lower; the last port is the node's. The module does not model several nodes at a router.

use super::grid::Grid;
use super::{RouteOptions, RouteQuery, Routing, Shape, every_channel};
use crate::text::Parameters;
use std::sync::Arc;

/// The parameters of a mesh.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct MeshParameters {
    /// Nodes in each dimension, x first.
    #[param(each(min = 1, max = NODES_MAX), length(min = 1, max = 8), check = |shape| node_count_error(shape), placeholder = vec![2])]
    pub shape: Vec<u32>,
}

impl MeshParameters {
    /// Builds the shape.
    pub fn shape(&self) -> Shape {
        let grid = Grid::new(&self.shape);
        let wiring = grid.wiring(false);
        Shape { name: format!("{} mesh", grid.name()), wiring, routing: Arc::new(DimensionOrder { grid }) }
    }
}

/// Largest number of nodes of a shape.
pub const NODES_MAX: u64 = 1 << 20;

/// Returns the error and the help of the extents of a mesh or torus with too many nodes.
pub(super) fn node_count_error(extents: &[u32]) -> Option<(&'static str, String)> {
    let nodes = extents.iter().try_fold(1u64, |product, extent| product.checked_mul(u64::from(*extent)));
    let is_within = nodes.is_some_and(|nodes| nodes <= NODES_MAX);
    (!is_within).then(|| ("has too many nodes", format!("at most {NODES_MAX} altogether")))
}

/// Dimension-order routing: first along x, then along y, and the remaining dimensions in order.
#[derive(Debug)]
struct DimensionOrder {
    grid: Grid,
}

impl Routing for DimensionOrder {
    fn route(&self, query: &RouteQuery, virtual_channels: u8) -> RouteOptions {
        let coordinates = self.grid.coordinates(query.router);
        let mut coordinate_pairs = coordinates.zip(self.grid.coordinates(query.destination)).enumerate();
        let port =
            coordinate_pairs.find_map(|(dimension, (from, to))| (from != to).then(|| Grid::port(dimension, from < to)));
        RouteOptions::single_port(port.unwrap_or(self.grid.node_port()), every_channel(virtual_channels))
    }

    fn depends_on_destination_only(&self) -> bool {
        true
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
