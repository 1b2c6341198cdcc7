//! Dsmc: direct simulation Monte Carlo of a gas (Bird 1994; Mukherjee et al. 1995; Mukherjee and Hill 1998,
//! Table 4).
//!
//! | file | holds |
//! |---|---|
//! | `molecule.rs` | a molecule, its flight, and how it travels between processors |
//! | `collide.rs` | the collisions of a cell |
//! | `flow.rs` | the flow that molecules make, and its gradients |
//! | `gas.rs` | the box, the gas at first, and a serial run |
//! | `share.rs` | a processor's cells, and what messages do to them |
//! | `run.rs` | parameters, the program of a processor, the check of the result |
//!
//! An iteration: every molecule flies for a step, round a box that is periodic along x and has smooth
//! walls along y and z; those that came into a cell of another processor are handed over, a message of 32
//! bytes each (with a header of 12 the paper's 44); then the molecules of each cell collide, in
//! pairs drawn without time counter (Bird's NTC, hard spheres). Lengths are in edges of a cell, times in steps.
//!
//! Then each processor puts the states of its cells where all can read them, in its own memory; and after a barrier
//! reads those of cells beside its own, for the gradients of the flow. (Chosen: Table 4 has as many blocks of shared
//! memory travel as molecules; the paper does not say what is in them.)
//!
//! **Bit-equal** to the serial run for any partition and order: flights do not touch each other; before
//! they collide, a cell's molecules are put in the order of their numbers, and pairs are drawn from a
//! generator of that cell and iteration, from the seed. It costs sorting, about a comparison for each molecule.
//!
//! **In parallel** nobody knows beforehand how many molecules come. A processor must be told how many it
//! was sent in this iteration ([`GasShare::sent`]) before it collides, by each of the others: a message of 4 bytes
//! (with a header the paper's 12); that also keeps them within an iteration of each other, and two lists take what
//! comes early. In the end collisions are counted by a reduction.
//!
//! Leaves out: bodies in the flow, means over time, moving cells between processors, inner energies.

mod collide;
mod flow;
mod gas;
mod molecule;
mod run;
mod share;
#[cfg(test)]
mod tests;

pub use collide::Collisions;
pub use flow::CellState;
pub use gas::{Gas, GasSize};
pub use molecule::Molecule;
pub use run::Dsmc;
pub use share::GasShare;

/// Iterations of the paper.
const ITERATIONS: u64 = 20;

/// Instructions to move a molecule. Loads (8): its words. Stores (8): these, in its new cell. Floating-point
/// (15): three additions, six comparisons with the box, three conversions to cells, three through memory.
/// Others (16): the cell of three numbers (4), its owner (3), a place in its list (6), three of the loop.
/// (Chosen: counted by hand, of an in-order processor; that operands hit the cache is for the simulator to
/// know.)
const MOVE_INSTRUCTIONS: u64 = 8 + 8 + 15 + 16;
/// Instructions to put a molecule that came into its cell: eight loads, eight stores, a place in the list.
/// (Chosen, as for moving.)
const TAKE_INSTRUCTIONS: u64 = 8 + 8 + 6;
/// Instructions to put a molecule in the order of its cell: with some five to a cell and most in order, a
/// comparison and a half, each of two loads and three others, and moving one in four of 16. (Chosen, as for moving.)
const SORT_INSTRUCTIONS: u64 = 12;
/// Instructions of a cell, beside: the generator's state from seed, cell and iteration (20:
/// some rounds of mixing), how many pairs (12), the loop (6). (Chosen, as for moving.)
const CELL_INSTRUCTIONS: u64 = 20 + 12 + 6;
/// Instructions to add a molecule to its cell's state: three loads, conversions and additions, three of the loop.
/// (Chosen, as for moving.)
const STATE_INSTRUCTIONS: u64 = 3 + 3 + 3 + 3;
/// Instructions of a cell's gradients: three divisions for its mean (16 each), eighteen loads, nine differences,
/// halves, squares and sums, twelve of addresses, four of the loop. (Chosen, as for moving.)
const GRADIENT_INSTRUCTIONS: u64 = 48 + 18 + 36 + 12 + 4;
/// Instructions to draw a pair: three random numbers (10 each), six loads of velocities, a difference, its
/// square and root (9, the root counted as 10 more), addresses, a comparison, the loop (10). (Chosen, as for
/// moving.)
const PAIR_INSTRUCTIONS: u64 = 30 + 6 + 9 + 10 + 10;
/// Instructions of a collision: a direction (2.5 random numbers of 10, a dozen operations, a root of 10),
/// the middle and half the difference (12), new velocities (6), six stores. (Chosen, as for moving.)
const COLLISION_INSTRUCTIONS: u64 = 25 + 12 + 10 + 12 + 6 + 6;
