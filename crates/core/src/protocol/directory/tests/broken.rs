//! Tests that break one rule of the protocol each, and a test of handlers that wait for space to send: the model finds
//! a counterexample for each of them.

use super::super::DirectoryParameters;
use super::case::*;
use super::machine::TestMachine;
use super::model::*;
use super::steps::Step;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is expected.
    static IS_PANIC_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

impl TestMachine {
    /// Performs a step of a machine with a broken rule. If one side receives an impossible message, it panics, which is
    /// recorded as a failure.
    pub fn step_or_record_panic(&mut self, case: &Case, step: Step) {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let default_hook = take_hook();
            set_hook(Box::new(move |panic| {
                if !IS_PANIC_EXPECTED.get() {
                    default_hook(panic)
                }
            }));
        });
        let mut next_machine = self.clone();
        IS_PANIC_EXPECTED.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| next_machine.step(case, step)));
        IS_PANIC_EXPECTED.set(false);
        match result {
            Ok(()) => *self = next_machine,
            Err(_) => self.violation = Some("a side receives an impossible message"),
        }
    }
}

#[test]
fn a_missing_acknowledgement_is_found() {
    Case { broken_rule: BrokenRule::Unacknowledged, ..Case::new(2) }.counterexample(NO_STUCK_ACCESS);
}

#[test]
fn a_grant_before_the_acknowledgements_is_found() {
    Case { broken_rule: BrokenRule::GrantedBeforeAcknowledgement, ..Case::new(2) }.counterexample(COHERENT);
}

#[test]
fn a_stale_copy_is_found() {
    Case { broken_rule: BrokenRule::KeptStale, ..Case::new(2) }.counterexample(COHERENT);
}

#[test]
fn an_unawaited_crossing_is_found() {
    Case { broken_rule: BrokenRule::CrossingForgotten, ..Case::new(3) }.counterexample(VALUES);
}

#[test]
fn an_unawaited_transfer_is_found() {
    let case = Case::new(3);
    let directory = DirectoryParameters { forwarding: true, ..case.directory };
    Case { directory, broken_rule: BrokenRule::TransferredBeforeAnswer, ..case }.counterexample(VALUES);
}

#[test]
fn handlers_that_wait_until_all_messages_are_sent_deadlock() {
    let blocks = vec![block(A, 0), block(B, 0)];
    let network = Network::Queues { packets: 1 };
    Case { blocks, network, consumption: ConsumptionRule::WhenAllSent, ..Case::new(3) }.counterexample(NO_STUCK_ACCESS);
}
