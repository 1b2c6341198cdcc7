//! Checks how a ledger splits the time of a message without load: fixed times count as service, and only the time
//! behind other messages or for a credit counts as waiting.

use crate::common::cli::as_json;

/// Stages that consist of waiting by nature: the receiver finds a message at its next poll.
const POLL_STAGES: [&str; 2] = ["poll", "receive: poll"];
/// Largest waiting time that is neglected, as a fraction of the latency.
const WAITING_MAX: f64 = 0.002;

/// Returns the mean waiting time of each stage as a fraction of the latency.
fn waiting_fractions(arguments: &[&str]) -> Vec<(String, f64)> {
    let json = as_json(&[&["run"], arguments].concat());
    let total = json["ledger"]["total_us"].as_f64().expect("a latency");
    let stages = json["ledger"]["stages"].as_array().expect("stages");
    let stage = |stage: &serde_json::Value| {
        let name = stage["stage"].as_str().expect("a name").to_owned();
        (name, stage["waiting_us"].as_f64().expect("a time") / total)
    };
    stages.iter().map(stage).collect()
}

#[test]
fn fixed_times_of_interfaces_with_dma_are_service() {
    // Each message is one packet, because the packets of a longer message wait for each other. Two stages that include
    // waiting even without load are left out: `send` of RDMA contains the processor's cost before it notifies the
    // interface, and `payload write` of rings contains the wait for a receive descriptor.
    let cases: [(&[&str], &[&str]); 3] = [
        (&["rdma-ping-pong"], &["doorbell", "descriptor", "send processing", "wire", "receive processing"]),
        (&["rdma-ping-pong", "--set=workload.ping-pong.payload=1 KiB"], &["doorbell", "send processing", "wire"]),
        (&["ring-ping-pong"], &["doorbell", "descriptor", "payload read", "wire"]),
    ];
    for (arguments, without_waiting) in cases {
        let stages = waiting_fractions(arguments);
        for name in without_waiting {
            let Some((_, share)) = stages.iter().find(|(stage, _)| stage == name) else { continue };
            assert!(*share < WAITING_MAX && !POLL_STAGES.contains(name), "{arguments:?}: {name} waits: {stages:?}");
        }
    }
}
