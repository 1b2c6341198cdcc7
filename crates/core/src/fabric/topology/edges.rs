//! I/O columns: at both ends of each row of a mesh, along x, a place where packets come in and go out that are of
//! no node.
//!
//! Places are numbered behind the nodes: those at the low end of x by row, then those at the high end. Each has the
//! port of its row's last router that faces no neighbour. Leaves out: routers of the columns' own.

use super::grid::Grid;
use super::relabelled::RelabelledRouting;
use super::{Asking, End, Routing, Shape, Ways, Wiring, every_channel};
use std::sync::Arc;

/// A mesh of these extents with its columns.
pub fn with_columns(mesh: &Shape, extents: &[u32]) -> Shape {
    let columns = Columns { grid: Grid::new(extents), rule: mesh.routing.clone() };
    let mut routers: Vec<Vec<End>> =
        (0..mesh.wiring.routers()).map(|router| mesh.wiring.outputs(router).to_vec()).collect();
    let mut entries: Vec<(u32, u8)> = (0..mesh.wiring.nodes()).map(|node| mesh.wiring.entry(node)).collect();
    for place in columns.places() {
        let (router, port) = columns.at(place).expect("places are behind the nodes");
        routers[router as usize][usize::from(port)] = End::Node(place);
        entries.push((router, port));
    }
    Shape { name: mesh.name.clone(), wiring: Wiring::new(&routers, entries), routing: Arc::new(columns) }
}

/// The place opposite each place of the columns of a mesh of these extents, in order.
pub fn opposite(extents: &[u32]) -> Vec<(u32, u32)> {
    let nodes: u32 = extents.iter().product();
    let rows = nodes / extents[0];
    (0..2 * rows).map(|place| (nodes + place, nodes + (place + rows) % (2 * rows))).collect()
}

/// The mesh's own rule, and ways from and to places.
#[derive(Debug)]
struct Columns {
    grid: Grid,
    rule: Arc<dyn Routing>,
}

impl Columns {
    fn rows(&self) -> u32 {
        self.grid.nodes() / self.grid.shape[0]
    }

    fn places(&self) -> std::ops::Range<u32> {
        self.grid.nodes()..self.grid.nodes() + 2 * self.rows()
    }

    /// The router and the port of a place; none of a node.
    fn at(&self, place: u32) -> Option<(u32, u8)> {
        let (place, rows, length) = (place.checked_sub(self.grid.nodes())?, self.rows(), self.grid.shape[0]);
        let (row, is_high) = (place % rows, place >= rows);
        Some((row * length + if is_high { length - 1 } else { 0 }, Grid::port(0, is_high)))
    }
}

impl RelabelledRouting for Columns {
    fn rule(&self) -> &dyn Routing {
        &*self.rule
    }

    fn place(&self, end: u32) -> u32 {
        self.at(end).map_or(end, |(router, _)| router)
    }

    fn exit(&self, asking: &Asking, virtual_channels: u8) -> Option<Ways> {
        let (_, port) = self.at(asking.destination).filter(|(router, _)| *router == asking.router)?;
        Some(Ways::one(port, every_channel(virtual_channels)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::MeshParameters;
    use super::super::survey::{Deadlock, survey};
    use super::super::walk::Walk;
    use super::*;

    /// Every pair of places and nodes, of which those of a row's places take its length and both their own links.
    #[test]
    fn places_reach_each_other_along_their_rows() {
        for extents in [vec![8, 4], vec![1, 3], vec![3, 2, 2], vec![5]] {
            let mesh = MeshParameters { shape: extents.clone() }.shape();
            let shape = with_columns(&mesh, &extents);
            let (nodes, facing) = (mesh.wiring.nodes(), opposite(&extents));
            assert_eq!(shape.wiring.nodes(), nodes + facing.len() as u32);
            let mut rows = 0;
            Walk::new(&shape, 1).every_pair(|pair| {
                if facing.contains(&(pair.from, pair.to)) {
                    assert_eq!(pair.links, extents[0] + 1);
                    rows += 1;
                }
            });
            assert_eq!(rows, facing.len());
            assert_eq!(survey(&shape, 1).deadlock, Deadlock::Free);
        }
    }

    /// Of nodes nothing changes.
    #[test]
    fn the_ways_of_nodes_are_as_they_were() {
        let mesh = MeshParameters { shape: vec![4, 3] }.shape();
        let shape = with_columns(&mesh, &[4, 3]);
        let ways = |shape: &Shape, router, destination| {
            let asking = Asking { router, input: 4, channel: 0, source: router, destination };
            shape.routing.ways(&asking, 1)
        };
        for (from, to) in (0..12).flat_map(|from| (0..12).map(move |to| (from, to))) {
            assert_eq!(ways(&mesh, from, to), ways(&shape, from, to));
        }
    }
}
