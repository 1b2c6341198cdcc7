//! Rules that are not kept, and a machine that waits where it must not: each is caught.

use super::case::*;
use super::model::*;
use super::steps::Step;
use super::world::World;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is awaited.
    static AWAITED: Cell<bool> = const { Cell::new(false) };
}

impl World {
    /// A step of a machine in which something is broken: a side may be told what cannot be, and say so.
    pub fn step_or_stop(&mut self, case: &Case, step: Step) {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let default = take_hook();
            set_hook(Box::new(move |panic| {
                if !AWAITED.get() {
                    default(panic)
                }
            }));
        });
        let mut next = self.clone();
        AWAITED.set(true);
        let stepped = catch_unwind(AssertUnwindSafe(|| next.step(case, step)));
        AWAITED.set(false);
        match stepped {
            Ok(()) => *self = next,
            Err(_) => self.wrong = Some("a side is told what cannot be"),
        }
    }
}

#[test]
fn an_invalidation_that_is_not_acknowledged() {
    Case { broken: Broken::Unacknowledged, ..Case::new(2) }.counterexample(AT_REST);
}

#[test]
fn a_grant_before_the_acknowledgements() {
    Case { broken: Broken::GrantedBefore, ..Case::new(2) }.counterexample(COHERENT);
}

#[test]
fn a_copy_that_is_kept_though_it_is_stale() {
    Case { broken: Broken::KeptStale, ..Case::new(2) }.counterexample(COHERENT);
}

#[test]
fn a_fetch_that_is_forgotten_when_the_block_was_written_back() {
    Case { broken: Broken::CrossingForgotten, ..Case::new(3) }.counterexample(VALUES);
}

#[test]
fn handlers_that_wait_until_all_they_send_has_left() {
    let blocks = vec![block(A, 0), block(B, 0)];
    let network = Network::Queues { packets: 1 };
    Case { blocks, network, consumes: Consumes::WhenAllLeft, ..Case::new(3) }.counterexample(AT_REST);
}
