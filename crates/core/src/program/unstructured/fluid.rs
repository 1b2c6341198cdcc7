//! A mesh as finite volumes around its nodes (median duals), the flow at first, and a serial run.

use super::flux::{Amount, FluidEdge, FluidFace, UNITS, Value, add, take, through_edge, through_face, value};
use crate::engine::rng;
use crate::program::input::mesh::{Mesh, volume};
use rand::RngExt;

/// A fluid on a mesh.
#[derive(Clone, Debug)]
pub struct Fluid {
    pub(super) edges: Vec<FluidEdge>,
    pub(super) faces: Vec<FluidFace>,
    /// By node: one over its volume, of units.
    pub(super) inverse_units: Vec<f32>,
    /// What the nodes hold at first.
    pub(super) initial: Vec<Amount>,
    /// The length of a step, in units.
    pub(super) step_units: f32,
}

/// The mean flow, and how far each number is drawn from it (chosen: below 1 in all).
const MEAN: [f64; 3] = [0.5, 0.1, 0.0];
const DRAWN: f64 = 0.25;
/// No value is larger, as a step is chosen.
const SPEED_MAX: f64 = 1.0;
/// Viscosity (chosen).
const VISCOSITY: f64 = 0.01;
/// The part of a volume that may flow out in a step (chosen: below 1, for a step to be stable).
const COURANT: f64 = 0.5;

type Vector = [f64; 3];

fn minus(one: Vector, other: Vector) -> Vector {
    [0, 1, 2].map(|axis| one[axis] - other[axis])
}

fn mean<const N: usize>(places: [Vector; N]) -> Vector {
    [0, 1, 2].map(|axis: usize| places.iter().map(|place| place[axis]).sum::<f64>() / N as f64)
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(of: Vector) -> f64 {
    of.iter().map(|along| along * along).sum::<f64>().sqrt()
}

/// The corners of a tetrahedron's edges, and of the two beside each, so that it has the sense of a screw.
const EDGES: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

impl Fluid {
    /// A fluid on a mesh, its flow drawn from the seed.
    pub fn new(mesh: &Mesh, seed: u64) -> Fluid {
        let mut random = rng::stream(seed, "flow at first");
        let mut flow = || MEAN.map(|mean| mean + random.random_range(-DRAWN..DRAWN));
        let flow = (0..mesh.coordinates.len()).map(|_| flow()).collect::<Vec<_>>();
        Fluid::with(mesh, &flow)
    }

    /// A fluid on a mesh that flows like this at its nodes.
    pub(super) fn with(mesh: &Mesh, flow: &[Vector]) -> Fluid {
        let (areas, volumes) = (areas(mesh), volumes(mesh));
        let sides = mesh.edges.iter().zip(&areas).map(|([one, other], area)| {
            let apart = minus(mesh.coordinates[*one as usize], mesh.coordinates[*other as usize]);
            FluidEdge {
                nodes: [*one, *other],
                area: area.map(|along| along as f32),
                conductance: (VISCOSITY * length(*area) / length(apart)) as f32,
            }
        });
        let of_volume =
            |(amount, volume): (&Vector, &f64)| amount.map(|along| (along * volume * f64::from(UNITS)) as i32);
        Fluid {
            edges: sides.collect(),
            faces: faces(mesh).collect(),
            inverse_units: volumes.iter().map(|volume| (1.0 / (volume * f64::from(UNITS))) as f32).collect(),
            initial: flow.iter().zip(&volumes).map(of_volume).collect(),
            step_units: (step(mesh, &areas, &volumes) * f64::from(UNITS)) as f32,
        }
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.initial.len()
    }

    /// The values of some amounts of all nodes.
    pub(super) fn values(&self, amounts: &[Amount]) -> Vec<Value> {
        amounts.iter().zip(&self.inverse_units).map(|(amount, inverse)| value(*amount, *inverse)).collect()
    }

    /// What one processor alone makes of it: amounts by node.
    pub fn serial(&self, iterations: u64) -> Vec<[i32; 3]> {
        let mut amounts = self.initial.clone();
        for _ in 0..iterations {
            let values = self.values(&amounts);
            for edge in &self.edges {
                let [one, other] = edge.nodes.map(|node| node as usize);
                let amount = through_edge(edge, values[one], values[other], self.step_units);
                take(&mut amounts[one], amount);
                add(&mut amounts[other], amount);
            }
            for face in &self.faces {
                let of = face.nodes.map(|node| values[node as usize]);
                let amount = through_face(face, of, self.step_units);
                face.nodes.iter().for_each(|node| take(&mut amounts[*node as usize], amount));
            }
        }
        amounts
    }
}

/// The area between the volumes of each edge's nodes: of each tetrahedron two triangles, from the middle
/// of the edge by the middles of its two faces to its own.
fn areas(mesh: &Mesh) -> Vec<Vector> {
    let mut areas = vec![[0.0; 3]; mesh.edges.len()];
    for corners in &mesh.tetrahedra {
        let places = corners.map(|node| mesh.coordinates[node as usize]);
        for [a, b, c, d] in EDGES {
            let middle = mean([places[a], places[b]]);
            let one = mean([places[a], places[b], places[c]]);
            let other = mean([places[a], places[b], places[d]]);
            let area = cross(minus(mean(places), middle), minus(other, one)).map(|along| along / 2.0);
            let (first, second) = (corners[a].min(corners[b]), corners[a].max(corners[b]));
            let edge = mesh.edges.binary_search(&[first, second]).expect("an edge of a tetrahedron is the mesh's");
            let sign = if corners[a] == first { 1.0 } else { -1.0 };
            (0..3).for_each(|axis| areas[edge][axis] += sign * area[axis]);
        }
    }
    areas
}

/// A quarter of each tetrahedron for each of its corners.
fn volumes(mesh: &Mesh) -> Vec<f64> {
    let mut volumes = vec![0.0; mesh.coordinates.len()];
    for corners in &mesh.tetrahedra {
        let quarter = volume(corners.map(|node| mesh.coordinates[node as usize])) / 4.0;
        corners.iter().for_each(|node| volumes[*node as usize] += quarter);
    }
    volumes
}

fn faces(mesh: &Mesh) -> impl Iterator<Item = FluidFace> + '_ {
    mesh.faces.iter().map(|nodes| {
        let [a, b, c] = nodes.map(|node| mesh.coordinates[node as usize]);
        // Half of the cross product is the triangle; each node has a third of it.
        FluidFace { nodes: *nodes, area: cross(minus(b, a), minus(c, a)).map(|along| (along / 6.0) as f32) }
    })
}

/// How long a step may be for every volume.
fn step(mesh: &Mesh, areas: &[Vector], volumes: &[f64]) -> f64 {
    let mut rates = vec![0.0; volumes.len()];
    for ([one, other], area) in mesh.edges.iter().zip(areas) {
        let apart = minus(mesh.coordinates[*one as usize], mesh.coordinates[*other as usize]);
        let rate = length(*area) * (2.0 * SPEED_MAX + VISCOSITY / length(apart));
        rates[*one as usize] += rate;
        rates[*other as usize] += rate;
    }
    let each = volumes.iter().zip(&rates).map(|(volume, rate)| COURANT * volume / rate);
    each.fold(f64::INFINITY, f64::min)
}
