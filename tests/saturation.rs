//! Checks open loops on a fabric: saturation is reported and ends the run, confidence intervals cover the mean, metrics
//! of a run that ended too soon are empty, and the links of a fabric without nodes are reported.

mod deliveries;

use crate::common::cli::{as_json, narrows, stdout};
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{RunResult, run};
use narrows::machine;
use narrows::text::Document;
use serde_json::Value as Json;

/// Runs an open loop at `load` on a 4 × 4 mesh of routers with two virtual channels of four flits; `settings` is
/// appended to the keys of the workload.
fn run_mesh(load: f64, seed: u64, settings: &str) -> RunResult {
    let text = format!(
        "fabric.mesh = {{ shape = [4, 4] }}\nfabric.router = {{ virtual-channels = 2, buffer-flits = 4 }}\n\
         run.seed = {seed}\n[workload.offered]\nload = {load}\n{settings}\n"
    );
    let read = machine::read(Document::Text("mesh", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&read.value, Recorder::off())
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("nothing is measured under {name}: {:?}", result.metrics))
}

#[test]
fn accepted_load_equals_offered_load_until_saturation_is_reported() {
    let (mut saturated, mut accepted_max) = (false, 0.0);
    for load in [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0] {
        let result = run_mesh(load, 1, "");
        let [offered, accepted, half_width] =
            ["load", "accepted", "accepted_ci95"].map(|name| metric(&result, &format!("offered.{name}")));
        match &result.outcome {
            Outcome::Done => {
                assert!(!saturated, "{load}: a lower load was saturated");
                // Both loads count the same packets, except for packets in flight when the measurement begins and ends.
                // The tolerance is three times the half width of the confidence interval.
                assert!((offered - accepted).abs() < 3.0 * half_width, "{load}: {offered}, {accepted} ± {half_width}");
                assert_eq!(metric(&result, "offered.unfinished"), 0.0, "{load}");
                assert!(metric(&result, "offered.latency_ci95") < 0.2 * metric(&result, "offered.latency"));
                assert_eq!(result.note, None, "{load}");
            }
            Outcome::Saturated(reason) => {
                saturated = true;
                assert!(accepted < 0.98 * offered, "{load}: {offered}, {accepted}");
                assert_eq!(result.metric("offered.latency_ci95"), None, "a saturated run has no steady mean");
                assert!(reason.contains("grew in each of the last 10 windows"), "{reason}");
                // The run stops after twice the warm-up: it skips the measurement and the drain.
                assert!((20_000.0..20_100.0).contains(&(result.end.as_us() * 1_000.0)), "{load}: {}", result.end);
            }
            other => panic!("{load}: {other:?}"),
        }
        accepted_max = f64::max(accepted_max, accepted);
        assert!(accepted > 0.85 * accepted_max, "{load}: the accepted load must not fall: {accepted}");
    }
    assert!(saturated, "a 4 × 4 mesh saturates below one flit per node and cycle");
}

#[test]
fn saturated_run_that_ends_early_measures_the_same_as_a_long_one() {
    let (short_run, long_run) = (run_mesh(1.0, 1, ""), run_mesh(1.0, 2, "warm-up = 60000\ncycles = 10000"));
    let [short_accepted, long_accepted] = [&short_run, &long_run].map(|result| metric(result, "offered.accepted"));
    assert!((short_accepted / long_accepted - 1.0).abs() < 0.03, "{short_accepted}, {long_accepted}");
}

#[test]
fn confidence_intervals_cover_the_mean_of_all_runs() {
    let runs: Vec<RunResult> = (0..40).map(|seed| run_mesh(0.3, seed, "warm-up = 1000\ncycles = 6000")).collect();
    for name in ["offered.latency", "offered.accepted"] {
        let run_means: Vec<f64> = runs.iter().map(|result| metric(result, name)).collect();
        let mean = run_means.iter().sum::<f64>() / run_means.len() as f64;
        let covers =
            |result: &&RunResult| (metric(result, name) - mean).abs() <= metric(result, &format!("{name}_ci95"));
        // About 38 ± 1.4 of 40 intervals at 95 % cover the mean; three standard deviations are allowed.
        let covered = runs.iter().filter(covers).count();
        assert!(covered >= 33, "{name}: {covered} of 40 intervals cover {mean}");
    }
    let steady_runs = runs.iter().filter(|result| metric(result, "offered.warm_up_found") <= 2_000.0).count();
    assert!(steady_runs >= 36, "an empty mesh is warm after a few hundred cycles: {steady_runs} of 40");
}

#[test]
fn run_without_a_sufficient_warm_up_is_reported() {
    // At a load near saturation, queues fill for longer than these cycles.
    let cold_run = run_mesh(0.5, 1, "warm-up = 0\ncycles = 3000");
    let check = cold_run.warm_up.as_ref().expect("the transient is tested");
    assert_eq!((check.key, check.value, check.test.is_transient()), ("workload.offered.warm-up", 0, Some(true)));
    let finding = check.finding().unwrap_or_default();
    assert!(
        finding.contains("offered.latency of the first ") && finding.contains("below that of the rest"),
        "{finding}"
    );
    let warm_up = cold_run.metric("offered.warm_up_found");
    assert!(warm_up.is_none_or(|cycles| cycles > 0.0), "{warm_up:?}");
    let warm_check = run_mesh(0.3, 1, "").warm_up.expect("the transient is tested");
    assert_eq!((warm_check.value, warm_check.test.is_transient()), (10_000, Some(false)));
}

#[test]
fn links_of_a_fabric_driven_alone_are_reported() {
    let result = run_mesh(0.3, 1, "");
    let shares: Vec<f64> = result.resources.iter().map(|link| link.active.as_s() / result.end.as_s()).collect();
    let largest_share = shares.iter().copied().fold(0.0, f64::max);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!((metric(&result, "links.utilisation") / mean - 1.0).abs() < 1e-3);
    assert!((metric(&result, "links.utilisation_max") / largest_share - 1.0).abs() < 1e-3);
    for example in ["offered-load", "replay-mesh"] {
        let text = stdout(&["run", example, "--no-host"]);
        assert!(
            text.contains("Candidate for the bottleneck: link ") && !text.contains("no message was delivered"),
            "{text}"
        );
        assert!(text.ends_with(&format!("\nBottleneck, by experiment: narrows whatif {example}\n")), "{text}");
    }
}

#[test]
fn saturated_run_is_not_a_failure() {
    let overrides = ["--set=workload.offered.load=1.0", "--set=fabric.mesh.shape=[4, 4]"];
    let run = |format: &str| stdout(&[&["run", "offered-load", "--no-host", format], &overrides[..]].concat());
    let result: Json = serde_json::from_str(&run("--format=json")).expect("the text is JSON");
    assert_eq!(result["outcome"], "saturated");
    assert!(result["note"].as_str().is_some_and(|note| note.contains("queues of its sources grew")), "{result}");
    assert_eq!(result["metrics"]["offered.latency_ci95"]["value"], Json::Null);
    assert!(run("--format=text").contains("saturated; stopped after "));
    let sweep =
        narrows(&["sweep", "offered-load", overrides[1], "--vary=workload.offered.load=0.2,1.0", "--format=csv"]);
    assert_eq!(sweep.status.code(), Some(0));
    let rows = String::from_utf8_lossy(&sweep.stdout).into_owned();
    let outcomes: Vec<&str> = rows.lines().skip(1).filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(outcomes, ["done", "saturated"]);
    assert!(String::from_utf8_lossy(&sweep.stderr).contains("1 of 2 runs are saturated"));
}

#[test]
fn metrics_of_a_run_that_ended_too_soon_are_empty_and_not_zero() {
    let early_limit = "--set=run.time-limit=1 ns";
    for (example, name) in [
        ("ping-pong", "message.latency_one_way"),
        ("stream", "message.bandwidth"),
        ("page-fetch", "fetch.latency"),
        ("dma", "dma.bandwidth"),
        ("memory-bus", "round_trip.latency"),
        ("offered-load", "offered.accepted"),
    ] {
        let output = narrows(&["run", example, early_limit, "--format=json"]);
        let result: Json = serde_json::from_slice(&output.stdout).expect("the text is JSON");
        assert_eq!((output.status.code(), &result["outcome"]), (Some(3), &"time-limit".into()));
        let metric = &result["metrics"][name];
        assert!(metric.is_object() && metric["value"].is_null(), "{example}: {metric}");
        let text = String::from_utf8(narrows(&["run", example, early_limit]).stdout).expect("the text is UTF-8");
        let line =
            text.lines().find(|line| line.split_whitespace().next() == Some(name)).expect("the metric is listed");
        assert!(line.contains('–'), "{line}");
    }
    let output = narrows(&["sweep", "stream", early_limit, "--vary=run.seed=1,2", "--format=csv"]);
    let rows = String::from_utf8_lossy(&output.stdout).into_owned();
    let columns: Vec<&str> = rows.lines().next().expect("the table has a header").split(',').collect();
    let bandwidth =
        columns.iter().position(|column| column.starts_with("message_bandwidth")).expect("the column exists");
    assert!(rows.lines().skip(1).all(|row| row.split(',').nth(bandwidth) == Some("")), "{rows}");
}

#[test]
fn bursts_report_their_throughput_and_the_cut_off() {
    let truncated = as_json(&["run", "nifdy", "--set=workload.bursts.cycles=60000"]);
    let metric =
        |name: &str| truncated["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name}: {truncated}"));
    assert_eq!(truncated["outcome"], "done");
    assert!(
        truncated["note"].as_str().is_some_and(|note| note.contains("ended at `workload.bursts.cycles`")),
        "{truncated}"
    );
    let rate = metric("packets.delivered") / metric("cycles") / 64.0;
    // The whole run includes its warm-up, and phases in which nodes wait for the barrier.
    let (steady, half_width) = (metric("bursts.throughput"), metric("bursts.throughput_ci95"));
    assert!(metric("bursts.warm_up_found") < 30_000.0 && half_width < steady);
    assert!((steady / rate - 1.0).abs() < 0.3, "{steady} ± {half_width}, {rate}");
    let complete = as_json(&["run", "nifdy", "--set=workload.bursts.phases=1"]);
    assert_eq!(complete["note"], Json::Null);
}

#[test]
fn several_seeds_give_the_same_means_and_intervals_with_any_number_of_jobs() {
    let run = ["run", "offered-load", "--set=workload.offered.cycles=2000", "--set=fabric.mesh.shape=[4, 4]"];
    let seeds = |jobs: &str| as_json(&[&run[..], &["--seed=5", "--seeds=4", "--jobs", jobs]].concat());
    let (one_job, three_jobs) = (seeds("1"), seeds("3"));
    assert_eq!(one_job, three_jobs);
    assert_eq!(one_job["seeds"], serde_json::json!([5, 6, 7, 8]));
    assert_eq!(one_job["outcomes"], serde_json::json!({ "done": 4 }));
    let name = "offered.latency";
    let single_seed =
        |seed: u64| as_json(&[&run[..], &[&format!("--seed={seed}")]].concat())["metrics"][name]["value"].as_f64();
    let values: Vec<f64> = (5..9).map(|seed| single_seed(seed).expect("it is measured")).collect();
    let mean = values.iter().sum::<f64>() / 4.0;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let field = |key: &str| one_job["metrics"][name][key].as_f64().expect("the value is a number");
    assert!((field("value") - mean).abs() < 1e-9);
    // The factor is Student's t of three degrees of freedom at 97.5 %.
    assert!((field("ci95") - 3.182 * deviation / 2.0).abs() < 1e-9);
    assert_eq!(one_job["metrics"][name]["runs"], 4);
}

#[test]
fn a_sweep_with_seeds_has_a_row_for_each_point() {
    let sweep = |options: &[&str]| {
        let short_run = ["--set=workload.offered.cycles=2000", "--set=fabric.mesh.shape=[4, 4]"];
        let vary = ["--vary=workload.offered.load=0.1,0.3", "--metric=offered.latency", "--seeds=3"];
        stdout(&[&["sweep", "offered-load"], &short_run[..], &vary[..], options].concat())
    };
    let csv = sweep(&["--format=csv"]);
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    let metric = ["offered_latency_cycles", "offered_latency_ci95_cycles"];
    let headers = [&["workload_offered_load", "outcome"][..], &metric, &["seeds", "initial_transient"]].concat();
    assert_eq!(rows[0], headers);
    assert_eq!((rows.len(), rows[1][0], rows[2][0], rows[1][1]), (3, "0.1", "0.3", "done"));
    let result: Json = serde_json::from_str(&sweep(&["--format=json"])).expect("the text is JSON");
    assert_eq!(result["points"][1]["seeds"], serde_json::json!([1, 2, 3]));
    assert_eq!(rows[2][2].parse::<f64>().ok(), result["points"][1]["metrics"]["offered.latency"]["value"].as_f64());
    let output = narrows(&["sweep", "offered-load", "--vary=run.'seed'=1,2", "--seeds=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("both --vary and --seeds vary `run.seed`"));
}
