//! The conditions on a graph that is used as a fabric: hosts have one link, switches have no more links than ports, and
//! every vertex can reach every other.

use super::super::PORTS_MAX;
use super::GraphRouting;
use super::builder::{Graph, GraphError, GraphLink, Vertex, VertexKind};
use super::plan::DirectedLink;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of vertices. The tables of a routing rule grow with the square of the number of vertices.
const VERTICES_MAX: usize = 4096;

impl Graph {
    /// Returns the errors of the graph if it is used as a fabric.
    pub(super) fn check(&self, routing: GraphRouting) -> Vec<GraphError> {
        let mut errors = Vec::new();
        if self.vertices.len() > VERTICES_MAX {
            let message = format!("it has {} vertices", self.vertices.len());
            return vec![GraphError::new(None, message, format!("at most {VERTICES_MAX} can be routed by tables"))];
        }
        self.check_names(&mut errors);
        self.check_hosts(&mut errors);
        self.check_ports(&mut errors);
        if errors.is_empty() && self.nodes().count() < 2 {
            let help = "every vertex has a host, unless its `kind` is \"switch\"";
            errors.push(GraphError::new(None, "it joins fewer than two hosts", help));
        }
        if routing == GraphRouting::UpDown
            && let Some(link) = self.one_way_link()
        {
            let message = format!(
                "up-down routing needs links in both directions, and {} has no reverse link",
                self.directed_name(link)
            );
            errors.push(GraphError::new(Some(link.line), message, "write routing = \"shortest-path\""));
        }
        if errors.is_empty() {
            errors.extend(self.check_connected());
        }
        errors
    }

    fn one_way_link(&self) -> Option<&GraphLink> {
        let directions: BTreeSet<(u32, u32)> = self.directed_links().map(|link| (link.from, link.to)).collect();
        self.links.iter().find(|link| !directions.contains(&(link.to, link.from)))
    }

    fn directed_name(&self, link: &GraphLink) -> String {
        let name = |vertex: u32| &self.vertices[vertex as usize].name;
        format!("`{} -> {}`", name(link.from), name(link.to))
    }

    fn vertex_kind(&self, vertex: u32) -> VertexKind {
        self.vertices[vertex as usize].kind
    }

    /// Checks that the names of hosts are unique and not empty, because machines refer to hosts by their names.
    fn check_names(&self, errors: &mut Vec<GraphError>) {
        let mut lines: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for Vertex { name, line, .. } in self.vertices.iter().filter(|vertex| vertex.kind != VertexKind::Switch) {
            if name.is_empty() {
                errors.push(GraphError::new(*line, "a host has an empty name", "nodes of a machine have names"));
            } else if lines.insert(name, *line).is_some() {
                let message = format!("there are two hosts `{name}`");
                errors.push(GraphError::new(*line, message, "the ids 1 and \"1\" give two nodes the same name"));
            }
        }
    }

    /// Checks that a host has exactly one link, in both directions, to a switch.
    fn check_hosts(&self, errors: &mut Vec<GraphError>) {
        let mut neighbours: Vec<BTreeMap<u32, [bool; 2]>> = vec![BTreeMap::new(); self.vertices.len()];
        for DirectedLink { from, to, link } in self.directed_links() {
            if [from, to].map(|vertex| self.vertex_kind(vertex)) == [VertexKind::Host; 2] && from == link.from {
                let message = format!("{} joins two hosts", self.directed_name(link));
                errors.push(GraphError::new(Some(link.line), message, "a host is linked to a switch"));
            }
            neighbours[from as usize].entry(to).or_default()[0] = true;
            neighbours[to as usize].entry(from).or_default()[1] = true;
        }
        for (vertex, neighbours) in self.vertices.iter().zip(neighbours) {
            let (name, directions) = (&vertex.name, neighbours.values().next());
            let (message, help) = match (vertex.kind, neighbours.len(), directions) {
                (VertexKind::Host, 1, Some([true, true])) | (VertexKind::Switch | VertexKind::SwitchWithHost, ..) => {
                    continue;
                }
                (VertexKind::Host, 0, _) => {
                    (format!("host `{name}` has no link"), "a host has one link, to its switch")
                }
                (VertexKind::Host, 1, _) => {
                    let message = format!("host `{name}` is linked in one direction only");
                    (message, "a host is linked to its switch both ways")
                }
                (VertexKind::Host, links, _) => {
                    let message = format!("host `{name}` has {links} links");
                    (message, "a host has one link, to its switch; a vertex without `kind` may have several")
                }
            };
            errors.push(GraphError::new(vertex.line, message, help));
        }
    }

    fn check_ports(&self, errors: &mut Vec<GraphError>) {
        let host_ports = |vertex: &Vertex| [usize::from(vertex.kind == VertexKind::SwitchWithHost); 2];
        let mut ports: Vec<[usize; 2]> = self.vertices.iter().map(host_ports).collect();
        for DirectedLink { from, to, .. } in self.directed_links() {
            ports[from as usize][0] += 1;
            ports[to as usize][1] += 1;
        }
        for (vertex, ports) in self.vertices.iter().zip(ports) {
            let ports_needed = ports[0].max(ports[1]);
            if ports_needed > PORTS_MAX {
                let message = format!("`{}` has {ports_needed} ports", vertex.name);
                errors.push(GraphError::new(vertex.line, message, format!("a router has at most {PORTS_MAX}")));
            }
        }
    }

    /// Returns an error if a vertex cannot reach another.
    fn check_connected(&self) -> Option<GraphError> {
        let first_unreached = |is_forward: bool| {
            let mut successors = vec![Vec::new(); self.vertices.len()];
            for DirectedLink { from, to, .. } in self.directed_links() {
                let (from, to) = if is_forward { (from, to) } else { (to, from) };
                successors[from as usize].push(to);
            }
            let mut is_reached = vec![false; self.vertices.len()];
            let mut stack = vec![0];
            while let Some(vertex) = stack.pop() {
                if !std::mem::replace(&mut is_reached[vertex as usize], true) {
                    stack.extend(&successors[vertex as usize]);
                }
            }
            is_reached.iter().position(|reached| !reached)
        };
        let name = |vertex: usize| &self.vertices[vertex].name;
        let error = |from: usize, to: usize| {
            let is_one_way = self.links.iter().any(|link| link.is_one_way);
            let message = match is_one_way {
                true => format!("no path leads from `{}` to `{}`", name(from), name(to)),
                false => format!("no path connects `{}` and `{}`", name(from), name(to)),
            };
            GraphError::new(self.vertices[from.max(to)].line, message, "every vertex must have a path to every other")
        };
        first_unreached(true).map(|to| error(0, to)).or_else(|| first_unreached(false).map(|from| error(from, 0)))
    }
}
