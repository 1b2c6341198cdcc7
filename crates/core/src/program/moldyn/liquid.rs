//! The problem: a cube of liquid, periodic in all directions.
//!
//! Lengths are of the particles' size, energies of their well's depth; the unit of time makes the
//! force between two of them r⁻¹³ - r⁻⁷/2 (so a kinetic energy is 24 v²). The defaults are those of
//! the public program for 2048 particles; the lists of Alewife's reach twice the cut-off instead.

use super::fixed::Vector;
use crate::engine::rng::{self, RandomStream};
use rand::RngExt;

/// The parameters of the liquid.
#[derive(Clone, Debug)]
pub struct Liquid {
    /// Unit cells of the lattice along a side, of four particles each; one at least.
    pub cells: usize,
    /// Particles in a unit of volume.
    pub density: f64,
    /// The temperature at the beginning.
    pub temperature: f64,
    /// How far a force reaches.
    pub cutoff: f64,
    /// How far a list of pairs reaches, in cut-offs.
    pub list_reach: f64,
    /// Iterations from one making of the lists to the next; one at least.
    pub list_every: u64,
    /// The time of an iteration.
    pub step: f64,
}

impl Default for Liquid {
    fn default() -> Liquid {
        Liquid {
            cells: 8,
            density: 0.83134,
            temperature: 0.722,
            cutoff: 3.5,
            list_reach: 1.2,
            list_every: 20,
            step: 0.016,
        }
    }
}

/// Particles, by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Molecules {
    /// Where they are.
    pub positions: Vec<Vector>,
    /// How fast they move.
    pub velocities: Vec<Vector>,
}

impl Liquid {
    /// How many particles there are.
    pub fn particles(&self) -> usize {
        4 * self.cells * self.cells * self.cells
    }

    /// The side of the cube.
    pub fn side(&self) -> f64 {
        libm::cbrt(self.particles() as f64 / self.density)
    }

    /// The square of how far forces reach: at most half the cube, where each particle has one nearest image.
    pub fn cutoff_squared(&self) -> f64 {
        let cutoff = self.cutoff.min(self.side() / 2.0);
        cutoff * cutoff
    }

    /// The square of how far lists reach.
    pub fn list_squared(&self) -> f64 {
        let reach = (self.cutoff * self.list_reach).min(self.side() / 2.0);
        reach * reach
    }

    /// A face-centred lattice, with velocities drawn from a seed.
    pub fn begin(&self, seed: u64) -> Molecules {
        Molecules { positions: self.lattice(), velocities: self.velocities(seed) }
    }

    fn lattice(&self) -> Vec<Vector> {
        let (cells, edge) = (self.cells, self.side() / self.cells as f64);
        let corners =
            (0..cells * cells * cells).map(|cell| [cell / (cells * cells), cell / cells % cells, cell % cells]);
        let faces = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
        let of_cell =
            |corner: [usize; 3]| faces.map(|face| [0, 1, 2].map(|axis| (corner[axis] as f64 + face[axis]) * edge));
        corners.flat_map(of_cell).collect()
    }

    /// Those of Maxwell, with a mean of zero, and just so large that the temperature is as stated.
    fn velocities(&self, seed: u64) -> Vec<Vector> {
        let mut random = rng::stream(seed, "velocities of molecules");
        let particles = self.particles();
        let mut velocities: Vec<Vector> = (0..particles).map(|_| [(); 3].map(|()| normal(&mut random))).collect();
        for axis in 0..3 {
            let mean = velocities.iter().map(|velocity| velocity[axis]).sum::<f64>() / particles as f64;
            velocities.iter_mut().for_each(|velocity| velocity[axis] -= mean);
        }
        let squares: f64 = velocities.iter().flatten().map(|component| component * component).sum();
        let scale = (self.temperature * (particles as f64 - 1.0) / (16.0 * squares)).sqrt();
        velocities.iter_mut().flatten().for_each(|component| *component *= scale);
        velocities
    }
}

/// A number of the normal distribution (Box and Muller's method).
fn normal(random: &mut RandomStream) -> f64 {
    let (radius, angle) = (random.random::<f64>(), random.random::<f64>());
    (-2.0 * libm::log(1.0 - radius)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * angle)
}
