//! The problem: a cube of liquid, periodic in all directions.
//!
//! The unit of length is the size of a particle, and the unit of energy is the depth of its potential well. The unit of
//! time is such that the force between two particles is r⁻¹³ - r⁻⁷/2, and the kinetic energy 24 v². The defaults are
//! those of the public program for 2048 particles; Alewife's version has lists with a range of twice the cut-off
//! instead.

use super::fixed::Vector;
use crate::engine::rng::{self, RandomStream};
use rand::RngExt;

/// The parameters of the liquid.
#[derive(Clone, Debug)]
pub struct Liquid {
    /// Number of unit cells of the lattice along a side, with four particles each; at least one.
    pub cells_per_side: usize,
    /// Number of particles in a unit of volume.
    pub density: f64,
    /// Initial temperature.
    pub temperature: f64,
    /// Cut-off distance of forces.
    pub cutoff: f64,
    /// Range of pair lists, as a multiple of the cut-off distance.
    pub list_reach: f64,
    /// Iterations between two builds of the lists; at least one.
    pub list_every: u64,
    /// Length of a time step.
    pub time_step: f64,
}

impl Default for Liquid {
    fn default() -> Liquid {
        Liquid {
            cells_per_side: 8,
            density: 0.83134,
            temperature: 0.722,
            cutoff: 3.5,
            list_reach: 1.2,
            list_every: 20,
            time_step: 0.016,
        }
    }
}

/// The state of all particles, by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Molecules {
    /// Positions.
    pub positions: Vec<Vector>,
    /// Velocities.
    pub velocities: Vec<Vector>,
}

impl Liquid {
    /// Returns the number of particles.
    pub fn particle_count(&self) -> usize {
        4 * self.cells_per_side * self.cells_per_side * self.cells_per_side
    }

    /// Returns the side of the cube.
    pub fn side(&self) -> f64 {
        libm::cbrt(self.particle_count() as f64 / self.density)
    }

    /// Returns the square of the cut-off. The cut-off is at most half the side, so that each particle has one nearest
    /// image within it.
    pub fn cutoff_squared(&self) -> f64 {
        let cutoff = self.cutoff.min(self.side() / 2.0);
        cutoff * cutoff
    }

    /// Returns the square of the range of lists.
    pub fn list_range_squared(&self) -> f64 {
        let range = (self.cutoff * self.list_reach).min(self.side() / 2.0);
        range * range
    }

    /// Returns the initial state: a face-centred lattice, with velocities drawn from a seed.
    pub fn initial_state(&self, seed: u64) -> Molecules {
        Molecules { positions: self.lattice(), velocities: self.velocities(seed) }
    }

    fn lattice(&self) -> Vec<Vector> {
        let (cells, edge) = (self.cells_per_side, self.side() / self.cells_per_side as f64);
        let corners =
            (0..cells * cells * cells).map(|cell| [cell / (cells * cells), cell / cells % cells, cell % cells]);
        let faces = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
        let cell_particles =
            |corner: [usize; 3]| faces.map(|face| [0, 1, 2].map(|axis| (corner[axis] as f64 + face[axis]) * edge));
        corners.flat_map(cell_particles).collect()
    }

    /// Draws Maxwellian velocities with a mean of zero, scaled to the stated temperature exactly.
    fn velocities(&self, seed: u64) -> Vec<Vector> {
        let mut random = rng::stream(seed, "velocities of molecules");
        let particles = self.particle_count();
        let mut velocities: Vec<Vector> = (0..particles).map(|_| [(); 3].map(|()| draw_normal(&mut random))).collect();
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

/// Draws a number of the standard normal distribution (Box and Muller's method).
fn draw_normal(random: &mut RandomStream) -> f64 {
    let (radius, angle) = (random.random::<f64>(), random.random::<f64>());
    (-2.0 * libm::log(1.0 - radius)).sqrt() * libm::cos(2.0 * std::f64::consts::PI * angle)
}
