//! The state space of firmwares, explored: which properties hold, and the shortest run to where one does not.

use super::firmware::Firmware;
use super::moves::Move;
use super::pair::{Case, Pair};
use super::properties::{CHECKED, Checked, Demand, properties};
use super::trace;
use narrows_core::ni::mcp::threads::Rule;
use rayon::prelude::*;
use stateright::{Checker, Model, Property};

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

impl Model for Case {
    type State = Pair;
    type Action = Move;

    fn init_states(&self) -> Vec<Pair> {
        vec![self.start()]
    }

    fn actions(&self, pair: &Pair, moves: &mut Vec<Move>) {
        // After something went wrong nothing more is looked at.
        if pair.cards().all(|card| card.wrong.is_none()) {
            (0..2).for_each(|side| moves.extend(self.moves(pair, side).map(|what| Move { side, what })));
        }
    }

    fn next_state(&self, last: &Pair, next: Move) -> Option<Pair> {
        let mut pair = last.clone();
        pair.happens(next);
        Some(pair)
    }

    fn properties(&self) -> Vec<Property<Case>> {
        properties(self.only)
    }
}

/// Returns the words for whether a property holds, given whether it is expected to.
pub(super) fn verdict(holds: bool, expected: bool) -> &'static str {
    match (holds, expected) {
        (true, true) => "holds",
        (false, false) => "fails, as it should",
        (false, true) => "FAILS",
        (true, false) => "HOLDS, but should not",
    }
}

/// The outcome of exploring a case: the number of its states, and for each property whether some state shows it.
pub(super) type Explored = (usize, Vec<bool>);

pub(super) fn explore(case: &Case) -> Explored {
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
