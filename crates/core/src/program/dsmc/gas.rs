//! A gas in a box of cells: at first, and after a serial run.

use super::collide::{Collisions, collide};
use super::flow::{self, CellState};
use super::molecule::{Molecule, cell};
use crate::engine::rng::{self, RandomStream};
use crate::text::Parameters;
use rand::{RngExt, SeedableRng};

/// How large a gas is; by default that of the paper. (Chosen: the box is 18 by 18 by 30; the paper has the number of cells.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct GasSize {
    /// Cells of the box along x, y and z.
    #[param(each(min = 1, max = 1000), default = [30, 18, 18], check = too_many_cells)]
    pub cells: [usize; 3],
    /// Molecules at first, as many in each cell as in the others but for one.
    #[param(min = 1, max = 10_000_000, default = 48_600)]
    pub molecules: usize,
}

fn too_many_cells(cells: &[usize; 3]) -> Option<(String, &'static str)> {
    let most = 1_000_000;
    let is_large = cells.iter().product::<usize>() > most;
    is_large.then(|| (format!("a box has at most {most} cells"), "choose fewer along an axis"))
}

/// A gas.
#[derive(Clone, Debug)]
pub struct Gas {
    /// How large it is.
    pub size: GasSize,
    /// What all draws of collisions begin with.
    key: u64,
    /// At first, in the order of their numbers.
    pub(super) molecules: Vec<Molecule>,
}

/// The standard deviation of each velocity at first, in cells a step (chosen: few molecules pass a cell unseen).
pub(super) const SPEED: f64 = 0.2;
/// The wind along x (chosen).
const WIND: f64 = 0.3;

impl GasSize {
    /// How many cells it has.
    pub fn cells(&self) -> usize {
        self.cells.iter().product()
    }

    /// The middle of each cell, for a partition.
    pub fn centres(&self) -> Vec<[f64; 3]> {
        let [wide, deep, _] = self.cells;
        let place = |cell: usize| [cell % wide, cell / wide % deep, cell / wide / deep];
        (0..self.cells()).map(|cell| place(cell).map(|at| at as f64 + 0.5)).collect()
    }
}

impl Gas {
    /// A gas in equilibrium, drawn from the seed, with as many molecules in each cell as in the others
    /// but for one.
    pub fn new(size: GasSize, seed: u64) -> Gas {
        Gas::with(size, seed, |random| {
            let [u, v, w] = [(); 3].map(|()| SPEED * normal(random));
            [(WIND + u) as f32, v as f32, w as f32]
        })
    }

    /// A gas of such velocities.
    pub(super) fn with(size: GasSize, seed: u64, mut velocity: impl FnMut(&mut RandomStream) -> [f32; 3]) -> Gas {
        assert!(size.cells() > 0 && size.molecules <= u32::MAX as usize, "a gas has cells, and 32 bits to number it");
        let mut random = rng::stream(seed, "gas at first");
        let [wide, deep, _] = size.cells;
        let molecules = (0..size.molecules).map(|number| {
            let of = number % size.cells();
            let corner = [of % wide, of / wide % deep, of / wide / deep];
            let position = corner.map(|at| {
                let within = at as f32 + random.random::<f32>();
                within.min((at as f32 + 1.0).next_down())
            });
            let velocity = velocity(&mut random);
            Molecule { number: number as u32, cell: cell(position, size.cells), position, velocity }
        });
        let molecules = molecules.collect();
        Gas { size, key: rng::stream(seed, "collisions").random(), molecules }
    }

    /// What is drawn in a cell in an iteration: a generator of its own, which is cheap to begin.
    pub(super) fn random(&self, cell: u32, iteration: u64) -> RandomStream {
        RandomStream::seed_from_u64(self.key ^ (iteration << 32 | u64::from(cell)))
    }

    /// What one processor alone makes of it: the molecules in the order of their numbers, what collided, and by cell
    /// what dissipated.
    pub fn serial(&self, iterations: u64) -> (Vec<Molecule>, Collisions, Vec<f64>) {
        let mut molecules = self.molecules.clone();
        let mut dissipated = vec![0.0; self.size.cells()];
        let mut sum = Collisions::default();
        for iteration in 0..iterations {
            molecules.iter_mut().for_each(|molecule| molecule.fly(self.size.cells));
            // In the order of numbers within each cell.
            molecules.sort_unstable_by_key(|molecule| (molecule.cell, molecule.number));
            let mut states = vec![CellState::default(); self.size.cells()];
            for of_cell in molecules.chunk_by_mut(|one, next| one.cell == next.cell) {
                let cell = of_cell[0].cell;
                sum.add(collide(of_cell, &mut self.random(cell, iteration)));
                states[cell as usize] = flow::state(of_cell);
            }
            for (cell, sum) in (0..).zip(&mut dissipated) {
                *sum += flow::dissipation(cell, self.size.cells, |other| states[other as usize]);
            }
        }
        molecules.sort_unstable_by_key(|molecule| molecule.number);
        (molecules, sum, dissipated)
    }
}

impl Collisions {
    pub(super) fn add(&mut self, other: Collisions) {
        self.pairs += other.pairs;
        self.collided += other.collided;
    }
}

/// A number of the normal distribution (Marsaglia and Bray 1964).
fn normal(random: &mut RandomStream) -> f64 {
    loop {
        let (u, v) = (2.0 * random.random::<f64>() - 1.0, 2.0 * random.random::<f64>() - 1.0);
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}
