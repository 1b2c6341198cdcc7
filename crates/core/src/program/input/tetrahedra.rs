//! A body of tetrahedra while it is made: a box, splits, flips.

use super::mesh::edges_of;
use crate::engine::rng::RandomStream;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, BTreeSet};

/// A body.
pub(super) struct Tetrahedra {
    pub coordinates: Vec<[f64; 3]>,
    /// Of positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The faces of the surface, counter-clockwise from outside, and the tetrahedron of each, until one is split
    /// inside or flipped.
    pub faces: Vec<([u32; 3], usize)>,
}

/// How far a node of the box is moved along each axis at most, in edges of a cube.
const MOVED_MAX: f64 = 0.12;
/// The least volume of a tetrahedron that a flip makes, in cubes.
const VOLUME_MIN: f64 = 0.01;

/// A face of a tetrahedron lies opposite to each of its corners; so turned that it is seen from outside
/// counter-clockwise.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// The volume of a tetrahedron; below 0 if it is turned inside out.
pub fn volume(corners: [[f64; 3]; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|corner: usize| [0, 1, 2].map(|axis| corners[corner][axis] - corners[0][axis]));
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
}

impl Tetrahedra {
    /// A box of cubes, each of six tetrahedra along its diagonal (Kuhn 1960), nodes moved.
    pub fn of_box(cubes: [usize; 3], random: &mut RandomStream) -> Tetrahedra {
        let [wide, deep, high] = cubes.map(|along| along + 1);
        let node = |[x, y, z]: [usize; 3]| ((z * deep + y) * wide + x) as u32;
        let places = (0..wide * deep * high).map(|node| [node % wide, node / wide % deep, node / wide / deep]);
        let moved = |place: [usize; 3], random: &mut RandomStream| {
            place.map(|at| at as f64 + random.random_range(-MOVED_MAX..MOVED_MAX))
        };
        let coordinates = places.clone().map(|place| moved(place, random)).collect();
        let mut body = Tetrahedra { coordinates, tetrahedra: Vec::new(), faces: Vec::new() };
        let first_corners = places.filter(|place| (0..3).all(|axis| place[axis] < cubes[axis]));
        for place in first_corners {
            for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                let mut corner = place;
                let mut corners = [node(place); 4];
                for (at, axis) in axes.into_iter().enumerate() {
                    corner[axis] += 1;
                    corners[at + 1] = node(corner);
                }
                body.add(corners);
            }
        }
        body.find_faces();
        body
    }

    fn volume(&self, corners: [u32; 4]) -> f64 {
        volume(corners.map(|node| self.coordinates[node as usize]))
    }

    /// Adds a tetrahedron, turned the right way.
    fn add(&mut self, mut corners: [u32; 4]) {
        if self.volume(corners) < 0.0 {
            corners.swap(2, 3);
        }
        self.tetrahedra.push(corners);
    }

    /// By the nodes of a face: who has it, and opposite to which corner.
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

    /// What has one side only is the surface.
    fn find_faces(&mut self) {
        let sides = self.sides();
        let outer = sides.values().filter(|sides| sides.len() == 1).map(|sides| sides[0]);
        self.faces =
            outer.map(|(of, opposite)| (FACES[opposite].map(|corner| self.tetrahedra[of][corner]), of)).collect();
    }

    /// A new node amid others.
    fn amid(&mut self, nodes: &[u32]) -> u32 {
        let of = |axis: usize| nodes.iter().map(|node| self.coordinates[*node as usize][axis]).sum::<f64>();
        let place = [0, 1, 2].map(|axis| of(axis) / nodes.len() as f64);
        self.coordinates.push(place);
        self.coordinates.len() as u32 - 1
    }

    /// The one of the largest tetrahedron among a few drawn of `count`, so that none becomes too small.
    fn largest(&self, count: usize, of: impl Fn(usize) -> usize, random: &mut RandomStream) -> usize {
        let drawn = [(); 8].map(|()| random.random_range(0..count));
        let size = |one: &usize| self.volume(self.tetrahedra[of(*one)]);
        drawn.into_iter().max_by(|one, other| size(one).total_cmp(&size(other))).unwrap_or(0)
    }

    /// Splits a face of the surface, and its tetrahedron, into three.
    pub fn split_face(&mut self, random: &mut RandomStream) {
        let at = self.largest(self.faces.len(), |at| self.faces[at].1, random);
        let ([a, b, c], of) = self.faces[at];
        let corners = self.tetrahedra[of];
        let node = self.amid(&[a, b, c]);
        let splits = [(a, [node, b, c]), (b, [a, node, c]), (c, [a, b, node])];
        for (number, (left_out, face)) in splits.into_iter().enumerate() {
            let part = corners.map(|corner| if corner == left_out { node } else { corner });
            let (of, at) = match number {
                0 => (of, at),
                _ => (self.tetrahedra.len(), self.faces.len()),
            };
            put(&mut self.tetrahedra, of, part);
            put(&mut self.faces, at, (face, of));
        }
        // Other faces of the tetrahedron that was split belong to another part of it now.
        for at in 0..self.faces.len() {
            let (face, _) = self.faces[at];
            let parts = [of, self.tetrahedra.len() - 2, self.tetrahedra.len() - 1];
            if parts.contains(&self.faces[at].1) {
                let has = |part: &&usize| face.iter().all(|node| self.tetrahedra[**part].contains(node));
                self.faces[at].1 = *parts.iter().find(has).expect("a face belongs to a part of its tetrahedron");
            }
        }
    }

    /// Splits a tetrahedron into four.
    pub fn split(&mut self, random: &mut RandomStream) {
        let of = self.largest(self.tetrahedra.len(), |of| of, random);
        let corners = self.tetrahedra[of];
        let node = self.amid(&corners);
        for left_out in 0..4 {
            let mut part = corners;
            part[left_out] = node;
            let of = if left_out == 0 { of } else { self.tetrahedra.len() };
            put(&mut self.tetrahedra, of, part);
        }
    }

    /// Turns so many faces between two tetrahedra into an edge between three; how many it could.
    pub fn flip(&mut self, wanted: usize, random: &mut RandomStream) -> usize {
        let mut edges: BTreeSet<[u32; 2]> = self.tetrahedra.iter().flat_map(edges_of).collect();
        let mut flipped = 0;
        while flipped < wanted {
            let before = flipped;
            let mut inner: Vec<_> = self.sides().into_values().filter(|sides| sides.len() == 2).collect();
            inner.shuffle(random);
            // A tetrahedron that was flipped has other sides now: they are known in the next round.
            let mut is_flipped = vec![false; self.tetrahedra.len()];
            for sides in inner {
                let two = [sides[0].0, sides[1].0];
                if flipped < wanted && !two.iter().any(|of| is_flipped[*of]) && self.flip_face(&sides, &mut edges) {
                    two.into_iter().for_each(|of| is_flipped[of] = true);
                    flipped += 1;
                }
            }
            if flipped == before {
                break;
            }
        }
        flipped
    }

    /// Turns a face into an edge, if that is new and what lies around it is large enough.
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

/// Puts something at its place, or at the end.
fn put<T>(into: &mut Vec<T>, at: usize, what: T) {
    match into.get_mut(at) {
        Some(there) => *there = what,
        None => into.push(what),
    }
}
