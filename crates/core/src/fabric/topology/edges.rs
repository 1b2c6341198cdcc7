//! I/O columns: an edge port at both ends of each row of a mesh, along x. Packets that belong to no node enter and
//! leave there.
//!
//! Edge ports have numbers after those of the nodes: first the ports at the low end of x by row, then those at the high
//! end. An edge port is attached to the router at its end of the row, at the port of that router that faces no
//! neighbour. The columns add no routers.

use super::grid::Grid;
use super::relabelled::RelabelledRouting;
use super::{End, RouteOptions, RouteQuery, Routing, Shape, Wiring, every_channel};
use std::sync::Arc;

/// Returns a mesh of these extents with its I/O columns.
pub fn with_io_columns(mesh: &Shape, extents: &[u32]) -> Shape {
    let columns = IoColumns { grid: Grid::new(extents), rule: mesh.routing.clone() };
    let mut routers: Vec<Vec<End>> =
        (0..mesh.wiring.routers()).map(|router| mesh.wiring.outputs(router).to_vec()).collect();
    let mut entries: Vec<(u32, u8)> = (0..mesh.wiring.nodes()).map(|node| mesh.wiring.entry(node)).collect();
    for edge_port in columns.edge_ports() {
        let (router, port) = columns.port_at(edge_port).expect("positions are behind the nodes");
        routers[router as usize][usize::from(port)] = End::Node(edge_port);
        entries.push((router, port));
    }
    Shape { name: mesh.name.clone(), wiring: Wiring::new(&routers, entries), routing: Arc::new(columns) }
}

/// Returns each edge port of a mesh of these extents, in order, with the edge port at the opposite end of its row.
pub fn opposite_pairs(extents: &[u32]) -> Vec<(u32, u32)> {
    let nodes: u32 = extents.iter().product();
    let rows = nodes / extents[0];
    (0..2 * rows).map(|edge_port| (nodes + edge_port, nodes + (edge_port + rows) % (2 * rows))).collect()
}

/// The routing rule of the mesh, extended by routes from and to edge ports.
#[derive(Debug)]
struct IoColumns {
    grid: Grid,
    rule: Arc<dyn Routing>,
}

impl IoColumns {
    fn rows(&self) -> u32 {
        self.grid.nodes() / self.grid.shape[0]
    }

    fn edge_ports(&self) -> std::ops::Range<u32> {
        self.grid.nodes()..self.grid.nodes() + 2 * self.rows()
    }

    /// Returns the router and the port of an edge port, or `None` for a node.
    fn port_at(&self, edge_port: u32) -> Option<(u32, u8)> {
        let (edge_port, rows, length) = (edge_port.checked_sub(self.grid.nodes())?, self.rows(), self.grid.shape[0]);
        let (row, is_high) = (edge_port % rows, edge_port >= rows);
        Some((row * length + if is_high { length - 1 } else { 0 }, Grid::port(0, is_high)))
    }
}

impl RelabelledRouting for IoColumns {
    fn rule(&self) -> &dyn Routing {
        &*self.rule
    }

    fn position(&self, end: u32) -> u32 {
        self.port_at(end).map_or(end, |(router, _)| router)
    }

    fn exit_options(&self, query: &RouteQuery, virtual_channels: u8) -> Option<RouteOptions> {
        let (_, port) = self.port_at(query.destination).filter(|(router, _)| *router == query.router)?;
        Some(RouteOptions::single_port(port, every_channel(virtual_channels)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::mesh::MeshParameters;
    use super::super::survey::{Deadlock, survey};
    use super::super::walk::Walk;
    use super::*;

    #[test]
    fn edge_ports_reach_each_other_along_their_rows() {
        for extents in [vec![8, 4], vec![1, 3], vec![3, 2, 2], vec![5]] {
            let mesh = MeshParameters { shape: extents.clone() }.shape();
            let shape = with_io_columns(&mesh, &extents);
            let (nodes, opposite_ports) = (mesh.wiring.nodes(), opposite_pairs(&extents));
            assert_eq!(shape.wiring.nodes(), nodes + opposite_ports.len() as u32);
            let mut pair_count = 0;
            Walk::new(&shape, 1).every_pair(|pair| {
                // The links between the routers of the row, and one at each end.
                if opposite_ports.contains(&(pair.from, pair.to)) {
                    assert_eq!(pair.links, extents[0] + 1);
                    pair_count += 1;
                }
            });
            assert_eq!(pair_count, opposite_ports.len());
            assert_eq!(survey(&shape, 1).deadlock, Deadlock::Free);
        }
    }

    #[test]
    fn routes_between_nodes_do_not_change() {
        let mesh = MeshParameters { shape: vec![4, 3] }.shape();
        let shape = with_io_columns(&mesh, &[4, 3]);
        let options = |shape: &Shape, router, destination| {
            let query = RouteQuery { router, input: 4, channel: 0, source: router, destination };
            shape.routing.route(&query, 1)
        };
        for (from, to) in (0..12).flat_map(|from| (0..12).map(move |to| (from, to))) {
            assert_eq!(options(&mesh, from, to), options(&shape, from, to));
        }
    }
}
