//! A body of tetrahedra under construction: a box whose faces and tetrahedra are split and flipped.

use super::mesh::edges_of;
use crate::engine::rng::RandomStream;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, BTreeSet};

/// A body of tetrahedra.
pub(super) struct Tetrahedra {
    pub coordinates: Vec<[f64; 3]>,
    /// Nodes of each tetrahedron, in an order in which its volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Faces of the surface, counter-clockwise seen from outside, each with the index of its tetrahedron. The indices
    /// are valid until a tetrahedron is split inside or flipped.
    pub faces: Vec<([u32; 3], usize)>,
}

/// Largest displacement of a node of the box along each axis, in edges of a cube.
const DISPLACEMENT_MAX: f64 = 0.12;
/// Smallest volume of a tetrahedron that a flip creates, in cubes.
const VOLUME_MIN: f64 = 0.01;

/// The corners of the face opposite to each corner of a tetrahedron, counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Returns the signed volume of a tetrahedron, which is negative if its orientation is reversed.
pub fn volume(corners: [[f64; 3]; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|corner: usize| [0, 1, 2].map(|axis| corners[corner][axis] - corners[0][axis]));
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
}

impl Tetrahedra {
    /// Creates a box of cubes, each of six tetrahedra around its diagonal (Kuhn 1960), with displaced nodes.
    pub fn new_box(cubes: [usize; 3], random: &mut RandomStream) -> Tetrahedra {
        let [wide, deep, high] = cubes.map(|along| along + 1);
        let node = |[x, y, z]: [usize; 3]| ((z * deep + y) * wide + x) as u32;
        let indices = (0..wide * deep * high).map(|node| [node % wide, node / wide % deep, node / wide / deep]);
        let displaced = |index: [usize; 3], random: &mut RandomStream| {
            index.map(|at| at as f64 + random.random_range(-DISPLACEMENT_MAX..DISPLACEMENT_MAX))
        };
        let coordinates = indices.clone().map(|index| displaced(index, random)).collect();
        let mut body = Tetrahedra { coordinates, tetrahedra: Vec::new(), faces: Vec::new() };
        let first_corners = indices.filter(|index| (0..3).all(|axis| index[axis] < cubes[axis]));
        for index in first_corners {
            for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                let mut corner = index;
                let mut corners = [node(index); 4];
                for (at, axis) in axes.into_iter().enumerate() {
                    corner[axis] += 1;
                    corners[at + 1] = node(corner);
                }
                body.add(corners);
            }
        }
        body.find_surface();
        body
    }

    fn volume(&self, corners: [u32; 4]) -> f64 {
        volume(corners.map(|node| self.coordinates[node as usize]))
    }

    /// Adds a tetrahedron with positive orientation.
    fn add(&mut self, mut corners: [u32; 4]) {
        if self.volume(corners) < 0.0 {
            corners.swap(2, 3);
        }
        self.tetrahedra.push(corners);
    }

    /// Returns, for each face, its tetrahedra, each with the corner opposite to the face. Faces are identified by their
    /// nodes.
    fn sides(&self) -> BTreeMap<[u32; 3], Vec<(usize, usize)>> {
        let mut sides: BTreeMap<[u32; 3], Vec<(usize, usize)>> = BTreeMap::new();
        for (number, corners) in self.tetrahedra.iter().enumerate() {
            for (opposite, face) in FACES.iter().enumerate() {
                let mut nodes = face.map(|corner| corners[corner]);
                nodes.sort_unstable();
                sides.entry(nodes).or_default().push((number, opposite));
            }
        }
        sides
    }

    /// Determines the surface, which consists of the faces that belong to one tetrahedron only.
    fn find_surface(&mut self) {
        let sides = self.sides();
        let outer = sides.values().filter(|sides| sides.len() == 1).map(|sides| sides[0]);
        self.faces = outer
            .map(|(owner, opposite)| (FACES[opposite].map(|corner| self.tetrahedra[owner][corner]), owner))
            .collect();
    }

    /// Adds a node in the middle of others.
    fn add_middle_node(&mut self, nodes: &[u32]) -> u32 {
        let sum = |axis: usize| nodes.iter().map(|node| self.coordinates[*node as usize][axis]).sum::<f64>();
        let middle = [0, 1, 2].map(|axis| sum(axis) / nodes.len() as f64);
        self.coordinates.push(middle);
        self.coordinates.len() as u32 - 1
    }

    /// Draws a few of `count` candidates and returns the one with the largest tetrahedron, so that no tetrahedron
    /// becomes too small.
    fn draw_large(&self, count: usize, tetrahedron: impl Fn(usize) -> usize, random: &mut RandomStream) -> usize {
        let drawn = [(); 8].map(|()| random.random_range(0..count));
        let size = |one: &usize| self.volume(self.tetrahedra[tetrahedron(*one)]);
        drawn.into_iter().max_by(|one, other| size(one).total_cmp(&size(other))).unwrap_or(0)
    }

    /// Splits a face of the surface, and its tetrahedron, into three.
    pub fn split_face(&mut self, random: &mut RandomStream) {
        let at = self.draw_large(self.faces.len(), |at| self.faces[at].1, random);
        let ([a, b, c], owner) = self.faces[at];
        let corners = self.tetrahedra[owner];
        let node = self.add_middle_node(&[a, b, c]);
        let splits = [(a, [node, b, c]), (b, [a, node, c]), (c, [a, b, node])];
        for (number, (left_out, face)) in splits.into_iter().enumerate() {
            let part = corners.map(|corner| if corner == left_out { node } else { corner });
            let (owner, at) = match number {
                0 => (owner, at),
                _ => (self.tetrahedra.len(), self.faces.len()),
            };
            set_or_push(&mut self.tetrahedra, owner, part);
            set_or_push(&mut self.faces, at, (face, owner));
        }
        // The other surface faces of the tetrahedron that was split may belong to another part of it now.
        for at in 0..self.faces.len() {
            let (face, _) = self.faces[at];
            let parts = [owner, self.tetrahedra.len() - 2, self.tetrahedra.len() - 1];
            if parts.contains(&self.faces[at].1) {
                let has = |part: &&usize| face.iter().all(|node| self.tetrahedra[**part].contains(node));
                self.faces[at].1 = *parts.iter().find(has).expect("a face belongs to a part of its tetrahedron");
            }
        }
    }

    /// Splits a tetrahedron into four.
    pub fn split(&mut self, random: &mut RandomStream) {
        let number = self.draw_large(self.tetrahedra.len(), |number| number, random);
        let corners = self.tetrahedra[number];
        let node = self.add_middle_node(&corners);
        for left_out in 0..4 {
            let mut part = corners;
            part[left_out] = node;
            let at = if left_out == 0 { number } else { self.tetrahedra.len() };
            set_or_push(&mut self.tetrahedra, at, part);
        }
    }

    /// Flips up to `wanted` faces between two tetrahedra into an edge between three tetrahedra. Returns the number of
    /// flips.
    pub fn flip(&mut self, wanted: usize, random: &mut RandomStream) -> usize {
        let mut edges: BTreeSet<[u32; 2]> = self.tetrahedra.iter().flat_map(edges_of).collect();
        let mut flipped = 0;
        while flipped < wanted {
            let before = flipped;
            let mut inner: Vec<_> = self.sides().into_values().filter(|sides| sides.len() == 2).collect();
            inner.shuffle(random);
            // A flipped tetrahedron has other faces now, which the next round finds.
            let mut is_flipped = vec![false; self.tetrahedra.len()];
            for sides in inner {
                let two = [sides[0].0, sides[1].0];
                if flipped < wanted
                    && !two.iter().any(|number| is_flipped[*number])
                    && self.flip_face(&sides, &mut edges)
                {
                    two.into_iter().for_each(|number| is_flipped[number] = true);
                    flipped += 1;
                }
            }
            if flipped == before {
                break;
            }
        }
        flipped
    }

    /// Flips a face into an edge, if the edge is new and the new tetrahedra are large enough. Returns whether it was
    /// flipped.
    fn flip_face(&mut self, sides: &[(usize, usize)], edges: &mut BTreeSet<[u32; 2]>) -> bool {
        let [(one, first), (other, second)] = [sides[0], sides[1]];
        let (from, to) = (self.tetrahedra[one][first], self.tetrahedra[other][second]);
        let [a, b, c] = FACES[first].map(|corner| self.tetrahedra[one][corner]);
        let parts = [[a, b, from, to], [b, c, from, to], [c, a, from, to]];
        let is_flipped =
            parts.iter().all(|part| self.volume(*part) > VOLUME_MIN) && edges.insert([from.min(to), from.max(to)]);
        if is_flipped {
            self.tetrahedra[one] = parts[0];
            self.tetrahedra[other] = parts[1];
            self.tetrahedra.push(parts[2]);
        }
        is_flipped
    }
}

/// Replaces the element at an index, or appends one.
fn set_or_push<T>(into: &mut Vec<T>, at: usize, value: T) {
    match into.get_mut(at) {
        Some(element) => *element = value,
        None => into.push(value),
    }
}
