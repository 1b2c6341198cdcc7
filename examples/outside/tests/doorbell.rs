//! Checks that the doorbell interface delivers every byte over the shipped protocols and fabrics, takes the stated
//! time, and is checked like a shipped interface.

use narrows::engine::{Outcome, Recorder};
use narrows::testing::RunObservation;
use narrows::{Error, Machine, Registry};
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    Arc::new(narrows_outside::registry())
}

/// Reads a machine of two nodes with this host, and doorbells.
fn machine(host: &str, protocol: &str, fabric: &str, rest: &str) -> Result<Machine, Error> {
    let text = format!(
        "parts = [\"hosts/{host}\", \"protocols/{protocol}\", \"fabrics/{fabric}\"]\n\
         [messaging]\nsend = 40\npoll = 10\nreceive = 60\n{rest}"
    );
    registry().parse(&text)
}

const PROTOCOLS: [&str; 4] = ["none", "return-to-sender-1998", "nifdy", "window"];
const FABRICS: [&str; 2] = ["ideal-1998", "myrinet"];

#[test]
fn external_interface_delivers_every_byte_over_protocols_and_fabrics() {
    for (protocol, fabric) in PROTOCOLS.iter().flat_map(|protocol| FABRICS.map(|fabric| (protocol, fabric))) {
        let links = if fabric == "myrinet" {
            "[fabric.myrinet]\nlinks = [\"a - s\", \"b - s\"]\nswitches = [\"s\"]\n"
        } else {
            ""
        };
        for (payload, messages) in [(8, 20), (240, 20), (3000, 5)] {
            // The program compares the received bytes with the sent ones.
            let rest = format!(
                "[nodes.a]\nhost = \"memory-bus-1998\"\n[nodes.b]\nhost = \"memory-bus-1998\"\n{links}\
                 [ni.doorbell]\n[workload.ping-pong]\nwarm-up = 0\npayload = \"{payload} B\"\nmessages = {messages}\n"
            );
            let machine = machine("memory-bus-1998", protocol, fabric, &rest);
            let machine = machine.unwrap_or_else(|error| panic!("{protocol} {fabric} {payload}: {error}"));
            let observation = RunObservation::of(&machine, Recorder::off());
            assert_eq!(observation.outcome, Outcome::Done, "{protocol} {fabric} {payload}");
            assert_eq!(observation.metric("messages.sent"), observation.metric("messages.delivered"));
            assert!(observation.messages.len() >= 2 * messages, "{protocol} {fabric} {payload}");
        }
    }
}

#[test]
fn pipeline_of_an_external_interface_adds_its_time_to_every_message() {
    let latency = |pipeline: u64| {
        let rest = format!(
            "[ni.doorbell]\npipeline = \"{pipeline} ns\"\n[workload.ping-pong]\nwarm-up = 0\npayload = \"8 B\"\nmessages = 10\n"
        );
        let machine = machine("memory-bus-1998", "none", "ideal-1998", &rest).expect("the parts are valid");
        let observation = RunObservation::of(&machine, Recorder::off());
        observation.messages.last().expect("a message was delivered").latency()
    };
    let added_ns = (latency(1100).ps() as f64 - latency(100).ps() as f64) / 1e3;
    assert!((added_ns - 1000.0).abs() < 100.0, "1 us more of the pipeline is {added_ns} ns more of a message");
}

#[test]
fn external_interface_is_listed_checked_and_rejected_like_a_shipped_one() {
    let ping_pong = "[workload.ping-pong]\nwarm-up = 0\npayload = \"64 B\"\n";
    let length_error =
        machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.doorbell]\npacket = \"10 B\"\n{ping_pong}"));
    let length_error = length_error.expect_err("the payload is shorter than a header").to_string();
    assert!(
        length_error.contains("ni.doorbell.packet") && length_error.contains("must be at least 64 B"),
        "{length_error}"
    );

    let error = machine("cm-5", "none", "ideal-1998", &format!("[ni.doorbell]\n{ping_pong}"));
    let error = error.expect_err("the host has no bus");
    assert!(matches!(error, Error::Incompatible(_)), "{error}");
    let error = error.to_string();
    assert!(error.contains("lacks what [ni.doorbell] needs: registers"), "{error}");

    let other_interface = machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.cmmu]\n{ping_pong}"));
    assert!(other_interface.is_err(), "[ni.cmmu] is selected, but not described");
    let keys: Vec<&str> = registry().interfaces().iter().map(|entry| entry.info.key).collect();
    assert_eq!(keys.last(), Some(&"doorbell"), "{keys:?}");
}
