//! The paper's data against its code: claims, points, and shapes on made-up results.

use super::super::claims::{self, Seen};
use super::super::experiment::{Experiments, Results};
use super::super::reproduce::{Study, paper};
use super::super::run::RunResult;
use super::axes::{NETWORKS, SHIFTS, network};
use super::{Nifdy, formula, shapes};
use crate::engine::{Map, Metric};
use crate::report::claim::{Kind, Role};
use std::collections::BTreeSet;

const PAPER: &str = "nifdy";

/// Every point that is run under a default run, with its metrics by `of`; points without any are left
/// out.
fn made_up(of: impl Fn(&str, &[&str]) -> Vec<(&'static str, f64)>) -> Results {
    let experiments = Experiments::of(PAPER);
    let known = paper(PAPER).expect("it is there");
    let points = known.artifacts.values().flatten().flat_map(|experiment| experiments.names(experiment, false));
    let mut results = Results::new();
    for point in points {
        let parts: Vec<&str> = point.split('/').collect();
        let metrics = of(parts[0], &parts[1..]);
        if !metrics.is_empty() {
            results.insert(point.clone(), RunResult::made_up(&metrics));
        }
    }
    results
}

/// Latencies by Table 3's formulas.
fn zero_load() -> Results {
    let mut results = Results::new();
    for network in &NETWORKS {
        let mut run = RunResult::made_up(&[]);
        for distance in network.distances {
            let metric = |end: &str| {
                let name = format!("zero_load.d{distance}.latency_{end}");
                Metric::new(name, network.latency.at(*distance) as f64, "cycles")
            };
            run.metrics.extend(["min", "max"].map(metric));
        }
        results.insert(format!("zero-load/{}", network.key), run);
    }
    results
}

/// What pairs would take by the equations.
fn pair(experiment: &str, values: &[&str]) -> Option<f64> {
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let trip = |key, distance| network(key).latency.round_trip(distance) as f64;
    let limit = |name: &str| if name == "paper" { 60.0 } else { 32.0 };
    Some(match (experiment, values) {
        ("pair-plain", ["receive", _]) => 60.0,
        ("pair-plain", ["send", _]) => 80.0,
        ("pair-plain", _) => 32.0,
        ("pair-idle", [distance]) => trip("mesh", number(distance)),
        ("pair-idle-tree", [distance]) => trip("fat-tree", number(distance)),
        ("pair-scalar", [distance]) => formula::scalar(trip("mesh", number(distance)), 60.0),
        ("pair-bulk", [processor, acknowledge, window]) => {
            formula::bulk(trip("mesh", 14), limit(processor), number(window), *acknowledge == "each-packet")
        }
        _ => return None,
    })
}

/// Throughputs as the paper tells them, roughly.
fn throughput(experiment: &str, values: &[&str]) -> Option<f64> {
    let narrow = values.first().is_some_and(|key| ["cm-5", "mesh"].contains(key));
    Some(match (experiment, values) {
        ("heavy-none" | "light-none" | "scale-none" | "scale-large-none", _) => 1000.0,
        ("heavy-nifdy", _) => 1500.0 + f64::from(u8::from(narrow)) * 200.0,
        ("heavy-buffers" | "light-buffers" | "light-nifdy", _) => 1500.0,
        ("windows", ["butterfly", "0", _]) => 1100.0,
        ("windows", [_, "0", _]) => 900.0,
        ("windows", [_, "4", _]) => 1050.0,
        ("windows", _) => 1000.0,
        ("scale-pool" | "scale-large-pool", [_, pool]) => 1000.0 + 10.0 * pool.parse::<f64>().expect("a number"),
        ("scale-outstanding", [_, "8"]) => 1300.0,
        ("scale-outstanding" | "scale-large-outstanding", _) => 1200.0,
        ("lossy", [loss]) => 1000.0 * (1.0 - 2.0 * loss.parse::<f64>().expect("a number")),
        ("adaptive-none", ["minimal-adaptive", _]) => 900.0,
        ("adaptive-none" | "adaptive-nifdy", _) => 1000.0,
        _ => return None,
    })
}

/// What real traffic would take if it were as the paper tells it.
fn real(experiment: &str, values: &[&str]) -> Vec<(&'static str, f64)> {
    let em3d = |cycles| vec![("em3d.cycles_per_iteration", cycles)];
    let radix = |scan| vec![("radix.scan_cycles", scan), ("radix.coalesce_cycles", 5000.0)];
    let deep = if values.first() == Some(&"store-and-forward") { 500.0 } else { 0.0 };
    match (experiment, values) {
        ("em3d-light-none" | "em3d-heavy-none", _) => em3d(1200.0),
        ("em3d-light-nifdy" | "em3d-heavy-nifdy", _) => em3d(1000.0),
        (em, _) if em.starts_with("em3d") => em3d(1100.0),
        ("radix-none", [_, "without"]) => radix(3000.0 + deep),
        ("radix-nifdy", [_, "without"]) => radix(2200.0),
        ("radix-none" | "radix-nifdy", _) => radix(2000.0),
        _ => Vec::new(),
    }
}

/// A shift whose receiver 1 has a pile for so many samples.
fn shift(words_per_cycle: f64, most: u32, pile: usize) -> RunResult {
    let row = |receiver: usize| (0..40).map(move |sample| if receiver == 1 && sample < pile { most } else { 1 });
    let mut run =
        RunResult::made_up(&[("shift.words_per_cycle", words_per_cycle), ("shift.pending_max", f64::from(most))]);
    let values = (0..4).flat_map(row).collect();
    run.map = Some(Map { name: "shift.pending", unit: "", rows: 4, columns: 40, every_cycles: 500, values });
    run
}

/// What the runs would give if all were as the paper tells it.
fn told() -> Results {
    let mut results = made_up(|experiment, values| {
        let mut metrics = real(experiment, values);
        metrics.extend(pair(experiment, values).map(|cycles| ("pair.cycles_per_packet", cycles)));
        metrics.extend(throughput(experiment, values).map(|packets| ("packets.delivered", packets)));
        metrics.push(("ni.state", 700.0));
        metrics
    });
    results.extend(zero_load());
    let cases = [(1.0, 30, 35), (1.2, 9, 0), (1.1, 25, 20), (1.5, 12, 4), (2.2, 12, 4)];
    results.extend(
        SHIFTS.iter().zip(cases).map(|((point, _), (words, most, pile))| (point.to_string(), shift(words, most, pile))),
    );
    results
}

/// Claims whose results this test does not make up.
fn is_elsewhere(id: &str) -> bool {
    id.ends_with("-volume") || id.ends_with("-parameters") || id == "R12"
}

#[test]
fn every_result_from_1_to_17_is_a_claim_and_so_is_every_entry_of_table_3() {
    let stated = claims::of(PAPER);
    for number in 1..=17 {
        let own = format!("R{number}");
        let is_of = |id: &str| id == own || id.starts_with(&format!("{own}-"));
        assert!(stated.iter().any(|claim| is_of(&claim.id)), "{own}");
    }
    for network in &NETWORKS {
        let number = |id: String| stated.iter().find(|claim| claim.id == id).and_then(|claim| claim.expected());
        for distance in network.distances {
            let expected = number(format!("T3-{}-latency-{distance}", network.key));
            assert_eq!(expected, Some(network.latency.at(*distance) as f64), "{} {distance}", network.key);
        }
        assert!(number(format!("T3-{}-volume", network.key)).is_some());
    }
    let judged = stated.iter().map(|claim| claim.judge(&Results::new(), &|_| None));
    let calibrated: Vec<_> = judged.filter(|claim| claim.role == Role::Calibrated).collect();
    assert_eq!(calibrated.len(), 9, "a latency of each network, and a volume");
    assert!(calibrated.iter().all(|claim| claim.kind == Kind::Number));
}

#[test]
fn every_claim_and_artifact_has_its_runs() {
    let (known, experiments) = (paper(PAPER).expect("it is there"), Experiments::of(PAPER));
    let mut ids = BTreeSet::new();
    for claim in claims::of(PAPER) {
        assert!(ids.insert(claim.id.clone()), "two claims are called {}", claim.id);
        assert!(known.artifacts.contains_key(&claim.artifact), "{} has no artifact", claim.id);
    }
    for id in Nifdy.order() {
        let runs: Vec<_> = known.artifacts[*id].iter().flat_map(|name| experiments.names(name, true)).collect();
        assert!(!runs.is_empty() || Nifdy.explorations(id, true) > 0, "{id}");
    }
    assert_eq!(Nifdy.order().len(), known.artifacts.len());
    assert!(known.apart.iter().all(|id| known.artifacts.contains_key(id)));
}

#[test]
fn what_the_paper_tells_holds() {
    let results = told();
    for claim in claims::of(PAPER).iter().filter(|claim| !is_elsewhere(&claim.id)) {
        let judged = claim.judge(&results, &|id| Nifdy.seen(id, &results));
        assert_eq!(judged.holds, Some(true), "{}: {}", judged.id, judged.measured_text());
    }
}

#[test]
fn a_shape_that_is_not_there_is_not_seen() {
    let mut results = told();
    let delivered = |packets| RunResult::made_up(&[("packets.delivered", packets)]);
    results.insert("heavy-nifdy/torus".to_owned(), delivered(990.0));
    results.insert("windows/butterfly/8/heavy".to_owned(), delivered(1400.0));
    results.insert("pair-scalar/04".to_owned(), RunResult::made_up(&[("pair.cycles_per_packet", 60.0)]));
    results.insert("shift-nifdy/nifdy".to_owned(), shift(1.3, 12, 30));
    results.insert("radix-nifdy/mesh/without".to_owned(), RunResult::made_up(&[("radix.scan_cycles", 1900.0)]));
    let failing = ["R8-heavy", "R17-heavy", "R13", "R5", "R15-order", "R15-dissipates", "R9-shift", "R16-delay"];
    for claim in claims::of(PAPER).iter().filter(|claim| !is_elsewhere(&claim.id)) {
        let judged = claim.judge(&results, &|id| Nifdy.seen(id, &results));
        let known = failing.contains(&claim.id.as_str());
        assert_eq!(judged.holds == Some(false), known, "{}: {}", claim.id, judged.measured_text());
    }
    let nothing = Results::new();
    let seen = |id: &str| shapes::seen(id, &nothing);
    let ids = claims::of(PAPER).into_iter().map(|claim| claim.id).filter(|id| !id.ends_with("-volume"));
    assert!(ids.into_iter().all(|id| seen(&id).is_none()), "nothing is seen in no results");
}

#[test]
fn the_search_is_judged_by_its_last_round() {
    let of = |packets| RunResult::made_up(&[("packets.delivered", packets)]);
    let mut results = Results::new();
    for network in &NETWORKS {
        for load in super::axes::LOADS {
            let key = network.key;
            results.insert(format!("search-none/{key}/{load}/20000"), of(1000.0));
            let best = network.best;
            let own = format!("{}-{}-{}-{}", best.outstanding, best.pool, best.dialogs, best.window);
            results.insert(format!("search/{key}/{load}/20000/{own}"), of(if key == "mesh" { 1400.0 } else { 1490.0 }));
            results.insert(format!("search/{key}/{load}/20000/4-16-1-8"), of(1500.0));
        }
    }
    let holds = |id: &str| match shapes::seen(id, &results) {
        Some(Seen::Words(_, holds)) => holds,
        _ => panic!("{id} is seen"),
    };
    assert!(holds("T3-fat-tree-parameters") && !holds("T3-mesh-parameters") && holds("R12"));
}

#[test]
fn every_artifact_is_drawn_from_whatever_results_there_are() {
    for results in [Results::new(), told()] {
        let drawn: Vec<_> = Nifdy.order().iter().flat_map(|id| Nifdy.artifact(id, &results, &[])).collect();
        let mut ids: Vec<&str> = drawn.iter().map(|artifact| artifact.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), drawn.len(), "no two artifacts have one name");
    }
}
