//! Barnes: gravity among bodies by an octree (Barnes and Hut 1986; SPLASH-2; Mukherjee and Hill 1998, Table 4).
//!
//! | file | holds |
//! |---|---|
//! | `galaxy.rs` | the problem: parameters, Plummer's model, leapfrog |
//! | `octree.rs` | the tree |
//! | `access.rs` | what a piece reads and writes |
//! | `words.rs` | what the words of shared memory say |
//! | `memory.rs` | bodies and cells in shared memory |
//! | `insertion.rs` | a body is put into the tree, between locks |
//! | `moments.rs` | masses, centres and costs of cells |
//! | `zones.rs` | which bodies a processor has |
//! | `force.rs` | the force on a body |
//! | `serial.rs` | the run of one processor |
//! | `room.rs` | how many cells a processor makes at most |
//! | `costs.rs` | instructions of each piece |
//! | `run.rs` | the program of a processor |
//!
//! A step, with a barrier after each phase:
//!
//! 1. The greatest coordinate of all (a reduction, by maximum) gives the root cube; the first
//!    processor makes an empty root.
//! 2. Each processor inserts its own bodies, all into one tree, with a lock for each cell.
//! 3. Each makes the moments of the cells it made, latest first, and waits for those of their children. Nobody
//!    waits for ever: children are made after their parents, so a cell waits for later ones only.
//! 4. Each finds its bodies anew, by the costs of the last step.
//! 5. Forces on own bodies, whose costs change with that (hence the barrier before).
//! 6. Own bodies are moved.
//!
//! The answer is bit for bit that of a serial run, whoever inserts what, and when. A cell is divided if
//! more than eight bodies lie in its cube, whatever the order they came in; a leaf keeps its bodies in
//! the order of their numbers; moments are added in the order of octants, forces in that of a walk
//! through them. Only where cells lie in memory depends on the order, and so does time. (Morton-sorted
//! subtrees would need no locks, but a parallel sort in each step, and locks are what the program has.) Sides of cubes
//! are powers of two, so that halving them is exact.
//!
//! An insertion says each access before it uses what it reads. The other pieces read only what nobody changes meanwhile;
//! they give a list of their accesses, of eight bytes each, which costs less than a call for
//! each and can be waited for. Which cells and bodies a processor has follows from costs and places alone; a
//! serial run before tells how many cells it makes at most, so its array of them is never too short.
//!
//! Leaves out: quadrupole moments, input from files, and private data: lists of own bodies and cells, the stack.

mod access;
mod costs;
mod force;
mod galaxy;
mod insertion;
mod memory;
mod moments;
mod octree;
mod room;
mod run;
mod serial;
mod words;
mod zones;

#[cfg(test)]
mod tests;

pub use run::Barnes;
