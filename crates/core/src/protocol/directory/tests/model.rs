//! A model of the directory for exhaustive exploration: processors load, store, prefetch and evict without end, and the
//! network delivers in any order.
//!
//! Runs are infinite but the states are finitely many, because versions are reduced to their order. The check that
//! every request is answered has this form: if no protocol step is possible, no access waits. Without NACKs, the
//! number of protocol steps of a run is finite, since each answer is given once. So a request that is never answered
//! would lead to a state in which an access waits and no step is possible. With NACKs, requests may be retried for
//! ever; the check is then that a fair schedule answers all requests from every state.

use super::case::{BrokenRule, Case, Situation};
use super::machine::TestMachine;
use super::steps::Step;
use stateright::{Checker, HasDiscoveries, Model, Property};

pub const COHERENT: &str = "either one node may store and no other may load, or all readable copies are the latest";
pub const VALUES: &str = "loads and stores see the last store";
pub const NO_STUCK_ACCESS: &str = "no access waits when no protocol step is possible";

type Condition = fn(&Case, &TestMachine) -> bool;

impl Case {
    /// Explores every state, asserts all properties, and returns the number of states.
    pub fn check(self) -> usize {
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        let state_count = checker.unique_state_count();
        assert!(checker.is_done());
        checker.assert_properties();
        state_count
    }

    /// Returns the shortest run to a state that violates a property.
    pub fn counterexample(self, property: &'static str) -> Vec<Step> {
        let checker = self.checker().finish_when(HasDiscoveries::AnyOf([property].into())).spawn_bfs().join();
        println!("{} states", checker.unique_state_count());
        checker.discovery(property).expect("a run that violates the property").into_actions()
    }
}

impl Model for Case {
    type State = TestMachine;
    type Action = Step;

    fn init_states(&self) -> Vec<TestMachine> {
        vec![TestMachine::new(self)]
    }

    fn actions(&self, machine: &TestMachine, steps: &mut Vec<Step>) {
        if self.broken_rule != BrokenRule::Nothing && !(machine.violation.is_none() && machine.is_coherent(self)) {
            return;
        }
        steps.extend(machine.pending_steps(self));
        steps.extend(machine.program_steps(self));
    }

    fn next_state(&self, previous: &TestMachine, step: Step) -> Option<TestMachine> {
        let mut next_machine = previous.clone();
        match self.broken_rule {
            BrokenRule::Nothing => next_machine.step(self, step),
            _ => next_machine.step_or_record_panic(self, step),
        }
        next_machine.replace_versions_by_ranks();
        Some(next_machine)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(VALUES, |_: &Case, machine: &TestMachine| machine.violation.is_none()),
            Property::always(COHERENT, |case: &Case, machine: &TestMachine| machine.is_coherent(case)),
            Property::always("access rights are reported to processors", |case: &Case, machine: &TestMachine| {
                case.broken_rule != BrokenRule::Nothing || machine.access_is_reported(case)
            }),
            Property::always(NO_STUCK_ACCESS, |case: &Case, machine: &TestMachine| {
                machine.is_quiet()
                    || if case.may_nack() {
                        machine.becomes_quiet(case)
                    } else {
                        !machine.pending_steps(case).is_empty()
                    }
            }),
            Property::always("at rest, homes know of every copy", |case: &Case, machine: &TestMachine| {
                !machine.is_quiet() || machine.directories_are_correct(case)
            }),
            Property::always("no request is NACKed if all may wait", |case: &Case, machine: &TestMachine| {
                case.may_nack() || machine.nodes.iter().all(|node| node.retries.is_empty())
            }),
            Property::always("outboxes are bounded", |case: &Case, machine: &TestMachine| {
                machine.outboxes_are_bounded(case)
            }),
        ];
        let situations: [(Situation, Condition); 8] = [
            (Situation::Crossing, |_, machine| machine.has_situation(Situation::Crossing)),
            (Situation::FetchOvertakes, |_, machine| machine.has_situation(Situation::FetchOvertakes)),
            (Situation::Once, |_, machine| machine.has_situation(Situation::Once)),
            (Situation::UpgradeLost, |_, machine| machine.has_situation(Situation::UpgradeLost)),
            (Situation::Nack, |_, machine| machine.has_situation(Situation::Nack)),
            (Situation::Waiting, |_, machine| machine.has_situation(Situation::Waiting)),
            (Situation::RecallOvertakes, |_, machine| machine.has_situation(Situation::RecallOvertakes)),
            (Situation::Returned, |_, machine| machine.has_situation(Situation::Returned)),
        ];
        let required_situations = situations.into_iter().filter(|(situation, _)| self.situations.contains(situation));
        properties.extend(required_situations.map(|(situation, occurs)| Property::sometimes(situation.name(), occurs)));
        properties
    }
}

impl Case {
    /// Returns whether other nodes may have more outstanding requests than may wait at a home.
    pub fn may_nack(&self) -> bool {
        (self.directory.waiting as usize) < (self.nodes - 1) * self.requester.requests() as usize
    }
}

impl Situation {
    const fn name(self) -> &'static str {
        match self {
            Situation::Crossing => "a write-back crosses a fetch",
            Situation::FetchOvertakes => "a fetch may overtake",
            Situation::Once => "a copy is read once",
            Situation::UpgradeLost => "an upgrade loses its copy",
            Situation::Nack => "a request is NACKed",
            Situation::Waiting => "a request waits",
            Situation::RecallOvertakes => "a recall overtakes a forwarded block",
            Situation::Returned => "a forwarded block is written back before the home has the owner's answer",
        }
    }
}
