//! Dsmc: direct simulation Monte Carlo of a gas (Bird 1994; Mukherjee et al. 1995; Mukherjee and Hill 1998,
//! Table 4).
//!
//! | file | holds |
//! |---|---|
//! | `molecule.rs` | a molecule, its movement, and its encoding in messages |
//! | `collide.rs` | the collisions of a cell |
//! | `flow.rs` | the flow of the gas, and its gradients |
//! | `gas.rs` | the box, the initial gas, and a serial run |
//! | `share.rs` | the cells of a processor, and the molecules that enter and leave them |
//! | `run.rs` | parameters, the program of a processor, the check of the result |
//!
//! In an iteration every molecule first moves for one time step in a box that is periodic along x and has smooth walls
//! along y and z. Molecules that entered a cell of another processor are then sent to that processor, in a message of
//! 32 bytes each (44 in the paper, with a header of 12). Then the molecules of each cell collide, in pairs drawn by
//! Bird's no-time-counter method for hard spheres. The unit of length is the edge of a cell, and the unit of time is a
//! step.
//!
//! Then each processor writes the states of its cells to its own part of shared memory, and after a barrier reads the
//! states of adjacent cells to compute the gradients of the flow. (Chosen: in Table 4, the number of blocks of shared
//! memory that travel equals that of molecules; the paper does not state what the blocks hold.)
//!
//! **The result is bit-equal** to that of the serial run for any partition and order of execution. The movements of
//! molecules are independent. Before collisions, a cell's molecules are sorted by their numbers, and pairs are drawn
//! from a generator seeded with the cell, the iteration and the seed of the run. Sorting costs about one comparison for
//! each molecule.
//!
//! **In parallel**, no processor knows in advance how many molecules it will receive. Each processor therefore reports
//! to each other processor how many molecules it has sent to it in this iteration ([`GasShare::sent_counts`]), in a
//! message of 4 bytes (12 in the paper, with a header). A processor waits for these reports, and for the molecules,
//! before it collides its molecules. The reports also keep processors within one iteration of each other, so two lists
//! suffice for molecules that arrive early. At the end, a reduction adds up the collisions.
//!
//! The module leaves out bodies in the flow, averages over time, load balancing of cells, internal energies.

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

/// Number of iterations in the paper.
const ITERATIONS: u64 = 20;

/// Instructions to move a molecule. Loads (8): its words. Stores (8): the same words, in its new cell. Floating-point
/// (15): three additions, six comparisons with the box, three conversions to cells, three moves through memory. Others
/// (16): the cell from three numbers (4), its owner (3), an index in its list (6), three for the loop. (Chosen: counted
/// by hand for an in-order processor; cache misses are left to the simulator.)
const MOVE_INSTRUCTIONS: u64 = 8 + 8 + 15 + 16;
/// Instructions to put an arrived molecule into its cell: eight loads, eight stores, and an index in the list. (Chosen,
/// as for moving.)
const RECEIVE_INSTRUCTIONS: u64 = 8 + 8 + 6;
/// Instructions to sort a molecule into its cell. With about five molecules in a cell and most of them in order, there
/// are one and a half comparisons, each with two loads and three other instructions, and one in four molecules is
/// moved, with 16. (Chosen, as for moving.)
const SORT_INSTRUCTIONS: u64 = 12;
/// Further instructions of a cell: the generator's state from seed, cell and iteration (20, for some rounds of mixing),
/// the number of pairs (12), the loop (6). (Chosen, as for moving.)
const CELL_INSTRUCTIONS: u64 = 20 + 12 + 6;
/// Instructions to add a molecule to its cell's state: three loads, conversions and additions each, and three for the
/// loop. (Chosen, as for moving.)
const STATE_INSTRUCTIONS: u64 = 3 + 3 + 3 + 3;
/// Instructions of a cell's gradients: three divisions for its mean (16 each), eighteen loads, nine differences,
/// halves, squares and sums each, twelve for addresses, four for the loop. (Chosen, as for moving.)
const GRADIENT_INSTRUCTIONS: u64 = 48 + 18 + 36 + 12 + 4;
/// Instructions to draw a pair: three random numbers (10 each), six loads of velocities, a difference, its square and
/// root (9, plus 10 for the root), addresses, a comparison, and the loop (10). (Chosen, as for moving.)
const PAIR_INSTRUCTIONS: u64 = 30 + 6 + 9 + 10 + 10;
/// Instructions of a collision: a direction (2.5 random numbers of 10, a dozen operations, a root of 10), the mean and
/// half the difference of the velocities (12), new velocities (6), six stores. (Chosen, as for moving.)
const COLLISION_INSTRUCTIONS: u64 = 25 + 12 + 10 + 12 + 6 + 6;
