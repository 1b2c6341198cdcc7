//! Moldyn: molecular dynamics of a Lennard-Jones liquid (Mukherjee and Hill 1998, Table 4; Chong et al.
//! 1998, §4.4).
//!
//! | file | holds |
//! |---|---|
//! | `liquid.rs` | the problem: parameters, the lattice, Maxwellian velocities |
//! | `fixed.rs` | sums that do not depend on their order |
//! | `pairs.rs` | lists of interacting pairs, and their forces |
//! | `motion.rs` | what forces do to a particle |
//! | `split.rs` | which particles a processor has, and the ring that adds forces up |
//! | `serial.rs` | the run of one processor |
//! | `costs.rs` | instructions of each piece |
//! | `run.rs` | parameters, the program of a processor with a ring, the check of its answer |
//! | `sending.rs` | the program that sends positions and forces |
//! | `shared.rs` | the program that has both in shared memory |
//!
//! An iteration: each processor moves its own particles (writes their positions); barrier; every
//! `list_every` iterations each builds the list of its pairs (reads all positions); each computes the forces of
//! its pairs (reads its partners' positions) into an array of its own over all particles; the ring
//! adds these up; each kicks its own particles. A part of the sum passes all processors before it
//! comes home, so whoever has it knows that all have read the positions: the ring is a barrier, too.
//!
//! Alewife's versions have no ring (`sends`): who computes a pair returns what others' particles feel, by messages, in
//! bulk or by two (`sending.rs`), or by changes of shared memory (`shared.rs`).
//!
//! Forces and energies are added in fixed point, exactly, so an answer is bit for bit the same in
//! whatever order pairs are computed and sums come, for any number of processors and any partition.
//! (Sums of floating point in the order of the ring would tie the serial run to the number of
//! processors, and bulk transfers of force deltas, as in Alewife's version, to their arrivals.)
//!
//! Leaves out: rescaling of velocities, the virial, and what the program prints.

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

pub use run::{Carrying, Moldyn};
