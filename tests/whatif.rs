//! Sensitivity analysis: it finds the bottleneck of machines whose bottleneck is known.

use narrows::experiment::whatif::{WhatIf, WhatIfQuery};
use narrows::machine::Registry;
use narrows::text::Document;

const HOST: &str = "hosts.pentium-ii-440lx";

/// What is found of a shipped example under these settings.
fn asked(example: &str, sets: &[String]) -> WhatIf {
    let path = format!("{}/examples/{example}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a shipped example");
    let reader = |varied: &[String]| Registry::shared().read_varied(Document::Text(example, &text, None), sets, varied);
    let query = WhatIfQuery { reader: &reader, metric: None, factor: 2.0 };
    query.run(&|| {}).unwrap_or_else(|_| panic!("{example} {sets:?} can be asked"))
}

/// Returns the parameter with the largest gain under these overrides of the host and of other parts.
fn bottleneck(example: &str, of_host: &[&str], of_any: &[&str]) -> String {
    let of_host = of_host.iter().map(|set| format!("{HOST}.{set}"));
    let sets: Vec<String> = of_host.chain(of_any.iter().map(|set| (*set).to_owned())).collect();
    let found = asked(example, &sets);
    assert!(found.gains[0].ratio > 1.05, "{sets:?}: {:?}", found.gains[0]);
    found.gains[0].key.clone()
}

#[test]
fn interface_memory_is_the_bottleneck_with_a_bus_twice_as_fast() {
    let fast = ["io-bus.pci.clock=66 MHz", "io-bus.bridge.read-rate=250 MB/s", "io-bus.bridge.write-rate=250 MB/s"];
    assert_eq!(bottleneck("stream", &fast, &[]), "ni.trapeze.lanai.sram.rate");
}

#[test]
fn what_was_made_slow_is_named() {
    let few = "workload.stream.messages=60";
    let cases: [(&str, &[&str], &[&str], &str); 9] = [
        ("stream", &[], &[few, "fabric.myrinet.link-rate=20 MB/s"], "fabric.myrinet.link-rate"),
        ("stream", &["io-bus.bridge.read-rate=20 MB/s"], &[few], "hosts.pentium-ii-440lx.io-bus.bridge.read-rate"),
        ("stream", &["io-bus.bridge.write-rate=20 MB/s"], &[few], "hosts.pentium-ii-440lx.io-bus.bridge.write-rate"),
        ("stream", &["io-bus.bridge.read-setup=900 us"], &[few], "hosts.pentium-ii-440lx.io-bus.bridge.read-setup"),
        ("stream", &[], &[few, "ni.trapeze.lanai.clock=1 MHz"], "ni.trapeze.lanai.clock"),
        ("stream", &["io-bus.bridge.write-setup=900 us"], &[few], "hosts.pentium-ii-440lx.io-bus.bridge.write-setup"),
        ("ping-pong", &[], &["fabric.myrinet.switch-latency=2 ms"], "fabric.myrinet.switch-latency"),
        (
            "ping-pong",
            &["io-bus.processor.interrupt-latency=2 ms"],
            &[],
            "hosts.pentium-ii-440lx.io-bus.processor.interrupt-latency",
        ),
        ("ping-pong", &["io-bus.bridge.write-setup=2 ms"], &[], "hosts.pentium-ii-440lx.io-bus.bridge.write-setup"),
    ];
    for (example, of_host, of_any, slow) in cases {
        assert_eq!(bottleneck(example, of_host, of_any), slow);
    }
}

#[test]
fn numbers_that_do_nothing_are_told_with_the_reason() {
    let found = asked("ping-pong", &["workload.ping-pong.messages=20".to_owned()]);
    let dead = |key: &str| found.dead.iter().find(|dead| dead.key == key).map(|dead| dead.reason.as_str());
    assert_eq!(dead("ni.trapeze.firmware.log"), Some("the firmware does not log"));
    assert_eq!(dead("ni.trapeze.firmware.protocol"), Some("there is no protocol"));
    assert_eq!(dead("ni.trapeze.lanai.clock"), None);
    assert!(found.gains.windows(2).all(|pair| pair[0].ratio >= pair[1].ratio), "the largest gain comes first");
}

#[test]
fn parts_say_why_a_number_has_no_effect() {
    let path = format!("{}/examples/ping-pong.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a shipped example");
    let reason = |set: &str, key: &str| {
        let sets: Vec<String> = [set].iter().filter(|set| !set.is_empty()).map(|set| (*set).to_owned()).collect();
        let read = Registry::shared().read_varied(Document::Text("ping-pong", &text, None), &sets, &[]);
        read.unwrap_or_else(|problems| panic!("{problems}")).value.inert_reason(key)
    };
    let latency = format!("{HOST}.io-bus.processor.interrupt-latency");
    assert_eq!(reason("", &latency), None);
    assert_eq!(reason("ni.trapeze.notification=polling", &latency), Some("the interface is polled"));
    assert_eq!(reason("", "ni.trapeze.firmware.log"), Some("the firmware does not log"));
    assert_eq!(reason("ni.trapeze.logging=true", "ni.trapeze.firmware.log"), None);
    assert_eq!(reason("", "ni.trapeze.firmware.copy"), Some("there is no protocol"));
    let clock = format!("{HOST}.io-bus.pci.clock");
    assert_eq!(reason("", &clock), Some("the rates of the bridge decide, and the clock only bounds them"));
    assert_eq!(reason("", "fabric.myrinet.watchdog"), Some("no packet is held so long"));
    assert_eq!(reason("", "fabric.myrinet.link-rate"), None);
}
