//! How sure a number is: what the constants behind it leave free, once the calibration holds them.
//!
//! Every constant that is not of a paper or a data sheet has a prior, of its logarithm: ±25 %, one
//! standard deviation, or what its comment states. Central differences give the elasticity of each
//! number to each constant; what the numbers calibrated on leave free of the constants follows, to
//! first order, and with it the standard deviation of every other number (Bayesian linear regression in
//! logarithms). Leaves out: what the model itself leaves out, and curvature.
//!
//! | file | holds |
//! |---|---|
//! | `unknown.rs` | constants that are not known, and their priors |
//! | `elasticity.rs` | how numbers answer to constants |
//! | `posterior.rs` | what a calibration leaves free |
//! | `single.rs` | of one run's metrics |

pub mod elasticity;
pub mod posterior;
pub mod single;
pub mod unknown;

pub use posterior::{NOISE, Posterior};
pub use unknown::Unknown;
