//! Appbt: the core of the NAS pseudo-application BT, flow in a cube (Bailey et al. 1991; Mukherjee and Hill 1998, Table
//! 4).
//!
//! | file | holds |
//! |---|---|
//! | `gas.rs` | the problem: fluxes, their Jacobians, the exact solution |
//! | `coupling.rs` | 5 × 5 matrices |
//! | `field.rs` | the flow field: the values of all points, and their initial state |
//! | `residual.rs` | the right-hand side, by a stencil |
//! | `sweep.rs` | block-tridiagonal systems along an axis |
//! | `subcubes.rs` | the points of each processor |
//! | `reads.rs` | the remote reads of each phase |
//! | `serial.rs` | the run on one processor |
//! | `costs.rs` | instructions of each piece |
//! | `run.rs` | the program of a processor |
//!
//! An iteration has three steps (Beam and Warming's approximate factorisation):
//!
//! 1. Compute the right-hand side of the processor's own points. This reads the states of the adjacent planes of all
//!    six neighbours.
//! 2. Sweep along each axis, forward and then backward, in chunks, which are rows of lines. Forward, for each chunk: if
//!    its lines begin in another subcube, wait until that subcube's forward counter has passed the chunk. Then
//!    eliminate the processor's points of each line, and increment its forward counter. This reads the matrices and
//!    right-hand sides of the other subcube's last plane, and the states of both adjacent planes. Backward, when all
//!    chunks are eliminated: if lines continue in another subcube, wait for its backward counter, substitute, and
//!    increment the processor's backward counter. This reads the solutions of the other subcube's first plane. A
//!    barrier ends the sweep.
//! 3. Add the solutions of the processor's points to their states. A barrier ends the iteration.
//!
//! The barrier after a sweep prevents a processor from overwriting the solutions of its first plane while its neighbour
//! may still read them. The counters order all other accesses. Each value of a point is computed by one processor from
//! the same operands in the same order, however the cube is divided. The only reduction over points is the norm of the
//! residual, which is a maximum. The result therefore equals that of a serial run bit for bit.
//!
//! In contrast to BT, the program leaves out viscous stresses and heat conduction (only second-order artificial
//! dissipation is modelled), fourth-order dissipation, and verification against BT's printed norms.

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
