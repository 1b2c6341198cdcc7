//! A mesh as finite volumes around its nodes (median duals), the initial flow, and a serial run.

use super::flux::{Amount, FluidEdge, FluidFace, UNITS, Value, add, edge_flux, face_flux, subtract, value};
use crate::engine::rng;
use crate::program::input::mesh::{Mesh, volume};
use rand::RngExt;

/// A fluid on a mesh.
#[derive(Clone, Debug)]
pub struct Fluid {
    pub(super) edges: Vec<FluidEdge>,
    pub(super) faces: Vec<FluidFace>,
    /// Reciprocal of the volume of each node, in units.
    pub(super) inverse_volumes: Vec<f32>,
    /// Initial amounts of the nodes.
    pub(super) initial_amounts: Vec<Amount>,
    /// Length of a time step in units.
    pub(super) step_units: f32,
}

/// Mean flow (chosen).
const MEAN_FLOW: [f64; 3] = [0.5, 0.1, 0.0];
/// Largest random deviation of each component from the mean flow (chosen so that the speed is below 1).
const DEVIATION_MAX: f64 = 0.25;
/// Largest speed, for which the time step is chosen.
const SPEED_MAX: f64 = 1.0;
/// Viscosity (chosen).
const VISCOSITY: f64 = 0.01;
/// Fraction of a volume that may flow out in a step (chosen: below 1, for stability).
const COURANT: f64 = 0.5;

type Vector = [f64; 3];

fn difference(one: Vector, other: Vector) -> Vector {
    [0, 1, 2].map(|axis| one[axis] - other[axis])
}

fn mean<const N: usize>(points: [Vector; N]) -> Vector {
    [0, 1, 2].map(|axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / N as f64)
}

fn cross_product(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(vector: Vector) -> f64 {
    vector.iter().map(|component| component * component).sum::<f64>().sqrt()
}

/// The corners of each edge of a tetrahedron, and the other two corners, in right-handed order.
const EDGE_CORNERS: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

impl Fluid {
    /// Creates a fluid on a mesh with a random flow drawn from the seed.
    pub fn new(mesh: &Mesh, seed: u64) -> Fluid {
        let mut random = rng::stream(seed, "flow at first");
        let mut draw_flow = || MEAN_FLOW.map(|mean| mean + random.random_range(-DEVIATION_MAX..DEVIATION_MAX));
        let flow = (0..mesh.coordinates.len()).map(|_| draw_flow()).collect::<Vec<_>>();
        Fluid::with_flow(mesh, &flow)
    }

    /// Creates a fluid on a mesh with this flow at its nodes.
    pub(super) fn with_flow(mesh: &Mesh, flow: &[Vector]) -> Fluid {
        let (areas, volumes) = (areas(mesh), volumes(mesh));
        let edges = mesh.edges.iter().zip(&areas).map(|([one, other], area)| {
            let offset = difference(mesh.coordinates[*one as usize], mesh.coordinates[*other as usize]);
            FluidEdge {
                nodes: [*one, *other],
                area: area.map(|component| component as f32),
                conductance: (VISCOSITY * length(*area) / length(offset)) as f32,
            }
        });
        let amount_in_volume =
            |(amount, volume): (&Vector, &f64)| amount.map(|component| (component * volume * f64::from(UNITS)) as i32);
        Fluid {
            edges: edges.collect(),
            faces: faces(mesh).collect(),
            inverse_volumes: volumes.iter().map(|volume| (1.0 / (volume * f64::from(UNITS))) as f32).collect(),
            initial_amounts: flow.iter().zip(&volumes).map(amount_in_volume).collect(),
            step_units: (stable_time_step(mesh, &areas, &volumes) * f64::from(UNITS)) as f32,
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.initial_amounts.len()
    }

    /// Returns the values of amounts of all nodes.
    pub(super) fn values(&self, amounts: &[Amount]) -> Vec<Value> {
        amounts.iter().zip(&self.inverse_volumes).map(|(amount, inverse)| value(*amount, *inverse)).collect()
    }

    /// Runs the program on one processor, and returns the final amounts of each node.
    pub fn run_serially(&self, iterations: u64) -> Vec<[i32; 3]> {
        let mut amounts = self.initial_amounts.clone();
        for _ in 0..iterations {
            let values = self.values(&amounts);
            for edge in &self.edges {
                let [one, other] = edge.nodes.map(|node| node as usize);
                let amount = edge_flux(edge, values[one], values[other], self.step_units);
                subtract(&mut amounts[one], amount);
                add(&mut amounts[other], amount);
            }
            for face in &self.faces {
                let values = face.nodes.map(|node| values[node as usize]);
                let amount = face_flux(face, values, self.step_units);
                face.nodes.iter().for_each(|node| subtract(&mut amounts[*node as usize], amount));
            }
        }
        amounts
    }
}

/// Returns the area between the volumes of the two nodes of each edge. Each tetrahedron contains two triangles of this
/// area, from the middle of the edge over the middles of two faces to the middle of the tetrahedron.
fn areas(mesh: &Mesh) -> Vec<Vector> {
    let mut areas = vec![[0.0; 3]; mesh.edges.len()];
    for corners in &mesh.tetrahedra {
        let points = corners.map(|node| mesh.coordinates[node as usize]);
        for [a, b, c, d] in EDGE_CORNERS {
            let middle = mean([points[a], points[b]]);
            let first_middle = mean([points[a], points[b], points[c]]);
            let second_middle = mean([points[a], points[b], points[d]]);
            let area = cross_product(difference(mean(points), middle), difference(second_middle, first_middle))
                .map(|component| component / 2.0);
            let (first, second) = (corners[a].min(corners[b]), corners[a].max(corners[b]));
            let edge =
                mesh.edges.binary_search(&[first, second]).expect("an edge of a tetrahedron is an edge of the mesh");
            let sign = if corners[a] == first { 1.0 } else { -1.0 };
            (0..3).for_each(|axis| areas[edge][axis] += sign * area[axis]);
        }
    }
    areas
}

/// Returns the volume of each node: a quarter of the volume of each tetrahedron that it belongs to.
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
        // The triangle has half the area of the cross product, and each node has a third of it.
        FluidFace {
            nodes: *nodes,
            area: cross_product(difference(b, a), difference(c, a)).map(|component| (component / 6.0) as f32),
        }
    })
}

/// Returns the longest time step that is stable for every volume.
fn stable_time_step(mesh: &Mesh, areas: &[Vector], volumes: &[f64]) -> f64 {
    let mut rates = vec![0.0; volumes.len()];
    for ([one, other], area) in mesh.edges.iter().zip(areas) {
        let offset = difference(mesh.coordinates[*one as usize], mesh.coordinates[*other as usize]);
        let rate = length(*area) * (2.0 * SPEED_MAX + VISCOSITY / length(offset));
        rates[*one as usize] += rate;
        rates[*other as usize] += rate;
    }
    let time_steps = volumes.iter().zip(&rates).map(|(volume, rate)| COURANT * volume / rate);
    time_steps.fold(f64::INFINITY, f64::min)
}
