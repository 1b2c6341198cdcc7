//! Appbt: the core of the NAS pseudo-application BT, flow in a cube (Bailey et al. 1991; Mukherjee and Hill 1998,
//! Table 4).
//!
//! | file | holds |
//! |---|---|
//! | `gas.rs` | the problem: fluxes, their Jacobians, the solution that is sought |
//! | `coupling.rs` | 5 × 5 matrices |
//! | `field.rs` | what each point holds, and how it begins |
//! | `residual.rs` | the right-hand side, by a stencil |
//! | `sweep.rs` | block-tridiagonal systems along an axis |
//! | `subcubes.rs` | which points a processor has |
//! | `reads.rs` | what it reads of whom in each phase |
//! | `serial.rs` | the run of one processor |
//! | `costs.rs` | instructions of each piece |
//! | `run.rs` | the program of a processor |
//!
//! An iteration (Beam and Warming's approximate factorisation):
//!
//! 1. The right-hand side of own points. Reads the states of the adjacent planes of all six neighbours.
//! 2. For each axis a sweep, in chunks, which are rows of lines. Forward: where lines come from another subcube,
//!    wait until its forward counter is past the chunk, then eliminate own points of each line (reads
//!    the last plane's matrices and right-hand sides there, and states of both adjacent planes), and
//!    count the chunk as done. Backward, once all chunks are forward: where lines go on, wait for that neighbour's
//!    backward counter, substitute (reads the first plane's solutions there), count. Barrier.
//! 3. Own solutions are added to own states. Barrier.
//!
//! The barrier after a sweep keeps a processor from overwriting solutions of its first plane, which
//! its neighbour may still have to read; all else is ordered by the counters. Every value of a point is made
//! by one processor from the same operands in the same order, wherever the cube is cut; the only
//! sum over points is the norm of the residual, and that is a greatest magnitude. So an answer is bit
//! for bit that of a serial run.
//!
//! Leaves out of BT: viscous stresses and heat conduction (there is the artificial dissipation of second order
//! only), dissipation of fourth order, and verification against its printed norms.

mod costs;
mod coupling;
mod field;
mod gas;
mod reads;
mod residual;
mod run;
mod serial;
mod subcubes;
mod sweep;

#[cfg(test)]
mod tests;

pub use run::Appbt;
