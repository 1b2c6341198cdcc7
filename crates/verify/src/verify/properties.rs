//! The properties that are checked: the paper's formulas in their intended meaning, and general properties of firmware.
//!
//! The paper's Formulas 1 to 3 have the form "◇ (…)", which must hold on every trace. That is false for a single
//! message. The text asks "can the thread …?", so each formula is checked as the reachability of such a state. Formula
//! 4 is printed without its negation, so that it would require what it is meant to forbid.

use super::card::Violation;
use super::pair::{Case, Pair};
use narrows_core::ni::mcp::threads::{Mcp, Pipelining, Thread, ThreadState};
use stateright::Property;

/// A property of a firmware.
pub struct PropertySpec {
    /// The name; `f1` to `f4` are the paper's formulas.
    pub name: &'static str,
    /// The statement of the property.
    pub description: &'static str,
    /// Whether the condition must hold in some reachable state, or in all of them.
    pub quantifier: Quantifier,
    holds: fn(&Case, &Pair) -> bool,
    /// A function that returns whether the property is expected to hold.
    is_expected_for: fn(Pipelining) -> bool,
}

/// The quantifier of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// The condition holds in some reachable state.
    Possible,
    /// The condition holds in every reachable state.
    Always,
}

impl PropertySpec {
    /// Returns whether the property is expected to hold for a firmware with all rules enabled.
    pub fn is_expected(&self, pipelining: Pipelining) -> bool {
        (self.is_expected_for)(pipelining)
    }
}

/// All properties.
pub const PROPERTIES: [PropertySpec; 13] = [
    PropertySpec {
        name: "f1",
        description: "SEND can work while SDMA does",
        quantifier: Quantifier::Possible,
        holds: |_, pair| any_card(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && sends(mcp)),
        is_expected_for: overlaps,
    },
    PropertySpec {
        name: "f1-within",
        description: "SEND and SDMA can work at the same packet",
        quantifier: Quantifier::Possible,
        holds: |_, pair| any_card(pair, Mcp::sends_partial_packets),
        is_expected_for: is_fine,
    },
    PropertySpec {
        name: "f2",
        description: "RDMA can work while RECV does",
        quantifier: Quantifier::Possible,
        holds: |_, pair| any_card(pair, |mcp| writes(mcp) && is_at(mcp, Thread::Recv, &[ThreadState::Recv])),
        is_expected_for: overlaps,
    },
    PropertySpec {
        name: "f2-within",
        description: "RDMA and RECV can work at the same packet",
        quantifier: Quantifier::Possible,
        holds: |_, pair| any_card(pair, Mcp::delivers_partial_packets),
        is_expected_for: is_fine,
    },
    PropertySpec {
        name: "f3",
        description: "SEND can work while RECV does",
        quantifier: Quantifier::Possible,
        holds: |_, pair| any_card(pair, |mcp| sends(mcp) && is_at(mcp, Thread::Recv, &[ThreadState::Recv])),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "f4",
        description: "SDMA and RDMA never use the host engine at the same time",
        quantifier: Quantifier::Always,
        holds: |_, pair| !any_card(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && writes(mcp)),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "f4-last",
        description: "SDMA and RDMA never use the host engine at the same time for a last fragment of RDMA",
        quantifier: Quantifier::Always,
        holds: |_, pair| {
            let receives_last_fragment = |mcp: &Mcp| is_at(mcp, Thread::Rdma, &[ThreadState::RdmaLastFragment]);
            !any_card(pair, |mcp| is_at(mcp, Thread::Sdma, &[ThreadState::Sdma]) && receives_last_fragment(mcp))
        },
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "engines",
        description: "no engine is started while busy, or for an empty transfer",
        quantifier: Quantifier::Always,
        holds: |_, pair| !has_violation(pair, &[Violation::EngineMisuse]),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "landed-first",
        description: "no unit is sent or delivered before it has arrived, out of order, or twice",
        quantifier: Quantifier::Always,
        holds: |_, pair| !has_violation(pair, &[Violation::WrongUnitSent, Violation::WrongUnitDelivered]),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "whole",
        description: "every message or packet notified as sent or delivered is complete",
        quantifier: Quantifier::Always,
        holds: |_, pair| !has_violation(pair, &[Violation::FalseNotification]),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "no-deadlock",
        description: "no run stops before every message is delivered",
        quantifier: Quantifier::Always,
        holds: |case, pair| case.is_complete(pair) || !case.is_deadlocked(pair),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "in-turn",
        description: "a thread that wants the host engine is passed over at most once",
        quantifier: Quantifier::Always,
        holds: |_, pair| pair.cards().flat_map(|card| card.times_passed_over).all(|times| times < 2),
        is_expected_for: |_| true,
    },
    PropertySpec {
        name: "table",
        description: "at most one transition of a state is enabled, and threads wake up as their watch states",
        quantifier: Quantifier::Always,
        holds: |_, pair| !has_violation(pair, &[Violation::AmbiguousTransition, Violation::WrongWakeUp]),
        is_expected_for: |_| true,
    },
];

/// Returns all properties, or the one named, in the form of the checker.
pub fn properties(only_name: Option<&str>) -> Vec<Property<Case>> {
    let property = |property_spec: &PropertySpec| match property_spec.quantifier {
        Quantifier::Possible => Property::sometimes(property_spec.name, property_spec.holds),
        Quantifier::Always => Property::always(property_spec.name, property_spec.holds),
    };
    PROPERTIES
        .iter()
        .filter(|property_spec| only_name.is_none_or(|only| only == property_spec.name))
        .map(property)
        .collect()
}

fn overlaps(pipelining: Pipelining) -> bool {
    pipelining != Pipelining::Serial
}

fn is_fine(pipelining: Pipelining) -> bool {
    matches!(pipelining, Pipelining::Fine { .. })
}

fn any_card(pair: &Pair, holds: impl Fn(&Mcp) -> bool) -> bool {
    pair.cards().any(|card| holds(&card.mcp))
}

fn has_violation(pair: &Pair, violations: &[Violation]) -> bool {
    pair.cards().any(|card| card.violation.is_some_and(|violation| violations.contains(&violation)))
}

fn is_at(mcp: &Mcp, thread: Thread, states: &[ThreadState]) -> bool {
    states.contains(&mcp.state(thread))
}

/// Returns `coarse_send || fine_send` of the paper.
fn sends(mcp: &Mcp) -> bool {
    is_at(mcp, Thread::Send, &[ThreadState::CoarseGrainedSend, ThreadState::FineGrainedSend])
}

/// Returns `coarse_rdma || fine_rdma` of the paper, which prints the latter as `fine_sdma`.
fn writes(mcp: &Mcp) -> bool {
    is_at(mcp, Thread::Rdma, &[ThreadState::CoarseGrainedRdma, ThreadState::FineGrainedRdma])
}
