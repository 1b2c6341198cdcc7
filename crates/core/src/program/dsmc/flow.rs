//! The flow of the gas: number of molecules and mean velocity of each cell, and the gradients between cells.
//!
//! The state of a cell consists of four single-precision numbers. Its processor computes it after the collisions, and
//! the processors of adjacent cells read it. The result is, for each cell, the sum over iterations of the squares of
//! all gradients of the mean velocity. This sum is proportional to the viscous dissipation, which determines the
//! refinement of cells in practice (Bird 1994, §14).

use super::molecule::Molecule;

/// The number of molecules of a cell, and their mean velocity.
pub type CellState = [f32; 4];

/// Bytes of a cell's state.
pub const STATE_BYTES: u32 = 16;

/// Returns the state of a cell, whose molecules are in the order of their numbers.
pub fn cell_state(molecules: &[Molecule]) -> CellState {
    let mut sums = [0.0; 3];
    for molecule in molecules {
        (0..3).for_each(|axis| sums[axis] += f64::from(molecule.velocity[axis]));
    }
    let count = molecules.len() as f64;
    let [u, v, w] = sums.map(|sum| if molecules.is_empty() { 0.0 } else { sum / count });
    [count, u, v, w].map(|value| value as f32)
}

/// Returns the words of a state in memory.
pub fn state_words(state: CellState) -> [u64; 2] {
    let [count, u, v, w] = state.map(|value| u64::from(value.to_bits()));
    [count | u << 32, v | w << 32]
}

/// Returns the state that words of memory hold.
pub fn state_from_words(words: [u64; 2]) -> CellState {
    let floats = |word: u64| [word as u32, (word >> 32) as u32].map(f32::from_bits);
    let ([count, u], [v, w]) = (floats(words[0]), floats(words[1]));
    [count, u, v, w]
}

/// Returns the cells before and after a cell along each axis. The box is periodic along x; there is no cell beyond the
/// other walls.
pub fn adjacent_cells(cell: u32, [width, depth, height]: [usize; 3]) -> [[Option<u32>; 2]; 3] {
    let cell = cell as usize;
    let indices = [cell % width, cell / width % depth, cell / width / depth];
    let number = |[x, y, z]: [usize; 3]| ((z * depth + y) * width + x) as u32;
    let cell_at = |axis: usize, index: Option<usize>| {
        index.map(|index| number(std::array::from_fn(|other| if other == axis { index } else { indices[other] })))
    };
    let bounded_sides = |axis: usize, length: usize| {
        [indices[axis].checked_sub(1), Some(indices[axis] + 1).filter(|index| *index < length)]
            .map(|index| cell_at(axis, index))
    };
    let periodic_sides =
        [(indices[0] + width - 1) % width, (indices[0] + 1) % width].map(|index| cell_at(0, Some(index)));
    [periodic_sides, bounded_sides(1, depth), bounded_sides(2, height)]
}

/// Returns the sum of the squares of all gradients of the mean velocity at a cell, from the states of all cells.
pub fn dissipation(cell: u32, size: [usize; 3], state: impl Fn(u32) -> CellState) -> f64 {
    let mut sum = 0.0;
    for sides in adjacent_cells(cell, size) {
        let [state_before, state_after] = sides.map(|side| state(side.unwrap_or(cell)));
        // The gradient is half the difference across two cells. Beyond a wall, the state is that at the wall.
        for axis in 1..4 {
            let gradient = (f64::from(state_after[axis]) - f64::from(state_before[axis])) / 2.0;
            sum += gradient * gradient;
        }
    }
    sum
}
