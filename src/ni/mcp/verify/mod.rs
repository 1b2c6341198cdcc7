//! The control program, checked: every order in which hosts, engines and links can act, tried on its rows.
//!
//! | file | holds |
//! |---|---|
//! | `firmware.rs` | the firmwares that are checked, and with how much traffic |
//! | `card.rs`, `side.rs` | a card, with marked units in its buffers; the sides of a link |
//! | `pair.rs` | two sides, and all that can happen next |
//! | `properties.rs` | what is checked |
//! | `trace.rs` | a run that ends where a property does not hold, in words |
//!
//! Every move brings something forward (a unit, a message, a thread that starts or notices a transfer), so a
//! run never comes back to where it was, and all end. Where every end has delivered everything, every run
//! does, whoever is fast or slow: no fairness is assumed. That nobody is passed by for ever while traffic
//! goes on for ever is a matter of the dispatcher: one that wants the host engine is passed by once at most.

mod card;
mod firmware;
mod pair;
mod promela;
mod properties;
mod side;
#[cfg(test)]
mod tests;
mod trace;

pub use firmware::{FIRMWARES, Firmware};
pub use promela::{FORMULAS, Formula, promela};
pub use properties::Demand;

use crate::ni::mcp::threads::Rule;
use pair::Case;
use properties::{CHECKED, Checked};
use rayon::prelude::*;
use stateright::{Checker, Model};

/// What was found of a firmware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Which.
    pub firmware: &'static str,
    /// How many states were looked at.
    pub states: usize,
    /// Of each property.
    pub findings: Vec<Finding>,
}

/// What was found of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
    /// What it demands.
    pub demand: Demand,
    /// Whether it holds.
    pub holds: bool,
    /// Whether it should.
    pub expected: bool,
    /// Where it is not: the shortest run to a state that shows it.
    pub trace: Vec<String>,
}

impl Finding {
    /// Whether it is as it should be.
    pub fn is_as_expected(&self) -> bool {
        self.holds == self.expected
    }
}

/// What a case gave: states, and for each property whether some state shows it.
type Explored = (usize, Vec<bool>);

fn explore(case: &Case) -> Explored {
    let checker = case.checker().threads(1).spawn_bfs().join();
    let shown = checker.discoveries();
    (checker.unique_state_count(), CHECKED.iter().map(|checked| shown.contains_key(checked.name)).collect())
}

/// The shortest run to a state that shows a property. The checker keeps the last that it finds, and stops at the
/// first only where it looks for nothing else.
fn shortest(case: &Case, name: &'static str) -> Vec<String> {
    let case = Case { only: Some(name), ..*case };
    let checker = case.checker().threads(1).spawn_bfs().join();
    checker.discovery(name).map(|path| trace::told(&case, &path.into_actions())).unwrap_or_default()
}

/// Tries every order on firmwares, with a rule broken or with none.
pub fn check(firmwares: &[&Firmware], without: Option<Rule>) -> Vec<Findings> {
    let of = |firmware: &&Firmware| {
        let cases = firmware.cases(without);
        let explored: Vec<Explored> = cases.par_iter().map(explore).collect();
        findings(firmware, &cases, &explored)
    };
    firmwares.par_iter().map(of).collect()
}

fn findings(firmware: &Firmware, cases: &[Case], explored: &[Explored]) -> Findings {
    let finding = |(at, checked): (usize, &Checked)| {
        let showing = || cases.iter().zip(explored).filter(move |(_, (_, shown))| shown[at]).map(|(case, _)| case);
        let holds = showing().next().is_some() == (checked.demand == Demand::Possible);
        let expected = checked.is_expected(firmware.pipelining);
        let runs = showing().filter(|_| holds != expected).map(|case| shortest(case, checked.name));
        let trace = runs.min_by_key(Vec::len).unwrap_or_default();
        Finding { name: checked.name, says: checked.says, demand: checked.demand, holds, expected, trace }
    };
    Findings {
        firmware: firmware.name,
        states: explored.iter().map(|(states, _)| states).sum(),
        findings: CHECKED.iter().enumerate().map(finding).collect(),
    }
}
