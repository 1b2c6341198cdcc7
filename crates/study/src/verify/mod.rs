//! The Myrinet control program, model-checked: every order in which hosts, engines and links can act, tried on its
//! rows.
//!
//! | file | holds |
//! |---|---|
//! | `firmware.rs` | the firmwares that are checked, and with how much traffic |
//! | `card.rs`, `side.rs` | a card, with marked units in its buffers; the sides of a link |
//! | `moves.rs` | what a side can do |
//! | `pair.rs` | two sides, and all that can happen next |
//! | `properties.rs` | what is checked |
//! | `check.rs` | the exploration of all states, and what it found |
//! | `trace.rs` | a run that ends where a property does not hold, in words |
//! | `promela.rs` | the same rows as PROMELA |
//! | `spin.rs` | the PROMELA models, run by Spin where it is installed |
//! | `report.rs` | the verdicts, as text and as JSON |
//!
//! The rows are the firmware's own, [`TRANSITIONS`](narrows_core::ni::mcp::threads::TRANSITIONS): the simulator runs the same.
//! Every move brings something forward (a unit, a message, a thread that starts or notices a transfer), so a
//! run never comes back to where it was, and all end. Where every end has delivered everything, every run
//! does, whoever is fast or slow: no fairness is assumed. That nobody is passed by for ever while traffic
//! goes on for ever is a matter of the dispatcher: one that wants the host engine is passed by once at most.

mod card;
mod check;
mod firmware;
mod moves;
mod pair;
mod promela;
mod properties;
mod report;
mod side;
pub mod spin;
#[cfg(test)]
mod tests;
mod trace;

pub use check::{Finding, Findings, check};
pub use firmware::{FIRMWARES, Firmware};
pub use promela::{FORMULAS, Formula, promela};
pub use properties::Demand;
pub use report::{Verified, firmwares, rule};
