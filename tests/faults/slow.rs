//! Checks the detection of deadlocks in slow runs: a barrier, a computation, a call and a clock cycle longer than
//! `run.no-progress-limit` complete, and a run that makes no progress is still reported as a deadlock.

use crate::common::parts::{read, read_valid};
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};

/// Returns the result of a run of `workload` on two nodes of `host`.
#[track_caller]
fn run(host: &str, ni: &str, workload: &str, overrides: &[&str]) -> RunResult {
    let parts = [format!("hosts/{host}"), format!("ni/{ni}"), "fabrics/ideal-1998".to_owned()];
    let text = format!("parts = {parts:?}\n[nodes.n]\nhost = \"{host}\"\ncount = 2\n[workload]\n{workload}\n");
    let overrides: Vec<String> = overrides.iter().map(|setting| (*setting).to_owned()).collect();
    experiment::run(&read_valid(&text, &overrides), Recorder::off())
}

const LIMIT_OF_1_MS: &str = "run.no-progress-limit=1 ms";
const RADIX_SORT: &str = "radix-sort = { keys = 8, bits = 3, passes = 1 }";

#[test]
fn barrier_as_long_as_the_limit_completes() {
    for (host, ni) in [("memory-bus-1998", "ni2w"), ("p6-natoma", "trapeze"), ("cm-5", "queues"), ("alewife", "cmmu")] {
        let result = run(host, ni, RADIX_SORT, &[LIMIT_OF_1_MS, "messaging.barrier=1000000"]);
        assert_eq!(result.outcome, Outcome::Done, "{host} {ni}");
    }
}

#[test]
fn computation_longer_than_the_limit_completes() {
    // A processor computes for 4.3 ms of the 7.8 ms of the run, and polls the network every 10 us.
    let dsmc = "dsmc = { cells = [4, 2, 2], molecules = 2000, iterations = 1 }";
    let result = run("p6-natoma", "queues", dsmc, &[LIMIT_OF_1_MS]);
    assert_eq!(result.outcome, Outcome::Done);
    let metric_of = |name: &str| result.metric(name).expect("the metric is measured");
    assert!(metric_of("time.compute") > 0.5 * metric_of("time.program"), "{} cycles", metric_of("time.compute"));
    assert!(result.end.as_s() > 5e-3, "{}", result.end);
}

#[test]
fn call_as_long_as_the_limit_completes() {
    let pairs =
        [("memory-bus-1998", "ni2w"), ("memory-bus-1998", "gm"), ("memory-bus-1998", "udma"), ("cm-5", "queues")];
    for (host, ni) in pairs {
        for workload in [
            RADIX_SORT,
            "cyclic-shift = { words = 8 }",
            "ping-pong = { warm-up = 0, messages = 2, payload = \"300 B\" }",
        ] {
            for call in ["send", "receive", "poll", "dispatch"] {
                let result = run(host, ni, workload, &[LIMIT_OF_1_MS, &format!("messaging.{call}=1000000")]);
                assert_eq!(result.outcome, Outcome::Done, "{host} {ni} {workload} {call}");
            }
        }
    }
}

#[test]
fn a_clock_of_a_hundred_hertz_serves_a_page() {
    let fetch = "page-fetch = { page = \"64 B\", faults = 2, warm-up = 0 }";
    for ni in ["single-cycle", "ni2w", "queues"] {
        let setting = "hosts.p6-natoma.io-bus.processor.clock=100 Hz";
        let result = run("p6-natoma", ni, fetch, &[setting]);
        assert_eq!(result.outcome, Outcome::Done, "{ni}");
        assert!(result.end.as_s() > 5.0, "{ni}: {}", result.end);
    }
}

#[test]
fn deadlock_is_found_while_a_processor_still_copies() {
    let stream = "stream = { payload = \"300 B\", messages = 8, never-poll = true, copying = true }";
    let result = run("memory-bus-1998", "ni2w", stream, &[LIMIT_OF_1_MS, "run.time-limit=100 ms"]);
    assert!(matches!(result.outcome, Outcome::Deadlock(_)), "{:?}", result.outcome);
}

#[test]
fn deadlock_is_found_while_programs_poll_rarely() {
    for ni in ["ni2w", "gm", "queues", "trapeze"] {
        for poll in ["50", "1000000"] {
            let stream = "stream = { payload = \"300 B\", messages = 2000, never-poll = true }";
            let overrides = [LIMIT_OF_1_MS, "run.time-limit=100 ms", &format!("messaging.poll={poll}")];
            let result = run("memory-bus-1998", ni, stream, &overrides);
            assert!(matches!(result.outcome, Outcome::Deadlock(_)), "{ni}, {poll} cycles: {:?}", result.outcome);
        }
    }
}

#[test]
fn message_returned_forever_is_a_deadlock() {
    let stream = "stream = { payload = \"300 B\", messages = 8, never-poll = true }";
    let parts =
        "[\"hosts/memory-bus-1998\", \"ni/queues\", \"protocols/return-to-sender-1998\", \"fabrics/ideal-1998\"]";
    let machine = read(&format!("parts = {parts}\n[workload]\n{stream}\n"), &[]);
    let result = experiment::run(&machine.unwrap_or_else(|problems| panic!("{problems}")), Recorder::off());
    assert!(matches!(result.outcome, Outcome::Deadlock(_)), "{:?}", result.outcome);
    assert!(result.end.as_s() < 20e-3, "{}", result.end);
}
