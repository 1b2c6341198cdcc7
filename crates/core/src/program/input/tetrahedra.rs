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
    /// are valid until `split` or `flip` is called.
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
        let [width, depth, height] = cubes.map(|cube_count| cube_count + 1);
        let node = |[x, y, z]: [usize; 3]| ((z * depth + y) * width + x) as u32;
        let indices =
            (0..width * depth * height).map(|node| [node % width, node / width % depth, node / width / depth]);
        let displaced_position = |index: [usize; 3], random: &mut RandomStream| {
            index.map(|coordinate| coordinate as f64 + random.random_range(-DISPLACEMENT_MAX..DISPLACEMENT_MAX))
        };
        let coordinates = indices.clone().map(|index| displaced_position(index, random)).collect();
        let mut body = Tetrahedra { coordinates, tetrahedra: Vec::new(), faces: Vec::new() };
        let first_corners = indices.filter(|index| (0..3).all(|axis| index[axis] < cubes[axis]));
        for index in first_corners {
            for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                let mut corner = index;
                let mut corners = [node(index); 4];
                for (corner_index, axis) in axes.into_iter().enumerate() {
                    corner[axis] += 1;
                    corners[corner_index + 1] = node(corner);
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
    fn tetrahedra_by_face(&self) -> BTreeMap<[u32; 3], Vec<(usize, usize)>> {
        let mut sides: BTreeMap<[u32; 3], Vec<(usize, usize)>> = BTreeMap::new();
        for (number, corners) in self.tetrahedra.iter().enumerate() {
            for (opposite_corner, face) in FACES.iter().enumerate() {
                let mut nodes = face.map(|corner| corners[corner]);
                nodes.sort_unstable();
                sides.entry(nodes).or_default().push((number, opposite_corner));
            }
        }
        sides
    }

    /// Determines the surface, which consists of the faces that belong to one tetrahedron only.
    fn find_surface(&mut self) {
        let sides = self.tetrahedra_by_face();
        let surface_sides = sides.values().filter(|sides| sides.len() == 1).map(|sides| sides[0]);
        self.faces = surface_sides
            .map(|(owner, opposite_corner)| {
                (FACES[opposite_corner].map(|corner| self.tetrahedra[owner][corner]), owner)
            })
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
    fn draw_largest(&self, count: usize, tetrahedron_of: impl Fn(usize) -> usize, random: &mut RandomStream) -> usize {
        let candidates = [(); 8].map(|()| random.random_range(0..count));
        let volume_of = |candidate: &usize| self.volume(self.tetrahedra[tetrahedron_of(*candidate)]);
        candidates.into_iter().max_by(|first, second| volume_of(first).total_cmp(&volume_of(second))).unwrap_or(0)
    }

    /// Splits a face of the surface, and its tetrahedron, into three.
    pub fn split_face(&mut self, random: &mut RandomStream) {
        let face_index = self.draw_largest(self.faces.len(), |face_index| self.faces[face_index].1, random);
        let ([a, b, c], owner) = self.faces[face_index];
        let corners = self.tetrahedra[owner];
        let node = self.add_middle_node(&[a, b, c]);
        let splits = [(a, [node, b, c]), (b, [a, node, c]), (c, [a, b, node])];
        for (number, (replaced_corner, face)) in splits.into_iter().enumerate() {
            let part = corners.map(|corner| if corner == replaced_corner { node } else { corner });
            let (owner, face_index) = match number {
                0 => (owner, face_index),
                _ => (self.tetrahedra.len(), self.faces.len()),
            };
            set_or_push(&mut self.tetrahedra, owner, part);
            set_or_push(&mut self.faces, face_index, (face, owner));
        }
        // The other surface faces of the tetrahedron that was split may belong to another part of it now.
        for face_index in 0..self.faces.len() {
            let (face, _) = self.faces[face_index];
            let parts = [owner, self.tetrahedra.len() - 2, self.tetrahedra.len() - 1];
            if parts.contains(&self.faces[face_index].1) {
                let contains_face = |part: &&usize| face.iter().all(|node| self.tetrahedra[**part].contains(node));
                self.faces[face_index].1 =
                    *parts.iter().find(contains_face).expect("a face belongs to a part of its tetrahedron");
            }
        }
    }

    /// Splits a tetrahedron into four.
    pub fn split(&mut self, random: &mut RandomStream) {
        let number = self.draw_largest(self.tetrahedra.len(), |number| number, random);
        let corners = self.tetrahedra[number];
        let node = self.add_middle_node(&corners);
        for replaced_corner in 0..4 {
            let mut part = corners;
            part[replaced_corner] = node;
            let index = if replaced_corner == 0 { number } else { self.tetrahedra.len() };
            set_or_push(&mut self.tetrahedra, index, part);
        }
    }

    /// Flips up to `flips_max` faces between two tetrahedra into an edge between three tetrahedra. Returns the number
    /// of flips.
    pub fn flip(&mut self, flips_max: usize, random: &mut RandomStream) -> usize {
        let mut edges: BTreeSet<[u32; 2]> = self.tetrahedra.iter().flat_map(edges_of).collect();
        let mut flip_count = 0;
        while flip_count < flips_max {
            let count_before = flip_count;
            let mut inner_faces: Vec<_> =
                self.tetrahedra_by_face().into_values().filter(|sides| sides.len() == 2).collect();
            inner_faces.shuffle(random);
            // A flipped tetrahedron has other faces now, which the next round finds.
            let mut is_flipped = vec![false; self.tetrahedra.len()];
            for sides in inner_faces {
                let owners = [sides[0].0, sides[1].0];
                if flip_count < flips_max
                    && !owners.iter().any(|number| is_flipped[*number])
                    && self.flip_face(&sides, &mut edges)
                {
                    owners.into_iter().for_each(|number| is_flipped[number] = true);
                    flip_count += 1;
                }
            }
            if flip_count == count_before {
                break;
            }
        }
        flip_count
    }

    /// Flips a face into an edge, if the edge is new and the new tetrahedra are large enough. Returns whether it was
    /// flipped.
    fn flip_face(&mut self, sides: &[(usize, usize)], edges: &mut BTreeSet<[u32; 2]>) -> bool {
        let [(one, first_corner), (other, second_corner)] = [sides[0], sides[1]];
        let (first_apex, second_apex) = (self.tetrahedra[one][first_corner], self.tetrahedra[other][second_corner]);
        let [a, b, c] = FACES[first_corner].map(|corner| self.tetrahedra[one][corner]);
        let parts = [[a, b, first_apex, second_apex], [b, c, first_apex, second_apex], [c, a, first_apex, second_apex]];
        let is_flipped = parts.iter().all(|part| self.volume(*part) > VOLUME_MIN)
            && edges.insert([first_apex.min(second_apex), first_apex.max(second_apex)]);
        if is_flipped {
            self.tetrahedra[one] = parts[0];
            self.tetrahedra[other] = parts[1];
            self.tetrahedra.push(parts[2]);
        }
        is_flipped
    }
}

/// Replaces the element at an index, or appends one.
fn set_or_push<T>(elements: &mut Vec<T>, index: usize, value: T) {
    match elements.get_mut(index) {
        Some(element) => *element = value,
        None => elements.push(value),
    }
}
