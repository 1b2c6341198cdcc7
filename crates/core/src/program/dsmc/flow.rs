//! The flow that molecules make: how many are in a cell, how fast they go in the mean, and how that differs from
//! cell to cell.
//!
//! A cell's state is four numbers of single precision, as those of molecules are, which its processor makes after the collisions and others read who have a
//! cell beside it. What comes of them is the sum over iterations of the square of all gradients of the mean velocity
//! (what viscosity dissipates, but for a factor), by which cells are refined in practice (Bird 1994, §14).

use super::molecule::Molecule;

/// How many molecules a cell has, and their mean velocity.
pub type CellState = [f32; 4];

/// Bytes of it.
pub const STATE_BYTES: u32 = 16;

/// The state of a cell, whose molecules are in the order of their numbers.
pub fn state(molecules: &[Molecule]) -> CellState {
    let mut sums = [0.0; 3];
    for molecule in molecules {
        (0..3).for_each(|axis| sums[axis] += f64::from(molecule.velocity[axis]));
    }
    let count = molecules.len() as f64;
    let [u, v, w] = sums.map(|sum| if molecules.is_empty() { 0.0 } else { sum / count });
    [count, u, v, w].map(|value| value as f32)
}

/// A state as it lies in memory.
pub fn words(state: CellState) -> [u64; 2] {
    let [count, u, v, w] = state.map(|value| u64::from(value.to_bits()));
    [count | u << 32, v | w << 32]
}

/// As it was read.
pub fn of_words(words: [u64; 2]) -> CellState {
    let of = |word: u64| [word as u32, (word >> 32) as u32].map(f32::from_bits);
    let ([count, u], [v, w]) = (of(words[0]), of(words[1]));
    [count, u, v, w]
}

/// The cells before and behind a cell along each axis: round the box along x; at walls there is none.
pub fn beside(cell: u32, [wide, deep, high]: [usize; 3]) -> [[Option<u32>; 2]; 3] {
    let cell = cell as usize;
    let at = [cell % wide, cell / wide % deep, cell / wide / deep];
    let number = |[x, y, z]: [usize; 3]| ((z * deep + y) * wide + x) as u32;
    let along = |axis: usize, to: Option<usize>| {
        to.map(|to| number(std::array::from_fn(|of| if of == axis { to } else { at[of] })))
    };
    let inside = |axis: usize, length: usize| {
        [at[axis].checked_sub(1), Some(at[axis] + 1).filter(|to| *to < length)].map(|to| along(axis, to))
    };
    let round = [(at[0] + wide - 1) % wide, (at[0] + 1) % wide].map(|to| along(0, Some(to)));
    [round, inside(1, deep), inside(2, high)]
}

/// The sum of the squares of all gradients of the mean velocity at a cell, from the states of all cells.
pub fn dissipation(cell: u32, size: [usize; 3], of: impl Fn(u32) -> CellState) -> f64 {
    let mut sum = 0.0;
    for sides in beside(cell, size) {
        let [before, behind] = sides.map(|side| of(side.unwrap_or(cell)));
        // Half the difference over two cells; at a wall the state goes on behind it.
        for axis in 1..4 {
            let gradient = (f64::from(behind[axis]) - f64::from(before[axis])) / 2.0;
            sum += gradient * gradient;
        }
    }
    sum
}
