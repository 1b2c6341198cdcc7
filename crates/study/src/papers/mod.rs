//! The built-in functions that the studies of shipped papers name, with a file or folder for each paper.
//!
//! | file or folder | paper |
//! |---|---|
//! | `trapeze.rs` | Yocum et al. (1997): statistics of traced transfers |
//! | `e_udp/` | Jin et al. (2005): time-flow charts, and the analytic model |
//! | `nifdy/` | Callahan and Goldstein (1995): the search for parameters, network volumes, and pending packets |
//!
//! All other parts of the studies are data, in `papers/`.

mod e_udp;
mod nifdy;
mod trapeze;

use crate::study::BuiltinFns;
use narrows_core::machine::Registry;
use std::sync::Arc;

/// Returns the functions that the shipped papers name. The descriptions of studies may name the parts of `registry`.
///
/// ```
/// # extern crate narrows_study as narrows;
/// use narrows::{papers, study};
/// use narrows_core::Registry;
///
/// let builtins = papers::builtins(Registry::shared());
/// assert!(study::load("nifdy", &builtins).is_ok());
/// ```
pub fn builtins(registry: &Arc<Registry>) -> BuiltinFns {
    nifdy::register(e_udp::register(trapeze::register(BuiltinFns::new(registry))))
}
