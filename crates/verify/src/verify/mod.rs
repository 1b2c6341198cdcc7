//! Model checking of the Myrinet control program: its transition table is explored under every order in which hosts,
//! engines and links can act.
//!
//! | file | holds |
//! |---|---|
//! | `firmware.rs` | the firmwares that are checked, and their traffic |
//! | `card.rs`, `side.rs` | a card, with marked units in its buffers; the sides of a link |
//! | `actions.rs` | the actions of a side |
//! | `pair.rs` | two sides, and their possible next actions |
//! | `properties.rs` | the properties that are checked |
//! | `check.rs` | the exploration of all states, and its findings |
//! | `trace.rs` | counterexamples as text |
//! | `promela.rs` | the transition table as PROMELA |
//! | `spin.rs` | verification of the PROMELA models with Spin, if it is installed |
//! | `report.rs` | the verdicts, as text and as JSON |
//!
//! The table is the one that the simulator runs, [`TRANSITIONS`](narrows_core::ni::mcp::threads::TRANSITIONS). Every
//! action makes progress (a unit moves, a message is posted, a thread starts or notices a transfer), so the state graph
//! has no cycles and every run ends. If everything is delivered in every final state, every run delivers everything,
//! without an assumption of fairness. Freedom from starvation under unlimited traffic follows from a property of the
//! dispatcher: it passes over a thread that wants the host engine at most once.

mod actions;
mod card;
mod check;
mod firmware;
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
pub use properties::Quantifier;
pub use report::{VerificationReport, firmwares, rule};
