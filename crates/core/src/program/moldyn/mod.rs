//! Moldyn: molecular dynamics of a Lennard-Jones liquid (Mukherjee and Hill 1998, Table 4; Chong et al.
//! 1998, §4.4).
//!
//! | file | holds |
//! |---|---|
//! | `liquid.rs` | the problem: parameters, the lattice, Maxwellian velocities |
//! | `fixed.rs` | sums that do not depend on their order |
//! | `pairs.rs` | lists of interacting pairs, and their forces |
//! | `motion.rs` | the motion of a particle under forces |
//! | `split.rs` | the particles of each processor, and the ring that reduces forces |
//! | `serial.rs` | the run on one processor |
//! | `costs.rs` | instructions of each piece |
//! | `run.rs` | parameters, the program of a processor with a ring, the check of its result |
//! | `sending.rs` | the program that sends positions and forces |
//! | `shared.rs` | the program that has both in shared memory |
//!
//! In an iteration each processor moves its own particles (writes their positions); barrier; every `list_every`
//! iterations each processor builds the list of its pairs (reads all positions); each computes the forces of its pairs
//! (reads its partners' positions) into a private array over all particles; the ring adds these arrays up; each kicks
//! its own particles. A segment of the sum passes all processors before it returns to its owner, so a processor that
//! has its segment knows that all have read the positions: the ring is also a barrier.
//!
//! Alewife's versions have no ring (`exchange`): the processor that computes a pair returns the forces on others'
//! particles, by messages, in bulk or of two particles each (`sending.rs`), or by updates of shared memory
//! (`shared.rs`).
//!
//! Forces and energies are added in fixed point, exactly, so the result is bit for bit the same for any order of pairs
//! and sums, any number of processors and any partition. (Floating-point sums in the order of the ring would tie the
//! serial run to the number of processors, and bulk transfers of forces, as in Alewife's version, to the order of their
//! arrivals.)
//!
//! Leaves out rescaling of velocities, the virial, and the output of the program.

mod costs;
mod fixed;
mod liquid;
mod motion;
mod pairs;
mod run;
mod sending;
mod serial;
mod shared;
mod split;

#[cfg(test)]
mod tests;

pub use run::{Moldyn, MoldynExchange};
