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
fn an_interface_from_outside_delivers_every_byte_over_protocols_and_fabrics() {
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
            let machine = machine.unwrap_or_else(|refused| panic!("{protocol} {fabric} {payload}: {refused}"));
            let seen = RunObservation::of(&machine, Recorder::off());
            assert_eq!(seen.outcome, Outcome::Done, "{protocol} {fabric} {payload}");
            assert_eq!(seen.metric("messages.sent"), seen.metric("messages.delivered"));
            assert!(seen.messages.len() >= 2 * messages, "{protocol} {fabric} {payload}");
        }
    }
}

#[test]
fn the_pipeline_of_an_interface_from_outside_adds_its_time_to_every_message() {
    let latency = |pipeline: u64| {
        let rest = format!(
            "[ni.doorbell]\npipeline = \"{pipeline} ns\"\n[workload.ping-pong]\nwarm-up = 0\npayload = \"8 B\"\nmessages = 10\n"
        );
        let machine = machine("memory-bus-1998", "none", "ideal-1998", &rest).expect("sound parts");
        let seen = RunObservation::of(&machine, Recorder::off());
        seen.messages.last().expect("a message came").latency()
    };
    let more = (latency(1100).ps() as f64 - latency(100).ps() as f64) / 1e3;
    assert!((more - 1000.0).abs() < 100.0, "1 us more of the pipeline is {more} ns more of a message");
}

#[test]
fn an_interface_from_outside_is_listed_checked_and_refused_like_any_other() {
    let ping_pong = "[workload.ping-pong]\nwarm-up = 0\npayload = \"64 B\"\n";
    let wrong =
        machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.doorbell]\npacket = \"10 B\"\n{ping_pong}"));
    let wrong = wrong.expect_err("less than a header").to_string();
    assert!(wrong.contains("ni.doorbell.packet") && wrong.contains("must be at least 64 B"), "{wrong}");

    let refused = machine("cm-5", "none", "ideal-1998", &format!("[ni.doorbell]\n{ping_pong}"));
    let refused = refused.expect_err("a host without a bus");
    assert!(matches!(refused, Error::Incompatible(_)), "{refused}");
    let refused = refused.to_string();
    assert!(refused.contains("lacks what [ni.doorbell] needs: registers"), "{refused}");

    let elsewhere = machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.cmmu]\n{ping_pong}"));
    assert!(elsewhere.is_err(), "[ni.cmmu] is selected, but not described");
    let keys: Vec<&str> = registry().interfaces().iter().map(|entry| entry.info.key).collect();
    assert_eq!(keys.last(), Some(&"doorbell"), "{keys:?}");
}
