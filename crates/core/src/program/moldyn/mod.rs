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
//! In an iteration, each processor moves its own particles, which writes their positions, and enters a barrier. Every
//! `list_every` iterations, each processor builds the list of its pairs, which reads all positions. Each processor then
//! computes the forces of its pairs, which reads its partners' positions, into a private array over all particles. The
//! ring adds these arrays up, and each processor kicks its own particles. A segment of the sum passes all processors
//! before it returns to its owner. When a processor has its segment, all others have therefore read the positions, so
//! the ring is also a barrier.
//!
//! Alewife's versions have no ring (`exchange`). The processor that computes a pair returns the forces on others'
//! particles: by messages, in bulk or of two particles each (`sending.rs`), or by updates of shared memory
//! (`shared.rs`).
//!
//! Forces and energies are added in fixed point, which is exact. The result is therefore the same, bit for bit, for any
//! order of pairs and sums, any number of processors and any partition. (With floating-point sums in the order of the
//! ring, the serial run would depend on the number of processors; and if forces were transferred in bulk, as in
//! Alewife's version, it would depend on the order of arrival.)
//!
//! The module leaves out rescaling of velocities, the virial, and the output of the program.

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
