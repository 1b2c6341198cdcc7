//! The claims that are not one number of one run, each judged as `claims.toml` states it.
//!
//! | file | judges |
//! |---|---|
//! | `networks.rs` | Table 3, and what the search found |
//! | `equations.rs` | Equations 2 to 4 |
//! | `synthetic.rs` | Figures 2 to 4, bulk windows, and the extensions |
//! | `real.rs` | Figures 5 to 9: cyclic shift, EM3D, radix sort |

pub mod equations;
mod networks;
pub mod real;
pub mod synthetic;

use super::super::claims::Seen;
use super::super::experiment::Results;
use super::axes::Network;
use crate::report::number::signed_percent;

/// What is seen for the claim `id`, if the results hold what it needs.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    networks::seen(id, results)
        .or_else(|| equations::seen(id, results))
        .or_else(|| synthetic::seen(id, results))
        .or_else(|| real::seen(id, results))
}

/// A value of each network.
type OfNetworks = Vec<(&'static Network, f64)>;

/// The value of each of `networks`; none if one of them has none.
fn of_networks(
    networks: impl IntoIterator<Item = &'static Network>,
    value: impl Fn(&str) -> Option<f64>,
) -> Option<OfNetworks> {
    networks.into_iter().map(|network| Some((network, value(network.key)?))).collect()
}

/// Gains (0.1 is 10 %) in words.
fn gains(values: &[(&Network, f64)]) -> String {
    joined(values.iter().map(|(network, gain)| format!("{} {}", network.name, signed_percent(*gain))))
}

fn joined(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

fn told(words: impl Into<String>, holds: bool) -> Option<Seen> {
    Some(Seen::Words(words.into(), holds))
}
