//! A processor's share of a fluid: its nodes, edges and faces, and the ghosts whose values it needs and whose sums it
//! returns. The steps of the program work on these.

use super::Fluid;
use super::flux::{Amount, FluidEdge, FluidFace, Value, add, edge_flux, face_flux, opposite, subtract, value};
use crate::program::input::partition;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::Range;

/// The link of a processor to a neighbour.
#[derive(Clone, Debug)]
pub struct ShareLink {
    /// Number of the neighbour.
    pub neighbour: usize,
    /// Local numbers of the neighbour's nodes that this processor needs: their values are received, and their sums are
    /// sent.
    pub ghosts: Range<usize>,
    /// Own nodes that the neighbour needs, in the order of its ghosts: their values are sent, and their sums are
    /// received.
    pub sent_nodes: Vec<u32>,
}

/// A processor's share of a fluid. Local node numbers begin with the own nodes, in order; then follow the ghosts, by
/// processor.
#[derive(Clone, Debug)]
pub struct FluidShare {
    /// Numbers of the own nodes in the mesh.
    pub nodes: Vec<u32>,
    /// Links to the neighbours, in order.
    pub links: Vec<ShareLink>,
    edges: Vec<FluidEdge>,
    faces: Vec<FluidFace>,
    inverse_volumes: Vec<f32>,
    step_units: f32,
    /// Amounts of the own nodes.
    amounts: Vec<Amount>,
    /// Values of own nodes and ghosts.
    values: Vec<Value>,
    /// Sums of fluxes into own nodes and ghosts since the last update.
    sums: Vec<Amount>,
}

impl FluidShare {
    /// Creates the shares of all processors, from the processor of each node.
    pub fn all(fluid: &Fluid, owners: &[u32], parts: usize) -> Vec<FluidShare> {
        let ownership = Ownership::new(fluid, owners, parts);
        (0..parts).map(|part| FluidShare::new(fluid, &ownership, part)).collect()
    }

    fn new(fluid: &Fluid, ownership: &Ownership<'_>, part: usize) -> FluidShare {
        let own_nodes = &ownership.nodes_by_part[part];
        let nodes = own_nodes.len() + ownership.ghosts[part].len();
        let local_number = |node: u32| ownership.local_number(part, node);
        let is_own = |node: u32| ownership.owners[node as usize] as usize == part;
        let edges = fluid.edges.iter().filter(|edge| is_own(edge.nodes[0]));
        let faces = fluid.faces.iter().filter(|face| is_own(face.nodes[0]));
        let mut share = FluidShare {
            nodes: own_nodes.clone(),
            links: (0..ownership.nodes_by_part.len()).filter_map(|other| ownership.link(part, other)).collect(),
            edges: edges.map(|edge| FluidEdge { nodes: edge.nodes.map(local_number), ..*edge }).collect(),
            faces: faces.map(|face| FluidFace { nodes: face.nodes.map(local_number), ..*face }).collect(),
            inverse_volumes: own_nodes.iter().map(|node| fluid.inverse_volumes[*node as usize]).collect(),
            step_units: fluid.step_units,
            amounts: own_nodes.iter().map(|node| fluid.initial_amounts[*node as usize]).collect(),
            values: vec![[f32::NAN; 3]; nodes],
            sums: vec![[0; 3]; nodes],
        };
        share.update_values();
        share
    }

    /// Returns the numbers of edges and faces that this processor computes.
    pub fn element_counts(&self) -> (usize, usize) {
        (self.edges.len(), self.faces.len())
    }

    /// Returns the number of elements, which are the edges followed by the faces.
    pub fn element_count(&self) -> usize {
        self.edges.len() + self.faces.len()
    }

    /// Returns whether an element is an edge.
    pub fn is_edge(&self, element: usize) -> bool {
        element < self.edges.len()
    }

    /// Returns the nodes of an element.
    pub fn nodes_of(&self, element: usize) -> &[u32] {
        match element.checked_sub(self.edges.len()) {
            None => &self.edges[element].nodes,
            Some(face) => &self.faces[face].nodes,
        }
    }

    /// Returns the flux of an element into each of its nodes, in order. The values of the nodes must have arrived.
    pub fn fluxes(&self, element: usize) -> SmallVec<[Amount; 3]> {
        let value = |node: u32| self.values[node as usize];
        match element.checked_sub(self.edges.len()) {
            None => {
                let edge = &self.edges[element];
                let amount = edge_flux(edge, value(edge.nodes[0]), value(edge.nodes[1]), self.step_units);
                SmallVec::from_slice(&[opposite(amount), amount])
            }
            Some(face) => {
                let face = &self.faces[face];
                let amount = face_flux(face, face.nodes.map(value), self.step_units);
                SmallVec::from_slice(&[opposite(amount); 3])
            }
        }
    }

    /// Returns whether a node is a ghost.
    pub fn is_ghost(&self, node: u32) -> bool {
        node as usize >= self.nodes.len()
    }

    /// Returns the words of a message with the value of a node.
    pub fn value_words(&self, node: u32) -> [u32; 3] {
        self.values[node as usize].map(f32::to_bits)
    }

    /// Sets the value of a ghost.
    pub fn set_value(&mut self, node: u32, words: [u32; 3]) {
        self.values[node as usize] = words.map(f32::from_bits);
    }

    /// Adds to the sum of a node.
    pub fn add_to_sum(&mut self, node: u32, amount: [i32; 3]) {
        add(&mut self.sums[node as usize], amount);
    }

    /// Returns the words of a message with the values that a neighbour needs.
    pub fn value_words_for(&self, link: &ShareLink) -> Vec<u32> {
        link.sent_nodes.iter().flat_map(|node| self.values[*node as usize].map(f32::to_bits)).collect()
    }

    /// Sets the values of ghosts that a neighbour sent.
    pub fn set_values(&mut self, ghosts: Range<usize>, words: &[u32]) {
        assert_eq!(words.len(), 3 * ghosts.len(), "a batch of values has another length than was sent");
        for (ghost, words) in self.values[ghosts].iter_mut().zip(words.as_chunks().0) {
            *ghost = words.map(f32::from_bits);
        }
    }

    /// Adds up the fluxes of the edges. The values of all ghosts must have arrived.
    pub fn sweep_edges(&mut self) {
        for edge in &self.edges {
            let [one, other] = edge.nodes.map(|node| node as usize);
            let amount = edge_flux(edge, self.values[one], self.values[other], self.step_units);
            subtract(&mut self.sums[one], amount);
            add(&mut self.sums[other], amount);
        }
    }

    /// Adds up the fluxes of the faces.
    pub fn sweep_faces(&mut self) {
        for face in &self.faces {
            let amount = face_flux(face, face.nodes.map(|node| self.values[node as usize]), self.step_units);
            face.nodes.iter().for_each(|node| subtract(&mut self.sums[*node as usize], amount));
        }
    }

    /// Returns the words of a message with the sums of ghosts, and clears the sums.
    pub fn take_sum_words(&mut self, ghosts: Range<usize>) -> Vec<u32> {
        // The values are invalidated, so that old ones cannot be used again.
        self.values[ghosts.clone()].fill([f32::NAN; 3]);
        let sums = self.sums[ghosts].iter_mut().map(std::mem::take);
        sums.flat_map(|sum| sum.map(i32::cast_unsigned)).collect()
    }

    /// Adds the sums that a neighbour sent for own nodes.
    pub fn add_sums(&mut self, nodes: &[u32], words: &[u32]) {
        assert_eq!(words.len(), 3 * nodes.len(), "a batch of sums has another length than was sent");
        for (node, words) in nodes.iter().zip(words.as_chunks().0) {
            add(&mut self.sums[*node as usize], words.map(u32::cast_signed));
        }
    }

    /// Updates the own nodes. All sums must have arrived.
    pub fn update(&mut self) {
        for (amount, sum) in self.amounts.iter_mut().zip(&mut self.sums) {
            add(amount, std::mem::take(sum));
        }
        self.update_values();
    }

    /// Returns the amounts of the own nodes, in order.
    pub fn amounts(&self) -> &[[i32; 3]] {
        &self.amounts
    }

    fn update_values(&mut self) {
        for ((node_value, amount), inverse) in self.values.iter_mut().zip(&self.amounts).zip(&self.inverse_volumes) {
            *node_value = value(*amount, *inverse);
        }
    }
}

/// The owners of all nodes, and the ghosts of all processors.
struct Ownership<'a> {
    owners: &'a [u32],
    /// Own nodes of each processor, in order.
    nodes_by_part: Vec<Vec<u32>>,
    /// Index of each node among its processor's own nodes.
    local_indices: Vec<u32>,
    /// Nodes of other processors at the edges and faces of each processor, each with its owner, in order.
    ghosts: Vec<Vec<(u32, u32)>>,
}

impl Ownership<'_> {
    fn new<'a>(fluid: &Fluid, owners: &'a [u32], parts: usize) -> Ownership<'a> {
        let nodes_by_part = partition::elements_by_part(owners, parts);
        let mut local_indices = vec![0; fluid.nodes()];
        nodes_by_part
            .iter()
            .for_each(|own_nodes| (0..).zip(own_nodes).for_each(|(index, node)| local_indices[*node as usize] = index));
        let mut ghosts = vec![BTreeSet::new(); parts];
        let edges = fluid.edges.iter().map(|edge| &edge.nodes[..]);
        for nodes in edges.chain(fluid.faces.iter().map(|face| &face.nodes[..])) {
            let part = owners[nodes[0] as usize];
            let ghost_nodes =
                nodes.iter().map(|node| (owners[*node as usize], *node)).filter(|(owner, _)| *owner != part);
            ghosts[part as usize].extend(ghost_nodes);
        }
        Ownership {
            owners,
            nodes_by_part,
            local_indices,
            ghosts: ghosts.into_iter().map(|ghosts| ghosts.into_iter().collect()).collect(),
        }
    }

    /// Returns the local number of a node in a part.
    fn local_number(&self, part: usize, node: u32) -> u32 {
        let owner = self.owners[node as usize];
        if owner as usize == part {
            return self.local_indices[node as usize];
        }
        let ghost_index =
            self.ghosts[part].binary_search(&(owner, node)).expect("a node of an edge or face is a ghost");
        (self.nodes_by_part[part].len() + ghost_index) as u32
    }

    /// Returns the link of a part to another, if they share any nodes.
    fn link(&self, part: usize, other: usize) -> Option<ShareLink> {
        let ghosts_before = |other: usize| self.ghosts[part].partition_point(|(owner, _)| (*owner as usize) < other);
        let own_count = self.nodes_by_part[part].len();
        let neighbour_ghosts = self.ghosts[other].iter().filter(|(owner, _)| *owner as usize == part);
        let sent_nodes: Vec<u32> = neighbour_ghosts.map(|(_, node)| self.local_indices[*node as usize]).collect();
        let link = ShareLink {
            neighbour: other,
            ghosts: own_count + ghosts_before(other)..own_count + ghosts_before(other + 1),
            sent_nodes,
        };
        (!link.ghosts.is_empty() || !link.sent_nodes.is_empty()).then_some(link)
    }
}
