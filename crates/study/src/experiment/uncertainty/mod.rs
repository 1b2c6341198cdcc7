//! The uncertainty of a number, which follows from the uncertainty of the constants after calibration.
//!
//! Every constant that is not from a paper, a data sheet, a standard or a measurement has a prior on its logarithm: one
//! standard deviation is ±25 %, or the value in its comment. Central differences give the elasticity of each number
//! with respect to each constant. From these and the calibrated numbers follows the posterior covariance of the
//! constants, to first order, and from it the standard deviation of every other number (Bayesian linear regression in
//! logarithms). Errors of the model itself and nonlinear effects are not included.
//!
//! | file | holds |
//! |---|---|
//! | `unknown.rs` | uncertain constants, and their priors |
//! | `elasticity.rs` | the elasticities of numbers to constants |
//! | `posterior.rs` | the posterior covariance of the constants |
//! | `single.rs` | the uncertainty of one run's metrics |

pub mod elasticity;
pub mod posterior;
pub mod single;
pub mod unknown;

pub use posterior::{NOISE, Posterior};
pub use unknown::UncertainConstant;
