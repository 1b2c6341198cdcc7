//! Exploration of the state space of firmwares: the properties that hold, and the shortest counterexamples.

use super::actions::SideAction;
use super::firmware::Firmware;
use super::pair::{Case, Pair};
use super::properties::{PROPERTIES, PropertySpec, Quantifier, properties};
use super::trace;
use narrows_core::ni::mcp::threads::Rule;
use rayon::prelude::*;
use stateright::{Checker, Model, Property};

/// The findings for a firmware.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// The name of the firmware.
    pub firmware: &'static str,
    /// The number of states explored.
    pub states: usize,
    /// The finding for each property.
    pub findings: Vec<Finding>,
}

/// The finding for a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The name of the property.
    pub name: &'static str,
    /// The statement of the property.
    pub description: &'static str,
    /// The quantifier of the property.
    pub quantifier: Quantifier,
    /// Whether the property holds.
    pub holds: bool,
    /// Whether the property is expected to hold.
    pub expected: bool,
    /// The shortest run to a state that contradicts the expectation; empty if there is no such state.
    pub trace: Vec<String>,
}

impl Finding {
    /// Returns whether the finding matches the expectation.
    pub fn is_as_expected(&self) -> bool {
        self.holds == self.expected
    }
}

impl Model for Case {
    type State = Pair;
    type Action = SideAction;

    fn init_states(&self) -> Vec<Pair> {
        vec![self.start()]
    }

    fn actions(&self, pair: &Pair, moves: &mut Vec<SideAction>) {
        // Runs are not continued after a violation.
        if pair.cards().all(|card| card.violation.is_none()) {
            (0..2).for_each(|side| moves.extend(self.actions(pair, side).map(|action| SideAction { side, action })));
        }
    }

    fn next_state(&self, previous: &Pair, next: SideAction) -> Option<Pair> {
        let mut pair = previous.clone();
        pair.apply(next);
        Some(pair)
    }

    fn properties(&self) -> Vec<Property<Case>> {
        properties(self.only_property)
    }
}

/// Returns the verdict on a property as text.
pub(super) fn verdict(holds: bool, expected: bool) -> &'static str {
    match (holds, expected) {
        (true, true) => "holds",
        (false, false) => "fails, as expected",
        (false, true) => "FAILS",
        (true, false) => "HOLDS unexpectedly",
    }
}

/// The result of exploring a case: the number of states, and for each property whether a state was found that proves it
/// (`Possible`) or violates it (`Always`).
pub(super) type ExplorationResult = (usize, Vec<bool>);

pub(super) fn explore(case: &Case) -> ExplorationResult {
    let checker = case.checker().threads(1).spawn_bfs().join();
    let discovered = checker.discoveries();
    (checker.unique_state_count(), PROPERTIES.iter().map(|property| discovered.contains_key(property.name)).collect())
}

/// Returns the shortest run to a state that decides a property, or an empty run if there is no such state. The case is
/// explored again with this property alone. With one property, the checker stops at the first discovery, which is the
/// shortest in a breadth-first search. With several properties, the checker continues, and replaces a discovery by a
/// later, longer one.
fn shortest(case: &Case, name: &'static str) -> Vec<String> {
    let case = Case { only_property: Some(name), ..*case };
    let checker = case.checker().threads(1).spawn_bfs().join();
    checker.discovery(name).map(|path| trace::trace_lines(&case, &path.into_actions())).unwrap_or_default()
}

/// Explores all states of these firmwares, with one rule disabled or with all enabled.
pub fn check(firmwares: &[&Firmware], disabled_rule: Option<Rule>) -> Vec<Findings> {
    let check_one = |firmware: &&Firmware| {
        let cases = firmware.cases(disabled_rule);
        let explored: Vec<ExplorationResult> = cases.par_iter().map(explore).collect();
        findings(firmware, &cases, &explored)
    };
    firmwares.par_iter().map(check_one).collect()
}

fn findings(firmware: &Firmware, cases: &[Case], explored: &[ExplorationResult]) -> Findings {
    let finding = |(index, property): (usize, &PropertySpec)| {
        let deciding_cases =
            || cases.iter().zip(explored).filter(move |(_, (_, discovered))| discovered[index]).map(|(case, _)| case);
        let holds = deciding_cases().next().is_some() == (property.quantifier == Quantifier::Possible);
        let expected = property.is_expected(firmware.pipelining);
        let runs = deciding_cases().filter(|_| holds != expected).map(|case| shortest(case, property.name));
        let trace = runs.min_by_key(Vec::len).unwrap_or_default();
        Finding {
            name: property.name,
            description: property.description,
            quantifier: property.quantifier,
            holds,
            expected,
            trace,
        }
    };
    Findings {
        firmware: firmware.name,
        states: explored.iter().map(|(states, _)| states).sum(),
        findings: PROPERTIES.iter().enumerate().map(finding).collect(),
    }
}
