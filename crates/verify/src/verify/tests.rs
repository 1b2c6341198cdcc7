//! Tests of the checker: every firmware meets the expectations, every disabled rule is detected, and every transition
//! of the table is taken.

use super::check::{check, explore};
use super::firmware::{FIRMWARES, Firmware};
use super::pair::{Case, Pair};
use super::promela::{FORMULAS, promela};
use super::properties::PROPERTIES;
use narrows_core::ni::mcp::threads::{Config, Pipelining, Rule, TRANSITIONS, Thread, Transition};
use stateright::{Checker, Model, StateRecorder};

fn firmware_by_name(name: &str) -> &'static Firmware {
    FIRMWARES.iter().find(|firmware| firmware.name == name).expect("the firmware exists")
}

#[test]
fn every_firmware_meets_the_expectations() {
    for result in check(&FIRMWARES.iter().collect::<Vec<_>>(), None) {
        println!("{}: {} states", result.firmware, result.states);
        let errors: Vec<_> = result.findings.iter().filter(|finding| !finding.is_as_expected()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", result.firmware);
    }
}

/// For each disabled rule, a firmware and the properties that fail for it.
const DISABLED_RULE_FAILURES: [(Rule, &str, &[&str]); 7] = [
    (Rule::EngineExclusive, "berkeley-via", &["f4", "engines", "no-deadlock"]),
    (Rule::EngineExclusive, "gm", &["f4", "engines", "no-deadlock"]),
    (Rule::BytesFirst, "gm", &["landed-first"]),
    (Rule::BuffersHeld, "gm", &["landed-first"]),
    (Rule::EndsMarked, "gm", &["no-deadlock"]),
    (Rule::EndsMarked, "fine", &["no-deadlock", "landed-first"]),
    (Rule::Turns, "gm", &["in-turn"]),
];

#[test]
fn every_disabled_rule_is_detected() {
    assert!(Rule::ALL.iter().all(|rule| DISABLED_RULE_FAILURES.iter().any(|(disabled, ..)| disabled == rule)));
    for (rule, name, properties) in DISABLED_RULE_FAILURES {
        let result = check(&[firmware_by_name(name)], Some(rule)).remove(0);
        for property in properties {
            let finding =
                result.findings.iter().find(|finding| finding.name == *property).expect("the property exists");
            assert!(!finding.holds && finding.trace.len() > 1, "{name} without {}: {property}", rule.name());
        }
    }
}

/// The shortest run of Berkeley-VIA's firmware to a state in which both threads use the host engine.
const TRACE: [&str; 9] = [
    "card A sends 3, the peer sends 2; buffers each way: 2",
    "A    posts a message of 1 unit",
    "A    SDMA Idle → Sdma; reads 1 unit of message 0 from 0 into send buffer 0",
    "peer posts a message of 1 unit",
    "A    RECV Idle → Recv; receives into receive buffer 0",
    "peer a unit crosses to A",
    "peer the packet's end crosses to A",
    "A    RECV Recv → Recv_Done → Idle",
    "A    RDMA Idle → Coarse_Grained_Rdma; writes 1 unit of receive buffer 0 from 0",
];

#[test]
fn trace_leads_to_a_violation_of_the_property() {
    let result = check(&[firmware_by_name("berkeley-via")], Some(Rule::EngineExclusive)).remove(0);
    let finding = result.findings.iter().find(|finding| finding.name == "f4").expect("the property exists");
    assert_eq!(finding.trace, TRACE);
}

/// Returns the case of a card that sends one message and receives none.
fn single_message(pipelining: Pipelining) -> Case {
    let config = Config { pipelining, send_buffers: 2, receive_buffers: 2, segment: None };
    Case { config, disabled_rule: None, lengths: &[3], messages: [1, 0], has_two_cards: false, only_property: None }
}

/// Checks that Formulas 1 to 3 fail for one message: the paper's ◇ requires the state in every run. All runs of the
/// coarse-grained firmware are explored.
#[test]
fn formulas_1_to_3_fail_for_a_single_message() {
    let is_discovered = |pipelining, name: &str| {
        let (_, discovered) = explore(&single_message(pipelining));
        PROPERTIES.iter().zip(discovered).any(|(checked, was_discovered)| checked.name == name && was_discovered)
    };
    assert!(["f1", "f2", "f3"].iter().all(|name| !is_discovered(Pipelining::Coarse, name)));
    assert!(is_discovered(Pipelining::Fine { threshold: 2 }, "f1-within"));
}

/// Returns all states of a firmware's small cases.
fn states(firmware: &Firmware) -> Vec<Pair> {
    let case_states = |case: Case| {
        let (recorder, states) = StateRecorder::new_with_accessor();
        case.checker().threads(1).visitor(recorder).spawn_bfs().join();
        states()
    };
    // With one buffer in each direction, and packets shorter and longer than the threshold, all states are reached.
    firmware
        .cases(None)
        .into_iter()
        .filter(|case| case.config.send_buffers == 1 && !case.has_two_cards)
        .flat_map(case_states)
        .collect()
}

#[test]
fn every_transition_is_taken() {
    let mut untaken: Vec<&Transition> = TRANSITIONS.iter().filter(|row| row.from.is_dispatching()).collect();
    for pair in states(firmware_by_name("fine")) {
        let is_enabled = |row: &Transition| {
            pair.cards().any(|card| Thread::ALL.iter().any(|&thread| card.mcp.enabled_row(thread) == Some(row)))
        };
        untaken.retain(|row| !is_enabled(row));
    }
    assert!(untaken.is_empty(), "{untaken:#?}");
}

#[test]
fn promela_models_have_every_transition_and_formula() {
    for firmware in &FIRMWARES {
        let model = promela(firmware, None);
        let rows = TRANSITIONS.iter().filter(|row| model.contains(&format!("_state = {}; running", row.to.name())));
        assert_eq!(rows.count(), TRANSITIONS.len(), "{}", firmware.name);
        assert!(model.contains(firmware.description) && FORMULAS.iter().all(|formula| model.contains(formula.ltl)));
        let parts = ["POST_LENGTHS", "PEER_LENGTHS"];
        assert!(parts.iter().all(|part| !model.contains(part)), "{}", firmware.name);
    }
}
