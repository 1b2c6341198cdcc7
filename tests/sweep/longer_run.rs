//! Repetition of a found value with four times the messages, in open loops.

use crate::common::cli::{json, narrows, stdout};

/// A search for the load at which the latency of an open loop exceeds a limit.
const OPEN_LOOP: [&str; 8] = [
    "sweep",
    "open-loop",
    "--set=workload.stream.messages=500",
    "--set=workload.stream.warm-up=50",
    "--find",
    "message.latency_one_way <= 10 us",
    "--over",
    "workload.stream.arrivals.poisson.interval=0.2 us..8 us",
];

#[test]
fn value_found_in_an_open_loop_is_repeated_in_a_longer_run() {
    let found = &json(&[&OPEN_LOOP[..], &["--format", "json"]].concat())["found"][0];
    let run = &found["longer_run"];
    assert_eq!((run["key"].as_str(), run["value"].as_str()), (Some("workload.stream.messages"), Some("2000")));
    // The found value is that of the end at which the condition holds.
    assert_eq!(run["run"]["value"], found["between"][1]["value"]);
    // The run equals a separate one.
    let interval =
        format!("--set=workload.stream.arrivals.poisson.interval={}", run["run"]["value"].as_str().expect("a value"));
    let alone = json(&[
        "run",
        "open-loop",
        "--set=workload.stream.messages=2000",
        "--set=workload.stream.warm-up=50",
        &interval,
        "--format",
        "json",
    ]);
    let is_saturated = alone["outcome"] == "saturated";
    let holds =
        !is_saturated && alone["metrics"]["message.latency_one_way"]["value"].as_f64().expect("a number") <= 10.0;
    assert_eq!(run["run"]["holds"], holds);
    let text = stdout(&OPEN_LOOP);
    assert!(text.contains("\nWith workload.stream.messages = 2000, four times as long, "), "{text}");
    assert!(text.contains(if holds { ": it still holds." } else { ": it does not hold." }), "{text}");
    let (metric, found_metric) = (run["run"]["metric"].as_f64(), found["between"][1]["metric"].as_f64());
    let is_stable = metric.zip(found_metric).is_some_and(|(metric, found)| (metric / found - 1.0).abs() <= 0.25);
    assert_eq!(
        (run["stable"] == true, !text.contains("search again with more messages")),
        (is_stable, is_stable),
        "{text}"
    );
}

#[test]
fn value_found_in_a_closed_loop_is_not_repeated() {
    let search = ["sweep", "stream", "--set=workload.stream.messages=60", "--find=message.bandwidth >= 20 MB/s"];
    let search = [&search[..], &["--over=workload.stream.payload=64 B..8 KiB*2", "--format=json"]].concat();
    let output = narrows(&search);
    assert_eq!(output.status.code(), Some(0));
    assert!(json(&search)["found"][0]["longer_run"].is_null());
}
