//! The paper's data against its code: claims, points, and shapes on the paper's own table.

use super::super::claims::{self, Seen};
use super::super::experiment::Results;
use super::super::reproduce::Study;
use super::super::run::RunResult;
use super::axes::{self, INTERFACES, ROUND_TRIP_SIZES, STREAM_SIZES, TABLE};
use super::{MukherjeeHill, message, shapes};
use crate::engine::{Ledger, Time};
use crate::report::MeanLedger;
use crate::report::claim::{Kind, Role};

const PAPER: &str = "mukherjee-hill";

/// What the runs would give if they gave Table 5, with straight lines between its round trips.
fn published() -> Results {
    let stated = claims::of(PAPER);
    let mut results = Results::new();
    for (key, _) in &INTERFACES[..TABLE] {
        for size in STREAM_SIZES {
            let rate = axes::published(&stated, key, "bandwidth", size).expect("an entry");
            results.insert(format!("bandwidth/{key}/{size}"), RunResult::made_up(&[("message.bandwidth", rate)]));
        }
        let trips = ROUND_TRIP_SIZES.map(|size| (size, axes::published(&stated, key, "latency", size)));
        let [(_, Some(at_8)), (_, Some(at_64)), (_, Some(at_256))] = trips else { continue };
        for (size, trip) in trips {
            let trip = trip.expect("an entry");
            results.insert(format!("latency/{key}/{size}"), RunResult::made_up(&[("round_trip.latency", trip)]));
        }
        for size in axes::steps() {
            let trip = match size {
                ..=64 => at_8 + (at_64 - at_8) * (size as f64 - 8.0) / 56.0,
                _ => at_64 + (at_256 - at_64) * (size as f64 - 64.0) / 192.0,
            };
            results.insert(format!("break-even/{key}/{size}"), RunResult::made_up(&[("round_trip.latency", trip)]));
        }
    }
    results
}

#[test]
fn every_entry_of_table_5_is_a_claim() {
    let stated = claims::of(PAPER);
    let numbers: Vec<_> = stated.iter().filter(|claim| claim.expected().is_some()).collect();
    assert_eq!(numbers.len(), 53);
    assert!(numbers.iter().all(|claim| claim.id.starts_with("T5-")));
    let judged: Vec<_> = stated.iter().map(|claim| claim.judge(&Results::new(), &|_| None)).collect();
    for claim in judged.iter().filter(|claim| claim.kind == Kind::Number) {
        assert!(claim.source.starts_with("Table 5, row ") && claim.tolerance == Some(0.1), "{}", claim.id);
    }
    let calibrated = judged.iter().filter(|claim| claim.role == Role::Calibrated);
    assert_eq!(calibrated.count(), 8, "the round trips at 64 B, and one more");
}

#[test]
fn the_paper_s_own_table_has_its_shapes() {
    let results = published();
    for claim in claims::of(PAPER) {
        let judged = claim.judge(&results, &|id| MukherjeeHill.seen(id, &results));
        assert_eq!(judged.holds, Some(true), "{}: {}", judged.id, judged.measured_text());
    }
    let crossing = |one, other| shapes::crossings(&results, one, other).expect("all steps are there");
    assert_eq!(crossing("ni2w", "udma").iter().map(|at| at.round()).collect::<Vec<_>>(), [84.0]);
    assert_eq!(crossing("startjr", "ap3000").iter().map(|at| at.round()).collect::<Vec<_>>(), [93.0]);
}

#[test]
fn a_shape_that_is_not_there_is_not_seen() {
    let mut results = published();
    results.insert("latency/cni32qm/64".to_owned(), RunResult::made_up(&[("round_trip.latency", 2.6)]));
    results.insert("break-even/udma/200".to_owned(), RunResult::made_up(&[("round_trip.latency", 20.0)]));
    for (id, holds) in [("R1", true), ("R2", false), ("R3", false), ("R5", true), ("R8", false)] {
        assert!(matches!(shapes::seen(id, &results), Some(Seen::Words(_, seen)) if seen == holds), "{id}");
    }
    assert!(shapes::seen("R1", &Results::new()).is_none(), "nothing is seen in no results");
}

#[test]
fn every_artifact_is_drawn_from_whatever_results_there_are() {
    let stated = claims::of(PAPER);
    for results in [Results::new(), published()] {
        let drawn: Vec<_> =
            MukherjeeHill.order().iter().flat_map(|id| MukherjeeHill.artifact(id, &results, &stated)).collect();
        let mut ids: Vec<&str> = drawn.iter().map(|artifact| artifact.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), drawn.len(), "no two artifacts have one name");
    }
}

#[test]
fn a_ledger_is_told_by_place() {
    let mut ledger = Ledger::new(Time::ZERO);
    let stages = ["send: earlier fragments", "send: processor", "send: bus", "send: interface", "wire"];
    let stages =
        stages.into_iter().chain(["receive: interface", "receive: poll", "receive: processor", "receive: bus"]);
    for (number, stage) in stages.enumerate() {
        ledger.close(stage, Time::from_us(number as u64 + 1));
    }
    assert_eq!(message::by_place(&MeanLedger::of([&ledger])), [4.0, 2.0, 2.0, 1.0, 0.0]);
}
