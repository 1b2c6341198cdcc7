//! A gas in a box of cells: its initial state, and its state after a serial run.

use super::collide::{Collisions, collide};
use super::flow::{self, CellState};
use super::molecule::{Molecule, cell_at};
use crate::engine::rng::{self, RandomStream};
use crate::text::Parameters;
use rand::{RngExt, SeedableRng};

/// The size of a gas. The default is that of the paper. (Chosen: the box has 30 by 18 by 18 cells; the paper has only
/// the number of cells.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct GasSize {
    /// Cells of the box along x, y and z.
    #[param(each(min = 1, max = 1000), default = [30, 18, 18], check = too_many_cells)]
    pub cells: [usize; 3],
    /// Number of molecules, spread evenly over all cells.
    #[param(min = 1, max = 10_000_000, default = 48_600)]
    pub molecules: usize,
}

fn too_many_cells(cells: &[usize; 3]) -> Option<(String, &'static str)> {
    let cells_max = 1_000_000;
    let is_large = cells.iter().product::<usize>() > cells_max;
    is_large.then(|| (format!("the box has at most {cells_max} cells"), "choose fewer along an axis"))
}

/// A gas.
#[derive(Clone, Debug)]
pub struct Gas {
    /// Size of the gas.
    pub size: GasSize,
    /// Seed of the generators of all cells.
    collision_seed: u64,
    /// Initial molecules, in the order of their numbers.
    pub(super) molecules: Vec<Molecule>,
}

/// Standard deviation of each component of initial velocity, in cells per step (chosen so that few molecules skip a
/// cell).
pub(super) const SPEED_STD_DEV: f64 = 0.2;
/// Mean velocity along x, in cells per step (chosen).
const MEAN_VELOCITY_X: f64 = 0.3;

impl GasSize {
    /// Returns the number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Returns the middle of each cell, for a partition.
    pub fn centres(&self) -> Vec<[f64; 3]> {
        let [width, depth, _] = self.cells;
        let indices_of = |cell: usize| [cell % width, cell / width % depth, cell / width / depth];
        (0..self.cell_count())
            .map(|cell| indices_of(cell).map(|index_along_axis| index_along_axis as f64 + 0.5))
            .collect()
    }
}

impl Gas {
    /// Creates a gas in equilibrium, drawn from the seed, with its molecules spread evenly over the cells.
    pub fn new(size: GasSize, seed: u64) -> Gas {
        Gas::with_velocities(size, seed, |random| {
            let [u, v, w] = [(); 3].map(|()| SPEED_STD_DEV * draw_normal(random));
            [(MEAN_VELOCITY_X + u) as f32, v as f32, w as f32]
        })
    }

    /// Creates a gas whose velocities are drawn by `velocity`.
    pub(super) fn with_velocities(
        size: GasSize,
        seed: u64,
        mut velocity: impl FnMut(&mut RandomStream) -> [f32; 3],
    ) -> Gas {
        assert!(
            size.cell_count() > 0 && size.molecules <= u32::MAX as usize,
            "a gas has at least one cell, and at most 2³² - 1 molecules"
        );
        let mut random = rng::stream(seed, "gas at first");
        let [width, depth, _] = size.cells;
        let molecules = (0..size.molecules).map(|number| {
            let cell_number = number % size.cell_count();
            let cell_indices = [cell_number % width, cell_number / width % depth, cell_number / width / depth];
            let position = cell_indices.map(|index| {
                let coordinate = index as f32 + random.random::<f32>();
                coordinate.min((index as f32 + 1.0).next_down())
            });
            let velocity = velocity(&mut random);
            Molecule { number: number as u32, cell: cell_at(position, size.cells), position, velocity }
        });
        let molecules = molecules.collect();
        Gas { size, collision_seed: rng::stream(seed, "collisions").random(), molecules }
    }

    /// Returns the random generator of a cell in an iteration, which is cheap to seed.
    pub(super) fn cell_random(&self, cell: u32, iteration: u64) -> RandomStream {
        RandomStream::seed_from_u64(self.collision_seed ^ (iteration << 32 | u64::from(cell)))
    }

    /// Runs the program on one processor. Returns the molecules in the order of their numbers, the counts of
    /// collisions, and the dissipation of each cell.
    pub fn run_serially(&self, iterations: u64) -> (Vec<Molecule>, Collisions, Vec<f64>) {
        let mut molecules = self.molecules.clone();
        let mut dissipation = vec![0.0; self.size.cell_count()];
        let mut collisions = Collisions::default();
        for iteration in 0..iterations {
            molecules.iter_mut().for_each(|molecule| molecule.advance(self.size.cells));
            // Within each cell, molecules are in the order of their numbers.
            molecules.sort_unstable_by_key(|molecule| (molecule.cell, molecule.number));
            let mut states = vec![CellState::default(); self.size.cell_count()];
            for cell_molecules in molecules.chunk_by_mut(|one, next| one.cell == next.cell) {
                let cell = cell_molecules[0].cell;
                collisions.add(collide(cell_molecules, &mut self.cell_random(cell, iteration)));
                states[cell as usize] = flow::cell_state(cell_molecules);
            }
            for (cell, cell_sum) in (0..).zip(&mut dissipation) {
                *cell_sum += flow::dissipation(cell, self.size.cells, |other| states[other as usize]);
            }
        }
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        (molecules, collisions, dissipation)
    }
}

impl Collisions {
    pub(super) fn add(&mut self, other: Collisions) {
        self.pairs += other.pairs;
        self.collided_pairs += other.collided_pairs;
    }
}

/// Draws a number of the standard normal distribution (Marsaglia and Bray 1964).
fn draw_normal(random: &mut RandomStream) -> f64 {
    loop {
        let (u, v) = (2.0 * random.random::<f64>() - 1.0, 2.0 * random.random::<f64>() - 1.0);
        let squared_radius = u * u + v * v;
        if squared_radius > 0.0 && squared_radius < 1.0 {
            return u * (-2.0 * libm::log(squared_radius) / squared_radius).sqrt();
        }
    }
}
