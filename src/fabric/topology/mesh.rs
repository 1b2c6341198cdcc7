//! Meshes of any number of dimensions, without wrap-around links.
//!
//! Models: a router at each node, numbered x + kx·y + kx·ky·z; a link each way between neighbours;
//! dimension-order routing, x first. Output 2·d leads up in dimension d and 2·d + 1 down; the last port
//! is the node's. Leaves out: several nodes at a router.

use super::grid::Grid;
use super::{Asking, Routing, Shape, Ways, every_channel};
use crate::text::Table;
use std::sync::Arc;

/// Which mesh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeshParameters {
    /// Nodes in each dimension, x first.
    pub shape: Vec<u32>,
}

impl MeshParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> MeshParameters {
        MeshParameters { shape: read_shape(t, "Nodes in each dimension, x first", 1) }
    }

    /// The mesh.
    pub fn shape(&self) -> Shape {
        let grid = Grid::new(&self.shape);
        let wiring = grid.wiring(false);
        Shape { name: format!("{} mesh", grid.name()), wiring, routing: Arc::new(DimensionOrder { grid }) }
    }
}

/// The most nodes of a shape.
pub const NODES_MAX: u64 = 1 << 20;

/// Reads the extents of a mesh or torus.
pub(super) fn read_shape(t: &mut Table<'_>, doc: &'static str, least: u64) -> Vec<u32> {
    let counts = t.counts("shape", doc).each(least, NODES_MAX).length(1, 8).required();
    let nodes = counts.iter().try_fold(1u64, |product, extent| product.checked_mul(*extent));
    if nodes.is_none_or(|nodes| nodes > NODES_MAX) {
        t.wrong("shape", "has too many nodes", format!("at most {NODES_MAX} altogether"));
        return vec![2];
    }
    counts.into_iter().map(|extent| extent as u32).collect()
}

/// First x, then y, and so on.
#[derive(Debug)]
struct DimensionOrder {
    grid: Grid,
}

impl Routing for DimensionOrder {
    fn ways(&self, asking: &Asking, virtual_channels: u8) -> Ways {
        let here = self.grid.coordinates(asking.router);
        let mut both = here.zip(self.grid.coordinates(asking.destination)).enumerate();
        let port =
            both.find_map(|(dimension, (here, there))| (here != there).then(|| Grid::port(dimension, here < there)));
        Ways::one(port.unwrap_or(self.grid.node_port()), every_channel(virtual_channels))
    }

    fn is_by_destination(&self) -> bool {
        true
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
