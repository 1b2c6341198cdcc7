//! Checks that failures are reported by name: packets dropped by the watchdog, buffers that are never freed, parts that
//! are incompatible. Packets that a fabric loses are retransmitted under every interface; a description whose protocol
//! cannot retransmit them is refused.

mod slow;

use crate::common::parts::{accepted, read, read_valid, run_to_completion, text};
use crate::common::*;
use narrows::engine::Outcome;
use narrows::text::Document;
use std::collections::BTreeSet;

/// Asserts that each of `messages` messages was delivered once or dropped.
fn assert_each_delivered_or_dropped(run: &Run, messages: u64) {
    let [sent, delivered, dropped] =
        ["sent", "delivered", "dropped"].map(|name| run.metric(&format!("messages.{name}")));
    let outcome = &run.result.outcome;
    assert!(if dropped > 0.0 { matches!(outcome, Outcome::Loss(_)) } else { outcome.is_complete() }, "{outcome:?}");
    assert_eq!((sent, delivered + dropped), (messages as f64, messages as f64));
    let mut ids: Vec<_> = run.messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len() as f64, delivered, "no message is delivered twice");
}

#[test]
fn a_packet_held_too_long_is_dropped() {
    // 8 KiB take 51 µs on the link.
    for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
        let run = TestMachine { watchdog: 30, ..TestMachine::default() }.policy(policy).stream(20, 8_192).run();
        assert_each_delivered_or_dropped(&run, 20);
        assert_eq!(run.metric("messages.dropped"), 20.0);
    }
    // A receiver that never frees its buffers blocks packets, and only packets for which it has buffers arrive.
    let run = TestMachine { keep_buffers: true, watchdog: 1_000, ..TestMachine::default() }.stream(20, 4_096).run();
    assert_each_delivered_or_dropped(&run, 20);
    assert_eq!(run.metric("messages.delivered"), 4.0);
}

#[test]
fn packet_dropped_before_its_path_is_set_up_leaves_others_intact() {
    // A packet takes 103 µs on a link. The packet of n1 waits for the trunk behind a packet of n0, then for the link of
    // n3 behind a packet of n2 that left later, and is dropped while that packet arrives.
    let mut dropped = 0.0;
    for watchdog in (110..300).step_by(5) {
        let test_machine = TestMachine {
            watchdog,
            switches: vec!["west".into(), "east".into()],
            links: ["n0 - west", "n1 - west", "west - east", "n2 - east", "n3 - east", "n4 - east"]
                .map(String::from)
                .to_vec(),
            ..TestMachine::default()
        };
        for policy in [STORE_AND_FORWARD, ADAPTIVE] {
            let test_machine = test_machine.clone().policy(policy).hosts(&vec![Host::default(); 5]);
            let run = test_machine.flows(&["n0 -> n4", "n1 -> n3", "n2 -> n3"], 20, 16_384).run();
            assert_each_delivered_or_dropped(&run, 60);
            dropped += run.metric("messages.dropped");
        }
    }
    assert!(dropped > 0.0, "the watchdog drops packets");
}

#[test]
fn buffers_never_freed_end_in_a_reported_deadlock() {
    for notification in [r#""interrupt""#, r#"{ polling = { interval = "2 us" } }"#] {
        let machine_keeping_buffers = TestMachine {
            keep_buffers: true,
            watchdog: 1_000_000_000,
            notification: notification.into(),
            no_progress_limit: 10_000,
            ..TestMachine::default()
        };
        for test_machine in [
            machine_keeping_buffers.clone().stream(30, 4_096),
            machine_keeping_buffers.clone().ping_pong(30, 4_096),
            machine_keeping_buffers.clone().hosts(&vec![Host::default(); 3]).flows(
                &["n0 -> n2", "n2 -> n1"],
                30,
                4_096,
            ),
        ] {
            let run = test_machine.run();
            let Outcome::Deadlock(report) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
            let firmware = report.chain.iter().find(|wait| wait.task.ends_with("firmware") && wait.closes_cycle);
            let firmware = firmware.unwrap_or_else(|| panic!("no firmware in: {report}"));
            assert!(firmware.awaited.starts_with("a free packet buffer of n"), "{report}");
            assert!(run.metric("messages.delivered") >= 4.0, "the receiver takes a message for each of its buffers");
        }
    }
}

#[test]
fn lost_message_is_named_in_the_deadlock_report() {
    let test_machine =
        TestMachine { watchdog: 30, no_progress_limit: 10_000, ..TestMachine::default() }.ping_pong(5, 8_192);
    let run = test_machine.run();
    let Outcome::Deadlock(report) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
    assert!(report.to_string().contains("n0 program waits for a message for n0"), "{report}");
    let lost_message = "message 0 from n0 to n1, dropped by the watchdog at";
    assert!(report.losses.descriptions.first().is_some_and(|first| first.starts_with(lost_message)), "{report}");
}

/// Returns a machine of seven switches in a ring. A node at each switch sends to the node three switches further.
fn ring_machine() -> TestMachine {
    let name = |letter: &str, number: usize| format!("{letter}{}", number % 7);
    let links = |number| [("n", number, number), ("s", number, number + 1)];
    let link = |(letter, from, to): (&str, usize, usize)| format!("{} - {}", name(letter, from), name("s", to));
    let flows: Vec<String> = (0..7).map(|node| format!("{} -> {}", name("n", node), name("n", node + 3))).collect();
    TestMachine {
        switches: (0..7).map(|number| name("s", number)).collect(),
        links: (0..7).flat_map(links).map(link).collect(),
        watchdog: 1_000_000_000,
        no_progress_limit: 10_000,
        ..TestMachine::default().hosts(&vec![Host::default(); 7])
    }
    .workload(format!(
        r#"stream = {{ warm-up = 0, flows = {flows:?}, messages = 400, payload = "8 KiB", arrivals.poisson.interval = "300 us" }}"#
    ))
}

#[test]
fn cyclic_wait_for_links_is_reported() {
    let run = ring_machine().run();
    let Outcome::Deadlock(report) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
    let waits: Vec<_> = report.chain.iter().filter(|wait| wait.awaited.starts_with("link s")).collect();
    assert!(waits.len() >= 2 && waits.iter().all(|wait| wait.task.ends_with("netTx")), "{report}");
    assert!(waits.iter().all(|wait| wait.holder.as_ref().is_some_and(|holder| holder.ends_with("netTx"))), "{report}");
    assert!(waits.last().is_some_and(|wait| wait.closes_cycle), "{report}");
}

#[test]
fn source_routes_that_can_deadlock_are_noted_before_time_0() {
    let note = ring_machine().machine().note().expect("a note");
    assert!(note.contains("link s0 → s1 waits for link s1 → s2"), "{note}");
    assert!(note.contains("the run would end as a deadlock"), "{note}");
    let with_watchdog = TestMachine { watchdog: 50, ..ring_machine() };
    let note = with_watchdog.machine().note().expect("a note");
    assert!(note.contains("the watchdog drops a packet that holds its links for 50 us"), "{note}");
    assert_eq!(TestMachine::default().stream(2, 64).machine().note(), None, "one switch joins the nodes");
}

#[test]
fn watchdog_shorter_than_a_packet_is_noted_without_retransmission() {
    let test_machine = TestMachine { watchdog: 30, ..TestMachine::default() }.stream(20, 8_192);
    let note = test_machine.machine().note().expect("a note");
    assert!(note.contains("holds its links for 30 us") && note.contains("(ni.trapeze.payload-max)"), "{note}");
    assert!(test_machine.run().metric("messages.dropped") > 0.0, "the watchdog drops packets");
}

#[test]
fn watchdog_breaks_a_cyclic_wait_by_dropping_packets() {
    let run = TestMachine { watchdog: 5_000, ..ring_machine() }.run();
    assert_each_delivered_or_dropped(&run, 7 * 400);
    assert!(run.metric("messages.dropped") > 0.0);
}

#[test]
fn main_memory_smaller_than_a_program_is_refused() {
    let text = |size: &str| {
        format!(
            "parts = [\"hosts/p6-natoma\", \"ni/ni2w\", \"fabrics/myrinet\"]\n\
             hosts.p6-natoma.io-bus.memory.size = \"{size}\"\n[workload.stream]\nwarm-up = 0\npayload = \"8 KiB\"\n"
        )
    };
    let read = |size| narrows::machine::read(Document::Text("test.toml", &text(size), None), &[]);
    let problems = read("32 KiB").expect_err("the machine is refused");
    assert!(problems.to_string().contains("may need 36 KiB of main memory, and has 32 KiB"), "{problems}");
    assert!(read("36 KiB").is_ok());
}

#[track_caller]
fn assert_refused(test_machine: &TestMachine, message: &str) {
    let text = test_machine.text();
    let problems =
        narrows::machine::read(Document::Text("test.toml", &text, None), &[]).expect_err("the machine is refused");
    assert!(problems.to_string().contains(message), "{problems}");
}

#[test]
fn parts_that_cannot_work_together_are_refused() {
    let test_machine = TestMachine::default().stream(2, 64);
    assert_refused(&TestMachine { sram_rate: 100, ..test_machine.clone() }, "nothing is left for the network");
    assert_refused(
        &TestMachine { ring_entries: 4_096, payload_max: 1 << 20, ..test_machine.clone() },
        "of host memory",
    );
    assert_refused(&TestMachine { payload_max: 32, ..test_machine }, "larger than");
}

/// Reads a description of a stream to one node over interface `interface`, whose hosts have `memory_bytes` bytes. If
/// the memory is too small, the error states the memory that is needed.
fn stream_to_one_node(interface: &str, payload: u64, memory_bytes: u64) -> Result<narrows::machine::Machine, String> {
    let text = format!(
        r#"
parts = ["hosts/memory-bus-1998", "ni/{interface}", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]
nodes.n = {{ host = "memory-bus-1998", count = 5 }}
hosts.memory-bus-1998.memory-bus.memory-size = "{memory_bytes} B"
workload.stream = {{ warm-up = 0, flows = ["n0 -> n3", "n1 -> n3", "n2 -> n3", "n4 -> n3"], messages = 60, payload = "{payload} B" }}
"#
    );
    let read = narrows::machine::read(Document::Text("test.toml", &text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

#[test]
fn memory_of_the_reported_size_is_never_full() {
    for interface in ["ni2w", "udma", "ap3000", "startjr", "memory-channel", "cni512q", "cni32qm", "single-cycle"] {
        for payload in [8, 256, 4_000] {
            let mut memory_bytes = 64 << 10;
            let machine = loop {
                match stream_to_one_node(interface, payload, memory_bytes) {
                    Ok(machine) => break machine,
                    Err(problems) => {
                        assert!(problems.contains("` may need ") && problems.contains("memory-size"), "{problems}");
                        memory_bytes += 64 << 10;
                    }
                }
            };
            assert!(memory_bytes <= 2 << 20, "{interface}, {payload} B: {memory_bytes} B");
            let result = narrows::experiment::run(&machine, narrows::engine::Recorder::off());
            assert_eq!(result.outcome, Outcome::Done, "{interface}, {payload} B");
        }
    }
}

/// Runs a shipped example with these settings.
#[track_caller]
fn run_example(name: &str, overrides: &[&str]) -> narrows::experiment::RunResult {
    let overrides: Vec<String> = overrides.iter().map(|setting| setting.to_string()).collect();
    let text = narrows::machine::shipped::example(name).expect("the example is shipped");
    let read = narrows::machine::read(Document::Text(name, text, None), &overrides);
    let read = read.unwrap_or_else(|problems| panic!("{problems}"));
    narrows::experiment::run(&read.value, narrows::engine::Recorder::off())
}

#[test]
fn slow_run_is_not_a_deadlock() {
    // Each run waits for longer than the default of `run.no-progress-limit`, 1 s, and no task is deadlocked.
    let end_s = |result: &narrows::experiment::RunResult| result.end.as_s();
    let (long_time_limit, no_warm_up) = ("run.time-limit=100000 s", "workload.stream.warm-up=0");
    let with_gaps = run_example(
        "stream",
        &["workload.stream.arrivals.periodic.interval=2 s", "workload.stream.messages=5", no_warm_up],
    );
    assert_eq!(with_gaps.outcome, Outcome::Done);
    assert!((8.0..8.001).contains(&end_s(&with_gaps)), "the run lasts four gaps of 2 s: {}", with_gaps.end);
    let paced = run_example(
        "paced-stream",
        &["workload.stream.arrivals.poisson.interval=300 ms", "workload.stream.messages=30", no_warm_up],
    );
    assert_eq!(paced.outcome, Outcome::Done);
    assert_eq!(paced.metric("messages.delivered"), Some(30.0));
    let link =
        run_example("memory-bus", &["fabric.ideal.latency=2 s", "workload.ping-pong.messages=5", long_time_limit]);
    assert_eq!(link.outcome, Outcome::Done);
    let round_trip = link.metric("round_trip.latency").expect("the metric is measured");
    assert!((4e6..4e6 + 100.0).contains(&round_trip), "{round_trip} us");
    let clock =
        run_example("offered-load", &["fabric.router.clock=1 Hz", "workload.offered.cycles=2000", long_time_limit]);
    let expected = run_example("offered-load", &["workload.offered.cycles=2000", long_time_limit]);
    assert_eq!((clock.outcome.clone(), clock.metrics.clone()), (expected.outcome, expected.metrics));
}

#[test]
fn simulated_time_ends_without_overflow() {
    // Simulated time ends at 2⁶⁴ ps, which are 18 446 744 s.
    let largest_limits = ["run.time-limit=18446744.073709551615 s", "run.no-progress-limit=18446744 s"];
    let assert_ends_at_limit = |name, setting: &str| {
        let result = run_example(name, &[&largest_limits[..], &[setting]].concat());
        assert!(matches!(result.outcome, Outcome::TimeLimit(_)), "{name}: {:?}", result.outcome);
        assert_eq!(result.end, narrows::engine::Time::END, "{name}");
        result
    };
    let link = assert_ends_at_limit("memory-bus", "fabric.ideal.latency=1000000 s");
    assert_eq!(link.metric("messages.delivered"), Some(18.0), "a message takes a million seconds");
    let paced = assert_ends_at_limit("paced-stream", "workload.stream.arrivals.poisson.interval=100000 s");
    let delivered = paced.metric("messages.delivered").expect("the metric is measured");
    assert!((150.0..220.0).contains(&delivered), "about one message is sent in 100 000 s: {delivered}");
}

/// Reliable protocols, each with a setting of its time-out and with the fabrics whose losses it tolerates. One bit
/// distinguishes a duplicate from a new packet only if packets stay in order, over one route and one channel; a
/// sequence number does so on any fabric.
const RELIABLE_PROTOCOLS: [(&str, &str, &[&str]); 2] = [
    (
        "protocols/nifdy",
        "protocol.nifdy.retransmission.timeout=1 ms",
        &["fabrics/nifdy-mesh", "fabrics/nifdy-butterfly"],
    ),
    ("protocols/window", "protocol.window.timeout=500 us", &["fabrics/nifdy-torus", "fabrics/nifdy-cm-5"]),
];

/// A stream of three flows, two of which have the same destination; each message has several packets.
const THREE_FLOWS_TO_ONE_NODE: &str = "workload.stream = { warm-up = 0, payload = \"300 B\", messages = 12, \
                        flows = [\"n0 -> n3\", \"n1 -> n3\", \"n3 -> n0\"] }";

#[test]
fn lost_packets_are_retransmitted_under_every_interface() {
    let (combinations, mut interfaces) = (accepted("stream"), BTreeSet::new());
    for (protocol, timeout_setting, fabrics) in RELIABLE_PROTOCOLS {
        for combination in combinations
            .iter()
            .filter(|candidate| candidate.protocol == protocol && fabrics.contains(&candidate.fabric))
        {
            let overrides = [timeout_setting, "fabric.loss=0.05"].map(String::from);
            let machine = read_valid(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &overrides);
            let observation = run_to_completion(&machine, combination);
            assert_eq!(
                (observation.messages.len(), observation.metric("messages.dropped")),
                (36, 0.0),
                "{combination:?}"
            );
            assert!(
                observation.packets.dropped > 0 && observation.sum(|unit| unit.retransmitted) > 0,
                "{combination:?}: {:?}",
                observation.packets
            );
            let out_of_order = parts::first_out_of_order(&observation.messages);
            assert!(out_of_order.is_none(), "{combination:?}: {out_of_order:?}");
            interfaces.insert((protocol, combination.host, combination.ni));
        }
    }
    assert!(interfaces.len() > 30, "{interfaces:?}");
}

#[test]
fn loss_without_retransmission_is_refused_under_every_interface() {
    let mut refusals = 0;
    for combination in accepted("stream").iter().filter(|candidate| candidate.fabric == "fabrics/nifdy-mesh") {
        if combination.ni == "ni/rdma" {
            // The interface retransmits, whatever the protocol.
            continue;
        }
        let problems = read(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &["fabric.loss=0.05".to_owned()])
            .err()
            .unwrap_or_default();
        let key = match combination.protocol {
            "protocols/none" => "none",
            "protocols/return-to-sender-1998" => "return-to-sender",
            "protocols/nifdy" => "nifdy",
            _ => {
                assert_eq!(problems, "", "a window survives loss: {combination:?}");
                continue;
            }
        };
        refusals += 1;
        assert!(
            problems.contains(&format!("[protocol.{key}] does not retransmit packets that the fabric loses")),
            "{problems}"
        );
        assert!(problems.contains("[protocol.window]"), "the error names a protocol that retransmits: {problems}");
    }
    assert!(refusals > 40, "{refusals}");
}

#[test]
fn one_bit_is_refused_where_duplicates_may_be_overtaken_under_every_interface() {
    let overrides = ["protocol.nifdy.retransmission.timeout=1 ms", "fabric.loss=0.05"].map(String::from);
    let mut refusals = 0;
    for combination in accepted("stream").iter().filter(|candidate| candidate.protocol == "protocols/nifdy") {
        let capabilities = read_valid(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &[]).fabric.capabilities();
        if combination.fabric.starts_with("fabrics/nifdy-") && !capabilities.in_order {
            let problems = read(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &overrides).err().unwrap_or_default();
            assert!(
                problems.contains(
                    "the one-bit numbers of [protocol.nifdy] cannot distinguish a duplicate from a new packet"
                ),
                "{combination:?}: {problems}"
            );
            refusals += 1;
        }
    }
    assert!(refusals > 20, "{refusals}");
}
