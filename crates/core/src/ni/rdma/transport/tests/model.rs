//! Exhaustive exploration of small cases. The network loses and duplicates a bounded number of packets at any time, and
//! may reorder all of them.
//!
//! Safety: each packet is executed once and in order, and a request ends once, in order, after its execution. Liveness:
//! from every state, a schedule without further faults ends all requests, so no completion is lost.

use super::state::{TransportCase, TransportState, TransportStep};
use crate::ni::rdma::transport::requester::{Recovery, RequestKind, RequesterLimits};
use stateright::{Checker, HasDiscoveries, Model, Property};

/// Largest number of steps in which all requests end without faults.
const STEPS_MAX: usize = 500;

impl TransportCase {
    /// Returns whether a schedule without faults ends all requests from `state` on.
    fn can_complete(&self, state: &TransportState) -> bool {
        let mut state = state.clone();
        for _ in 0..STEPS_MAX {
            if state.is_complete(self) {
                return true;
            }
            let steps = state.steps(self);
            let arrives = |step: &&TransportStep| matches!(step, TransportStep::Arrive(0));
            let step = steps.iter().find(arrives).or(steps.first());
            let Some(step) = step else { return false };
            state.step(*step, self);
        }
        false
    }

    /// Explores every state, and asserts all properties.
    fn check(self) {
        let label = format!("{self:?}");
        let checker = self.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        println!("{label}: {} states", checker.unique_state_count());
        assert!(checker.is_done());
        checker.assert_properties();
    }
}

impl Model for TransportCase {
    type State = TransportState;
    type Action = TransportStep;

    fn init_states(&self) -> Vec<TransportState> {
        vec![TransportState::new(self)]
    }

    fn actions(&self, state: &TransportState, steps: &mut Vec<TransportStep>) {
        if !state.is_complete(self) {
            steps.extend(state.steps(self));
        }
    }

    fn next_state(&self, state: &TransportState, step: TransportStep) -> Option<TransportState> {
        let mut next = state.clone();
        next.step(step, self);
        (next.network.len() <= 6).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("once and in order", |_, state: &TransportState| !state.is_invariant_broken),
            Property::always("all requests can end", |case: &TransportCase, state: &TransportState| {
                case.can_complete(state)
            }),
            Property::sometimes("all requests end", |case: &TransportCase, state: &TransportState| {
                state.is_complete(case)
            }),
        ]
    }
}

fn limits(recovery: Recovery) -> RequesterLimits {
    RequesterLimits { recovery, outstanding_reads: 1, window: 4, retries: 100, not_ready_retries: None }
}

#[test]
fn writes_end_once_under_every_schedule() {
    for (recovery, reorders) in [
        (Recovery::GoBackN, false),
        (Recovery::GoBackN, true),
        (Recovery::Selective, false),
        (Recovery::Selective, true),
    ] {
        let requests = vec![(RequestKind::OneWay, 2), (RequestKind::OneWay, 1)];
        TransportCase { limits: limits(recovery), requests, not_ready: 0, faults: 2, reorders }.check();
    }
}

#[test]
fn reads_end_once_under_every_schedule() {
    for (recovery, reorders) in [(Recovery::GoBackN, false), (Recovery::GoBackN, true), (Recovery::Selective, true)] {
        let requests = vec![(RequestKind::WithResponse, 2), (RequestKind::OneWay, 1)];
        TransportCase { limits: limits(recovery), requests, not_ready: 0, faults: 1, reorders }.check();
    }
}

#[test]
fn sends_end_once_although_receivers_are_not_ready() {
    for recovery in [Recovery::GoBackN, Recovery::Selective] {
        let requests = vec![(RequestKind::OneWay, 1), (RequestKind::OneWay, 1)];
        TransportCase { limits: limits(recovery), requests, not_ready: 2, faults: 1, reorders: false }.check();
    }
}
