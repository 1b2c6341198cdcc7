//! Barnes: gravity among bodies by an octree (Barnes and Hut 1986; SPLASH-2; Mukherjee and Hill 1998, Table 4).
//!
//! | file | holds |
//! |---|---|
//! | `galaxy.rs` | the problem: parameters, Plummer's model, leapfrog |
//! | `octree.rs` | the tree |
//! | `access.rs` | an access to shared memory, and the instructions after it |
//! | `words.rs` | the encoding of bodies and cells in words of shared memory |
//! | `memory.rs` | bodies and cells in shared memory |
//! | `insertion.rs` | insertion of a body into the tree, under locks |
//! | `moments.rs` | masses, centres and costs of cells |
//! | `zones.rs` | the bodies of each processor |
//! | `force.rs` | the force on a body |
//! | `serial.rs` | the run on one processor |
//! | `cell_budget.rs` | the largest number of cells that a processor creates |
//! | `costs.rs` | number of instructions of each function |
//! | `run.rs` | the program of a processor |
//!
//! A step has these phases, with a barrier after each:
//!
//! 1. The greatest coordinate of all bodies (a reduction by maximum) determines the root cube. The first processor
//!    creates an empty root.
//! 2. Each processor inserts its own bodies. All are inserted into one tree, which has a lock for each cell.
//! 3. Each processor computes the moments of the cells that it created, the latest first, and waits for the moments of
//!    their children. This cannot deadlock: children are created after their parents, so a cell waits only for later
//!    ones.
//! 4. The bodies are divided among the processors again, by the costs of the last step.
//! 5. Each processor computes the forces on its bodies. This changes their costs, so a barrier must precede it.
//! 6. Each processor moves its bodies.
//!
//! The result equals that of a serial run bit for bit, whatever the order of insertions. A cell is divided if more than
//! eight bodies are in its cube, whatever the order in which they were inserted. A leaf keeps its bodies in the order
//! of their numbers. Moments are added in the order of octants, and forces in the order of a walk through the octants.
//! The addresses of cells and the simulated time do depend on the order. Sides of cubes are powers of two, so halving
//! them is exact. The tree is built under locks because the original program does so; subtrees sorted by Morton order
//! would need no locks, but a parallel sort in each step.
//!
//! Insertions change shared cells, so each of their accesses is simulated when its value is used. All other functions
//! read only values that no processor changes in the same phase. They compute first, and return a list of their
//! accesses, each of eight bytes; the list is then simulated as a whole. This is faster than one call for each access.
//! The bodies and cells of a processor depend on costs and positions alone. A serial run before the parallel one
//! therefore determines the largest number of cells that each processor creates, which is the length of its array.
//!
//! The module leaves out quadrupole moments, input from files, and private data, such as the stack and the lists of own
//! bodies and cells.

mod access;
mod cell_budget;
mod costs;
mod force;
mod galaxy;
mod insertion;
mod memory;
mod moments;
mod octree;
mod run;
mod serial;
mod words;
mod zones;

#[cfg(test)]
mod tests;

pub use run::Barnes;
