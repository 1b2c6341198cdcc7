//! Verbs: bytes through queues that wrap around, losses and reordering, and every failure by name.

use super::observe;
use crate::testing::RunObservation;

fn run(fabric: &str, scenario: &str, requests: u64, bytes: u64, overrides: &[&str]) -> RunObservation {
    let table =
        format!("[workload.verbs-test]\nscenario = \"{scenario}\"\nrequests = {requests}\nbytes = \"{bytes} B\"");
    observe(fabric, 2, &table, overrides)
}

/// Small queues, which wrap around often.
const SMALL_QUEUES: [&str; 5] = [
    "ni.rdma.send-entries=2",
    "ni.rdma.receive-entries=4",
    "ni.rdma.completion-entries=8",
    "ni.rdma.rnr-timer=2 us",
    "ni.rdma.mtu=256 B",
];

fn with_overrides<'a>(overrides: &[&'a str], extra_overrides: &[&'a str]) -> Vec<&'a str> {
    [overrides, extra_overrides].concat()
}

#[test]
fn updates_move_the_right_bytes_through_queues_that_wrap_around() {
    for extra_overrides in [["ni.rdma.doorbell=blue-flame"], ["ni.rdma.doorbell=fetch"], ["ni.rdma.inline-max=0 B"]] {
        let run = run("ideal-1998", "updates", 40, 1500, &with_overrides(&SMALL_QUEUES, &extra_overrides));
        assert_eq!(run.metric("user Send Success"), Some(160.0), "{extra_overrides:?}");
    }
}

#[test]
fn sends_move_the_right_bytes_through_queues_that_wrap_around() {
    for extra_overrides in [["ni.rdma.ack-every=1"], ["ni.rdma.ack-every=3"], ["ni.rdma.inline-max=0 B"]] {
        let run = run("ideal-1998", "sends", 50, 1500, &with_overrides(&SMALL_QUEUES, &extra_overrides));
        let success_counts = ["user Send Success", "owner Receive Success"].map(|name| run.metric(name));
        assert_eq!(success_counts, [Some(50.0), Some(50.0)], "{extra_overrides:?}");
    }
}

/// A failing scenario, overrides of keys, and the expected numbers of completions by name.
type FailureCase = (&'static str, &'static [&'static str], [(&'static str, f64); 3]);

#[test]
fn failures_end_requests_by_name() {
    let cases: [FailureCase; 4] = [
        (
            "no-receive",
            &["ni.rdma.rnr-retries=2", "ni.rdma.rnr-timer=1 us"],
            [("user Send ReceiverNotReady", 1.0), ("user Send Flushed", 3.0), ("user Send Success", 0.0)],
        ),
        (
            "wrong-key",
            &[],
            [("user Send RemoteAccessError", 1.0), ("user Send Flushed", 3.0), ("user Send Success", 0.0)],
        ),
        (
            "too-long",
            &[],
            [
                ("user Send RemoteInvalidRequest", 1.0),
                ("owner Receive LocalLengthError", 1.0),
                ("owner Receive Flushed", 2.0),
            ],
        ),
        (
            "overrun",
            &["ni.rdma.completion-entries=2"],
            [("user Send Success", 2.0), ("user Send CompletionQueueOverrun", 1.0), ("user Send Flushed", 0.0)],
        ),
    ];
    for (scenario, overrides, statuses) in cases {
        let run = run("ideal-1998", scenario, 3, 64, overrides);
        for (status, number) in statuses {
            assert_eq!(run.metric(status).unwrap_or(0.0), number, "{scenario}: {status} in {:?}", run.metrics);
        }
    }
}

#[test]
fn a_thousand_queue_pairs_work() {
    let run = run("ideal-1998", "many-pairs", 1024, 64, &[]);
    assert_eq!(run.metric("user Send Success"), Some(1024.0));
}

/// A mesh that loses packets, and a multibutterfly that also reorders them.
const LOSSY: [(&str, &[&str]); 2] = [
    ("nifdy-mesh", &["fabric.loss=0.03", "fabric.router.clock=1 GHz", "fabric.router.buffer-flits=128"]),
    ("nifdy-multibutterfly", &["fabric.loss=0.02", "fabric.router.clock=1 GHz", "fabric.router.buffer-flits=128"]),
];

#[test]
fn bytes_are_right_on_fabrics_that_lose_and_reorder_packets() {
    for (fabric, fabric_overrides) in LOSSY {
        for recovery in ["ni.rdma.recovery=go-back-n", "ni.rdma.recovery=selective"] {
            let extra_overrides =
                with_overrides(fabric_overrides, &[recovery, "ni.rdma.timeout=200 us", "ni.rdma.send-entries=8"]);
            let overrides = with_overrides(&SMALL_QUEUES[1..], &extra_overrides);
            let sends = run(fabric, "sends", 40, 3000, &overrides);
            assert_eq!(sends.metric("owner Receive Success"), Some(40.0), "{fabric} {recovery}");
            let updates = run(fabric, "updates", 20, 3000, &overrides);
            assert_eq!(updates.metric("user Send Success"), Some(80.0), "{fabric} {recovery}");
            assert!(sends.packets.dropped > 0, "{fabric} loses packets");
        }
    }
}

#[test]
fn a_peer_that_never_answers_exhausts_the_retries() {
    let overrides = ["fabric.loss=1.0", "ni.rdma.timeout=10 us", "ni.rdma.retries=2"];
    let table = "[workload.verbs-test]\nscenario = \"wrong-key\"\nrequests = 3\nbytes = \"64 B\"";
    let run = observe("nifdy-mesh", 2, table, &overrides);
    let statuses = ["user Send RetryExceeded", "user Send Flushed"].map(|name| run.metric(name));
    assert_eq!(statuses, [Some(1.0), Some(3.0)]);
}

#[test]
fn a_write_that_is_not_inline_takes_a_round_trip_over_pcie_more() {
    let half_round_trip = |bytes, overrides: &[&str]| {
        let overrides = with_overrides(&["fabric.ideal.latency=100 ns", "fabric.ideal.rate=40 Gbit/s"], overrides);
        run("ideal-1998", "latency", 40, bytes, &overrides).metric("half").expect("the latency was measured")
    };
    let latencies = [2, 64, 128, 220, 256, 1024, 4096, 65_536].map(|bytes| (bytes, half_round_trip(bytes, &[])));
    println!("one-way write latency in us: {latencies:?}");
    assert!(latencies.is_sorted_by(|smaller, larger| smaller.1 < larger.1));
    let inline = half_round_trip(28, &[]);
    let payload_read = half_round_trip(28, &["ni.rdma.inline-max=0 B", "ni.rdma.doorbell=blue-flame"]) - inline;
    let request_read = half_round_trip(28, &["ni.rdma.doorbell=fetch"]) - inline;
    println!("payload read {payload_read} us, request read {request_read} us");
    assert!((0.4..0.8).contains(&payload_read), "a read of the payload takes {payload_read} us");
    assert!((0.2..0.8).contains(&request_read), "a read of the request takes {request_read} us");
}

#[test]
fn messages_that_were_acknowledged_together_do_not_hasten_the_next_acknowledgement() {
    let packets = |delay: &str| {
        let delay = format!("ni.rdma.ack-delay={delay}");
        run("ideal-1998", "sends", 40, 8, &["ni.rdma.ack-every=2", &delay]).packets.injected
    };
    // Messages follow one another in less than a microsecond, so that each second one is acknowledged.
    let pairwise = packets("1 ms");
    assert_eq!(["1500 ns", "2 us", "3 us", "10 us"].map(packets), [pairwise; 4]);
    let one_by_one = packets("10 ns");
    assert!(one_by_one > pairwise, "{one_by_one} packets with an acknowledgement of each message, {pairwise} of pairs");
}
