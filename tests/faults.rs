//! Checks that failures are reported by name: packets dropped by the watchdog, buffers that are never freed, parts that
//! are incompatible. Packets that a fabric loses are retransmitted under every interface; otherwise the description is
//! refused.

mod slow;

use crate::common::parts::{accepted, read, read_valid, run_to_completion, text};
use crate::common::*;
use narrows::engine::Outcome;
use narrows::text::Document;
use std::collections::BTreeSet;

/// Asserts that each of `messages` messages was delivered once or dropped.
fn assert_accounted(run: &Run, messages: u64) {
    let [all, delivered, dropped] =
        ["sent", "delivered", "dropped"].map(|name| run.metric(&format!("messages.{name}")));
    let outcome = &run.result.outcome;
    assert!(if dropped > 0.0 { matches!(outcome, Outcome::Loss(_)) } else { outcome.is_complete() }, "{outcome:?}");
    assert_eq!((all, delivered + dropped), (messages as f64, messages as f64));
    let mut ids: Vec<_> = run.messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len() as f64, delivered, "none is delivered twice");
}

#[test]
fn a_packet_held_too_long_is_dropped() {
    // 8 KiB take 51 µs on the link.
    for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
        let run = Bench { watchdog: 30, ..Bench::default() }.policy(policy).stream(20, 8_192).run();
        assert_accounted(&run, 20);
        assert_eq!(run.metric("messages.dropped"), 20.0);
    }
    // A receiver that never frees its buffers blocks packets, and only packets for which it has buffers arrive.
    let run = Bench { keep_buffers: true, watchdog: 1_000, ..Bench::default() }.stream(20, 4_096).run();
    assert_accounted(&run, 20);
    assert_eq!(run.metric("messages.delivered"), 4.0);
}

#[test]
fn packet_dropped_before_its_path_is_set_up_leaves_others_intact() {
    // A packet takes 103 µs on a link. The packet of n1 waits for the trunk behind a packet of n0, then for the link of
    // n3 behind a packet of n2 that left later, and is dropped while that packet arrives.
    let mut dropped = 0.0;
    for watchdog in (110..300).step_by(5) {
        let bench = Bench {
            watchdog,
            switches: vec!["west".into(), "east".into()],
            links: ["n0 - west", "n1 - west", "west - east", "n2 - east", "n3 - east", "n4 - east"]
                .map(String::from)
                .to_vec(),
            ..Bench::default()
        };
        for policy in [STORE_AND_FORWARD, ADAPTIVE] {
            let bench = bench.clone().policy(policy).hosts(&vec![Host::default(); 5]);
            let run = bench.flows(&["n0 -> n4", "n1 -> n3", "n2 -> n3"], 20, 16_384).run();
            assert_accounted(&run, 60);
            dropped += run.metric("messages.dropped");
        }
    }
    assert!(dropped > 0.0, "the watchdog had work");
}

#[test]
fn buffers_never_freed_end_in_a_reported_deadlock() {
    for notification in [r#""interrupt""#, r#"{ polling = { interval = "2 us" } }"#] {
        let stuck = Bench {
            keep_buffers: true,
            watchdog: 1_000_000_000,
            notification: notification.into(),
            no_progress_limit: 10_000,
            ..Bench::default()
        };
        for bench in [
            stuck.clone().stream(30, 4_096),
            stuck.clone().ping_pong(30, 4_096),
            stuck.clone().hosts(&vec![Host::default(); 3]).flows(&["n0 -> n2", "n2 -> n1"], 30, 4_096),
        ] {
            let run = bench.run();
            let Outcome::Deadlock(stuck) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
            let firmware = stuck.chain.iter().find(|wait| wait.task.ends_with("firmware") && wait.closes_cycle);
            let firmware = firmware.unwrap_or_else(|| panic!("no firmware in: {stuck}"));
            assert!(firmware.awaited.starts_with("a free packet buffer of n"), "{stuck}");
            assert!(run.metric("messages.delivered") >= 4.0, "as many as there are buffers");
        }
    }
}

#[test]
fn lost_message_is_named_in_the_deadlock_report() {
    let bench = Bench { watchdog: 30, no_progress_limit: 10_000, ..Bench::default() }.ping_pong(5, 8_192);
    let run = bench.run();
    let Outcome::Deadlock(stuck) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
    assert!(stuck.to_string().contains("n0 program waits for a message for n0"), "{stuck}");
    let lost = "message 0 from n0 to n1, dropped by the watchdog at";
    assert!(stuck.losses.descriptions.first().is_some_and(|first| first.starts_with(lost)), "{stuck}");
}

/// Returns seven switches in a ring with a node at each, which sends to the node three switches further.
fn ring() -> Bench {
    let name = |letter: &str, number: usize| format!("{letter}{}", number % 7);
    let links = |number| [("n", number, number), ("s", number, number + 1)];
    let link = |(from, end, to): (&str, usize, usize)| format!("{} - {}", name(from, end), name("s", to));
    let flows: Vec<String> = (0..7).map(|node| format!("{} -> {}", name("n", node), name("n", node + 3))).collect();
    Bench {
        switches: (0..7).map(|number| name("s", number)).collect(),
        links: (0..7).flat_map(links).map(link).collect(),
        watchdog: 1_000_000_000,
        no_progress_limit: 10_000,
        ..Bench::default().hosts(&vec![Host::default(); 7])
    }
    .workload(format!(
        r#"stream = {{ warm-up = 0, flows = {flows:?}, messages = 400, payload = "8 KiB", arrivals.poisson.interval = "300 us" }}"#
    ))
}

#[test]
fn cyclic_wait_for_links_is_reported() {
    let run = ring().run();
    let Outcome::Deadlock(stuck) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
    let waits: Vec<_> = stuck.chain.iter().filter(|wait| wait.awaited.starts_with("link s")).collect();
    assert!(waits.len() >= 2 && waits.iter().all(|wait| wait.task.ends_with("netTx")), "{stuck}");
    assert!(waits.iter().all(|wait| wait.holder.as_ref().is_some_and(|holder| holder.ends_with("netTx"))), "{stuck}");
    assert!(waits.last().is_some_and(|wait| wait.closes_cycle), "{stuck}");
}

#[test]
fn source_routes_that_can_deadlock_are_noted_before_time_0() {
    let note = ring().machine().note().expect("a note");
    assert!(note.contains("link s0 → s1 waits for link s1 → s2"), "{note}");
    assert!(note.contains("the run would end as a deadlock"), "{note}");
    let guarded = Bench { watchdog: 50, ..ring() };
    let note = guarded.machine().note().expect("a note");
    assert!(note.contains("the watchdog drops a packet that holds its links for 50 us"), "{note}");
    assert_eq!(Bench::default().stream(2, 64).machine().note(), None, "one switch joins them");
}

#[test]
fn watchdog_shorter_than_a_packet_is_noted_without_retransmission() {
    let bench = Bench { watchdog: 30, ..Bench::default() }.stream(20, 8_192);
    let note = bench.machine().note().expect("a note");
    assert!(note.contains("holds its links for 30 us") && note.contains("(ni.trapeze.payload-max)"), "{note}");
    assert!(bench.run().metric("messages.dropped") > 0.0, "and so it is");
}

#[test]
fn watchdog_breaks_a_cyclic_wait_by_dropping_packets() {
    let run = Bench { watchdog: 5_000, ..ring() }.run();
    assert_accounted(&run, 7 * 400);
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
    let problems = read("32 KiB").expect_err("refused");
    assert!(problems.to_string().contains("may need 36 KiB of main memory, and has 32 KiB"), "{problems}");
    assert!(read("36 KiB").is_ok());
}

#[track_caller]
fn refused(bench: &Bench, message: &str) {
    let text = bench.text();
    let problems = narrows::machine::read(Document::Text("test.toml", &text, None), &[]).expect_err("refused");
    assert!(problems.to_string().contains(message), "{problems}");
}

#[test]
fn parts_that_cannot_work_together_are_refused() {
    let bench = Bench::default().stream(2, 64);
    refused(&Bench { sram_rate: 100, ..bench.clone() }, "leaves nothing for the network");
    refused(&Bench { ring_entries: 4_096, payload_max: 1 << 20, ..bench.clone() }, "of host memory");
    refused(&Bench { payload_max: 32, ..bench }, "larger than");
}

/// Reads a description of a stream to one node over interface `kind`, whose hosts have `memory` bytes. If the memory is
/// too small, the error states the memory that is needed.
fn stream_to_one_node(kind: &str, payload: u64, memory: u64) -> Result<narrows::machine::Machine, String> {
    let text = format!(
        r#"
parts = ["hosts/memory-bus-1998", "ni/{kind}", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]
nodes.n = {{ host = "memory-bus-1998", count = 5 }}
hosts.memory-bus-1998.memory-bus.memory-size = "{memory} B"
workload.stream = {{ warm-up = 0, flows = ["n0 -> n3", "n1 -> n3", "n2 -> n3", "n4 -> n3"], messages = 60, payload = "{payload} B" }}
"#
    );
    let read = narrows::machine::read(Document::Text("test.toml", &text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

#[test]
fn memory_of_the_reported_size_is_never_full() {
    for kind in ["ni2w", "udma", "ap3000", "startjr", "memory-channel", "cni512q", "cni32qm", "single-cycle"] {
        for payload in [8, 256, 4_000] {
            let mut memory = 64 << 10;
            let machine = loop {
                match stream_to_one_node(kind, payload, memory) {
                    Ok(machine) => break machine,
                    Err(problems) => {
                        assert!(problems.contains("` may need ") && problems.contains("memory-size"), "{problems}");
                        memory += 64 << 10;
                    }
                }
            };
            assert!(memory <= 2 << 20, "{kind}, {payload} B: {memory} B");
            let result = narrows::experiment::run(&machine, narrows::engine::Recorder::off());
            assert_eq!(result.outcome, Outcome::Done, "{kind}, {payload} B");
        }
    }
}

/// Runs a shipped example with these settings.
#[track_caller]
fn example(name: &str, sets: &[&str]) -> narrows::experiment::RunResult {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let text = narrows::machine::shipped::example(name).expect("it is shipped");
    let read = narrows::machine::read(Document::Text(name, text, None), &sets);
    let read = read.unwrap_or_else(|problems| panic!("{problems}"));
    narrows::experiment::run(&read.value, narrows::engine::Recorder::off())
}

#[test]
fn slow_run_is_not_a_deadlock() {
    // Each run waits for longer than the default of `run.no-progress-limit`, 1 s, and no task is deadlocked.
    let in_s = |result: &narrows::experiment::RunResult| result.end.as_s();
    let (late, no_warm_up) = ("run.time-limit=100000 s", "workload.stream.warm-up=0");
    let gaps = example(
        "stream",
        &["workload.stream.arrivals.periodic.interval=2 s", "workload.stream.messages=5", no_warm_up],
    );
    assert_eq!(gaps.outcome, Outcome::Done);
    assert!((8.0..8.001).contains(&in_s(&gaps)), "four gaps: {}", gaps.end);
    let paced = example(
        "paced-stream",
        &["workload.stream.arrivals.poisson.interval=300 ms", "workload.stream.messages=30", no_warm_up],
    );
    assert_eq!(paced.outcome, Outcome::Done);
    assert_eq!(paced.metric("messages.delivered"), Some(30.0));
    let link = example("memory-bus", &["fabric.ideal.latency=2 s", "workload.ping-pong.messages=5", late]);
    assert_eq!(link.outcome, Outcome::Done);
    let round_trip = link.metric("round_trip.latency").expect("it is measured");
    assert!((4e6..4e6 + 100.0).contains(&round_trip), "{round_trip} us");
    let clock = example("offered-load", &["fabric.router.clock=1 Hz", "workload.offered.cycles=2000", late]);
    let expected = example("offered-load", &["workload.offered.cycles=2000", late]);
    assert_eq!((clock.outcome.clone(), clock.metrics.clone()), (expected.outcome, expected.metrics));
}

#[test]
fn simulated_time_ends_without_overflow() {
    // Simulated time ends at 2⁶⁴ ps, which are 18 446 744 s.
    let largest_limits = ["run.time-limit=18446744.073709551615 s", "run.no-progress-limit=18446744 s"];
    let assert_ends_at_limit = |name, set: &str| {
        let result = example(name, &[&largest_limits[..], &[set]].concat());
        assert!(matches!(result.outcome, Outcome::TimeLimit(_)), "{name}: {:?}", result.outcome);
        assert_eq!(result.end, narrows::engine::Time::END, "{name}");
        result
    };
    let link = assert_ends_at_limit("memory-bus", "fabric.ideal.latency=1000000 s");
    assert_eq!(link.metric("messages.delivered"), Some(18.0), "one in a million seconds");
    let paced = assert_ends_at_limit("paced-stream", "workload.stream.arrivals.poisson.interval=100000 s");
    let delivered = paced.metric("messages.delivered").expect("it is measured");
    assert!((150.0..220.0).contains(&delivered), "one in a hundred thousand or so: {delivered}");
}

/// Reliable protocols, each with a setting of its time-out and with the fabrics whose losses it tolerates. One bit
/// distinguishes a duplicate from a new packet only if packets stay in order, over one route and one channel; a
/// sequence number does so on any fabric.
const RELIABLE: [(&str, &str, &[&str]); 2] = [
    (
        "protocols/nifdy",
        "protocol.nifdy.retransmission.timeout=1 ms",
        &["fabrics/nifdy-mesh", "fabrics/nifdy-butterfly"],
    ),
    ("protocols/window", "protocol.window.timeout=500 us", &["fabrics/nifdy-torus", "fabrics/nifdy-cm-5"]),
];

/// Settings of a stream of three flows that meet; each message has several packets.
const THREE_FLOWS_TO_ONE_NODE: &str = "workload.stream = { warm-up = 0, payload = \"300 B\", messages = 12, \
                        flows = [\"n0 -> n3\", \"n1 -> n3\", \"n3 -> n0\"] }";

#[test]
fn lost_packets_are_retransmitted_under_every_interface() {
    let (combinations, mut interfaces) = (accepted("stream"), BTreeSet::new());
    for (protocol, values, fabrics) in RELIABLE {
        for combination in combinations.iter().filter(|one| one.protocol == protocol && fabrics.contains(&one.fabric)) {
            let sets = [values, "fabric.loss=0.05"].map(String::from);
            let machine = read_valid(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &sets);
            let observed = run_to_completion(&machine, combination);
            assert_eq!((observed.messages.len(), observed.metric("messages.dropped")), (36, 0.0), "{combination:?}");
            assert!(
                observed.packets.dropped > 0 && observed.sum(|unit| unit.retransmitted) > 0,
                "{combination:?}: {:?}",
                observed.packets
            );
            let late = parts::out_of_order(&observed.messages);
            assert!(late.is_none(), "{combination:?}: {late:?}");
            interfaces.insert((protocol, combination.host, combination.ni));
        }
    }
    assert!(interfaces.len() > 30, "{interfaces:?}");
}

#[test]
fn loss_without_retransmission_is_refused_under_every_interface() {
    let mut refusals = 0;
    for combination in accepted("stream").iter().filter(|one| one.fabric == "fabrics/nifdy-mesh") {
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
    let sets = ["protocol.nifdy.retransmission.timeout=1 ms", "fabric.loss=0.05"].map(String::from);
    let mut refusals = 0;
    for combination in accepted("stream").iter().filter(|one| one.protocol == "protocols/nifdy") {
        let facts = read_valid(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &[]).fabric.capabilities();
        if combination.fabric.starts_with("fabrics/nifdy-") && !facts.in_order {
            let problems = read(&text(combination, 4, THREE_FLOWS_TO_ONE_NODE), &sets).err().unwrap_or_default();
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
