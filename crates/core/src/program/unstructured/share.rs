//! A processor's part of a fluid: its nodes, edges and faces; the ghosts that it needs and the sums that it
//! owes for them; and what each step of the program does with these.

use super::Fluid;
use super::flux::{Amount, FluidEdge, FluidFace, Value, add, minus, take, through_edge, through_face, value};
use crate::program::input::partition;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::Range;

/// What a processor has to do with another.
#[derive(Clone, Debug)]
pub struct ShareLink {
    /// The other.
    pub other: usize,
    /// The other's nodes that are needed here: values come, sums go.
    pub ghosts: Range<usize>,
    /// Own nodes that are needed there, in the order of its ghosts: values go, sums come.
    pub given: Vec<u32>,
}

/// A processor's part. Its nodes are numbered here: its own, in order, then ghosts, by their processor.
#[derive(Clone, Debug)]
pub struct FluidShare {
    /// The numbers of its own nodes in the mesh.
    pub nodes: Vec<u32>,
    /// Those it has to do with, in order.
    pub links: Vec<ShareLink>,
    edges: Vec<FluidEdge>,
    faces: Vec<FluidFace>,
    inverse_units: Vec<f32>,
    step_units: f32,
    /// Of its own nodes.
    amounts: Vec<Amount>,
    /// Of all nodes here.
    values: Vec<Value>,
    /// What has been added up for all nodes here since the last update.
    sums: Vec<Amount>,
}

impl FluidShare {
    /// The parts of all processors, from the processor of each node.
    pub fn all(fluid: &Fluid, owners: &[u32], parts: usize) -> Vec<FluidShare> {
        let owned = Owned::new(fluid, owners, parts);
        (0..parts).map(|part| FluidShare::new(fluid, &owned, part)).collect()
    }

    fn new(fluid: &Fluid, owned: &Owned<'_>, part: usize) -> FluidShare {
        let own = &owned.members[part];
        let nodes = own.len() + owned.ghosts[part].len();
        let at = |node: u32| owned.at(part, node);
        let is_here = |node: u32| owned.owners[node as usize] as usize == part;
        let edges = fluid.edges.iter().filter(|edge| is_here(edge.nodes[0]));
        let faces = fluid.faces.iter().filter(|face| is_here(face.nodes[0]));
        let mut share = FluidShare {
            nodes: own.clone(),
            links: (0..owned.members.len()).filter_map(|other| owned.link(part, other)).collect(),
            edges: edges.map(|edge| FluidEdge { nodes: edge.nodes.map(at), ..*edge }).collect(),
            faces: faces.map(|face| FluidFace { nodes: face.nodes.map(at), ..*face }).collect(),
            inverse_units: own.iter().map(|node| fluid.inverse_units[*node as usize]).collect(),
            step_units: fluid.step_units,
            amounts: own.iter().map(|node| fluid.initial[*node as usize]).collect(),
            values: vec![[f32::NAN; 3]; nodes],
            sums: vec![[0; 3]; nodes],
        };
        share.value();
        share
    }

    /// How many edges and faces it computes.
    pub fn work(&self) -> (usize, usize) {
        (self.edges.len(), self.faces.len())
    }

    /// Its edges and faces, by number: edges first.
    pub fn elements(&self) -> usize {
        self.edges.len() + self.faces.len()
    }

    /// Whether an edge or face is an edge.
    pub fn is_edge(&self, element: usize) -> bool {
        element < self.edges.len()
    }

    /// The nodes of an edge or face.
    pub fn nodes_of(&self, element: usize) -> &[u32] {
        match element.checked_sub(self.edges.len()) {
            None => &self.edges[element].nodes,
            Some(face) => &self.faces[face].nodes,
        }
    }

    /// What an edge or face adds to the sum of each of its nodes, in their order; the nodes' values must be there.
    pub fn passed(&self, element: usize) -> SmallVec<[Amount; 3]> {
        let value = |at: u32| self.values[at as usize];
        match element.checked_sub(self.edges.len()) {
            None => {
                let edge = &self.edges[element];
                let amount = through_edge(edge, value(edge.nodes[0]), value(edge.nodes[1]), self.step_units);
                SmallVec::from_slice(&[minus(amount), amount])
            }
            Some(face) => {
                let face = &self.faces[face];
                let amount = through_face(face, face.nodes.map(value), self.step_units);
                SmallVec::from_slice(&[minus(amount); 3])
            }
        }
    }

    /// Whether a node is another's.
    pub fn is_ghost(&self, at: u32) -> bool {
        at as usize >= self.nodes.len()
    }

    /// The value of a node, as it travels.
    pub fn value_of(&self, at: u32) -> [u32; 3] {
        self.values[at as usize].map(f32::to_bits)
    }

    /// Takes the value of a ghost.
    pub fn take_value(&mut self, at: u32, words: [u32; 3]) {
        self.values[at as usize] = words.map(f32::from_bits);
    }

    /// Adds to the sum of an own node.
    pub fn add(&mut self, at: u32, amount: [i32; 3]) {
        add(&mut self.sums[at as usize], amount);
    }

    /// The values that another needs, as they travel.
    pub fn values_for(&self, link: &ShareLink) -> Vec<u32> {
        link.given.iter().flat_map(|at| self.values[*at as usize].map(f32::to_bits)).collect()
    }

    /// Takes the values that another sent.
    pub fn take_values(&mut self, ghosts: Range<usize>, words: &[u32]) {
        assert_eq!(words.len(), 3 * ghosts.len(), "a batch of values has another length than was sent");
        for (ghost, words) in self.values[ghosts].iter_mut().zip(words.as_chunks().0) {
            *ghost = words.map(f32::from_bits);
        }
    }

    /// Adds up what passes its edges; the values of all ghosts must be there.
    pub fn sweep_edges(&mut self) {
        for edge in &self.edges {
            let [one, other] = edge.nodes.map(|at| at as usize);
            let amount = through_edge(edge, self.values[one], self.values[other], self.step_units);
            take(&mut self.sums[one], amount);
            add(&mut self.sums[other], amount);
        }
    }

    /// Adds up what leaves by its faces.
    pub fn sweep_faces(&mut self) {
        for face in &self.faces {
            let amount = through_face(face, face.nodes.map(|at| self.values[at as usize]), self.step_units);
            face.nodes.iter().for_each(|at| take(&mut self.sums[*at as usize], amount));
        }
    }

    /// The sums for another's nodes, as they travel; here they begin anew.
    pub fn sums_for(&mut self, ghosts: Range<usize>) -> Vec<u32> {
        // Old values must not be used again.
        self.values[ghosts.clone()].fill([f32::NAN; 3]);
        let sums = self.sums[ghosts].iter_mut().map(std::mem::take);
        sums.flat_map(|sum| sum.map(i32::cast_unsigned)).collect()
    }

    /// Adds the sums that another sent for own nodes, `given` to it.
    pub fn take_sums(&mut self, given: &[u32], words: &[u32]) {
        assert_eq!(words.len(), 3 * given.len(), "a batch of sums has another length than was sent");
        for (at, words) in given.iter().zip(words.as_chunks().0) {
            add(&mut self.sums[*at as usize], words.map(u32::cast_signed));
        }
    }

    /// Updates its own nodes; all sums must be there.
    pub fn update(&mut self) {
        for (amount, sum) in self.amounts.iter_mut().zip(&mut self.sums) {
            add(amount, std::mem::take(sum));
        }
        self.value();
    }

    /// What its own nodes hold, in their order.
    pub fn amounts(&self) -> &[[i32; 3]] {
        &self.amounts
    }

    fn value(&mut self) {
        for ((new, amount), inverse) in self.values.iter_mut().zip(&self.amounts).zip(&self.inverse_units) {
            *new = value(*amount, *inverse);
        }
    }
}

/// Who has which nodes, and needs which of others.
struct Owned<'a> {
    owners: &'a [u32],
    /// By processor: its own nodes, in order.
    members: Vec<Vec<u32>>,
    /// By node: where it is among its processor's own.
    own_at: Vec<u32>,
    /// By processor: the nodes of others at its edges and faces, with their owners, in order.
    ghosts: Vec<Vec<(u32, u32)>>,
}

impl Owned<'_> {
    fn new<'a>(fluid: &Fluid, owners: &'a [u32], parts: usize) -> Owned<'a> {
        let members = partition::members(owners, parts);
        let mut own_at = vec![0; fluid.nodes()];
        members.iter().for_each(|own| (0..).zip(own).for_each(|(at, node)| own_at[*node as usize] = at));
        let mut ghosts = vec![BTreeSet::new(); parts];
        let edges = fluid.edges.iter().map(|edge| &edge.nodes[..]);
        for nodes in edges.chain(fluid.faces.iter().map(|face| &face.nodes[..])) {
            let part = owners[nodes[0] as usize];
            let others = nodes.iter().map(|node| (owners[*node as usize], *node)).filter(|(owner, _)| *owner != part);
            ghosts[part as usize].extend(others);
        }
        Owned {
            owners,
            members,
            own_at,
            ghosts: ghosts.into_iter().map(|ghosts| ghosts.into_iter().collect()).collect(),
        }
    }

    /// The number of a node in a part.
    fn at(&self, part: usize, node: u32) -> u32 {
        let owner = self.owners[node as usize];
        if owner as usize == part {
            return self.own_at[node as usize];
        }
        let ghost = self.ghosts[part].binary_search(&(owner, node)).expect("a node of an edge or face is a ghost");
        (self.members[part].len() + ghost) as u32
    }

    /// What two parts have to do with each other, if anything.
    fn link(&self, part: usize, other: usize) -> Option<ShareLink> {
        let before = |other: usize| self.ghosts[part].partition_point(|(owner, _)| (*owner as usize) < other);
        let own = self.members[part].len();
        let there = self.ghosts[other].iter().filter(|(owner, _)| *owner as usize == part);
        let given: Vec<u32> = there.map(|(_, node)| self.own_at[*node as usize]).collect();
        let link = ShareLink { other, ghosts: own + before(other)..own + before(other + 1), given };
        (!link.ghosts.is_empty() || !link.given.is_empty()).then_some(link)
    }
}
