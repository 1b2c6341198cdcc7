//! The routers of a graph and their ports, numbered in the order of the file.
//!
//! A router's ports are in the order of its links, including those to hosts. At a switch with a host, the host's port
//! is last.

use super::super::{End, LinkAttributes, Wiring, WiringDetails};
use super::builder::{Graph, GraphLink, Vertex, VertexKind};

/// A link in one direction.
pub(super) struct DirectedLink<'g> {
    pub from: u32,
    pub to: u32,
    /// The link of the file.
    pub link: &'g GraphLink,
}

impl Graph {
    /// Returns the vertices that are hosts or switches with a host, in order. A node has the number of its position in
    /// this list.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        (0..self.vertices.len() as u32).filter(|vertex| self.vertices[*vertex as usize].kind != VertexKind::Switch)
    }

    /// Returns each link once for each of its directions.
    pub(super) fn directed_links(&self) -> impl Iterator<Item = DirectedLink<'_>> {
        self.links.iter().flat_map(|link| {
            let reverse = (!link.is_one_way).then_some(DirectedLink { from: link.to, to: link.from, link });
            std::iter::once(DirectedLink { from: link.from, to: link.to, link }).chain(reverse)
        })
    }
}

/// The routers of a graph with their ports, from which the wiring is built.
pub(super) struct WiringPlan {
    /// For each router, its outputs.
    pub outputs: Vec<Vec<End>>,
    /// For each router, the number of its inputs.
    pub input_counts: Vec<u8>,
    /// For each node, the router and the port that leads to it.
    pub exits: Vec<(u32, u8)>,
    /// For each node, the router and the input port by which its packets enter.
    pub entries: Vec<(u32, u8)>,
    details: WiringDetails,
}

impl WiringPlan {
    /// Returns the routers of a valid graph.
    pub fn new(graph: &Graph) -> WiringPlan {
        let is_router = |vertex: &&Vertex| vertex.kind != VertexKind::Host;
        let number_vertices = |is_counted: &dyn Fn(&&Vertex) -> bool| {
            let mut count = 0;
            let next_number = |vertex: &Vertex| {
                count += u32::from(is_counted(&vertex));
                is_counted(&vertex).then(|| count - 1)
            };
            graph.vertices.iter().map(next_number).collect::<Vec<Option<u32>>>()
        };
        let (router_numbers, node_numbers) =
            (number_vertices(&is_router), number_vertices(&|vertex| vertex.kind != VertexKind::Switch));
        let router_names: Vec<String> =
            graph.vertices.iter().filter(is_router).map(|vertex| vertex.name.clone()).collect();
        let node_names: Vec<String> = graph.nodes().map(|node| graph.vertices[node as usize].name.clone()).collect();
        let details = WiringDetails {
            outputs: vec![Vec::new(); router_names.len()],
            entries: vec![LinkAttributes::default(); node_names.len()],
            router_names,
            node_names,
        };
        let mut plan = WiringPlan {
            outputs: vec![Vec::new(); details.router_names.len()],
            input_counts: vec![0; details.router_names.len()],
            exits: vec![(0, 0); details.node_names.len()],
            entries: vec![(0, 0); details.node_names.len()],
            details,
        };
        for DirectedLink { from, to, link } in graph.directed_links() {
            let numbers_of = |vertex: u32| (router_numbers[vertex as usize], node_numbers[vertex as usize]);
            match (numbers_of(from), numbers_of(to)) {
                ((Some(from), _), (Some(to), _)) => plan.join_routers(from, to, link.attributes),
                ((None, Some(node)), (Some(to), _)) => plan.enter_from_node(node, to, link.attributes),
                ((Some(from), _), (None, Some(node))) => plan.exit_to_node(from, node, link.attributes),
                // The graph was checked: a host is linked to a switch.
                _ => {}
            }
        }
        for (router, node) in
            router_numbers.iter().zip(&node_numbers).filter_map(|(router, node)| Some(((*router)?, (*node)?)))
        {
            plan.enter_from_node(node, router, LinkAttributes::default());
            plan.exit_to_node(router, node, LinkAttributes::default());
        }
        plan
    }

    fn add_output(&mut self, from: u32, end: End, attributes: LinkAttributes) {
        self.outputs[from as usize].push(end);
        self.details.outputs[from as usize].push(attributes);
    }

    /// Adds an input port to a router and returns its number.
    fn add_input(&mut self, to: u32) -> u8 {
        let input_count = &mut self.input_counts[to as usize];
        *input_count += 1;
        *input_count - 1
    }

    fn join_routers(&mut self, from: u32, to: u32, attributes: LinkAttributes) {
        let port = self.add_input(to);
        self.add_output(from, End::Router { router: to, port }, attributes);
    }

    fn enter_from_node(&mut self, node: u32, to: u32, attributes: LinkAttributes) {
        self.entries[node as usize] = (to, self.add_input(to));
        self.details.entries[node as usize] = attributes;
    }

    fn exit_to_node(&mut self, from: u32, node: u32, attributes: LinkAttributes) {
        self.exits[node as usize] = (from, self.outputs[from as usize].len() as u8);
        self.add_output(from, End::Node(node), attributes);
    }

    /// Returns the wiring.
    pub fn wiring(self) -> Wiring {
        Wiring::new(&self.outputs, self.entries).with_details(self.details)
    }
}
