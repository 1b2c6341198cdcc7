//! Tests of verbs over an interface with one-sided operations: all operations, batches and flows, and the rejection of
//! impossible tests.

use crate::engine::{Outcome, Recorder};
use crate::machine::{Machine, Registry};
use crate::testing::RunObservation;
use crate::text::Document;

fn machine(ni: &str, endpoints: u32, values: &str) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/{ni}\", \"fabrics/ideal-1998\"]\n\
         nodes.a = {{ host = \"memory-bus-1998\", endpoints = {endpoints} }}\n\
         nodes.b = {{ host = \"memory-bus-1998\", endpoints = {endpoints} }}\n\
         messaging = {{ send = 40, poll = 4, receive = 40 }}\n\
         [workload.verbs]\nwarm-up = 20\n{values}\n"
    );
    let read = Registry::shared().read(Document::Text("verbs", &text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

fn observe(endpoints: u32, values: &str) -> RunObservation {
    let machine = machine("startjr", endpoints, values).unwrap_or_else(|problems| panic!("{problems}"));
    let observed = RunObservation::of(&machine, Recorder::off());
    assert_eq!(observed.outcome, Outcome::Done, "{values}");
    observed
}

fn metric(observed: &RunObservation, name: &str) -> f64 {
    observed.metric(name).unwrap_or_else(|| panic!("{name} is measured"))
}

const OPERATIONS: [&str; 4] = ["write", "read", "fetch-add", "compare-swap"];

#[test]
fn latencies_of_all_operations_are_measured_on_one_and_several_queue_pairs() {
    for operation in OPERATIONS {
        let size = if operation.contains('-') { "8 B" } else { "96 B" };
        for queue_pairs in [1, 3] {
            let values = format!(
                "operation = \"{operation}\"\nsize = \"{size}\"\niterations = 100\nqueue-pairs = {queue_pairs}"
            );
            let observed = observe(1, &values);
            assert_eq!(metric(&observed, "verbs.latency_samples"), 100.0, "{values}");
            let [least, median, most] =
                ["min", "p50", "max"].map(|quantile| metric(&observed, &format!("verbs.latency_{quantile}")));
            assert!(0.0 < least && least <= median && median <= most, "{values}: {least} {median} {most}");
        }
    }
}

#[test]
fn latency_of_a_read_is_a_round_trip_and_that_of_a_write_half_of_one() {
    let latency = |operation: &str| {
        let values = format!("operation = \"{operation}\"\nsize = \"8 B\"\niterations = 50");
        metric(&observe(1, &values), "verbs.latency_p50")
    };
    let ratio = latency("read") / latency("write");
    assert!((1.0..2.0).contains(&ratio), "a read crosses the wire twice, and its completion is polled once: {ratio}");
}

#[test]
fn bandwidths_of_all_operations_are_measured_with_any_batches() {
    for operation in OPERATIONS {
        for extra in [
            "",
            "queue-pairs = 3",
            "post-list = 8\nqueue-pairs = 2",
            "bidirectional = true",
            "signal-every = 1",
            "outstanding = 5\nsignal-every = 2",
        ] {
            let size = if operation.contains('-') { "8 B" } else { "96 B" };
            let values = format!(
                "operation = \"{operation}\"\ntest = \"bandwidth\"\nsize = \"{size}\"\niterations = 150\n{extra}"
            );
            let observed = observe(1, &values);
            let [average, peak] = ["verbs.bandwidth", "verbs.bandwidth_peak"].map(|name| metric(&observed, name));
            assert!(0.0 < average && average <= peak, "{values}: {average} {peak}");
            let bytes = metric(&observed, "verbs.message_rate") * metric(&observed, "verbs.size");
            assert!((bytes / average - 1.0).abs() < 1e-9, "the rate times the size is the bandwidth");
        }
    }
}

#[test]
fn outstanding_requests_raise_the_bandwidth() {
    let bandwidth = |outstanding: u64| {
        let values = format!(
            "operation = \"read\"\ntest = \"bandwidth\"\nsize = \"8 B\"\niterations = 100\noutstanding = {outstanding}"
        );
        metric(&observe(1, &values), "verbs.bandwidth")
    };
    assert!(bandwidth(8) > 1.2 * bandwidth(1));
}

#[test]
fn flows_of_several_endpoints_run_at_once() {
    let values = "flows = [\"a:0 -> b:0\", \"a:1 -> b:1\"]\nsize = \"64 B\"\niterations = 60";
    assert_eq!(metric(&observe(2, values), "verbs.latency_samples"), 120.0);
    let values = "flows = [\"a:* -> b:0\", \"b:1 -> a:0\"]\ntest = \"bandwidth\"\nsize = \"64 B\"\niterations = 60";
    assert!(metric(&observe(2, values), "verbs.bandwidth") > 0.0);
}

#[test]
fn impossible_tests_are_refused_before_time_0() {
    let assert_refused = |ni: &str, values: &str, expected: &str| {
        let error = machine(ni, 2, values).expect_err(values);
        assert!(error.contains(expected), "{error}");
    };
    assert_refused("cni32qm", "", "[workload.verbs] uses verbs, and [ni.cni32qm] has no queue pairs");
    assert_refused("startjr", "operation = \"send\"", "posts sends");
    assert_refused("startjr", "size = \"1 KiB\"", "a request of 1 KiB exceeds the largest");
    assert_refused("startjr", "operation = \"fetch-add\"\nsize = \"4 B\"", "an atomic operation moves 8 B, not 4 B");
    assert_refused("startjr", "outstanding = 2", "a latency test has one outstanding request, not 2");
    assert_refused("startjr", "test = \"bandwidth\"\npost-list = 129", "129 requests exceed the outstanding ones");
    assert_refused("startjr", "flows = [\"a -> b:0\", \"a:1 -> b\"]", "`b` takes part in several flows");
    assert_refused("startjr", "flows = [\"a:0 -> a:1\"]", "are at one node");
}
